"""Items -> sets of shingle hashes."""

from __future__ import annotations

import threading
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import null_as_empty, null_as_zero
from lookalike.errors import InputError
from lookalike.features import characters
from lookalike.kernels import shingles as kernels
from lookalike.kernels.hashing import base_power, hash_number
from lookalike.kernels.tokens import PADDING, hash_texts, is_ascii

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.features.shingling import Shingling

T = TypeVar("T", bound=np.generic)

LONGEST = 600 << 20
"""Bytes of the longest text: positions in it are 32-bit numbers, and rewriting it may treble its length."""


@dataclass(frozen=True, slots=True)
class Columns:
    """A run of items as the kernels see them: item i is `data[offsets[i]:offsets[i+1]]`, text or 64-bit numbers."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @property
    def longest(self) -> int:
        """Length of the longest item."""
        return int(np.diff(self.offsets).max(initial=0))


class Shingler:
    """Makes the shingles of texts, lists of token ids or sets, for any number of threads."""

    def __init__(self, shingling: Shingling) -> None:
        self.shingling = shingling
        self._size = (shingling.size, base_power(shingling.size))
        self._local = threading.local()

    @cached_property
    def _characters(self) -> tuple[NDArray[np.uint8], NDArray[np.uint32], bool]:
        """What the kernels must know of characters to find words: class, lower case, whether ASCII needs them too."""
        kept = self.shingling.punctuation
        return characters.classes(punctuation=kept), characters.lower_case(lower=self.shingling.lower), kept

    @cached_property
    def _byte_hashes(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        with np.errstate(over="ignore"):
            hashes = np.array([hash_number(np.uint64(byte)) for byte in range(256)], np.uint64)
            return hashes, hashes * self._size[1]

    def columns(self, items: pa.Array) -> Columns:
        """Return the items of an Arrow array as the kernels need them, normalised; a null is an empty item."""
        if self.shingling.kind == "tokens":
            return number_columns(items)
        if self.shingling.kind == "elements":
            return element_columns(items)
        columns = text_columns(items)
        if columns.longest > LONGEST:
            raise InputError(f"A text has {columns.longest:,} bytes; the longest allowed has {LONGEST:,}. Split it")
        if not is_ascii(columns.data[columns.offsets[0] : columns.offsets[-1]]):
            return text_columns(normalise(items, self.shingling, ascii_only=False))
        if self.shingling.kind == "chars" and (self.shingling.lower or not self.shingling.punctuation):
            return text_columns(normalise(items, self.shingling, ascii_only=True))
        return columns

    def grams(
        self, data: NDArray[np.uint8], begins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the shingles of items, one item after the other, and how many each has.

        Item i is `data[begins[i]:ends[i]]`. Repetitions are left in, or numbered in a bag, which loses their order. The
        shingles are in a buffer of this thread, and valid until it makes others.
        """
        lengths = ends - begins
        longest = int(lengths.max(initial=0))
        counts = np.empty(len(begins), np.int64)
        out = self._buffer("out", int(lengths.sum()) + len(begins) + 1)
        if self.shingling.kind == "words":
            case_bit = np.uint8(32 if self.shingling.lower else 0)
            kernels.word_grams(
                data, begins, ends, self._size, case_bit, self._characters, self._word_work(longest), out, counts
            )
        elif self.shingling.kind in ("tokens", "elements"):
            kernels.number_grams(data, begins, ends, self._size, out, counts)
        else:
            whole_bytes = self.shingling.kind == "bytes"
            kernels.char_grams(data, begins, ends, self._size, self._byte_hashes, whole_bytes, out, counts)
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
        """Return the sets that `grams` make, in the same place if they are not very large, and their sizes."""
        most = int(counts.max(initial=0))
        if most > kernels.LARGE:
            made = [in_order(one) for one in np.split(grams, np.cumsum(counts)[:-1])]
            return np.concatenate(made), np.array([len(one) for one in made], np.int64)
        if not self.shingling.bag:
            grams = grams[: kernels.make_sets(grams, counts, False, self._set_work(most))]
        return grams, counts

    def _word_work(self, longest: int) -> tuple[NDArray[Any], ...]:
        room = 3 * longest + 2 * PADDING
        transcoded, low, flags = (self._buffer(name, room, np.uint8) for name in ("transcoded", "low", "flags"))
        return transcoded, low, flags, self._buffer("positions", room, np.int32)

    def _set_work(self, most: int) -> tuple[NDArray[np.uint64], ...]:
        table = kernels.power_of_two(2 * most)
        sizes = {"bits": table, "suspects": most + 1, "table": table, "counts": table}
        return tuple(self._buffer(name, size) for name, size in sizes.items())

    def _buffer(self, name: str, room: int, dtype: type[np.generic] = np.uint64) -> NDArray[Any]:
        """Return a buffer of this thread with at least that much room; it serves again and again."""
        held: NDArray[Any] | None = getattr(self._local, name, None)
        if held is None or held.size < room:
            held = np.empty(max(room, 1 << 16), dtype)
            setattr(self._local, name, held)
        return held


def in_order(numbers: NDArray[T]) -> NDArray[T]:
    """Make a set by sorting; NumPy's `unique` goes by a hash table, and took ten times as long for 54 million."""
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def text_columns(texts: pa.Array) -> Columns:
    """Return the buffers of a string array."""
    texts = null_as_empty(texts)
    wide = pa.types.is_large_string(texts.type) or pa.types.is_large_binary(texts.type)
    _, offsets, data = texts.buffers()
    bounds = np.frombuffer(offsets, np.int64 if wide else np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return Columns(read_only(data, np.uint8), bounds.astype(np.int64))


def number_columns(items: pa.Array) -> Columns:
    """Return the buffers of an array of lists of integers."""
    items = pc.fill_null(items.cast(pa.large_list(pa.int64())), [])
    values = items.values
    if values.null_count:
        raise InputError("A list of token ids holds a null. Drop it, or give it an id of its own")
    bounds = np.frombuffer(items.buffers()[1], np.int64)[items.offset : items.offset + len(items) + 1]
    numbers = read_only(values.buffers()[1], np.int64)[values.offset : values.offset + len(values)]
    return Columns(numbers.view(np.uint8), bounds * numbers.itemsize)


def element_columns(sets: pa.Array) -> Columns:
    """Return lists of elements as lists of 64-bit numbers: integers as they are, all else by its bits or a hash."""
    sizes = null_as_zero(pc.list_value_length(sets)).to_numpy()
    numbers = element_numbers(sets.flatten())
    numbers.flags.writeable = False
    return Columns(numbers.view(np.uint8), np.append(0, np.cumsum(sizes)) * numbers.itemsize)


def element_numbers(elements: pa.Array) -> NDArray[np.int64]:
    """Return a number for each element; the same for equal ones."""
    numbers: NDArray[np.int64]
    if pa.types.is_dictionary(elements.type):
        numbers = element_numbers(elements.dictionary)[elements.indices.to_numpy()]
    elif pa.types.is_integer(elements.type):
        numbers = elements.to_numpy()
    elif pa.types.is_floating(elements.type):
        numbers = (elements.to_numpy() + 0.0).view(np.int64)  # which makes one zero of two
    else:
        columns = text_columns(elements)
        hashes = np.empty(len(elements), np.uint64)
        hash_texts(columns.data, columns.offsets, hashes)
        numbers = hashes.view(np.int64)
    return numbers


def read_only(buffer: pa.Buffer | None, dtype: type[np.generic]) -> NDArray[Any]:
    """Return a buffer as an array that is never written to; kernels are compiled for such arrays only."""
    array = np.empty(0, dtype) if buffer is None or buffer.size == 0 else np.frombuffer(buffer, dtype)
    array.flags.writeable = False
    return array


def normalise(texts: pa.Array, shingling: Shingling, *, ascii_only: bool) -> pa.Array:
    """Rewrite the texts that need what the kernels cannot do: all of them, or those with rare capitals."""
    everywhere = shingling.kind == "chars" and (shingling.lower or not shingling.punctuation)
    if everywhere or (not ascii_only and (shingling.form is not None or not shingling.accents)):
        return pa.array([text and normal(text, shingling) for text in texts.to_pylist()], pa.large_string())
    if shingling.kind == "words" and shingling.lower:
        first, second = (pc.match_substring(texts, capital) for capital in characters.AWKWARD_CAPITALS)
        rare = null_as_zero(pc.or_(first, second))
        if pc.any(rare).as_py():
            lowered = [text.lower() for text in texts.filter(rare).to_pylist()]
            return pc.replace_with_mask(texts, rare, pa.array(lowered, texts.type))
    return texts


def normal(text: str, shingling: Shingling) -> str:
    """Apply the switches of a shingling to one text: its form, accents, case, punctuation."""
    if shingling.form is not None:
        text = unicodedata.normalize(shingling.form, text)
    if not shingling.accents:
        decomposed = unicodedata.normalize("NFD", text)
        text = unicodedata.normalize("NFC", "".join(c for c in decomposed if unicodedata.category(c) != "Mn"))
    if shingling.lower:
        text = text.lower()
    if shingling.kind == "chars" and not shingling.punctuation:
        text = " ".join("".join(" " if unicodedata.category(c)[0] in "PS" else c for c in text).split())
    return text
