"""Excerpts of long texts: the differences, with some context around them."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.comparison import Span
    from lookalike.examples import Side

AROUND = 80
"""Characters of context shown before and after a difference, and at the beginning."""

MIN_FOLDED = 60
"""Minimum length in characters of a passage that is folded."""

MAX_DIFFERENCE = 300
"""Maximum number of characters shown of one difference."""

SHOWN = 1000
"""Approximate number of characters shown of a text; every line counts as at least `LINE`."""

LINE = 40

MAX_WORD = 20
"""Maximum length in characters of a word that is not cut."""

MAX_NAME = 300
"""Maximum number of characters shown of an ID or a file name."""

CODE_SAMPLE = 4000
"""Number of characters by which source code is recognised."""

CODE_SYMBOLS = frozenset("{}()[]<>;=+*/\\|&%$#@^~_")
"""Characters that are common in source code and rare in prose."""

MANY_SYMBOLS, SOME_SYMBOLS, MANY_INDENTED = 0.12, 0.07, 0.3
"""Shares above which a text is code: of symbols among characters, or of these and of indented lines."""

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories of characters that are invisible, or change how others are displayed."""

HARMLESS = {"\n", "\t", "\N{ZERO WIDTH JOINER}", "\N{ZERO WIDTH NON-JOINER}"}


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a text that both items have or that differs, or a note about what was left out."""

    kind: Literal["same", "differs", "fold"]
    text: str


def passages(side: Side, unit: str) -> list[Passage]:
    """Return the passages to show of a text, with notes on what is left out.

    `unit` names the units of `side.more`, which are not part of the text.
    """
    shown: list[Passage] = []
    room = SHOWN
    at = 0
    for kind, begin, end in pieces(side.text, side.differs):
        if room <= 0 and len(side.text) - at > MIN_FOLDED:
            break
        if begin == end:
            continue
        if kind == "fold":
            shown.append(Passage("fold", f"{end - begin:,} characters that the other item has too"))
        elif kind == "differs" and end - begin > MAX_DIFFERENCE + MIN_FOLDED:
            cut = after_word(side.text, begin + MAX_DIFFERENCE)
            shown.append(Passage(kind, visible(side.text[begin:cut])))
            shown.append(Passage("fold", f"{end - cut:,} more characters that differ"))
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
    """Yield the pieces of a text in order: differences, their context, and long passages to fold."""
    at = 0
    for begin, end in (*differs, (len(text), len(text))):
        low = after_word(text, at + AROUND if differs else MAX_DIFFERENCE)
        high = before_word(text, begin - AROUND) if begin < len(text) else begin
        if high - low > MIN_FOLDED:
            yield from (("same", at, low), ("fold", low, high), ("same", high, begin))
        else:
            yield "same", at, begin
        yield "differs", max(begin, at), end
        at = max(at, end)


def length(text: str) -> int:
    """Return approximately how much space a text takes, in characters."""
    return max(len(text), LINE * text.count("\n"))


def after_word(text: str, at: int) -> int:
    """Return the end of the word at a position, or the position itself if the word is long."""
    return next((i for i in range(at, min(at + MAX_WORD, len(text))) if text[i].isspace()), at)


def before_word(text: str, at: int) -> int:
    """Return the start of the word at a position, or the position itself if the word is long."""
    return next((i for i in range(at, max(at - MAX_WORD, 0), -1) if text[i - 1].isspace()), at)


def is_code(text: str) -> bool:
    r"""Return whether a text looks like source code, a log or a table, where columns and indentation matter.

    >>> is_code("def f(x):\n    return x[0] + 1"), is_code("The cat (a tabby) sat on the mat; it was warm.")
    (True, False)
    """
    lines = [line for line in text[:CODE_SAMPLE].split("\n") if line.strip()]
    indented = sum(line.startswith(("  ", "\t")) for line in lines)
    visible = sum(not c.isspace() for c in text[:CODE_SAMPLE])
    symbols = sum(c in CODE_SYMBOLS for c in text[:CODE_SAMPLE])
    return symbols > MANY_SYMBOLS * visible or (
        indented > MANY_INDENTED * len(lines) and symbols > SOME_SYMBOLS * visible
    )


def visible(text: str) -> str:
    r"""Replace characters that are invisible, or change the order of others, by their code points.

    >>> visible("a\x00b\u202ec")
    'a[U+0000]b[U+202E]c'
    """
    return "".join(c if c in HARMLESS or unicodedata.category(c) not in HIDDEN else code_point(c) for c in text)


def code_point(character: str) -> str:
    """Return the code point of a character in a visible form."""
    return f"[U+{ord(character):04X}]"


def name(text: str) -> str:
    """Return an ID or a file name as a single line, truncated if it is very long."""
    line = "".join(code_point(c) if c in "\n\t" else c for c in visible(text[:MAX_NAME]))
    more = len(text) - MAX_NAME
    return line if more <= 0 else f"{line} … {more:,} more characters"
