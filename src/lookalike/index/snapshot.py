"""An index as of one commit, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.arrays.slices import slices
from lookalike.index.matches import Matches
from lookalike.index.rows import as_ids
from lookalike.index.storage.part import FINDS, codes_of, halves, take
from lookalike.store.ids import hash_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from lookalike.index.kit import Kit, Signed, Types
    from lookalike.index.storage.part import Part
    from lookalike.recipe import Recipe
    from lookalike.resources.threads import Threads

Allowed = Callable[["NDArray[np.int64]", "NDArray[np.uint32]"], "NDArray[np.bool_]"]
"""Tells which candidates are compared: place among those asked about, item."""

Task = TypeVar("Task")
Result = TypeVar("Result")

AT_A_TIME = 1 << 19
"""Bytes of items that are looked for in one go."""

PACKED = 1 << 20
"""Bytes of packed items that are compared in one go."""


@dataclass(frozen=True, eq=False)
class Held:
    """A part, and which of its items are still there."""

    part: Part
    gone: NDArray[np.uint32]
    """Items that were deleted, in order."""

    @property
    def count(self) -> int:
        """How many items are there."""
        return self.part.count - len(self.gone)

    @property
    def alive(self) -> NDArray[np.bool_] | None:
        """Which items are there; None for all."""
        if not len(self.gone):
            return None
        alive = np.ones(self.part.count, bool)
        alive[self.gone] = False
        return alive

    @cached_property
    def copies(self) -> NDArray[np.uint64]:
        """Copies of items of the part that are there: (the first, this one) in one number, in order."""
        return self.part.copies[self.is_there(halves(self.part.copies)[1])]

    def with_copies(self, found: Found, top: int | None) -> Found:
        """Return what is there of what was found, and of its copies; no more of each than anybody asks for."""
        low, high = (np.searchsorted(self.copies, codes_of(found.item + i, np.zeros(1, np.uint32))) for i in (0, 1))
        counts = high - low if top is None else np.minimum(high - low, top)
        there = found[self.is_there(found.item)]
        if not counts.any():
            return there
        copies = found[np.repeat(np.arange(len(found)), counts)]
        at = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(low, counts)
        return together((there, replace(copies, item=halves(self.copies[at])[1])))

    def is_there(self, items: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Tell which of these items are there."""
        if not len(self.gone):
            return np.ones(len(items), bool)
        at = np.minimum(np.searchsorted(self.gone, items), len(self.gone) - 1)
        there: NDArray[np.bool_] = self.gone[at] != items
        return there


@dataclass(frozen=True)
class Found:
    """Items of one part that are similar to some that were asked about."""

    query: NDArray[np.int64]
    part: NDArray[np.int64]
    item: NDArray[np.uint32]
    score: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.query)

    def __getitem__(self, wanted: NDArray[Any]) -> Found:
        return Found(self.query[wanted], self.part[wanted], self.item[wanted], self.score[wanted])


def together(parts: Iterable[Found]) -> Found:
    """Put finds together."""
    empty = Found(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0))
    columns = [(one.query, one.part, one.item, one.score) for one in (empty, *parts)]
    query, part, item, score = (np.concatenate(column) for column in zip(*columns, strict=True))
    return Found(query, part, item, score)


@dataclass(frozen=True)
class View:
    """All parts of an index, as of one commit. It does not change."""

    commit: int
    held: tuple[Held, ...]
    kit: Kit
    types: Types | None
    schema: pa.Schema | None
    """Of ids and fields."""

    def __len__(self) -> int:
        return sum(one.count for one in self.held)

    @property
    def recipe(self) -> Recipe:
        """How items are compared; it knows how many bits there are, once there are some."""
        recipe = self.kit.recipe
        if recipe.measure.of != "bits" or self.types is None:
            return recipe
        return replace(recipe, measure=replace(recipe.measure, bits=8 * self.types.length))

    def locate(self, ids: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
        """Return where ids are: place among those asked for, place of the part, item of it."""
        places, parts, items = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.uint32)]
        hashes = hash_ids(ids)
        for number, held in enumerate(self.held):
            place, item = halves(held.part.find_ids(ids, hashes))
            there = held.is_there(item)
            places.append(place[there])
            items.append(item[there])
            parts.append(np.full(len(places[-1]), number))
        return np.concatenate(places), np.concatenate(parts), np.concatenate(items)

    def search(
        self,
        asked: Signed,
        least: float,
        *,
        places: NDArray[np.int64] | None = None,
        first: int = 0,
        top: int | None = None,
    ) -> Found:
        """Return all that is similar enough to items, signed, or to those at some places; or the `top` best.

        `first` is the number of the first item.
        """
        places = np.flatnonzero(asked.prints[:, 0]) if places is None else places
        kept: list[Found] = []
        for number, found in self.firsts(asked, places, least):
            keep(kept, self.held[number].with_copies(found, top), top)
        found = best_of(together(kept), top)
        return replace(found, query=found.query + first)

    def firsts(
        self, asked: Signed, places: NDArray[np.int64], least: float, allowed: Allowed | None = None
    ) -> Iterator[tuple[int, Found]]:
        """Yield what is similar enough to some of the items asked about: of those with the same set the first.

        They come some at a time, with the number of their part. `allowed` tells which candidates are compared at all.
        """
        for number, held in enumerate(self.held):
            for place, items in self._candidates(held.part, asked, places, least):
                some = slice(None) if allowed is None else allowed(place, items)
                for query, item, score in self._similar(held.part, asked, place[some], items[some], least):
                    yield number, Found(query, np.full(len(query), number), item, score)

    def _candidates(
        self, part: Part, asked: Signed, there: NDArray[np.int64], least: float
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint32]]]:
        """Yield (place, item) of a part that share a band key; whatever may be similar where there are no bands."""
        if len(asked.keys):
            for codes in part.postings.found(np.ascontiguousarray(asked.keys[:, there]), FINDS):
                places, items = halves(codes)
                yield there[places], items
            return
        assert self.types is not None  # noqa: S101 - there are items
        firsts = np.setdiff1d(np.flatnonzero(part.container.look_at_all("sizes")), halves(part.copies)[1])
        part.look_inside(firsts)
        for codes in self.kit.everything(part, firsts, asked, there, least, self.types):
            yield halves(codes)

    def _similar(
        self, part: Part, asked: Signed, places: NDArray[np.int64], items: NDArray[np.uint32], least: float
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64]]]:
        """Yield the candidates that are similar enough. Of those with the same set that is known without a look."""
        part.look(items)
        same = (asked.prints[places] == part.prints[items]).all(axis=1)
        if same.any():
            yield places[same], items[same], np.full(np.count_nonzero(same), self.kit.recipe.measure.best)
        rest = ~same
        rest[rest] = self.kit.possible(asked.sizes[places[rest]], part.sizes[items[rest]], least)
        if rest.any():
            yield from self._compare(part, asked, places[rest], items[rest], least)

    def _compare(
        self, part: Part, asked: Signed, places: NDArray[np.int64], items: NDArray[np.uint32], least: float
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64]]]:
        """Compare items of a part with those asked about, some at a time; yield those that are similar enough."""
        wanted, right = np.unique(items, return_inverse=True)
        part.look_inside(wanted)
        lengths = part.offsets[wanted.astype(np.int64) + 1] - part.offsets[wanted]
        assert self.types is not None  # noqa: S101 - there are items
        for some in slices(lengths, PACKED):
            held = self.kit.load(part, wanted[some].astype(np.int64), self.types)
            these = np.flatnonzero((right >= some.start) & (right < some.stop))
            left = places[these].astype(np.int32)
            score = self.kit.compare(asked, left, held, (right[these] - some.start).astype(np.int32), least)
            enough = score >= least
            yield places[these][enough], items[these][enough], score[enough]

    def answer(self, found: Found, queries: int, top: int | None, threshold: float) -> Matches:
        """Return finds as matches: the best of each item first, the older first among equals."""
        found = best_of(found, top)
        recipe = self.recipe
        measure = recipe.measure
        rows = self._rows(found)
        columns = {"query": as_arrow(found.query), "id": rows.column(0)}
        columns[measure.column] = as_arrow(measure.values(found.score))
        columns |= {name: rows.column(name) for name in rows.column_names[1:]}
        bounds = np.searchsorted(found.query, np.arange(queries + 1))
        return Matches(pa.table(columns), queries, threshold, recipe, bounds)

    def _rows(self, found: Found) -> pa.Table:
        """Return ids and fields of finds."""
        if not len(found) or self.schema is None:
            return (self.schema or pa.schema([("id", pa.string())])).empty_table()
        if (found.part == found.part[0]).all():
            return self.rows(int(found.part[0]), found.item)
        order = np.argsort(found.part, kind="stable")
        parts = [
            self.rows(number, found.item[order][found.part[order] == number])
            for number in np.unique(found.part).tolist()
        ]
        return take(pa.concat_tables(parts), np.argsort(order))

    def rows(self, number: int, items: NDArray[np.integer[Any]]) -> pa.Table:
        """Return ids and fields of items of a part. A field that had only nulls there may have a type by now."""
        rows = take(self.held[number].part.rows, items)
        return rows if rows.schema.equals(self.schema) else rows.cast(self.schema)

    def item(self, id: Any) -> pa.Array:  # noqa: A002, ANN401 - what an item is called
        """Return the one item of an id, as it was added."""
        _, parts, items = self.locate(as_ids([id], self.schema))
        if not len(items):
            raise KeyError(id)
        return self.items(int(parts[0]), items.astype(np.int64))

    def items(self, number: int, items: NDArray[np.int64]) -> pa.Array:
        """Return items of a part, as they were added."""
        assert self.types is not None  # noqa: S101 - there are items
        part = self.held[number].part
        part.look(items)
        part.look_inside(items)
        return self.kit.unpack(part, items, self.types)


def keep(kept: list[Found], found: Found, top: int | None) -> None:
    """Take in what was found; as it becomes much, only the best of each item is kept."""
    kept.append(found)
    if top is not None and sum(map(len, kept)) > FINDS:
        kept[:] = [best_of(together(kept), top)]


def best_of(found: Found, top: int | None) -> Found:
    """Return finds in order, the best of each item first, the older first among equals; so many of each, or all."""
    found = found[np.lexsort((found.item, found.part, -found.score, found.query))]
    if top is None or len(found) <= top:
        return found
    begins = np.searchsorted(found.query, found.query)
    return found[np.arange(len(found)) - begins < top]


def search_many(
    view: View, batches: Iterable[pa.Array], least: float, top: int | None, threads: Threads
) -> tuple[Found, int]:
    """Search for the items of batches, in threads; return what was found, and how many items there were."""
    parts, counted = [], 0

    def search(task: tuple[int, pa.Array]) -> tuple[Found, int]:
        first, items = task
        return view.search(view.kit.sign(items), least, first=first, top=top), first + len(items)

    for found, counted in in_threads(threads, search, numbered(batches)):  # noqa: B007 - the last counts
        parts.append(found)
    return together(parts), counted


def in_threads(threads: Threads, function: Callable[[Task], Result], tasks: Iterator[Task]) -> Iterator[Result]:
    """Yield `function(task)` for each task, in threads; a single one is done here, which takes less."""
    first = list(islice(tasks, 2))
    return map(function, first) if len(first) < 2 else threads.map(function, chain(first, tasks))  # noqa: PLR2004


def numbered(batches: Iterable[pa.Array]) -> Iterator[tuple[int, pa.Array]]:
    """Yield batches, each with the number of its first item."""
    counted = 0
    for items in batches:
        yield counted, items
        counted += len(items)


def export(view: View, name: str) -> Iterator[pa.RecordBatch]:
    """Yield all items of a view with their ids and fields, some at a time."""
    for number, held in enumerate(view.held):
        there = np.arange(held.part.count) if held.alive is None else np.flatnonzero(held.alive)
        for some in slices(np.diff(held.part.container.look_at_all("offsets"))[there], PACKED):
            rows = view.rows(number, there[some])
            items = view.items(number, there[some])
            columns = [rows.column(0), items, *rows.columns[1:]]
            yield from pa.table(columns, names=["id", name, *rows.column_names[1:]]).to_batches()


def pieces(items: pa.Array) -> Iterator[pa.Array]:
    """Cut items in pieces that are looked for in one go."""
    step = max(len(items) * AT_A_TIME // max(items.nbytes, 1), 1)
    return (items.slice(begin, step) for begin in range(0, len(items), step))
