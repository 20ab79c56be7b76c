"""The most similar others of each item."""
