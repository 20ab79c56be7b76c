"""Exact searches among texts, sets, weighted sets, vectors and bits; and exact scans of a few items against all."""
