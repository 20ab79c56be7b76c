"""Items -> sets of shingle hashes."""

from __future__ import annotations

import threading
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike import characters
from lookalike.errors import InputError
from lookalike.kernels import shingles as kernels
from lookalike.kernels.hashing import base_power, hash_number
from lookalike.kernels.tokens import PADDING, is_ascii

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.recipe import Shingling

LONGEST = 600 << 20
"""Bytes of the longest text: positions in it are 32-bit numbers, and rewriting it may treble its length."""

KINDS = {"words": kernels.WORDS, "chars": kernels.CHARS, "bytes": kernels.BYTES, "tokens": kernels.TOKENS}


@dataclass(frozen=True, slots=True)
class Columns:
    """A run of items as the kernels see them: item i is `data[offsets[i]:offsets[i+1]]`, text or 64-bit token ids."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @property
    def longest(self) -> int:
        """Length of the longest item."""
        return int(np.diff(self.offsets).max(initial=0))


class Shingler:
    """Makes the shingles of texts, or of lists of token ids, for any number of threads."""

    def __init__(self, shingling: Shingling) -> None:
        self.shingling = shingling
        self.recipe = (
            KINDS[shingling.kind],
            shingling.size,
            base_power(shingling.size),
            np.uint8(32 if shingling.lower else 0),
            shingling.bag,
        )
        self._local = threading.local()

    @cached_property
    def tables(self) -> tuple[NDArray[np.uint8], NDArray[np.uint32], bool, NDArray[np.uint64], NDArray[np.uint64]]:
        """What the kernels must know about characters."""
        words = self.shingling.kind == "words"
        punctuation = words and self.shingling.punctuation
        with np.errstate(over="ignore"):
            byte_hashes = np.array([hash_number(np.uint64(byte)) for byte in range(256)], np.uint64)
            hashes = byte_hashes, byte_hashes * base_power(self.shingling.size)
        if not words:
            return np.empty(0, np.uint8), np.empty(0, np.uint32), False, *hashes
        lower = characters.lower_case(lower=self.shingling.lower)
        return characters.classes(punctuation=punctuation), lower, punctuation, *hashes

    def columns(self, items: pa.Array) -> Columns:
        """Return the items of an Arrow array as the kernels need them, normalised; a null is an empty item."""
        if self.shingling.kind == "tokens":
            return number_columns(items)
        columns = text_columns(items)
        if columns.longest > LONGEST:
            raise InputError(f"A text has {columns.longest:,} bytes; the longest allowed has {LONGEST:,}. Split it")
        if not is_ascii(columns.data[columns.offsets[0] : columns.offsets[-1]]):
            return text_columns(normalise(items, self.shingling, ascii_only=False))
        if self.shingling.kind == "chars" and (self.shingling.lower or not self.shingling.punctuation):
            return text_columns(normalise(items, self.shingling, ascii_only=True))
        return columns

    def work(self, longest: int, *, sets: bool = False) -> tuple[Any, ...]:
        """Return this thread's buffers, with room for an item of that length; for its set too if that is wanted."""
        room = max(longest, 1 << 16)
        if getattr(self._local, "room", -1) < room:
            self._local.room = room
            wide = 3 * room + 2 * PADDING if self.shingling.kind == "words" else PADDING
            words = tuple(np.empty(wide, dtype) for dtype in (np.uint8, np.uint8, np.uint8, np.int32))
            self._local.work = (words, np.empty(room + 1, np.uint64))
        return (*self._local.work, self._set_work(room if sets or self.shingling.bag else 0))

    def _set_work(self, room: int) -> tuple[NDArray[np.uint64], ...]:
        if getattr(self._local, "set_room", -1) < room:
            self._local.set_room = room
            table = kernels.power_of_two(2 * room)
            self._local.set_work = tuple(np.empty(size, np.uint64) for size in (table, room + 1, table, table))
        work: tuple[NDArray[np.uint64], ...] = self._local.set_work
        return work

    def sets(self, data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the sets of items, one after the other, and their sizes; item i is `data[slice(*bounds[i])]`.

        The sets are in a buffer of this thread, and valid until it makes others.
        """
        lengths = bounds[:, 1] - bounds[:, 0]
        longest = int(lengths.max(initial=0))
        if longest > kernels.LARGE:
            return self._large_sets(data, bounds)
        sizes = np.empty(len(bounds), np.int64)
        out = self._out(int(lengths.sum()) + len(bounds))
        work = self.work(longest, sets=True)
        filled = kernels.make_sets(data, bounds, self.recipe, self.tables, work, out, sizes)
        return out[:filled], sizes

    def _out(self, room: int) -> NDArray[np.uint64]:
        if not hasattr(self._local, "out") or self._local.out.size < room:
            self._local.out = np.empty(room, np.uint64)
        out: NDArray[np.uint64] = self._local.out
        return out

    def grams(self, item: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """Return the shingles of one item in the order they stand in it, repetitions included; a bag in any order."""
        work = self.work(len(item))
        count = kernels.shingle_item(item, self.recipe, self.tables, work)
        grams: NDArray[np.uint64] = work[1][:count].copy()
        return grams

    def _large_sets(
        self, data: NDArray[np.uint8], bounds: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Make sets one by one, by sorting; they are in order then."""
        made = [np.unique(self.grams(data[begin:end])) for begin, end in bounds]
        return np.concatenate(made), np.array([len(one) for one in made], np.int64)


def text_columns(texts: pa.Array) -> Columns:
    """Return the buffers of a string array."""
    if texts.null_count:
        texts = pc.fill_null(texts, "")
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
        rare = pc.fill_null(pc.or_(first, second), fill_value=False)
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
