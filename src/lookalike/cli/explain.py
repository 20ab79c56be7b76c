"""What people see of two items that were compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from lookalike.comparison import SetComparison, TextComparison, number

if TYPE_CHECKING:
    from lookalike.comparison import Comparison, Span

CHARACTERS_SHOWN = 2000
"""Characters of each side that are shown, unless all are asked for."""


def print_comparison(found: Comparison, left: str, right: str, *, full: bool) -> None:
    """Print how similar two items are, and what they share: texts with the shared passages marked, sets by elements."""
    console = console_for_names()
    left, right = one_line(left), one_line(right)
    style = "bold green" if found.is_pair else "bold yellow"
    console.print(Text(found.reason, style=style))
    if isinstance(found, TextComparison):
        console.print(f"Shingles: {parts(found, left, right)} ({found.recipe.shingling}).")
    elif isinstance(found, SetComparison):
        console.print(f"{'Weight' if found.weighted else 'Elements'}: {parts(found, left, right)}.")
    if found.recipe.banding is not None:
        compares = "compares them" if found.bands_met else "does not compare them"
        console.print(
            f"Bands: they meet in {found.bands_met} of {found.recipe.banding.bands}, so a run {compares}; "
            f"at this {found.column} the chance of that is {found.chance:.4f}."
        )
    colour = not console.no_color and console.is_terminal
    if isinstance(found, TextComparison):
        for name, text, spans in ((left, found.left, found.left_spans), (right, found.right, found.right_spans)):
            console.print()
            console.rule(escape(name), align="left")
            console.print(marked(text, spans, colour=colour, full=full), soft_wrap=True)
    elif isinstance(found, SetComparison):
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
    """Print which two items are compared, above what is told of them."""
    console = console_for_names()
    console.print()
    console.rule(Text(f"{one_line(left)} and {one_line(right)}", style="bold"), align="left", characters="═")


def console_for_names() -> Console:
    """Return what prints names as they are: no part of an id is a number to be coloured, or stands for a picture."""
    return Console(highlight=False, emoji=False)


def parts(found: TextComparison | SetComparison, left: str, right: str) -> str:
    """Say how much both have, and how much only one."""
    shared, one, other = map(number, (found.shared, found.only_left, found.only_right))
    return f"{shared} shared, {one} only in {escape(left)}, {other} only in {escape(right)}"


def listed(found: SetComparison, elements: list[Any], *, full: bool) -> Text:
    """Return elements with commas between them, and how much of each there is on either side; cut unless in full."""
    out, shown = Text(), 0
    for element in elements:
        room = CHARACTERS_SHOWN - len(out)
        if not full and room <= 0:
            break
        sides = (side[element] for side in (found.left, found.right) if element in side)
        much = f" ({' and '.join(map(number, sides))})" if found.counted else ""
        name = str(element)
        cut = "" if full or len(name) <= room else f"… ({len(name):,} characters; --full shows them)"
        out.append(f"{', ' if shown else ''}{printable(name[:room] if cut else name)}{cut}{much}")
        shown += 1
    if shown < len(elements):
        out.append(f"\n… {len(elements) - shown:,} more; --full shows them", style="dim")
    return out


def marked(text: str, spans: tuple[Span, ...], *, colour: bool, full: bool) -> Text:
    """Return a text with spans marked, by colour or by brackets; a long one is cut unless shown in full."""
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
        out.append(f"\n… {len(text) - end:,} more characters; --full shows them", style="dim")
    return out


def one_line(name: str) -> str:
    """Return a name without what would change the terminal, or begin a new line."""
    return printable(name).translate({ord(c): "\N{REPLACEMENT CHARACTER}" for c in "\n\t"})


def printable(text: str) -> str:
    """Replace control characters, which could change the terminal, by a sign for them."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
