"""Hypothesis strategies: texts over all of Unicode, sets of hashes, thresholds, pairs."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from lookalike.features.characters import AWKWARD_CAPITALS, UNASSIGNED, raw_classes

LARGEST_HASH = (1 << 64) - 1

ASCII = [chr(code) for code in range(128)]

PIECES = [
    *"aZ09_ \n\t.,!?-'\"\0\x7f",
    "the", "Word", "exactly8", "nine_char", "sixteen_letters_", "seventeen_letters", "x" * 63, "y" * 64, "z" * 65,
    "é", "É", "e\u0301", "n\u0303", "a\u0323\u0302", "ß", "ẞ", "ŉ", "ǅ", "Ⱥ", "ﬁ", "\u212a", "\u2126", "µ",
    "Σ", "ΣΑΣ", "ΟΔΟΣ", "ς", "İ", "I", "\u0131", "İstanbul",
    "中", "中文", "𠀀", "々", "ひら", "カタ", "ー", "か\u3099", "ｶ", "\u3007", "한국어", "ㄅ",
    "ไทย", "ก\u0e34", "ລາວ", "ខ្មែរ", "မြန်မာ", "๑", "၁",
    "हिन्दी", "עִבְרִית", "العربية", "ЖУК", "Ὀδυσσεύς", "ϴ",
    "😀", "👩\u200d💻", "\u00a0", "\u3000", "\u2028", "。", "、", "«", "€",
    "½", "²", "Ⅷ", "Ⓐ", "\U0010ffff", "\ufeff", "\ue000",
]  # fmt: skip


def is_assigned(character: str) -> bool:
    """Return whether the shipped table knows a character; a newer Python may know more."""
    return bool(raw_classes()[ord(character)] != UNASSIGNED)


def settled(text: str) -> str:
    """Lower-case a text that has capitals which Python lower-cases before a kernel sees them."""
    return text.lower() if any(capital in text for capital in AWKWARD_CAPITALS) else text


characters = st.characters(exclude_categories=("Cs", "Cn")).filter(is_assigned)
"""Any character at all, surrogates excluded."""

ascii_texts = st.text(st.sampled_from(ASCII), max_size=300) | st.lists(
    st.sampled_from([piece for piece in PIECES if piece.isascii()]), max_size=60
).map("".join)
unicode_texts = st.text(characters, max_size=80)
mixed_texts = st.lists(st.sampled_from([piece for piece in PIECES if all(map(is_assigned, piece))]), max_size=60).map(
    "".join
)
texts = ascii_texts | unicode_texts | mixed_texts
"""Texts of every kind."""

shingle_sizes = st.integers(1, 12)

numbers = st.integers(0, LARGEST_HASH)
"""Any 64-bit number: a token hash, a token id."""

hashes = st.integers(1, LARGEST_HASH) | st.integers(1, 40) | st.integers(1, 40).map(lambda n: n << 40)
"""Hashes of shingles, which are never 0; some of them close together, so that tables and buckets collide."""

hash_lists = st.lists(hashes, max_size=200)
hash_sets = st.sets(hashes, min_size=1, max_size=60)

odd_numbers = st.integers(0, LARGEST_HASH).map(lambda n: n | 1)

fractions = st.integers(1, 60).flatmap(lambda d: st.integers(1, d).map(lambda n: float(Fraction(n, d))))
thresholds = fractions | st.floats(0.01, 1.0) | st.sampled_from([2 / 3, 1 / 3, 0.5, 0.7, 0.8, 0.9, 1.0])
"""Thresholds, many of which a similarity can meet exactly."""

goals = st.tuples(st.integers(0, 3), thresholds)
"""A measure of sets, as kernels know it, and a threshold."""

recalls = st.floats(0.01, 0.9999) | st.sampled_from([0.5, 0.75, 0.9, 0.95, 0.99, 0.999])


@st.composite
def families(draw: st.DrawFn) -> list[set[int]]:
    """Draw sets that overlap considerably: each is a subset of one pool."""
    pool = draw(st.lists(hashes, min_size=1, max_size=40, unique=True))
    return draw(st.lists(st.sets(st.sampled_from(pool), min_size=1), min_size=2, max_size=12))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    """Draw a number of items and pairs of them."""
    count = draw(st.integers(1, 40))
    item = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(item, item), max_size=80))
