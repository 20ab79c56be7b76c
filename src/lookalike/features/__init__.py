"""Raw items to features: texts to shingles, baskets to elements, weighted sets to elements with weights."""
