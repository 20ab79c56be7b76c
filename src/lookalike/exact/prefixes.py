"""Exact search by the prefix filter: candidates that include every pair.

The rare elements of a set take the place of band keys: sets that share one are in a bucket. They are chosen from a
sample of the set that is written to disk while texts are read. Most sets have enough elements that no other set has,
and need no comparison. Where samples have too many common elements, for example because of a template, whole sets are
built.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.arrays.constant import constant
from lookalike.arrays.groups import find_groups
from lookalike.arrays.slices import slices
from lookalike.kernels import prefix as kernels
from lookalike.kernels.shingles import power_of_two
from lookalike.lsh.buckets import SORTED_TOGETHER, Buckets
from lookalike.lsh.minhash import TEXT_AT_A_TIME, Signed
from lookalike.measures.sets import set_measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.features.shingles import Shingler
    from lookalike.read import Batch
    from lookalike.recipe import Recipe
    from lookalike.resources.scratch import Scratch
    from lookalike.resources.threads import Threads
    from lookalike.store.items import Items
    from lookalike.store.sets import Sets

SAMPLED = 2.5
"""The number of elements sampled per set, as a multiple of the prefix; the rarest of them are used."""

MIN_SAMPLED = 0.1
"""The minimum share of elements sampled, for small sets."""

ALL = (1 << 64) - 1
"""The cutoff that samples every element."""

MAX_SLOTS, SLOTS_PER_ITEM = 1 << 29, 128
"""The maximum number of slots for elements, of two bits each: in total or, if that is more, per set. Elements that
share a slot count as the same element."""

MAX_COUNTERS = 1 << 22
"""The maximum number of frequency counters. Elements that share a counter count as frequent as both together."""

ELEMENTS_AT_A_TIME = 1 << 20
"""Elements of sets processed per task."""

ENTRIES_AT_A_TIME = 1 << 22
"""The approximate number of entries grouped at a time."""

MIN_SLOTS = 64
"""The minimum number of slots."""

SAMPLED_SHARES = 4
"""The shares from which the number of comparisons is estimated."""


def cutoff(recipe: Recipe) -> int:
    """Return the hash below which shingles are sampled."""
    return min(int(max(SAMPLED * (1 - set_measure(recipe).min_jaccard(recipe.threshold)), MIN_SAMPLED) * 2.0**64), ALL)


class Sampler:
    """Makes fingerprints and a sample of each set instead of signatures, in any number of threads."""

    def __init__(self, recipe: Recipe, shingler: Shingler, below: int) -> None:
        self.shingler = shingler
        self.goal = set_measure(recipe).goal(recipe.threshold)
        self._cutoff = np.uint64(below)

    def sign(self, batch: Batch) -> Signed:
        """Return the fingerprints, sizes and samples of sets."""
        columns = self.shingler.columns(batch.items)
        begins, ends = columns.offsets[:-1], columns.offsets[1:]
        prints = np.empty((len(begins), 2), np.uint64)
        counts = np.empty(len(begins), np.int64)
        picked, sizes = np.empty((2, len(begins)), np.int32)
        samples = [np.empty(0, np.uint64)]
        for part in slices(ends - begins, TEXT_AT_A_TIME):
            grams, counts[part] = self.shingler.grams(columns.data, begins[part], ends[part])
            kernels.fingerprints(grams, counts[part], prints[part])
            elements, made = self.shingler.made_sets(grams, counts[part].copy())
            sizes[part] = made
            if self._cutoff == ALL:
                samples.append(elements.copy())
                picked[part] = made
                continue
            sample = np.empty(len(elements) + 1, np.uint64)
            filled = kernels.sample_sets(elements, made, self.goal, self._cutoff, sample, picked[part])
            samples.append(sample[:filled].copy())
        return Signed(batch, columns, np.concatenate(samples), prints, counts, (picked, sizes))


@dataclass(frozen=True, slots=True)
class PrefixFilter:
    """Prefix filter that finds the rare elements of all items, or of some."""

    compared: NDArray[np.int32]
    """The items to compare."""
    sides: NDArray[np.uint8]
    """The side of each item, if two collections are compared; else empty."""
    items: Items
    sets: Sets
    recipe: Recipe
    scratch: Scratch
    threads: Threads

    @property
    def goal(self) -> tuple[int, float]:
        """The measure and the threshold, as kernels take them."""
        return set_measure(self.recipe).goal(self.recipe.threshold)

    @property
    def min_jaccard(self) -> float:
        """The lowest Jaccard similarity of a pair."""
        return set_measure(self.recipe).min_jaccard(self.recipe.threshold)

    def among_all(self) -> Prefixes:
        """Return the rare elements of all items, from samples."""
        return Prefixes(self, Samples(self.items, self.compared), cutoff(self.recipe))

    def among(self, members: NDArray[np.int32]) -> Prefixes:
        """Return the rare elements of some items, from whole sets."""
        return Prefixes(self, Whole(self.sets, members), ALL)


@dataclass(frozen=True, slots=True)
class Part:
    """Some sets, or samples of them: `elements[begins[i]:ends[i]]` for member i, whose set has `sizes[i]` elements."""

    elements: NDArray[np.uint64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    members: NDArray[np.int32]
    sizes: NDArray[np.int32]


Marks = tuple["NDArray[np.uint8]", "NDArray[np.uint16]"]
"""The slots of elements, and their frequency counters."""

Out = tuple["NDArray[np.uint64]", "NDArray[np.int32]", "NDArray[np.int32]"]
"""Output arrays for entries: keys, owners, rests."""


class Samples:
    """Samples of the sets of the compared items."""

    def __init__(self, items: Items, compared: NDArray[np.int32]) -> None:
        self._items = items
        self.members = compared
        self.sizes = items.sizes
        self.total = int(items.picked[compared].sum(dtype=np.int64))

    def __iter__(self) -> Iterator[Part]:
        items, compared = self._items, self.members
        edges = np.searchsorted(compared, np.cumsum([0, *(block.count for block in items.blocks)]))
        for (sample, part), low, high in zip(items.samples(), edges[:-1], edges[1:], strict=True):
            members = compared[low:high]
            ends = np.cumsum(items.picked[part], dtype=np.int64)[members - part.start]
            yield Part(constant(sample), ends - items.picked[members], ends, members, items.sizes[members])


class Whole:
    """Whole sets of some items."""

    def __init__(self, sets: Sets, compared: NDArray[np.int32]) -> None:
        sets.make(compared)
        self._sets = sets
        self.members = compared
        self.sizes = sets.sizes
        self.total = int(sets.sizes[compared].sum(dtype=np.int64))

    def __iter__(self) -> Iterator[Part]:
        sets = self._sets
        for part in slices(sets.sizes[self.members].astype(np.int64), ELEMENTS_AT_A_TIME):
            some = self.members[part]
            begins, sizes = sets.begins[some], sets.sizes[some]
            yield Part(sets.elements, begins, begins + sizes, some, sizes)
            sets.trim()


class PrefixBuckets(Buckets):
    """Buckets of items that share a rare element. An entry is an item, and the rest of its set from that element on.

    Only items that can reach the threshold with the rests of both become candidates.
    """

    _kernels: Any = kernels

    def __init__(
        self,
        keys: NDArray[np.uint64],
        entries: NDArray[np.int32],
        sizes: NDArray[Any],
        goal: Any,  # noqa: ANN401 - its type depends on the kernels
        width: int,
    ) -> None:
        order, bounds = find_groups(keys, np.arange(len(keys), dtype=np.int32))
        super().__init__(np.arange(len(order), dtype=np.int32), bounds, width)
        self._sets = (entries[order, 0], entries[order, 1].view(self._kernels.REST), sizes)
        self._goal = goal
        self._short = np.empty(len(order), bool)
        self._kernels.find_short(*self._sets, goal, self._short)
        total = np.append(0, np.cumsum(self._short))
        useful = total[bounds[1:]] > total[bounds[:-1]]
        self._bounds, self._pivots, self._widths = (
            column[useful] for column in (self._bounds, self._pivots, self._widths)
        )

    @property
    def comparisons(self) -> int:
        """The maximum number of comparisons of entries, if nothing is united."""
        total = np.append(0, np.cumsum(self._short[self._items]))
        begins, ends = self._bounds.T
        return int(np.sum((total[ends] - total[begins]) * (ends - begins)))

    def _take_stubborn(self) -> list[NDArray[np.int32]]:
        return []

    def _narrowed(self, roots: NDArray[np.int32]) -> int:
        parts = (self._items, self._bounds, self._pivots, self._widths)
        return int(kernels.narrow_prefixes(*parts, roots, self._sets[0], self._short, self._work))

    def _write(
        self,
        widths: NDArray[np.int64],
        roots: NDArray[np.int32],
        sides: NDArray[np.uint8],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
    ) -> int:
        some = len(widths)
        return int(
            self._kernels.propose_prefixes(
                self._items, self._bounds[:some], self._pivots[:some], widths, roots, sides, self._sets,
                self._goal, left, right,
            )
        )  # fmt: skip


def slots_for(total: int, members: int) -> int:
    """Return the number of slots, a power of two, for a number of elements and of sets."""
    limit = max(MAX_SLOTS, 1 << (SLOTS_PER_ITEM * members).bit_length() >> 1)
    return max(min(int(power_of_two(4 * total // 3)), limit), MIN_SLOTS)


@dataclass(frozen=True, slots=True)
class Block:
    """The location of entries: their keys begin at `begin`, those of part p at `bounds[p]` after it."""

    begin: int
    bounds: NDArray[np.int64]

    def count(self, part: int) -> int:
        """Return the number of entries in a part."""
        return int(self.bounds[part + 1] - self.bounds[part])


class Prefixes:
    """The rare elements of sets, on disk, put into buckets one share at a time."""

    def __init__(self, prefix_filter: PrefixFilter, parts: Samples | Whole, below: int) -> None:
        self._filter = prefix_filter
        self._sizes = parts.sizes
        self._cutoff = np.uint64(below)
        self._column = prefix_filter.scratch.column(np.uint64)
        elements = float(parts.sizes[parts.members].sum(dtype=np.int64))
        max_entries = (1 - prefix_filter.min_jaccard) * elements + len(parts.members)
        self.shares = 1 << (int(max_entries) // self._grouped_entries()).bit_length()
        marks = self._mark(parts)
        self._blocks = list(prefix_filter.threads.map(lambda part: self._store(part, marks), parts))

    def _grouped_entries(self) -> int:
        """Return the approximate number of entries grouped at a time."""
        return ENTRIES_AT_A_TIME

    def _mark(self, parts: Samples | Whole) -> Marks:
        """Mark the elements that are in several sets, and count approximately in how many."""
        slots = slots_for(parts.total, len(parts.members))
        marks = np.zeros(slots // 4, np.uint8), np.zeros(min(slots, MAX_COUNTERS), np.uint16)
        all_sides = self._filter.sides

        def mark(part: Part) -> None:
            sides = all_sides[part.members] if len(all_sides) else all_sides
            kernels.mark_elements(part.elements, part.begins, part.ends, sides, *marks)

        for _ in self._filter.threads.map(mark, parts):
            pass
        return marks

    def _store(self, part: Part, marks: Marks) -> Block:
        """Write the rare elements of some members to disk, share by share: all keys, then all owners and rests."""
        room = int((part.ends - part.begins).sum())
        keys, owners, rests = np.empty(room, np.uint64), np.empty(room, np.int32), np.empty(room, np.int32)
        filled = self._fill(part, marks, (keys, owners, rests))
        share = (keys[:filled] & np.uint64(self.shares - 1)).astype(np.uint16)
        order = np.argsort(share, kind="stable")
        pairs = np.stack((owners[:filled], rests[:filled]), axis=1)[order].view(np.uint64).reshape(-1)
        begin = self._column.append(np.concatenate((keys[:filled][order], pairs)))
        return Block(begin, np.searchsorted(share[order], np.arange(self.shares + 1)))

    def _fill(self, part: Part, marks: Marks, out: Out) -> int:
        """Write the keys of rare elements, their owners, and the rests of sets; return the number of entries."""
        largest = int((part.ends - part.begins).max(initial=0))
        work = (np.empty(largest + 1, np.uint64), np.empty(largest, np.int64), np.empty(kernels.SMALL, np.int64))
        sets = (part.elements, part.begins, part.ends, part.members, part.sizes)
        return int(kernels.prefixes(sets, self._filter.goal, self._cutoff, marks, work, out))

    def buckets(self, width: int) -> Iterator[PrefixBuckets]:
        """Yield the buckets of each share."""
        threads = self._filter.threads
        largest = max((self._count(share) for share in range(self.shares)), default=0)
        ahead = max(min(threads.count, SORTED_TOGETHER // max(largest, 1)), 1)
        yield from threads.map(lambda share: self.group(share, width), range(self.shares), ahead=ahead)
        self.close()

    def group(self, share: int, width: int) -> PrefixBuckets:
        """Return the buckets of one share."""
        return PrefixBuckets(*self._load(share), self._sizes, self._filter.goal, width)

    @property
    def entries(self) -> int:
        """The number of entries: rare elements of sets."""
        return sum(self._count(share) for share in range(self.shares))

    def comparisons(self) -> int:
        """Estimate the number of comparisons of entries, if nothing is united."""
        some = range(min(SAMPLED_SHARES, self.shares))
        return sum(self.group(share, 1).comparisons for share in some) * self.shares // len(some)

    def owners(self) -> NDArray[np.int32]:
        """Return the items that have entries, in order: only these can be in pairs."""
        found = np.zeros(len(self._sizes), bool)
        for share in range(self.shares):
            found[self._load(share)[1][:, 0]] = True
        return np.flatnonzero(found).astype(np.int32)

    def close(self) -> None:
        """Delete the entries."""
        self._column.close()

    def _count(self, share: int) -> int:
        """Return the number of entries in a share."""
        return sum(block.count(share) for block in self._blocks)

    def _load(self, share: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """Return the entries of a share: keys, and (owner, rest) rows."""
        keys, pairs = np.empty((2, self._count(share)), np.uint64)
        at = 0
        for block in self._blocks:
            begin, count = block.begin + int(block.bounds[share]), block.count(share)
            self._column.read(begin, keys[at : at + count])
            self._column.read(begin + int(block.bounds[-1]), pairs[at : at + count])
            at += count
        return keys, pairs.view(np.int32).reshape(-1, 2)
