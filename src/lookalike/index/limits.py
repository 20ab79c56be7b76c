"""How large the parts of an index become, and when they are merged."""

from __future__ import annotations

MAX_SMALL_BYTES = 1 << 20
"""Bytes of packed items up to which a part stays in the database rather than in a file."""

MAX_SMALL_ITEMS = 1 << 10
"""Items up to which a part stays in the database."""

MAX_PART_ITEMS = 1 << 18
"""Items from which on new items begin another part, since the keys of a part are held in memory."""

MAX_SMALL_PARTS = 16
"""Parts in the database from which on they are merged."""

MERGE_FACTOR = 8
"""Parts of similar size that are merged into one, and so the growth in size from one level to the next."""
