"""Calls the kernels of the prefix filter, and atomics, with Python values."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from lookalike.kernels import jit, measures, prefix
from support.call_kernels import int64, ints, uint64, uncached

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

Goal = tuple[int, float]
Marks = tuple["NDArray[np.uint8]", "NDArray[np.uint16]"]


@uncached
def write_prefix_lengths(sizes: NDArray[np.int64], goal: Goal, out: NDArray[np.int64]) -> None:
    """Write the length of the prefix of each size."""
    for i in range(sizes.size):
        out[i] = measures.prefix_length(goal, sizes[i])


def prefix_lengths(sizes: Sequence[int], goal: Goal) -> list[int]:
    """Return the length of the prefix for each set size."""
    out = np.empty(len(sizes), np.int64)
    write_prefix_lengths(int64(sizes), goal, out)
    return ints(out)


def cut(elements: NDArray[np.uint64], lengths: NDArray[np.generic]) -> list[list[int]]:
    """Return elements that follow each other set by set."""
    ends = list(itertools.accumulate(ints(lengths), initial=0))
    assert ends[-1] == len(elements)
    return [ints(elements[begin:end]) for begin, end in itertools.pairwise(ends)]


def sample_sets(sets: Sequence[Collection[int]], goal: Goal, cutoff: int) -> list[list[int]]:
    """Return the elements that the prefix of each set is chosen from."""
    elements, sizes = uint64(h for one in sets for h in one), int64(map(len, sets))
    out, picked = np.full(len(elements) + 1, 7, np.uint64), np.full(len(sets), -1, np.int32)
    filled = prefix.sample_sets(elements, sizes, goal, np.uint64(cutoff), out, picked)
    return cut(out[:filled], picked)


def columns(
    sets: Sequence[Collection[int]],
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the elements of sets, and where those of each begin and end."""
    ends = np.cumsum(int64(map(len, sets)))
    return uint64(h for one in sets for h in one), ends - int64(map(len, sets)), ends


def mark_elements(sets: Sequence[Collection[int]], marks: Marks, sides: Sequence[int] = (), threads: int = 1) -> None:
    """Mark the elements of sets, optionally in several threads at once."""
    elements, begins, ends = columns(sets)
    side = np.array(sides, np.uint8)
    parts = [slice(i, None, threads) for i in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda p: prefix.mark_elements(elements, begins[p], ends[p], side[p], *marks), parts))


def new_marks(slots: int, counters: int) -> Marks:
    """Return empty slots and counters for elements."""
    return np.zeros(slots // 4, np.uint8), np.zeros(counters, np.uint16)


def written_marks(states: Sequence[int], counts: Sequence[int]) -> Marks:
    """Return slots and counters with the contents of these lists."""
    seen = [sum(states[i + j] << 2 * j for j in range(4)) for i in range(0, len(states), 4)]
    return np.array(seen, np.uint8), np.array(counts, np.uint16)


def read_marks(marks: Marks) -> tuple[list[int], list[int]]:
    """Return the state of each slot, and the counters."""
    seen, counts = marks
    return [byte >> shift & 3 for byte in ints(seen) for shift in (0, 2, 4, 6)], ints(counts)


@uncached
def write_frequencies(
    elements: NDArray[np.uint64], seen: NDArray[np.uint8], counts: NDArray[np.uint16], out: NDArray[np.int64]
) -> None:
    """Write the frequency of each element."""
    apart = prefix.bits_apart(seen, counts)
    for i in range(elements.size):
        out[i] = prefix.frequency(elements[i], seen, counts, apart)


def frequencies(elements: Sequence[int], marks: Marks) -> list[int]:
    """Return the estimated number of sets that hold each element."""
    out = np.empty(len(elements), np.int64)
    write_frequencies(uint64(elements), *marks, out)
    return ints(out)


def prefix_work(size: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Make the buffers for the prefix of a set, filled with leftovers of an earlier set."""
    return np.full(size + 1, 7, np.uint64), np.full(size, 7, np.int64), np.full(prefix.SMALL, 7, np.int64)


def rarest(one: Sequence[int], wanted: int, cutoff: int, marks: Marks) -> tuple[list[int], int]:
    """Return the keys of a prefix in order, and how many elements that cannot be shared come before them."""
    work = prefix_work(len(one))
    found, before = prefix.rarest(
        uint64(one), wanted, np.uint64(cutoff), (*marks, np.uint64(prefix.bits_apart(*marks))), work
    )
    return ints(work[0][:found]), int(before)


def prefixes(
    samples: Sequence[Sequence[int]], sizes: Sequence[int], goal: Goal, cutoff: int, marks: Marks
) -> list[tuple[int, int, int]]:
    """Return the key, the owner and the rest of each entry; owner i is the i-th set."""
    elements, begins, ends = columns(samples)
    part = (elements, begins, ends, np.arange(len(samples), dtype=np.int32), np.array(sizes, np.int32))
    keys = np.empty(len(elements), np.uint64)
    owners, rests = np.empty(len(elements), np.int32), np.empty(len(elements), np.int32)
    work = prefix_work(max(map(len, samples), default=0))
    filled = prefix.prefixes(part, goal, np.uint64(cutoff), marks, work, (keys, owners, rests))
    return list(zip(ints(keys[:filled]), ints(owners[:filled]), ints(rests[:filled]), strict=True))


def find_short(entries: Sequence[tuple[int, int]], sizes: Sequence[int], goal: Goal) -> NDArray[np.bool_]:
    """Return which entries, each an owner and a rest, come early enough."""
    owners, rests = (np.array([entry[i] for entry in entries], np.int32) for i in (0, 1))
    short = np.zeros(len(entries), np.bool_)
    prefix.find_short(owners, rests, np.array(sizes, np.int32), goal, short)
    return short


class PrefixBuckets:
    """Buckets of entries, each an owner and a rest, whose candidates are taken a few pivots at a time."""

    def __init__(self, groups: Sequence[Sequence[tuple[int, int]]], sizes: Sequence[int], goal: Goal) -> None:
        flat = [entry for group in groups for entry in group]
        lengths = int64(map(len, groups))
        ends = np.cumsum(lengths)
        self.entries = np.arange(len(flat), dtype=np.int32)
        self.bounds = np.stack([ends - lengths, ends], axis=1)
        self.pivots = self.bounds[:, 0].copy()
        self.owners, self.rests = (np.array([entry[i] for entry in flat], np.int32) for i in (0, 1))
        self.sizes = np.array(sizes, np.int32)
        self.goal = goal
        self.short = find_short(flat, sizes, goal)

    def propose_all(
        self, roots: Sequence[int], sides: Sequence[int] = (), widths: Sequence[int] = (1,)
    ) -> list[tuple[int, int]]:
        """Return the candidates of all buckets."""
        root, side = np.array(roots, np.int32), np.array(sides, np.uint8)
        width = np.resize(int64(widths), len(self.pivots))
        found: list[tuple[int, int]] = []
        while True:
            parts = (self.entries, self.bounds, self.pivots, width, root)
            left = prefix.narrow_prefixes(*parts, self.owners, self.short, np.empty_like(self.entries))
            if left == 0:
                return found
            self.bounds, self.pivots, width = self.bounds[:left], self.pivots[:left], width[:left]
            parts = (self.entries, self.bounds, self.pivots, width, root)
            room = int((width * (self.bounds[:, 1] - self.pivots)).sum())
            one, two = np.empty(room, np.int32), np.empty(room, np.int32)
            sets = (self.owners, self.rests, self.sizes)
            count = prefix.propose_prefixes(*parts, side, sets, self.goal, one, two)
            found += zip(ints(one[:count]), ints(two[:count]), strict=True)


# atomics


@uncached
def add_each(array: NDArray[np.uint16], places: NDArray[np.int64], before: NDArray[np.uint16]) -> None:
    """Add 1 at each of some places, and write the previous values."""
    for i in range(places.size):
        before[i] = jit.add_atomically(array, places[i], np.uint16(1))


@uncached
def or_each(
    array: NDArray[np.uint8], places: NDArray[np.int64], bits: NDArray[np.uint8], before: NDArray[np.uint8]
) -> None:
    """Set bits at each of some places, and write the previous values."""
    for i in range(places.size):
        before[i] = jit.or_atomically(array, places[i], bits[i])


def ordered(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Put the lesser item of each pair first, and sort the pairs."""
    return sorted((min(pair), max(pair)) for pair in pairs)
