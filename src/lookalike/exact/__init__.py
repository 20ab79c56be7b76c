"""Searches that miss nothing: among texts, sets, weighted sets, vectors and bits; and of a few items among all."""
