"""Merging parts of an index, so that there are never too many to search."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lookalike.arrays.slices import slices
from lookalike.index import limits
from lookalike.index.storage.packed import Packed
from lookalike.index.storage.part import take
from lookalike.index.storage.part_writer import PartWriter
from lookalike.index.storage.parts_table import PartEntry

if TYPE_CHECKING:
    from lookalike.index.handle import Handle
    from lookalike.index.snapshot import LivePart, Snapshot


def merge_small(handle: Handle) -> None:
    """Merge the newest parts while there are too many of similar size."""
    while entries := choose_mergeable(handle.database.entries()):
        merge(handle, entries)


def choose_mergeable(entries: list[PartEntry]) -> list[PartEntry]:
    """Return the newest parts if they should be merged; none otherwise."""
    small = newest(entries, -1)
    if len(small) > limits.MAX_SMALL_PARTS or sum(entry.items for entry in small) > limits.MAX_SMALL_ITEMS:
        return small
    for level in sorted({level_of(entry) for entry in entries} - {-1}):
        some = newest(entries, level)
        if sum(level_of(entry) == level for entry in some) >= limits.MERGE_FACTOR:
            return some
    return []


def newest(entries: list[PartEntry], level: int) -> list[PartEntry]:
    """Return the newest parts, up to the first above this level."""
    above = [i for i, entry in enumerate(entries) if level_of(entry) > level]
    return entries[above[-1] + 1 :] if above else list(entries)


def level_of(entry: PartEntry) -> int:
    """Return the size class of a part: -1 in the database, then one more for each `MERGE_FACTOR` in size."""
    if not entry.in_file:
        return -1
    return int(math.log(max(entry.items / limits.MAX_SMALL_ITEMS, 1), limits.MERGE_FACTOR))


def compact(handle: Handle, *, rebuild: bool) -> None:
    """Merge all parts into one; with `rebuild`, sign the items again."""
    entries = handle.database.entries()
    if rebuild or len(entries) > 1 or any(entry.deleted or not entry.in_file for entry in entries):
        merge(handle, entries, rebuild=rebuild)


def merge(handle: Handle, entries: list[PartEntry], *, rebuild: bool = False) -> None:
    """Merge parts into one, without their deleted items."""
    wanted = {entry.number for entry in entries}
    snapshot, database = handle.snapshot(), handle.database
    parts = [one for one in snapshot.parts if one.part.number in wanted and one.count]
    for one in parts:
        one.part.container.verify_all()  # damage would otherwise get a matching checksum
    database.remove_parts(entries)
    if not parts:
        return
    number = database.next_number()
    with database.new_file(number) as file:
        writer = PartWriter(file, handle.threads)
        for one in parts:
            if rebuild:
                sign_again(writer, one, snapshot)
            else:
                writer.copy(one.part, one.alive)
        checksum = writer.finish()
        size = file.tell()
    age = min(entry.age for entry in entries)
    database.insert_part(PartEntry(number, age, writer.count, size, checksum, in_file=True), None)


def sign_again(writer: PartWriter, held: LivePart, snapshot: Snapshot) -> None:
    """Write the items of a part, signed again."""
    part, alive = held.part, held.items
    assert snapshot.types is not None  # noqa: S101 - there are items
    for some in slices(np.diff(part.offsets)[alive], limits.MAX_SMALL_BYTES):
        items = alive[some]
        signed = snapshot.operations.key(snapshot.operations.unpack(part, items, snapshot.types))
        packed = Packed.of(part.packed(items))
        writer.add(packed, take(part.rows, items), signed.keys, signed.prints, signed.sizes)
