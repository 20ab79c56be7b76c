"""A snapshot of an index as of one commit, and how it is searched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.arrays.slices import slices
from lookalike.index.hits import Hits, best_hits, collect_hits, concat_hits
from lookalike.index.ids import as_ids
from lookalike.index.matches import Matches
from lookalike.index.storage.part import FINDS, take
from lookalike.index.storage.postings import codes_of, halves
from lookalike.store.ids import hash_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.index.items import ItemOperations
    from lookalike.index.storage.part import Part
    from lookalike.index.types import Types
    from lookalike.kinds.base import Signed
    from lookalike.recipe import Recipe

CandidateFilter = Callable[["NDArray[np.int64]", "NDArray[np.uint32]"], "NDArray[np.bool_]"]
"""Returns which candidates to compare, given arrays of queries and items."""

BATCH_BYTES = 1 << 20
"""Bytes of packed items that are compared, or exported, at a time."""

BATCH_IDS = 1 << 14
"""Ids that become Python values at a time."""


@dataclass(frozen=True, eq=False)
class LivePart:
    """A part together with the items deleted from it."""

    part: Part
    deleted: NDArray[np.uint32]
    """Deleted items, sorted."""

    @property
    def count(self) -> int:
        """Number of items that were not deleted."""
        return self.part.count - len(self.deleted)

    @property
    def alive(self) -> NDArray[np.bool_] | None:
        """Mask of the items that were not deleted; None if none was."""
        if not len(self.deleted):
            return None
        alive = np.ones(self.part.count, bool)
        alive[self.deleted] = False
        return alive

    @property
    def items(self) -> NDArray[np.int64]:
        """Items that were not deleted, sorted."""
        alive = self.alive
        return np.arange(self.part.count) if alive is None else np.flatnonzero(alive)

    @cached_property
    def copies(self) -> NDArray[np.uint64]:
        """Copies that were not deleted: (original, copy) in one number, sorted."""
        return self.part.copies[self.is_alive(halves(self.part.copies)[1])]

    def with_copies(self, hits: Hits, top: int | None) -> Hits:
        """Return hits together with their copies, without deleted items; at most `top` copies of each."""
        low, high = (np.searchsorted(self.copies, codes_of(hits.item + i, np.zeros(1, np.uint32))) for i in (0, 1))
        counts = high - low if top is None else np.minimum(high - low, top)
        present = hits[self.is_alive(hits.item)]
        if not counts.any():
            return present
        copies = hits[np.repeat(np.arange(len(hits)), counts)]
        at = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(low, counts)
        return concat_hits((present, replace(copies, item=halves(self.copies[at])[1])))

    def is_alive(self, items: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Return which of these items were not deleted."""
        if not len(self.deleted):
            return np.ones(len(items), bool)
        at = np.minimum(np.searchsorted(self.deleted, items), len(self.deleted) - 1)
        alive: NDArray[np.bool_] = self.deleted[at] != items
        return alive


@dataclass(frozen=True)
class Snapshot:
    """All parts of an index as of one commit. It never changes."""

    commit: int
    parts: tuple[LivePart, ...]
    operations: ItemOperations
    types: Types | None
    schema: pa.Schema | None
    """Schema of ids and fields."""

    def __len__(self) -> int:
        return sum(one.count for one in self.parts)

    @property
    def recipe(self) -> Recipe:
        """How items are compared, with the number of bits once items were added."""
        recipe = self.operations.recipe
        if not recipe.measure.takes_bits or self.types is None:
            return recipe
        return replace(recipe, measure=recipe.measure.with_bits(8 * self.types.length))

    # Searching

    def search(
        self,
        queries: Signed,
        min_score: float,
        *,
        places: NDArray[np.int64] | None = None,
        first: int = 0,
        top: int | None = None,
    ) -> Hits:
        """Return the items similar enough to signed queries, or to those at some places; at most `top` for each.

        `first` is the number of the first query.
        """
        places = np.flatnonzero(queries.prints[:, 0]) if places is None else places
        collected: list[Hits] = []
        for number, hits in self.search_originals(queries, places, min_score):
            collect_hits(collected, self.parts[number].with_copies(hits, top), top)
        hits = best_hits(concat_hits(collected), top)
        return replace(hits, query=hits.query + first)

    def search_originals(
        self,
        queries: Signed,
        places: NDArray[np.int64],
        min_score: float,
        candidate_filter: CandidateFilter | None = None,
    ) -> Iterator[tuple[int, Hits]]:
        """Yield the originals similar enough to the queries at some places, deleted ones included, but no copies.

        They come in batches, each with the number of its part. `candidate_filter` chooses the candidates to compare.
        """
        for number, held in enumerate(self.parts):
            for place, items in self._candidates(held.part, queries, places, min_score):
                some = slice(None) if candidate_filter is None else candidate_filter(place, items)
                for query, item, score in self._similar(held.part, queries, place[some], items[some], min_score):
                    yield number, Hits(query, np.full(len(query), number), item, score)

    def _candidates(
        self, part: Part, queries: Signed, places: NDArray[np.int64], min_score: float
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint32]]]:
        """Yield (query, item) that share a band key; without bands, all that may be similar enough."""
        if len(queries.keys):
            for codes in part.postings.find_batches(np.ascontiguousarray(queries.keys[:, places]), FINDS):
                positions, items = halves(codes)
                yield places[positions], items
            return
        assert self.types is not None  # noqa: S101 - there are items
        sizes = part.container.verified_column("sizes")
        originals = np.setdiff1d(np.flatnonzero(sizes), halves(part.copies)[1])
        part.verify_items(originals)
        for codes in self.operations.candidates(part, originals, queries, places, min_score, self.types):
            yield halves(codes)

    def _similar(
        self, part: Part, queries: Signed, places: NDArray[np.int64], items: NDArray[np.uint32], min_score: float
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64]]]:
        """Yield the candidates that are similar enough. Those with equal fingerprints need no comparison."""
        part.verify_signatures(items)
        same = (queries.prints[places] == part.prints[items]).all(axis=1)
        if same.any():
            yield places[same], items[same], np.full(np.count_nonzero(same), self.operations.recipe.measure.best)
        rest = ~same
        rest[rest] = self.operations.possible(queries.sizes[places[rest]], part.sizes[items[rest]], min_score)
        if rest.any():
            yield from self._compare(part, queries, places[rest], items[rest], min_score)

    def _compare(
        self, part: Part, queries: Signed, places: NDArray[np.int64], items: NDArray[np.uint32], min_score: float
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64]]]:
        """Compare queries with items of a part, in batches; yield those that are similar enough."""
        wanted, right = np.unique(items, return_inverse=True)
        part.verify_items(wanted)
        lengths = part.offsets[wanted.astype(np.int64) + 1] - part.offsets[wanted]
        assert self.types is not None  # noqa: S101 - there are items
        for some in slices(lengths, BATCH_BYTES):
            loaded = self.operations.load(part, wanted[some].astype(np.int64), self.types)
            these = np.flatnonzero((right >= some.start) & (right < some.stop))
            left = places[these].astype(np.int32)
            score = self.operations.scores(
                queries, left, loaded, (right[these] - some.start).astype(np.int32), min_score
            )
            enough = score >= min_score
            yield places[these][enough], items[these][enough], score[enough]

    def matches(self, hits: Hits, queries: int, top: int | None, threshold: float) -> Matches:
        """Return hits as matches: the best of each query first, the older first among equals."""
        hits = best_hits(hits, top)
        recipe = self.recipe
        measure = recipe.measure
        rows = self._hit_rows(hits)
        columns = {"query": as_arrow(hits.query), "id": rows.column(0)}
        columns[measure.column] = as_arrow(measure.values(hits.score))
        columns |= {name: rows.column(name) for name in rows.column_names[1:]}
        bounds = np.searchsorted(hits.query, np.arange(queries + 1))
        return Matches(pa.table(columns), queries, threshold, recipe, bounds)

    # Reading

    def locate(self, ids: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
        """Return where ids were found: position in `ids`, number of the part, item of the part."""
        positions, parts, items = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.uint32)]
        hashes = hash_ids(ids)
        for number, held in enumerate(self.parts):
            position, item = halves(held.part.find_ids(ids, hashes))
            alive = held.is_alive(item)
            positions.append(position[alive])
            items.append(item[alive])
            parts.append(np.full(len(positions[-1]), number))
        return np.concatenate(positions), np.concatenate(parts), np.concatenate(items)

    def _hit_rows(self, hits: Hits) -> pa.Table:
        """Return the ids and fields of hits."""
        if not len(hits) or self.schema is None:
            return (self.schema or pa.schema([("id", pa.string())])).empty_table()
        if (hits.part == hits.part[0]).all():
            return self.rows(int(hits.part[0]), hits.item)
        order = np.argsort(hits.part, kind="stable")
        parts = [
            self.rows(number, hits.item[order][hits.part[order] == number]) for number in np.unique(hits.part).tolist()
        ]
        return take(pa.concat_tables(parts), np.argsort(order))

    def rows(self, number: int, items: NDArray[np.integer[Any]]) -> pa.Table:
        """Return the ids and fields of items of a part. A field that had only nulls there may have a type by now."""
        rows = take(self.parts[number].part.rows, items)
        return rows if rows.schema.equals(self.schema) else rows.cast(self.schema)

    def item(self, id: Any) -> pa.Array:  # noqa: A002, ANN401 - an id of any type
        """Return the item with an id, as it was added, in an array of one."""
        _, parts, items = self.locate(as_ids([id], self.schema))
        if not len(items):
            raise KeyError(id)
        return self.items(int(parts[0]), items.astype(np.int64))

    def items(self, number: int, items: NDArray[np.int64]) -> pa.Array:
        """Return items of a part, as they were added."""
        assert self.types is not None  # noqa: S101 - there are items
        part = self.parts[number].part
        part.verify_signatures(items)
        part.verify_items(items)
        return self.operations.unpack(part, items, self.types)

    def ids(self) -> Iterator[Any]:
        """Yield all ids, as Python values."""
        for held in self.parts:
            for some in slices(np.ones(held.count, np.int64), BATCH_IDS):
                yield from take(held.part.ids, held.items[some]).to_pylist()

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        """Yield all ids, items and fields; the column of items is called `name`."""
        for number, held in enumerate(self.parts):
            alive = held.items
            for some in slices(np.diff(held.part.container.verified_column("offsets"))[alive], BATCH_BYTES):
                rows = self.rows(number, alive[some])
                items = self.items(number, alive[some])
                columns = [rows.column(0), items, *rows.columns[1:]]
                yield from pa.table(columns, names=["id", name, *rows.column_names[1:]]).to_batches()
