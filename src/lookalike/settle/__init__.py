"""Which bands and rows are the cheapest for a collection, by a sample of it; and whether there are to be any."""
