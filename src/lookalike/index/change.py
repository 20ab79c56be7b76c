"""Adding to an index, deleting from it, and joining its parts."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass, replace
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.slices import slices
from lookalike.errors import InputError
from lookalike.index.fields import conform, settled
from lookalike.index.kit import Keyed, Types
from lookalike.index.matches import Added
from lookalike.index.pack import Packed
from lookalike.index.rows import as_ids, write_types
from lookalike.index.screening import Resembling
from lookalike.index.snapshot import Held, View, in_threads
from lookalike.index.storage.container import Container
from lookalike.index.storage.part import Part, take
from lookalike.index.storage.part_writer import PartWriter
from lookalike.index.storage.parts_table import Entry
from lookalike.kernels.postings import HALF, LOW_HALF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from lookalike.index.handle import Opened
    from lookalike.index.kit import Signed
    from lookalike.index.rows import Incoming
    from lookalike.index.snapshot import Found

SMALL = 1 << 20
"""Bytes of packed items up to which a part stays in the database."""

SMALL_ITEMS = 1 << 10
"""Items up to which it does."""

LARGE_ITEMS = 1 << 18
"""Items of the largest part that is made of new ones; the keys of so many are held in memory."""

FEW = 16
"""Parts in the database that are still looked through one by one."""

GROWTH = 8
"""So many parts of about one size are joined."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Items ready to be written."""

    packed: Packed
    rows: pa.Table
    signed: Signed


def add(opened: Opened, incoming: Iterable[Incoming]) -> int:
    """Add items, in one part or several; return how many."""
    prepared = in_threads(opened.threads, preparer(opened, compared=False), conforming(opened, incoming))
    added = 0
    while part := list_some(prepared):
        added += write_part(opened, part, prepared)
    tidy(opened)
    return added


def conforming(opened: Opened, incoming: Iterable[Incoming]) -> Iterator[Incoming]:
    """Yield items, with ids and fields as the index has them."""
    for some in incoming:
        if not len(some.items):
            continue
        settle_types(opened, some)
        view = opened.view()
        assert view.schema is not None  # noqa: S101 - just settled
        yield type(some)(some.items, conform(some.rows, view.schema))


def settle_types(opened: Opened, some: Incoming) -> None:
    """Note what items, ids and fields are, when the first are added; later ones must be the same.

    Fields that had only nulls so far may still become anything.
    """
    types, view = Types.of(opened.kind, some.items), opened.view()
    if view.types is None:
        if opened.kind != "texts" and some.items.null_count == len(some.items):
            raise InputError(f"The first {opened.kind} of an index settle their type, and these are null. Add others")
        opened.store.set_about("types", write_types(types))
    else:
        view.types.refuse_others(types)
    schema = some.rows.schema if view.schema is None else settled(view.schema, some.rows.schema)
    if schema != view.schema:
        opened.store.set_about("schema", schema.serialize().to_pybytes().hex())


def preparer(opened: Opened, *, compared: bool) -> Callable[[Incoming], Prepared]:
    """Return a function that packs and signs items, in any thread; with all that takes if they will be compared."""
    kit, kind = opened.view().kit, opened.kind
    sign = kit.sign if compared else kit.key

    def prepare(some: Incoming) -> Prepared:
        types = Types.of(kind, some.items)
        return Prepared(kit.pack(some.items, types), some.rows, sign(some.items))

    return prepare


def add_new(opened: Opened, incoming: Iterable[Incoming]) -> Added:
    """Add the items that resemble none before them; return how many, and what the others resemble most."""
    added, skipped = 0, []
    for prepared in in_threads(opened.threads, preparer(opened, compared=True), conforming(opened, incoming)):
        alone = alone_view(opened, prepared)
        found = Resembling(opened.view(), alone, prepared.signed, opened.recipe.least_score).find()
        skipped.append(as_skipped(opened, alone, prepared, found))
        new = np.setdiff1d(np.arange(len(prepared.packed)), found.query)
        if len(new):
            added += write_part(opened, [some_of(prepared, new)], iter(()))
            tidy(opened)
    empty = pa.table({"id": [], "match": [], opened.recipe.measure.column: pa.array([], pa.float64())})
    return Added(added, pa.concat_tables(skipped or [empty]))


def alone_view(opened: Opened, prepared: Prepared) -> View:
    """Return a view of these items alone."""
    buffer = io.BytesIO()
    fill(buffer, opened, [prepared])
    part = Part(0, Container.read("new items", np.frombuffer(buffer.getvalue(), np.uint8)))
    return replace(opened.view(), held=(Held(part, np.empty(0, np.uint32)),))


def as_skipped(opened: Opened, alone: View, prepared: Prepared, found: Found) -> pa.Table:
    """Return what items resemble, as users see it; the items themselves come after the parts of the index."""
    view = opened.view()
    both = replace(view, held=(*view.held, *alone.held))
    best = both.answer(found, len(prepared.packed), 1, opened.recipe.threshold).table
    ids = take(prepared.rows.column("id"), best.column("query").to_numpy())
    measure = opened.recipe.measure.column
    return pa.table({"id": ids, "match": best["id"], measure: best[measure]})


def some_of(prepared: Prepared, places: NDArray[np.int64]) -> Prepared:
    """Return some of the items; what comparing them takes is left out, which is needed no more."""
    signed = prepared.signed
    some = Keyed(signed.keys[:, places], signed.prints[places], signed.sizes[places])
    return Prepared(prepared.packed.take(places), take(prepared.rows, places), some)


def list_some(prepared: Iterator[Prepared]) -> list[Prepared]:
    """Draw as much as a small part may hold, and one more if there is more."""
    drawn: list[Prepared] = []
    for one in prepared:
        drawn.append(one)
        if not is_small(drawn):
            break
    return drawn


def is_small(drawn: list[Prepared]) -> bool:
    """Tell whether items fit in the database."""
    items = sum(len(one.packed) for one in drawn)
    return items <= SMALL_ITEMS and sum(len(one.packed.data) for one in drawn) <= SMALL


def write_part(opened: Opened, drawn: list[Prepared], more: Iterator[Prepared]) -> int:
    """Write a part: a small one to the database, else one to a file, with as many more items as it may have."""
    number = opened.store.next_number()
    view = opened.view()
    if is_small(drawn):
        buffer = io.BytesIO()
        writer, checksum = fill(buffer, opened, drawn)
        data = buffer.getvalue()
        part = Part(number, Container.read(f"part {number}", np.frombuffer(data, np.uint8)))
        opened.store.insert(Entry(number, number, writer.count, len(data), checksum, filed=False), data)
    else:
        with opened.store.new_file(number) as file:
            writer, checksum = fill(file, opened, up_to_large(drawn, more))
            size = file.tell()
        part = Part(number, Container.open(opened.store.path(number)))
        opened.store.insert(Entry(number, number, writer.count, size, checksum, filed=True), None)
    refuse_repeated(part)
    refuse_known(view, part)
    opened.store.set_about("added", opened.store.about("added", 0) + writer.count)
    return writer.count


def up_to_large(drawn: list[Prepared], more: Iterator[Prepared]) -> Iterator[Prepared]:
    """Yield items until they are as many as a part may have."""
    count = 0
    for one in chain(drawn, more):
        yield one
        count += len(one.packed)
        if count >= LARGE_ITEMS:
            return


def fill(file: IO[bytes], opened: Opened, prepared: Iterable[Prepared]) -> tuple[PartWriter, bytes]:
    """Write new items as a part."""
    writer = PartWriter(file, opened.threads)
    for one in prepared:
        writer.add(one.packed, one.rows, one.signed.keys, one.signed.prints, one.signed.sizes)
    return writer, writer.finish()


def refuse_repeated(part: Part) -> None:
    """Raise if an id occurs twice in a part. Equal hashes are suspects; their ids decide."""
    named = part.named.postings[0]
    again = np.flatnonzero(named[1:] >> HALF == named[:-1] >> HALF)
    suspects = np.unique(np.concatenate((again, again + 1)))
    items = np.sort((named[suspects] & LOW_HALF).astype(np.int64))
    seen = set()
    for one in take(part.ids, items).to_pylist():
        if one in seen:
            raise InputError(f"The id {one!r} occurs twice. Ids must be unique; drop one of the two, or rename it")
        seen.add(one)


def refuse_known(view: View, part: Part) -> None:
    """Raise if an id of a new part is in the index already."""
    ids = part.ids.combine_chunks()
    places, _, _ = view.locate(ids)
    if len(places):
        raise InputError(f"The id {ids[int(places.min())].as_py()!r} is in the index already. Use update to replace it")


def delete(opened: Opened, ids: Any) -> int:  # noqa: ANN401 - whatever holds them
    """Delete items by their ids; return how many there were."""
    view = opened.view()
    if view.schema is None:
        return 0
    _, parts, items = view.locate(as_ids(ids, view.schema))
    deleted = 0
    for number in np.unique(parts):
        gone = np.unique(items[parts == number])
        opened.store.delete(view.held[number].part.number, gone.astype(np.int64))
        deleted += len(gone)
    return deleted


def tidy(opened: Opened) -> None:
    """Join parts that have become many: the youngest of about one size."""
    while joined := too_many(opened.store.entries()):
        join(opened, joined)


def too_many(entries: list[Entry]) -> list[Entry]:
    """Return the youngest parts that are to be joined, if there are."""
    small = trailing(entries, -1)
    if len(small) > FEW or sum(entry.items for entry in small) > SMALL_ITEMS:
        return small
    for level in sorted({level_of(entry) for entry in entries} - {-1}):
        some = trailing(entries, level)
        if sum(level_of(entry) == level for entry in some) >= GROWTH:
            return some
    return []


def trailing(entries: list[Entry], level: int) -> list[Entry]:
    """Return the youngest parts, as long as they are of this level or below."""
    above = [i for i, entry in enumerate(entries) if level_of(entry) > level]
    return entries[above[-1] + 1 :] if above else list(entries)


def level_of(entry: Entry) -> int:
    """Return how large a part is, roughly: -1 in the database, then one more for each factor of growth."""
    return -1 if not entry.filed else int(math.log(max(entry.items / SMALL_ITEMS, 1), GROWTH))


def compact(opened: Opened, *, rebuild: bool) -> None:
    """Join all parts."""
    entries = opened.store.entries()
    if rebuild or len(entries) > 1 or any(entry.gone or not entry.filed for entry in entries):
        join(opened, entries, rebuild=rebuild)


def join(opened: Opened, entries: list[Entry], *, rebuild: bool = False) -> None:
    """Make one part of several, without what was deleted from them."""
    wanted = {entry.number for entry in entries}
    view = opened.view()
    held = [one for one in view.held if one.part.number in wanted and one.count]
    for one in held:
        one.part.container.refuse_damage()  # or it would be given a checksum that fits
    opened.store.drop(entries)
    if not held:
        return
    number = opened.store.next_number()
    with opened.store.new_file(number) as file:
        writer = PartWriter(file, opened.threads)
        for one in held:
            if rebuild:
                make_again(writer, one, view)
            else:
                writer.copy(one.part, one.alive)
        checksum = writer.finish()
        size = file.tell()
    age = min(entry.age for entry in entries)
    opened.store.insert(Entry(number, age, writer.count, size, checksum, filed=True), None)


def make_again(writer: PartWriter, held: Held, view: View) -> None:
    """Take the items of a part, and make anew what follows from them."""
    part = held.part
    there = np.arange(part.count) if held.alive is None else np.flatnonzero(held.alive)
    assert view.types is not None  # noqa: S101 - there are items
    for some in slices(np.diff(part.offsets)[there], SMALL):
        items = there[some]
        signed = view.kit.key(view.kit.unpack(part, items, view.types))
        packed = Packed.of(part.packed(items))
        writer.add(packed, take(part.rows, items), signed.keys, signed.prints, signed.sizes)
