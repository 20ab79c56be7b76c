"""Helpers on arrays that every layer uses: Arrow buffers, groups of equal keys, codes of pairs, random numbers."""
