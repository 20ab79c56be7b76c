"""Calls each kernel with Python values: makes the buffers it wants, hands back ints and lists."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
import numpy as np
import pytest

from lookalike import characters
from lookalike.kernels import buckets, components, jit, overlap, prefix, shingles, sketch, tokens
from lookalike.kernels.hashing import base_power
from lookalike.kernels.hashing import hash_number as hash_number_kernel

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

compiled = pytest.mark.skipif(bool(vars(numba.config)["DISABLE_JIT"]), reason="too slow with the JIT off")


def uncached(function: F) -> F:
    """Compile a test's own kernel anew in every run: Numba's cache does not notice when what it inlines has changed."""
    return cast("F", numba.njit(nogil=True, error_model="numpy")(function))


def uint64(values: Iterable[int]) -> NDArray[np.uint64]:
    """Return an array of hashes."""
    return np.array(list(values), np.uint64)


def int64(values: Iterable[int]) -> NDArray[np.int64]:
    """Return an array of items."""
    return np.array(list(values), np.int64)


def ints(array: NDArray[np.generic]) -> list[int]:
    """Return an array as a list of Python's numbers."""
    return [int(value) for value in array]


def first_difference(one: Sequence[object], two: Sequence[object]) -> tuple[int, object, object] | None:
    """Tell where two long lists part; pytest takes minutes to show all the places."""
    pairs = itertools.zip_longest(one, two)
    return next(((i, a, b) for i, (a, b) in enumerate(pairs) if a != b), None)


# tokens


def byte_hashes() -> NDArray[np.uint64]:
    """Return the hash of every byte, as the kernels want it."""
    with np.errstate(over="ignore"):
        return uint64(int(hash_number_kernel(np.uint64(byte))) for byte in range(256))


BYTE_HASHES = byte_hashes()


def read_only(data: bytes) -> NDArray[np.uint8]:
    """Return bytes as an array that cannot be written to, as Arrow's buffers are."""
    return np.frombuffer(data, np.uint8)


def word_work(size: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int32]]:
    """Make the buffers for the words of a text of `size` bytes, full of what an earlier text could have left there."""
    wide = 3 * size + 2 * tokens.PADDING
    return np.full(wide, 97, np.uint8), np.full(wide, 97, np.uint8), np.ones(wide, np.uint8), np.ones(wide, np.int32)


def word_tokens(text: str, *, lower: bool = True, punctuation: bool = False, always: bool | None = None) -> list[int]:
    """Hash the words of a text."""
    data = read_only(text.encode())
    table = (
        characters.classes(punctuation=punctuation),
        characters.lower_case(lower=lower),
        punctuation if always is None else always,
    )
    out = np.empty(data.size + 1, np.uint64)
    count = tokens.word_tokens(data, table, np.uint8(32 if lower else 0), word_work(data.size), out)
    return ints(out[:count])


def char_tokens(text: str) -> list[int]:
    """Hash the code points of a text."""
    data = read_only(text.encode())
    out = np.empty(data.size + 1, np.uint64)
    return ints(out[: tokens.char_tokens(data, BYTE_HASHES, out)])


def byte_tokens(data: bytes) -> list[int]:
    """Hash bytes."""
    out = np.empty(len(data) + 1, np.uint64)
    return ints(out[: tokens.byte_tokens(read_only(data), BYTE_HASHES, out)])


def number_tokens(numbers: Sequence[int]) -> list[int]:
    """Hash token ids."""
    out = np.empty(len(numbers) + 1, np.uint64)
    return ints(out[: tokens.number_tokens(read_only(uint64(numbers).tobytes()), out)])


# shingles


def roll(token_hashes: Sequence[int], n: int) -> list[int]:
    """Hash the n-grams of token hashes."""
    out = np.empty(len(token_hashes) + 1, np.uint64)
    return ints(out[: shingles.roll(uint64(token_hashes), len(token_hashes), n, base_power(n), out)])


def distinct(hashes: Sequence[int], *, bag: bool) -> list[int]:
    """Make a set, or a bag, of hashes."""
    array = uint64(hashes)
    room = shingles.power_of_two(2 * array.size)
    work = (*(np.full(size, 7, np.uint64) for size in (room, array.size + 1, room, room)),)
    return ints(array[: shingles.distinct(array, bag, work)])


def fingerprint(hashes: Sequence[int]) -> tuple[int, int]:
    """Return the two sums over hashes."""
    first, second = shingles.fingerprint(uint64(hashes))
    return int(first), int(second)


def word_grams(text: str, n: int) -> list[int]:
    """Hash the word n-grams of a text."""
    return roll(word_tokens(text), n)


# sketches


def fast_sketch(elements: Collection[int], multipliers: Sequence[int], slots: int) -> list[int]:
    """Sign a set with Fast Similarity Sketching."""
    signature = np.empty(slots, np.uint64)
    sketch.fast_sketch(uint64(elements), uint64(multipliers), signature)
    return ints(signature)


def classic_sketch(elements: Collection[int], multipliers: Sequence[int], slots: int) -> list[int]:
    """Sign a set with classic MinHash."""
    signature = np.empty(slots, np.uint64)
    sketch.classic_sketch(uint64(elements), uint64(multipliers), signature)
    return ints(signature)


@uncached
def write_band_keys(signature: NDArray[np.uint64], rows: int, keys: NDArray[np.uint64]) -> None:
    """Write the key of every band; `band_key` is inlined, so it needs a kernel around it."""
    for band in range(keys.size):
        keys[band] = sketch.band_key(signature, band * rows, rows, band)


def band_keys(signature: Sequence[int], rows: int) -> list[int]:
    """Hash every band of a signature."""
    keys = np.empty(len(signature) // rows, np.uint64)
    write_band_keys(uint64(signature), rows, keys)
    return ints(keys)


# buckets


def group(keys: Sequence[int], digits: int) -> tuple[list[int], list[int]]:
    """Bring equal keys together; return the keys and their items in the new order."""
    key_array, items = uint64(keys), np.arange(len(keys), dtype=np.int32)
    buckets.group(key_array, items, digits, np.empty_like(key_array), np.empty_like(items))
    return ints(key_array), ints(items)


def find_buckets(keys: Sequence[int], digits: int = 2) -> list[list[int]]:
    """Return the items of each key that is not alone."""
    key_array, items = uint64(keys), np.arange(len(keys), dtype=np.int32)
    buckets.group(key_array, items, digits, np.empty_like(key_array), np.empty_like(items))
    bounds = np.empty(len(keys) // 2 + 1, np.int64)
    kept, count = buckets.find_buckets(key_array, items, bounds)
    assert bounds[count] == kept
    return [ints(items[begin:end]) for begin, end in itertools.pairwise(bounds[: count + 1])]


def propose_all(
    groups: Sequence[Sequence[int]], roots: Sequence[int], sides: Sequence[int] = (), widths: Sequence[int] = (1,)
) -> list[tuple[int, int]]:
    """Take the candidates of all buckets, a few pivots at a time, until nothing is left to compare."""
    items = np.array([item for members in groups for item in members], np.int32)
    lengths = int64(map(len, groups))
    ends = np.cumsum(lengths)
    bounds = np.stack([ends - lengths, ends], axis=1)
    pivots = bounds[:, 0].copy()
    root, side = np.array(roots, np.int32), np.array(sides, np.uint8)
    width = np.resize(int64(widths), len(groups))
    found: list[tuple[int, int]] = []
    while True:
        left = buckets.narrow(items, bounds, pivots, width, root, np.empty_like(items))
        if left == 0:
            return found
        bounds, pivots, width = bounds[:left], pivots[:left], width[:left]
        room = int((width * (bounds[:, 1] - pivots)).sum())
        one, two = np.empty(room, np.int32), np.empty(room, np.int32)
        count = buckets.propose(items, bounds, pivots, width, root, side, one, two)
        found += zip(ints(one[:count]), ints(two[:count]), strict=True)


def unseen(pairs: Sequence[tuple[int, int]], table: NDArray[np.uint64], room: int) -> tuple[list[tuple[int, int]], int]:
    """Keep the pairs a table has not seen; return them and the room that is left."""
    left, right = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    count, room = buckets.unseen(left, right, table, room)
    return list(zip(ints(left[:count]), ints(right[:count]), strict=True)), int(room)


# pairs and clusters


def similarities(sets: Sequence[Collection[int]], pairs: Sequence[tuple[int, int]], threshold: float) -> list[float]:
    """Return the exact similarity of each pair of sets, or 0 where it is below the threshold."""
    values = uint64(h for elements in sets for h in elements)
    sizes = np.array([len(elements) for elements in sets], np.int32)
    begins = np.cumsum(sizes, dtype=np.int64) - sizes
    table = np.full(shingles.power_of_two(2 * int(sizes.max())), 7, np.uint64)
    left, right = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    out = np.full(len(pairs), -1.0)
    overlap.similarities(left, right, values, begins, sizes, threshold, table, out)
    return [float(value) for value in out]


@uncached
def write_needed(one: int, two: int, threshold: float, out: NDArray[np.int64]) -> None:
    """Write the least overlap of two sizes; `needed` is inlined, so it needs a kernel around it."""
    out[0] = overlap.needed(one, two, threshold)


def needed(one: int, two: int, threshold: float) -> int:
    """Return the least overlap with which two sizes reach the threshold."""
    out = np.empty(1, np.int64)
    write_needed(one, two, threshold, out)
    return int(out[0])


def roots(count: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Unite pairs and return the root of every item."""
    parent = np.arange(count, dtype=np.int32)
    left, right = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    components.unite(parent, left, right)
    components.flatten(parent)
    return ints(parent)


# the prefix filter

Marks = tuple["NDArray[np.uint8]", "NDArray[np.uint16]"]


@uncached
def write_prefix_lengths(sizes: NDArray[np.int64], threshold: float, out: NDArray[np.int64]) -> None:
    """Write the length of the prefix of each size."""
    for i in range(sizes.size):
        out[i] = prefix.prefix_length(sizes[i], threshold)


def prefix_lengths(sizes: Sequence[int], threshold: float) -> list[int]:
    """Return how long the prefixes of sets of some sizes are."""
    out = np.empty(len(sizes), np.int64)
    write_prefix_lengths(int64(sizes), threshold, out)
    return ints(out)


def cut(elements: NDArray[np.uint64], lengths: NDArray[np.generic]) -> list[list[int]]:
    """Return elements that follow each other set by set."""
    ends = list(itertools.accumulate(ints(lengths), initial=0))
    assert ends[-1] == len(elements)
    return [ints(elements[begin:end]) for begin, end in itertools.pairwise(ends)]


def sample_sets(sets: Sequence[Collection[int]], threshold: float, cutoff: int) -> list[list[int]]:
    """Return the elements that the prefix of each set is chosen from."""
    elements, sizes = uint64(h for one in sets for h in one), int64(map(len, sets))
    out, picked = np.full(len(elements) + 1, 7, np.uint64), np.full(len(sets), -1, np.int32)
    filled = prefix.sample_sets(elements, sizes, threshold, np.uint64(cutoff), out, picked)
    return cut(out[:filled], picked)


def columns(
    sets: Sequence[Collection[int]],
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the elements of sets, and where those of each begin and end."""
    ends = np.cumsum(int64(map(len, sets)))
    return uint64(h for one in sets for h in one), ends - int64(map(len, sets)), ends


def mark_elements(sets: Sequence[Collection[int]], marks: Marks, sides: Sequence[int] = (), threads: int = 1) -> None:
    """Mark the elements of sets, in several threads at once if so asked."""
    elements, begins, ends = columns(sets)
    side = np.array(sides, np.uint8)
    parts = [slice(i, None, threads) for i in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda p: prefix.mark_elements(elements, begins[p], ends[p], side[p], *marks), parts))


def new_marks(slots: int, counters: int) -> Marks:
    """Make slots and counters for elements, all of them empty."""
    return np.zeros(slots // 4, np.uint8), np.zeros(counters, np.uint16)


def written_marks(states: Sequence[int], counts: Sequence[int]) -> Marks:
    """Make the slots and counters that tell what these lists do."""
    seen = [sum(states[i + j] << 2 * j for j in range(4)) for i in range(0, len(states), 4)]
    return np.array(seen, np.uint8), np.array(counts, np.uint16)


def read_marks(marks: Marks) -> tuple[list[int], list[int]]:
    """Return what is known of each slot, and the counters."""
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
    """Return in how many sets elements are, about."""
    out = np.empty(len(elements), np.int64)
    write_frequencies(uint64(elements), *marks, out)
    return ints(out)


def prefix_work(size: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Make the buffers for the prefix of a set, full of what an earlier set could have left there."""
    return np.full(size + 1, 7, np.uint64), np.full(size, 7, np.int64), np.full(prefix.SMALL, 7, np.int64)


def rarest(one: Sequence[int], wanted: int, cutoff: int, marks: Marks) -> tuple[list[int], int]:
    """Return the keys of a prefix in order, and how many elements that cannot be shared come before them."""
    work = prefix_work(len(one))
    found, before = prefix.rarest(
        uint64(one), wanted, np.uint64(cutoff), (*marks, np.uint64(prefix.bits_apart(*marks))), work
    )
    return ints(work[0][:found]), int(before)


def prefixes(
    samples: Sequence[Sequence[int]], sizes: Sequence[int], threshold: float, cutoff: int, marks: Marks
) -> list[tuple[int, int, int]]:
    """Return the key, the owner and the rest of each entry; owner i is the i-th set."""
    elements, begins, ends = columns(samples)
    part = (elements, begins, ends, np.arange(len(samples), dtype=np.int32), np.array(sizes, np.int32))
    keys = np.empty(len(elements), np.uint64)
    owners, rests = np.empty(len(elements), np.int32), np.empty(len(elements), np.int32)
    work = prefix_work(max(map(len, samples), default=0))
    filled = prefix.prefixes(part, threshold, np.uint64(cutoff), marks, work, (keys, owners, rests))
    return list(zip(ints(keys[:filled]), ints(owners[:filled]), ints(rests[:filled]), strict=True))


def find_short(entries: Sequence[tuple[int, int]], sizes: Sequence[int], threshold: float) -> NDArray[np.bool_]:
    """Tell which entries, an owner and a rest each, come early enough."""
    owners, rests = (np.array([entry[i] for entry in entries], np.int32) for i in (0, 1))
    short = np.zeros(len(entries), np.bool_)
    prefix.find_short(owners, rests, np.array(sizes, np.int32), threshold, short)
    return short


class PrefixBuckets:
    """Buckets of entries, an owner and a rest each, whose candidates are taken a few pivots at a time."""

    def __init__(self, groups: Sequence[Sequence[tuple[int, int]]], sizes: Sequence[int], threshold: float) -> None:
        flat = [entry for group in groups for entry in group]
        lengths = int64(map(len, groups))
        ends = np.cumsum(lengths)
        self.entries = np.arange(len(flat), dtype=np.int32)
        self.bounds = np.stack([ends - lengths, ends], axis=1)
        self.pivots = self.bounds[:, 0].copy()
        self.owners, self.rests = (np.array([entry[i] for entry in flat], np.int32) for i in (0, 1))
        self.sizes = np.array(sizes, np.int32)
        self.threshold = threshold
        self.short = find_short(flat, sizes, threshold)

    def propose_all(
        self, roots: Sequence[int], sides: Sequence[int] = (), widths: Sequence[int] = (1,)
    ) -> list[tuple[int, int]]:
        """Take the candidates of all buckets until nothing is left to compare."""
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
            count = prefix.propose_prefixes(*parts, side, sets, self.threshold, one, two)
            found += zip(ints(one[:count]), ints(two[:count]), strict=True)


# atomics


@uncached
def add_each(array: NDArray[np.uint16], places: NDArray[np.int64], before: NDArray[np.uint16]) -> None:
    """Add 1 at each of some places, and write what was there before."""
    for i in range(places.size):
        before[i] = jit.add_atomically(array, places[i], np.uint16(1))


@uncached
def or_each(
    array: NDArray[np.uint8], places: NDArray[np.int64], bits: NDArray[np.uint8], before: NDArray[np.uint8]
) -> None:
    """Set bits at each of some places, and write what was there before."""
    for i in range(places.size):
        before[i] = jit.or_atomically(array, places[i], bits[i])
