"""Adding items to an index, and deleting them."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InputError
from lookalike.index import limits
from lookalike.index.fields import complete_schema, conform
from lookalike.index.ids import as_ids
from lookalike.index.matches import Added
from lookalike.index.merging import merge_small
from lookalike.index.rows import says_no_type, write_types
from lookalike.index.screening import Screening
from lookalike.index.search import map_in_threads
from lookalike.index.snapshot import LivePart, Snapshot
from lookalike.index.storage.container import Container
from lookalike.index.storage.part import Part, take
from lookalike.index.storage.part_writer import PartWriter
from lookalike.index.storage.parts_table import PartEntry
from lookalike.index.types import Types
from lookalike.kernels.postings import HALF, LOW_HALF
from lookalike.kinds.base import Keyed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from lookalike.index.handle import Handle
    from lookalike.index.hits import Hits
    from lookalike.index.rows import IncomingBatch
    from lookalike.index.storage.packed import Packed
    from lookalike.kinds.base import Signed


@dataclass(frozen=True, slots=True)
class Prepared:
    """Items that are packed and signed, ready to be written."""

    packed: Packed
    rows: pa.Table
    signed: Signed


def add(handle: Handle, incoming: Iterable[IncomingBatch]) -> int:
    """Add items, in one or more parts; return how many."""
    prepared = map_in_threads(handle.threads, preparer(handle, compared=False), conforming(handle, incoming))
    added = 0
    while drawn := draw_small(prepared):
        added += write_part(handle, drawn, prepared)
    merge_small(handle)
    return added


def conforming(handle: Handle, incoming: Iterable[IncomingBatch]) -> Iterator[IncomingBatch]:
    """Yield items with their ids and fields in the schema of the index."""
    for some in incoming:
        if not len(some.items):
            continue
        determine_types(handle, some)
        schema = handle.snapshot().schema
        assert schema is not None  # noqa: S101 - just determined
        yield type(some)(some.items, conform(some.rows, schema))


def determine_types(handle: Handle, some: IncomingBatch) -> None:
    """Determine the types of items, ids and fields from the first that are added; raise if later ones differ.

    Fields that had only nulls so far may still get any type.
    """
    types, snapshot = Types.of(handle.kind, some.items), handle.snapshot()
    if snapshot.types is None:
        if types.element is not None and says_no_type(some.items, handle.kind):
            raise InputError(
                f"The first {handle.kind} added to an index determine their type, but these are null or empty. Add "
                "others first"
            )
        handle.database.set_metadata("types", write_types(types))
    else:
        snapshot.types.refuse_others(types)
    schema = some.rows.schema if snapshot.schema is None else complete_schema(snapshot.schema, some.rows.schema)
    if schema != snapshot.schema:
        handle.database.set_metadata("schema", schema.serialize().to_pybytes().hex())


def preparer(handle: Handle, *, compared: bool) -> Callable[[IncomingBatch], Prepared]:
    """Return a thread-safe function that packs and signs items; if `compared`, with what comparing them takes."""
    operations, kind = handle.snapshot().operations, handle.kind
    sign = operations.sign if compared else operations.key

    def prepare(some: IncomingBatch) -> Prepared:
        types = Types.of(kind, some.items)
        return Prepared(operations.pack(some.items, types), some.rows, sign(some.items))

    return prepare


def add_new(handle: Handle, incoming: Iterable[IncomingBatch]) -> Added:
    """Add the items that resemble none before them; return how many, and the best match of each of the others."""
    added, skipped = 0, []
    for prepared in map_in_threads(handle.threads, preparer(handle, compared=True), conforming(handle, incoming)):
        batch = batch_snapshot(handle, prepared)
        hits = Screening(handle.snapshot(), batch, prepared.signed, handle.recipe.min_score).find()
        skipped.append(skipped_table(handle, batch, prepared, hits))
        new = np.setdiff1d(np.arange(len(prepared.packed)), hits.query)
        if len(new):
            added += write_part(handle, [take_prepared(prepared, new)], iter(()))
            merge_small(handle)
    empty = pa.table({"id": [], "match": [], handle.recipe.measure.column: pa.array([], pa.float64())})
    return Added(added, pa.concat_tables(skipped or [empty]))


def batch_snapshot(handle: Handle, prepared: Prepared) -> Snapshot:
    """Return a snapshot of these items alone."""
    buffer = io.BytesIO()
    fill_part(buffer, handle, [prepared])
    part = Part(0, Container.read("new items", np.frombuffer(buffer.getvalue(), np.uint8)))
    return replace(handle.snapshot(), parts=(LivePart(part, np.empty(0, np.uint32)),))


def skipped_table(handle: Handle, batch: Snapshot, prepared: Prepared, hits: Hits) -> pa.Table:
    """Return the skipped items with their best matches. In the hits, the new items follow the parts of the index."""
    snapshot = handle.snapshot()
    both = replace(snapshot, parts=(*snapshot.parts, *batch.parts))
    best = both.matches(hits, len(prepared.packed), 1, handle.recipe.threshold).table
    ids = take(prepared.rows.column("id"), best.column("query").to_numpy())
    measure = handle.recipe.measure.column
    return pa.table({"id": ids, "match": best["id"], measure: best[measure]})


def take_prepared(prepared: Prepared, positions: NDArray[np.int64]) -> Prepared:
    """Return the items at some positions, without what was needed only to compare them."""
    signed = prepared.signed
    some = Keyed(signed.keys[:, positions], signed.prints[positions], signed.sizes[positions])
    return Prepared(prepared.packed.take(positions), take(prepared.rows, positions), some)


def draw_small(prepared: Iterator[Prepared]) -> list[Prepared]:
    """Draw as many batches as a small part may hold, plus one if there are more."""
    drawn: list[Prepared] = []
    for one in prepared:
        drawn.append(one)
        if not is_small(drawn):
            break
    return drawn


def is_small(drawn: list[Prepared]) -> bool:
    """Return whether items fit in the database."""
    items = sum(len(one.packed) for one in drawn)
    return items <= limits.MAX_SMALL_ITEMS and sum(len(one.packed.data) for one in drawn) <= limits.MAX_SMALL_BYTES


def write_part(handle: Handle, drawn: list[Prepared], more: Iterator[Prepared]) -> int:
    """Write a part: a small one to the database, otherwise to a file, with as many more items as it may hold."""
    database = handle.database
    number = database.next_number()
    snapshot = handle.snapshot()
    if is_small(drawn):
        buffer = io.BytesIO()
        writer, checksum = fill_part(buffer, handle, drawn)
        data = buffer.getvalue()
        part = Part(number, Container.read(f"part {number}", np.frombuffer(data, np.uint8)))
        database.insert_part(PartEntry(number, number, writer.count, len(data), checksum, in_file=False), data)
    else:
        with database.new_file(number) as file:
            writer, checksum = fill_part(file, handle, up_to_max(drawn, more))
            size = file.tell()
        part = Part(number, Container.open(database.path(number)))
        database.insert_part(PartEntry(number, number, writer.count, size, checksum, in_file=True), None)
    refuse_repeated(part)
    refuse_known(snapshot, part)
    database.set_metadata("added", database.metadata("added", 0) + writer.count)
    return writer.count


def up_to_max(drawn: list[Prepared], more: Iterator[Prepared]) -> Iterator[Prepared]:
    """Yield batches until they hold as many items as a part may have."""
    count = 0
    for one in chain(drawn, more):
        yield one
        count += len(one.packed)
        if count >= limits.MAX_PART_ITEMS:
            return


def fill_part(file: IO[bytes], handle: Handle, prepared: Iterable[Prepared]) -> tuple[PartWriter, bytes]:
    """Write items as a part; return its writer and checksum."""
    writer = PartWriter(file, handle.threads)
    for one in prepared:
        writer.add(one.packed, one.rows, one.signed.keys, one.signed.prints, one.signed.sizes)
    return writer, writer.finish()


def refuse_repeated(part: Part) -> None:
    """Raise if an id occurs twice in a part. Ids are compared only where their hashes are equal."""
    named = part.named.postings[0]
    repeated = np.flatnonzero(named[1:] >> HALF == named[:-1] >> HALF)
    suspects = np.unique(np.concatenate((repeated, repeated + 1)))
    items = np.sort((named[suspects] & LOW_HALF).astype(np.int64))
    seen = set()
    for one in take(part.ids, items).to_pylist():
        if one in seen:
            raise InputError(f"The id {one!r} occurs twice. Ids must be unique; remove or rename one of the two")
        seen.add(one)


def refuse_known(snapshot: Snapshot, part: Part) -> None:
    """Raise if an id of a new part is already in the index."""
    ids = part.ids.combine_chunks()
    positions, _, _ = snapshot.locate(ids)
    if len(positions):
        known = ids[int(positions.min())].as_py()
        raise InputError(f"The id {known!r} is already in the index. Use update to replace the item")


def delete(handle: Handle, ids: Any) -> int:  # noqa: ANN401 - any collection of ids
    """Delete items by their ids; return how many were in the index."""
    snapshot = handle.snapshot()
    if snapshot.schema is None:
        return 0
    _, parts, items = snapshot.locate(as_ids(ids, snapshot.schema))
    count = 0
    for number in np.unique(parts):
        deleted = np.unique(items[parts == number])
        handle.database.delete_items(snapshot.parts[number].part.number, deleted.astype(np.int64))
        count += len(deleted)
    return count
