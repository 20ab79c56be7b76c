"""Pairs, clusters and keepers of texts by brute force, from the definitions in naive/, and texts to try them on.

Nothing here imports lookalike.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, Literal

import naive
import naive.words
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
Text = str | None
Pairs = dict[tuple[int, int], float]

SURE: dict[str, Any] = {"bands": 64, "rows": 1}
"""A banding that misses one in 10^11 pairs of similarity 1/3: a run finds what brute force finds."""


# Texts -> sets -> pairs -> clusters


def elements(text: Text, shingle: str = "words:5", *, bag: bool = False, **switches: Any) -> set[Any]:
    """Return the shingles of a text, as a set."""
    kind, _, size = shingle.partition(":")
    grams = naive.ngrams(tokens(text or "", kind, **switches), int(size))
    return set(naive.bag(grams)) if bag else set(grams)


def tokens(
    text: str,
    kind: str,
    *,
    lower: bool | None = None,
    form: Form | None = None,
    accents: bool = True,
    punctuation: bool | None = None,
) -> Sequence[Any]:
    """List the tokens of a text after normalising it."""
    if form is not None:
        text = unicodedata.normalize(form, text)
    if not accents:
        bare = (c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
        text = unicodedata.normalize("NFC", "".join(bare))
    if kind == "words":
        return naive.words.words(text, lower=lower is not False, punctuation=bool(punctuation))
    if kind == "bytes":
        return list(text.encode())
    if lower:
        text = text.lower()
    if punctuation is False:
        text = " ".join("".join(" " if unicodedata.category(c)[0] in "PS" else c for c in text).split())
    return list(text)


def pairs(texts: Sequence[Text], threshold: float, **shingling: Any) -> Pairs:
    """Compare every two texts."""
    return naive.all_pairs([elements(text, **shingling) for text in texts], threshold)


def clusters(count: int, found: Pairs) -> list[list[int]]:
    """List the components of two or more items, each in order, by their first item."""
    members: dict[int, list[int]] = {}
    for item, root in enumerate(naive.components(count, found)):
        members.setdefault(root, []).append(item)
    return [items for items in members.values() if len(items) > 1]


def keeper(items: Sequence[int], keep: str, texts: Sequence[Text], ranks: Sequence[Any]) -> int:
    """Choose the item of a cluster that is kept: ties go to the first, items without a rank come last."""
    values = [len(text or "") for text in texts] if keep in ("longest", "shortest") else ranks
    known = [item for item in items if values[item] is not None and values[item] == values[item]]  # NaN is not
    if keep in ("first", "last") or not known:
        return items[-1] if keep == "last" else items[0]
    best = max if keep.startswith(("max", "longest")) else min
    return best(known, key=lambda item: values[item])


# Collections

WORDS = [
    "the", "cat", "Sat", "on", "mat.", "a", "b", "C", "_y", "9", "x!", "well-known",
    "été", "ÉTÉ", "e\u0301te\u0301", "naïve", "ﬁn", "Straße", "ΟΔΟΣ", "İ", "中文", "ไทย", "😀",
]  # fmt: skip
ODD: list[Text] = [None, "", " \n", "!?", "word", "WORD", "word word", "中"]

words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14)


@st.composite
def collections(draw: st.DrawFn, most: int = 10) -> list[Text]:
    """Draw a few texts, versions of them with a word or two changed, copies, and unusual texts."""
    drafts = draw(st.lists(words, min_size=1, max_size=3))
    texts: list[Text] = []
    for _ in range(draw(st.integers(2, most))):
        text = list(draw(st.sampled_from(drafts)))
        for _ in range(draw(st.integers(0, 2))):
            at = draw(st.integers(0, len(text)))
            text[at : at + draw(st.integers(0, 1))] = draw(st.lists(st.sampled_from(WORDS), max_size=1))
        texts.append(" ".join(text))
    texts += draw(st.lists(st.sampled_from(ODD), max_size=3))
    return draw(st.permutations(texts))


@st.composite
def shinglings(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a kind of shingle and the options that go with it."""
    kind = draw(st.sampled_from(["words", "chars", "bytes"]))
    chosen: dict[str, Any] = {"shingle": f"{kind}:{draw(st.integers(1, 6))}", "bag": draw(st.booleans())}
    if kind != "bytes":
        chosen |= {
            "lower": draw(st.sampled_from([None, True, False])),
            "form": draw(st.sampled_from([None, "NFC", "NFD", "NFKC", "NFKD"])),
            "accents": draw(st.booleans()),
            "punctuation": draw(st.sampled_from([None, True, False])),
        }
    return chosen


thresholds = st.sampled_from([1 / 3, 0.4, 0.5, 3 / 5, 2 / 3, 5 / 7, 0.75, 0.8, 5 / 6, 0.9, 1.0]) | st.floats(1 / 3, 1.0)
"""Thresholds, many of them equal to a similarity that occurs."""
