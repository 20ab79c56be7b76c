"""Locality-sensitive hashing: signatures, band keys, buckets, candidates."""
