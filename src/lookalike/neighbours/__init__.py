"""Search for the items most similar to each item."""
