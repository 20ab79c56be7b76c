"""Write docs/reference/cli.md from the help of every command, and docs/reference/python.md from the docstrings.

python docs/make_reference.py            write both pages
python docs/make_reference.py --check    say which of them differ from what would be written; exit with 1 if any does
"""  # noqa: INP001 - a script, not a package

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.main import get_command
from typer.testing import CliRunner

import lookalike
from lookalike.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator

REFERENCE = Path(__file__).parent / "reference"
WIDTH = 98  # of a terminal with 100 columns
TWINS = {
    "dedup": "deduplicate",
    "pairs": "find_pairs",
    "nearest": "nearest",
    "compare": "compare",
    "tune": "tune",
    "index": "Index",
}
"""The Python function or class that does what a command does."""

MODULES = (
    "pipeline",
    "neighbours.nearest",
    "comparison.items",
    "comparison.base",
    "comparison.texts",
    "comparison.sets",
    "tuning.tune",
    "tuning.estimate",
    "tuning.sample",
    "index.index",
    "index.matches",
    "read.items",
    "options",
    "results",
    "summary",
    "tuning.recall",
    "features.shingling",
    "lsh.banding",
    "recipe",
    "measures",
    "errors",
)
"""Where public things live, in the order of the page."""

UNLISTED = {"options": ("Settings",), "estimate": ("Cost",), "sample": ("Bin",)}
"""What is not public but described: the keyword arguments of the public functions, and what is in their results."""

EXIT_CODES = """\
| code | meaning |
| --- | --- |
| 0 | done |
| 1 | `lookalike index check` has found damage |
| 2 | an option, an input or an output is wrong; one sentence on standard error says which |
| 130 | interrupted with Ctrl-C; nothing was written |
| 141 | whoever read standard output has stopped reading |"""

MADE = "<!-- Made by docs/make_reference.py; do not edit. -->"


def cli_page() -> Iterator[str]:
    """Yield the blocks of the page about the command line."""
    yield from (MADE, "# The command line", "What each command does in Python is in the [Python reference](python.md).")
    yield from ("## lookalike", shown(help_of([])))
    for command, twin in TWINS.items():
        yield from (f"## lookalike {command}", f"In Python: [`lookalike.{twin}`](python.md#{twin.lower()})")
        yield shown(help_of([command]))
        for inner in subcommands(command):
            yield from (f"## lookalike {command} {inner}", shown(help_of([command, inner])))
    yield "## Exit codes"
    yield EXIT_CODES


def subcommands(command: str) -> list[str]:
    """Return the commands below one, if there are any."""
    commands: dict[str, Any] = getattr(get_command(app), "commands", {})
    return list(getattr(commands[command], "commands", {}))


def help_of(command: list[str]) -> str:
    """Return what a command prints for --help, at a fixed width."""
    result = CliRunner().invoke(app, [*command, "--help"], prog_name="lookalike", terminal_width=WIDTH)
    return "\n".join(line.rstrip() for line in result.output.strip().splitlines())


def python_page() -> Iterator[str]:
    """Yield the blocks of the page about Python."""
    yield from (MADE, "# Python", "The commands that do the same are in the [command line reference](cli.md).")
    twins = {twin: command for command, twin in TWINS.items()}
    for module in map(importlib.import_module, (f"lookalike.{name}" for name in MODULES)):
        home = module.__name__.rpartition(".")[2]
        for name in public_names(module):
            yield f"## {name}"
            yield from described(getattr(module, name))
            if name in twins:
                anchor = f"lookalike-{twins[name]}"
                yield f"On the command line: [`lookalike {twins[name]}`](cli.md#{anchor})"
        if home == "errors":
            yield from ("## The tree of errors", *markdown(inspect.getdoc(module) or ""))


def public_names(module: Any) -> list[str]:  # noqa: ANN401 - any module
    """Return the names of a module that belong on the page, in the order of its source."""
    home = module.__name__.rpartition(".")[2]
    defined = [node.name for node in ast.parse(inspect.getsource(module)).body if hasattr(node, "name")]
    return [name for name in dict.fromkeys(defined) if name in (*lookalike.__all__, *UNLISTED.get(home, ()))]


def described(thing: Any) -> Iterator[str]:  # noqa: ANN401 - a class or a function
    """Yield the blocks about one public name."""
    if inspect.isfunction(thing):
        yield shown(f"{thing.__name__}{signature(thing)}", "python")
    elif issubclass(thing, Exception):
        yield f"Bases: {', '.join(base.__name__ for base in thing.__bases__)}"
    yield from markdown(inspect.getdoc(thing) or "")
    if inspect.isclass(thing) and not issubclass(thing, (Exception, dict)):
        yield from listed("Fields", fields(thing))
        yield from listed("Properties", properties(thing))
        yield from listed("Methods", methods(thing))


def listed(title: str, entries: list[tuple[str, str]]) -> Iterator[str]:
    """Yield a list of names and what they mean, under a title, unless it is empty."""
    if entries:
        yield f"**{title}**"
        yield "\n".join(f"- `{name}`{': ' if text else ''}{one_line(text)}" for name, text in entries)


def fields(thing: type) -> list[tuple[str, str]]:
    """Return the public fields of a data class, with the string below each."""
    found = []
    for base in reversed(thing.__mro__[:-1]):
        body = class_body(base)
        for node, after in zip(body, [*body[1:], None], strict=True):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id[0] != "_":
                text = f"{node.target.id}: {ast.unparse(node.annotation)}"
                found.append((text, docstring_of(after)))
    return found


def class_body(thing: type) -> list[ast.stmt]:
    """Return the statements of a class."""
    module = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    assert isinstance(module.body[0], ast.ClassDef)  # noqa: S101 - for the type checker
    return module.body[0].body


def docstring_of(node: ast.stmt | None) -> str:
    """Return the text of a statement that is a string, else nothing."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return node.value.value if is_text else ""  # type: ignore[union-attr]


def members(thing: type) -> Iterator[tuple[str, Any]]:
    """Yield what a class and its bases define, each public name once, in the order of the source."""
    seen = set()
    for base in thing.__mro__[:-1]:
        for name, value in vars(base).items():
            if not name.startswith("_") and name not in seen:
                seen.add(name)
                yield name, value


def properties(thing: type) -> list[tuple[str, str]]:
    """Return the properties of a class with their docstrings."""
    return [
        (name, inspect.getdoc(value) or "")
        for name, value in members(thing)
        if isinstance(value, property) or type(value).__name__ == "cached_property"
    ]


def methods(thing: type) -> list[tuple[str, str]]:
    """Return the methods of a class with their docstrings."""
    plain = ((name, getattr(value, "__func__", value)) for name, value in members(thing))
    return [
        (f"{name}{signature(value)}", inspect.getdoc(value) or "") for name, value in plain if inspect.isfunction(value)
    ]


def signature(function: Any) -> str:  # noqa: ANN401 - any function
    """Return the signature of a function as it is written, without self."""
    found = inspect.signature(function)
    arguments = [argument for name, argument in found.parameters.items() if name not in ("self", "cls")]
    return re.sub(r"(?<=[:>] )'([^']*)'", r"\1", str(found.replace(parameters=arguments)))


def markdown(doc: str) -> Iterator[str]:
    """Yield the paragraphs of a docstring; examples, drawings and tables as code."""
    for paragraph in re.split(r"\n\n+(?!    )", doc):
        if paragraph.startswith(">>>"):
            yield shown(paragraph, "pycon")
        elif re.search(r"^( {4}|\w[\w, ]*  )", paragraph, re.MULTILINE):
            first, _, drawing = paragraph.partition("\n\n    ")
            yield from (first, shown(textwrap.dedent("    " + drawing))) if drawing else (shown(paragraph),)
        else:
            yield paragraph


def one_line(doc: str) -> str:
    """Return the first paragraph of a docstring as one line."""
    return " ".join(doc.split("\n\n", maxsplit=1)[0].split())


def shown(text: str, language: str = "text") -> str:
    """Return a text as a block of code."""
    return f"```{language}\n{text}\n```"


def pages() -> dict[Path, str]:
    """Return the text of every generated page."""
    made = {"cli.md": cli_page(), "python.md": python_page()}
    return {REFERENCE / name: "\n\n".join(blocks) + "\n" for name, blocks in made.items()}


def main() -> None:
    """Write the pages, or check them."""
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    if not sys.argv[1:]:
        for path, text in pages().items():
            path.write_text(text, encoding="utf-8")
        return
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if stale:
        sys.exit(f"{', '.join(path.name for path in stale)} out of date: run python docs/make_reference.py")


if __name__ == "__main__":
    main()
