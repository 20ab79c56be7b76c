"""Items -> sets of shingle hashes."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from lookalike.features.columns import Spans
from lookalike.kernels import shingles as kernels
from lookalike.kernels.hashing import base_power

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.features.columns import Columns
    from lookalike.features.shingling import Shingling

T = TypeVar("T", bound=np.generic)
Token = TypeVar("Token")

CONTINUATION = 0x80
"""The two highest bits of a byte that continues a character of UTF-8."""


class Shingler(ABC):
    """Makes the shingles of items, in any number of threads. A class per feature says how."""

    separator: ClassVar[str] = " "
    """Between the tokens of a shingle that people read."""

    def __init__(self, shingling: Shingling) -> None:
        self.shingling = shingling
        self._size = (shingling.size, base_power(shingling.size))
        self._local = threading.local()

    @abstractmethod
    def columns(self, items: pa.Array) -> Columns:
        """Return the items of an Arrow array as kernels read them, normalised; a null is an empty item."""

    @abstractmethod
    def _write_grams(self, items: Spans, out: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
        """Write the shingles of items, one item after the other, and how many each has."""

    def readable(self, item: Any) -> str:  # noqa: ANN401 - a text, or a list of numbers
        """Return an item as the text in which people see its tokens, in the form that is compared."""
        return str(item or "")

    def token_bounds(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where each token of a readable text begins and ends, in characters."""
        places = np.arange(len(text))
        return places, places + 1

    def readable_bytes(self, data: NDArray[np.uint8], limit: int) -> tuple[str, int]:
        """Return the readable text of a stored item up to a limit of bytes, and how many characters follow."""
        held = data[:limit]
        text = held.tobytes().decode("utf-8", "strict" if held.size == data.size else "ignore")
        return text, int(np.count_nonzero((data & 0xC0) != CONTINUATION)) - len(text)

    def names(self, data: NDArray[np.uint8]) -> list[str]:
        """Return the shingles of a stored item as people read them, in order, repetitions included."""
        text, _ = self.readable_bytes(data, data.size)
        tokens = [text[begin:end] for begin, end in zip(*self.token_bounds(text), strict=True)]
        return [self.separator.join(run) for run in windows(tokens, self.shingling.size)]

    def grams(
        self, data: NDArray[np.uint8], begins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the shingles of items, one item after the other, and how many each has.

        Item i is `data[begins[i]:ends[i]]`. Repetitions are left in, or numbered in a bag, which loses their order. The
        shingles are in a buffer of this thread, and valid until it makes others.
        """
        counts = np.empty(len(begins), np.int64)
        out = self._buffer("out", int((ends - begins).sum()) + len(begins) + 1)
        self._write_grams(Spans(data, begins, ends), out, counts)
        grams = out[: counts.sum()]
        if self.shingling.bag:
            kernels.make_sets(grams, counts, True, self._set_work(int(counts.max(initial=0))))
        return grams, counts

    def sets(self, data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the sets of items, one after the other, and their sizes; item i is `data[slice(*bounds[i])]`.

        The sets are in a buffer of this thread, and valid until it makes others.
        """
        return self.made_sets(*self.grams(data, bounds[:, 0].copy(), bounds[:, 1].copy()))

    def made_sets(
        self, grams: NDArray[np.uint64], counts: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the sets that shingles make, in place unless they are very large, and their sizes."""
        most = int(counts.max(initial=0))
        if most > kernels.LARGE:
            made = [in_order(one) for one in np.split(grams, np.cumsum(counts)[:-1])]
            return np.concatenate(made), np.array([len(one) for one in made], np.int64)
        if not self.shingling.bag:
            grams = grams[: kernels.make_sets(grams, counts, False, self._set_work(most))]
        return grams, counts

    def _set_work(self, most: int) -> tuple[NDArray[np.uint64], ...]:
        table = kernels.power_of_two(2 * most)
        sizes = {"bits": table, "suspects": most + 1, "table": table, "counts": table}
        return tuple(self._buffer(name, size) for name, size in sizes.items())

    def _buffer(self, name: str, room: int, dtype: type[np.generic] = np.uint64) -> NDArray[Any]:
        """Return a buffer of this thread with at least that much room, reused from call to call."""
        held: NDArray[Any] | None = getattr(self._local, name, None)
        if held is None or held.size < room:
            held = np.empty(max(room, 1 << 16), dtype)
            setattr(self._local, name, held)
        return held


def windows(tokens: Sequence[Token], size: int) -> list[Sequence[Token]]:
    """Return the runs of so many consecutive tokens; fewer tokens are one run.

    >>> windows("abcd", 3)
    ['abc', 'bcd']
    >>> windows("ab", 3)
    ['ab']
    """
    last = max(len(tokens) - size, 0)
    return [tokens[at : at + size] for at in range(last + 1)] if tokens else []


def in_order(numbers: NDArray[T]) -> NDArray[T]:
    """Return the distinct numbers, sorted. NumPy's `unique` uses a hash table and is ten times as slow for millions."""
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def runs(inside: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each run of true values begins and ends."""
    begins = inside & ~np.append(False, inside[:-1])
    ends = inside & ~np.append(inside[1:], False)
    return np.flatnonzero(begins), np.flatnonzero(ends) + 1
