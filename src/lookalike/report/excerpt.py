"""Long texts -> the passages worth showing: differences, with some of what is around them."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.comparison import Span
    from lookalike.examples import Side

AROUND = 80
"""Characters shown before and after a difference, and of the beginning."""

LEAST_FOLDED = 60
"""Characters that are worth being left out."""

LONGEST_DIFFERENCE = 300
"""Characters shown of one difference."""

SHOWN = 1000
"""Characters shown of a text, about; a line counts as `LINE`, however short."""

LINE = 40

LONGEST_WORD = 20
"""Characters up to which a word is not cut."""

LONGEST_NAME = 300
"""Characters shown of an id or a file's name."""

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Categories of characters that are not seen, or change how others are seen."""

HARMLESS = {"\n", "\t", "\N{ZERO WIDTH JOINER}", "\N{ZERO WIDTH NON-JOINER}"}


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a text that both have, or that differs; or words about what is left out."""

    kind: Literal["same", "differs", "fold"]
    text: str


def passages(side: Side, unit: str) -> list[Passage]:
    """Return what to show of a text. What is left out is said; `unit` names what is not even held."""
    shown: list[Passage] = []
    room = SHOWN
    at = 0
    for kind, begin, end in pieces(side.text, side.differs):
        if room <= 0 and len(side.text) - at > LEAST_FOLDED:
            break
        if begin == end:
            continue
        if kind == "fold":
            shown.append(fold(end - begin, "the same"))
        elif kind == "differs" and end - begin > LONGEST_DIFFERENCE + LEAST_FOLDED:
            cut = after_word(side.text, begin + LONGEST_DIFFERENCE)
            shown.append(Passage(kind, visible(side.text[begin:cut])))
            shown.append(fold(end - cut, "that differ"))
            room -= length(side.text[begin:cut])
        else:
            shown.append(Passage(kind, visible(side.text[begin:end])))
            room -= length(side.text[begin:end])
        at = end
    if at < len(side.text):
        shown.append(Passage("fold", f"{len(side.text) - at:,} more characters"))
    if side.more:
        shown.append(Passage("fold", f"{side.more:,} more {unit}"))
    return shown


def pieces(text: str, differs: tuple[Span, ...]) -> Iterator[tuple[Literal["same", "differs", "fold"], int, int]]:
    """Yield the pieces of a text in order: what differs, what is around that, and long stretches to be folded."""
    at = 0
    for begin, end in (*differs, (len(text), len(text))):
        low = after_word(text, at + AROUND if differs else LONGEST_DIFFERENCE)
        high = before_word(text, begin - AROUND) if begin < len(text) else begin
        if high - low > LEAST_FOLDED:
            yield from (("same", at, low), ("fold", low, high), ("same", high, begin))
        else:
            yield "same", at, begin
        yield "differs", max(begin, at), end
        at = max(at, end)


def length(text: str) -> int:
    """Return how much room a text takes, about."""
    return max(len(text), LINE * text.count("\n"))


def after_word(text: str, at: int) -> int:
    """Return where the word at a place ends, unless that is far."""
    return next((i for i in range(at, min(at + LONGEST_WORD, len(text))) if text[i].isspace()), at)


def before_word(text: str, at: int) -> int:
    """Return where the word at a place begins, unless that is far."""
    return next((i for i in range(at, max(at - LONGEST_WORD, 0), -1) if text[i - 1].isspace()), at)


def fold(count: int, what: str) -> Passage:
    """Say how much is left out."""
    return Passage("fold", f"{count:,} characters {what}")


def visible(text: str) -> str:
    r"""Replace characters that are not seen, or that change the order of others, by their numbers, which are seen.

    >>> visible("a\x00b\u202ec")
    'a[U+0000]b[U+202E]c'
    """
    return "".join(c if c in HARMLESS or unicodedata.category(c) not in HIDDEN else sign(c) for c in text)


def sign(character: str) -> str:
    """Return a sign for a character that cannot be shown."""
    return f"[U+{ord(character):04X}]"


def name(text: str) -> str:
    """Return an id or the name of a file in one line, cut if it is very long."""
    line = "".join(sign(c) if c in "\n\t" else c for c in visible(text[:LONGEST_NAME]))
    more = len(text) - LONGEST_NAME
    return line if more <= 0 else f"{line} … {more:,} more characters"
