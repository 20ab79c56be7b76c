"""Array helpers that every layer uses: Arrow buffers, groups of equal keys, pair codes, random numbers."""
