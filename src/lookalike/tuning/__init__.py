"""Choice of bands and rows from threshold and recall; their estimated cost; their measured recall."""
