"""Calls each kernel with Python values: allocates the buffers it needs, and returns ints and lists."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
import numpy as np
import pytest

from lookalike.features import characters
from lookalike.kernels import buckets, components, measures, overlap, shingles, sketch, tokens
from lookalike.kernels.codes import JACCARD
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
    """Return an array as a list of Python numbers."""
    return [int(value) for value in array]


def first_difference(one: Sequence[object], two: Sequence[object]) -> tuple[int, object, object] | None:
    """Return the first difference of two long lists; pytest takes minutes to show them all."""
    pairs = itertools.zip_longest(one, two)
    return next(((i, a, b) for i, (a, b) in enumerate(pairs) if a != b), None)


# tokens


def byte_hashes() -> NDArray[np.uint64]:
    """Return the hash of every byte, as the kernels expect it."""
    with np.errstate(over="ignore"):
        return uint64(int(hash_number_kernel(np.uint64(byte))) for byte in range(256))


BYTE_HASHES = byte_hashes()


def read_only(data: bytes) -> NDArray[np.uint8]:
    """Return bytes as an array that cannot be written to, as Arrow's buffers are."""
    return np.frombuffer(data, np.uint8)


def word_work(size: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int32]]:
    """Make the buffers for the words of a text of `size` bytes, filled with leftovers of an earlier text."""
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


def drop_unique(keys: Sequence[int], among: Sequence[int], words: int) -> list[tuple[int, int]]:
    """Return the items whose keys may occur more than once, each with its key."""
    key_array, items = uint64(keys), np.empty(len(among), np.int32)
    bits = np.zeros(2 * words, np.uint64)
    kept = buckets.drop_unique(key_array, np.array(among, np.int32), bits, items)
    return list(zip(ints(items[:kept]), ints(key_array[:kept]), strict=True))


def group(keys: Sequence[int], digits: int) -> tuple[list[int], list[int]]:
    """Bring equal keys together; return the keys and their items in the new order."""
    key_array, items = uint64(keys), np.arange(len(keys), dtype=np.int32)
    buckets.group(key_array, items, digits, np.empty_like(key_array), np.empty_like(items))
    return ints(key_array), ints(items)


def find_buckets(keys: Sequence[int], digits: int = 2) -> list[list[int]]:
    """Return the items of each key that occurs more than once."""
    key_array, items = uint64(keys), np.arange(len(keys), dtype=np.int32)
    buckets.group(key_array, items, digits, np.empty_like(key_array), np.empty_like(items))
    bounds = np.empty(len(keys) // 2 + 1, np.int64)
    kept, count = buckets.find_buckets(key_array, items, bounds)
    assert bounds[count] == kept
    return [ints(items[begin:end]) for begin, end in itertools.pairwise(bounds[: count + 1])]


def propose_all(
    groups: Sequence[Sequence[int]], roots: Sequence[int], sides: Sequence[int] = (), widths: Sequence[int] = (1,)
) -> list[tuple[int, int]]:
    """Return the candidates of all buckets, taken a few pivots at a time."""
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
    """Return the pairs that a table has not seen, and the room left in it."""
    left, right = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    count, room = buckets.unseen(left, right, table, room)
    return list(zip(ints(left[:count]), ints(right[:count]), strict=True)), int(room)


# pairs and clusters


def similarities(
    sets: Sequence[Collection[int]], pairs: Sequence[tuple[int, int]], threshold: float, measure: int = JACCARD
) -> list[float]:
    """Return the exact similarity of each pair of sets, or 0 where it is below the threshold."""
    values = uint64(h for elements in sets for h in elements)
    sizes = np.array([len(elements) for elements in sets], np.int32)
    begins = np.cumsum(sizes, dtype=np.int64) - sizes
    table = np.full(shingles.power_of_two(2 * int(sizes.max())), 7, np.uint64)
    left, right = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    out = np.full(len(pairs), -1.0)
    overlap.similarities(left, right, values, begins, sizes, (measure, threshold), table, out)
    return [float(value) for value in out]


@uncached
def write_needed(goal: tuple[int, float], one: int, two: int, out: NDArray[np.int64]) -> None:
    """Write the least overlap of two sizes; `needed` is inlined, so it needs a kernel around it."""
    out[0] = measures.needed(goal, one, two)


def needed(one: int, two: int, goal: tuple[int, float]) -> int:
    """Return the least overlap with which two sizes reach the threshold."""
    out = np.empty(1, np.int64)
    write_needed(goal, one, two, out)
    return int(out[0])


def roots(count: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Unite pairs and return the root of every item."""
    parent = np.arange(count, dtype=np.int32)
    left, right = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    components.unite(parent, left, right)
    components.flatten(parent)
    return ints(parent)


def at_once(work: Callable[[int], object], threads: int) -> None:
    """Start threads at the same moment, so that they contend."""
    barrier = threading.Barrier(threads)

    def run(thread: int) -> None:
        barrier.wait()
        work(thread)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, range(threads)))
