"""Kinds of items: texts, sets, weighted sets, vectors, bits."""
