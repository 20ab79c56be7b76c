"""Bands and rows from threshold and recall; what they cost; what recall they had."""
