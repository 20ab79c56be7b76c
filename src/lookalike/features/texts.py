"""Texts -> shingles: words, characters or bytes, normalised as the shingling says."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import null_as_zero
from lookalike.errors import InputError
from lookalike.features import characters
from lookalike.features.columns import Columns, text_columns
from lookalike.features.shingles import Shingler, windows
from lookalike.kernels import shingles as kernels
from lookalike.kernels.hashing import hash_number
from lookalike.kernels.tokens import PADDING, SINGLE, WORD, is_ascii

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.features.columns import Spans

LONGEST = 600 << 20
"""The maximum length of a text in bytes: positions are 32-bit numbers, and rewriting may treble the length."""


class TextShingler(Shingler):
    """Makes shingles of texts. What kernels cannot normalise is rewritten before."""

    def columns(self, items: pa.Array) -> Columns:
        """Return the buffers of an array of texts, rewritten where need be."""
        columns = text_columns(items)
        if columns.longest > LONGEST:
            raise InputError(f"A text has {columns.longest:,} bytes; the longest allowed has {LONGEST:,}. Split it")
        ascii_only = bool(is_ascii(columns.data[columns.offsets[0] : columns.offsets[-1]]))
        if self._rewrites_all(ascii_only=ascii_only):
            return text_columns(self._rewritten(items))
        return columns if ascii_only else text_columns(self._lower_rare_capitals(items))

    def _rewrites_all(self, *, ascii_only: bool) -> bool:
        """Return whether every text must be rewritten, and not by a kernel."""
        return not ascii_only and (self.shingling.form is not None or not self.shingling.accents)

    def _rewritten(self, texts: pa.Array) -> pa.Array:
        return pa.array([text and self.normal(text) for text in texts.to_pylist()], pa.large_string())

    def _lower_rare_capitals(self, texts: pa.Array) -> pa.Array:
        """Rewrite the texts with capitals that the kernel cannot lower-case, if there are any."""
        return texts

    def readable(self, item: Any) -> str:  # noqa: ANN401 - a text, or None
        """Return a text in the form that is compared."""
        return self.normal(str(item or ""))

    def normal(self, text: str) -> str:
        """Return one text with the switches of the shingling applied: its form, accents and case."""
        if self.shingling.form is not None:
            text = unicodedata.normalize(self.shingling.form, text)
        if not self.shingling.accents:
            decomposed = unicodedata.normalize("NFD", text)
            text = unicodedata.normalize("NFC", "".join(c for c in decomposed if unicodedata.category(c) != "Mn"))
        return text.lower() if self.shingling.lower else text


class WordShingler(TextShingler):
    """Makes shingles of consecutive words."""

    @cached_property
    def _characters(self) -> tuple[NDArray[np.uint8], NDArray[np.uint32], bool]:
        """What kernels need to find words: the class and the lower case of characters, and whether ASCII has others."""
        kept = self.shingling.punctuation
        return characters.classes(punctuation=kept), characters.lower_case(lower=self.shingling.lower), kept

    def _lower_rare_capitals(self, texts: pa.Array) -> pa.Array:
        if not self.shingling.lower:
            return texts
        first, second = (pc.match_substring(texts, capital) for capital in characters.AWKWARD_CAPITALS)
        rare = null_as_zero(pc.or_(first, second))
        if not pc.any(rare).as_py():
            return texts
        lowered = [text.lower() for text in texts.filter(rare).to_pylist()]
        return pc.replace_with_mask(texts, rare, pa.array(lowered, texts.type))

    def readable(self, item: Any) -> str:  # noqa: ANN401 - a text, or None
        """Return a text in the form that is compared, but for case, which stays as it is."""
        return type(self)(replace(self.shingling, lower=False)).normal(str(item or ""))

    def token_bounds(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where each word begins and ends."""
        kinds = characters.classes(punctuation=self.shingling.punctuation)[codes_of(text)]
        inside = kinds == WORD
        begins = (kinds == SINGLE) | (inside & ~np.append(False, inside[:-1]))
        ends = (kinds == SINGLE) | (inside & ~np.append(inside[1:], False))
        return np.flatnonzero(begins), np.flatnonzero(ends) + 1

    def names(self, data: NDArray[np.uint8]) -> list[str]:
        """Return the shingles of a stored text, in the case that is compared."""
        found = super().names(data)
        return [name.lower() for name in found] if self.shingling.lower else found

    def _write_grams(self, items: Spans, out: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
        case_bit = np.uint8(32 if self.shingling.lower else 0)
        work = self._word_work(items.longest)
        kernels.word_grams(
            items.data, items.begins, items.ends, self._size, case_bit, self._characters, work, out, counts
        )

    def _word_work(self, longest: int) -> tuple[NDArray[Any], ...]:
        room = 3 * longest + 2 * PADDING
        transcoded, low, flags = (self._buffer(name, room, np.uint8) for name in ("transcoded", "low", "flags"))
        return transcoded, low, flags, self._buffer("positions", room, np.int32)


class ByteShingler(TextShingler):
    """Makes shingles of consecutive bytes."""

    whole_bytes = True
    separator = ""

    def names(self, data: NDArray[np.uint8]) -> list[str]:
        """Return runs of bytes as text; what is not a whole character is escaped."""
        return [run.decode("utf-8", "backslashreplace") for run in map(bytes, windows(data.tobytes(), self._size[0]))]

    def token_bounds(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the character of each byte begins and ends."""
        codes = codes_of(text)
        lengths = 1 + sum((codes >= first).astype(np.int64) for first in (0x80, 0x800, 0x10000))
        places = np.repeat(np.arange(len(text)), lengths)
        return places, places + 1

    @cached_property
    def _byte_hashes(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        with np.errstate(over="ignore"):
            hashes = np.array([hash_number(np.uint64(byte)) for byte in range(256)], np.uint64)
            return hashes, hashes * self._size[1]

    def _write_grams(self, items: Spans, out: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
        kernels.char_grams(
            items.data, items.begins, items.ends, self._size, self._byte_hashes, self.whole_bytes, out, counts
        )


class CharacterShingler(ByteShingler):
    """Makes shingles of consecutive characters."""

    whole_bytes = False

    def names(self, data: NDArray[np.uint8]) -> list[str]:
        """Return runs of characters."""
        return TextShingler.names(self, data)

    def token_bounds(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where each character begins and ends."""
        places = np.arange(len(text))
        return places, places + 1

    def _rewrites_all(self, *, ascii_only: bool) -> bool:
        everywhere = self.shingling.lower or not self.shingling.punctuation
        return everywhere or super()._rewrites_all(ascii_only=ascii_only)

    def normal(self, text: str) -> str:
        """Return one text with the switches applied; punctuation, unless kept, becomes a space."""
        text = super().normal(text)
        if self.shingling.punctuation:
            return text
        return " ".join("".join(" " if unicodedata.category(c)[0] in "PS" else c for c in text).split())


def codes_of(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)
