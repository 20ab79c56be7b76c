"""Comparisons of two items, explained: how similar they are and what they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from lookalike.comparison import SetComparison, TextComparison, number

if TYPE_CHECKING:
    from lookalike.comparison import Comparison, Span

CHARACTERS_SHOWN = 2000
"""Maximum number of characters shown of each side, unless it is shown in full."""


def print_comparison(found: Comparison, left: str, right: str, *, full: bool) -> None:
    """Print how similar two items are, and what they share: passages of texts, elements of sets."""
    console = console_for_names()
    left, right = one_line(left), one_line(right)
    console.print(Text(found.reason, style="bold green" if found.is_pair else "bold yellow"))
    if isinstance(found, TextComparison):
        console.print(f"Shingles: {amounts(found, left, right)} ({found.recipe.shingling}).")
    elif isinstance(found, SetComparison):
        console.print(f"{'Weight' if found.weighted else 'Elements'}: {amounts(found, left, right)}.")
    print_bands(console, found)
    if isinstance(found, TextComparison):
        print_texts(console, found, left, right, full=full)
    elif isinstance(found, SetComparison):
        print_sets(console, found, left, right, full=full)


def print_bands(console: Console, found: Comparison) -> None:
    """Print in how many bands two items agree, unless the search is exact."""
    if found.recipe.banding is None:
        return
    compares = "compares them" if found.bands_met else "does not compare them"
    console.print(
        f"Bands: they agree in {found.bands_met} of {found.recipe.banding.bands}, so a run {compares}; "
        f"at this {found.column} the chance of that is {found.chance:.4f}."
    )


def print_texts(console: Console, found: TextComparison, left: str, right: str, *, full: bool) -> None:
    """Print two texts with the shared passages highlighted."""
    colour = not console.no_color and console.is_terminal
    for name, text, spans in ((left, found.left, found.left_spans), (right, found.right, found.right_spans)):
        console.print()
        console.rule(escape(name), align="left")
        console.print(highlighted(text, spans, colour=colour, full=full), soft_wrap=True)


def print_sets(console: Console, found: SetComparison, left: str, right: str, *, full: bool) -> None:
    """Print the elements that two sets share, and those that only one has."""
    for name, elements in (
        ("in both", found.shared_elements),
        (f"only in {left}", found.left_elements),
        (f"only in {right}", found.right_elements),
    ):
        if elements:
            console.print()
            console.rule(escape(name), align="left")
            console.print(listed(found, elements, full=full), soft_wrap=True)


def print_heading(left: str, right: str) -> None:
    """Print the names of two items above their comparison."""
    console = console_for_names()
    console.print()
    console.rule(Text(f"{one_line(left)} and {one_line(right)}", style="bold"), align="left", characters="═")


def console_for_names() -> Console:
    """Return a console that prints names unchanged: no numbers in an ID are coloured, no :words: become emoji."""
    return Console(highlight=False, emoji=False)


def amounts(found: TextComparison | SetComparison, left: str, right: str) -> str:
    """Return how much both items have, and how much only one."""
    shared, one, other = map(number, (found.shared, found.only_left, found.only_right))
    return f"{shared} shared, {one} only in {escape(left)}, {other} only in {escape(right)}"


def listed(found: SetComparison, elements: list[Any], *, full: bool) -> Text:
    """Return elements separated by commas, with the amount on each side; cut unless in full."""
    out, shown = Text(), 0
    for element in elements:
        room = CHARACTERS_SHOWN - len(out)
        if not full and room <= 0:
            break
        sides = (side[element] for side in (found.left, found.right) if element in side)
        amount = f" ({' and '.join(map(number, sides))})" if found.counted else ""
        name = str(element)
        cut = "" if full or len(name) <= room else f"… ({len(name):,} characters; use --full to show them)"
        out.append(f"{', ' if shown else ''}{printable(name[:room] if cut else name)}{cut}{amount}")
        shown += 1
    if shown < len(elements):
        out.append(f"\n… {len(elements) - shown:,} more; use --full to show them", style="dim")
    return out


def highlighted(text: str, spans: tuple[Span, ...], *, colour: bool, full: bool) -> Text:
    """Return a text with spans highlighted, by colour or by brackets; cut unless in full."""
    end = len(text) if full else min(len(text), CHARACTERS_SHOWN)
    out = Text()
    at = 0
    for begin, stop in spans:
        if begin >= end:
            break
        out.append(printable(text[at:begin]))
        passage = printable(text[begin : min(stop, end)])
        out.append(passage if colour else f"[{passage}]", style="green" if colour else "")
        at = min(stop, end)
    out.append(printable(text[at:end]))
    if end < len(text):
        out.append(f"\n… {len(text) - end:,} more characters; use --full to show them", style="dim")
    return out


def one_line(name: str) -> str:
    """Return a name without control characters, newlines and tabs included."""
    return printable(name).translate({ord(c): "\N{REPLACEMENT CHARACTER}" for c in "\n\t"})


def printable(text: str) -> str:
    """Replace control characters other than newlines and tabs, which could affect the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
