"""The format of each output: from its name, from an option, or from what is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import OutputError

from .formats import asked_format, format_of, formats, named_format, shown
from .places import is_stream

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lookalike.read import Source

    from .formats import Encoding, OutputFormat

FOR_TABLES = "jsonl"
"""The format of what goes to a stream whose name asks for none."""


def encoding_of(path: Path, output_format: str | None = None, usual: str = FOR_TABLES) -> Encoding:
    """Return the format of an output: as its name asks; else as the option does; else, for streams, the usual one."""
    if (named := named_format(path)) is not None:
        return named
    if output_format is not None:
        return asked_format(output_format)
    return asked_format(usual) if is_stream(path) else format_of(path)


def usual_format(source: Source) -> str:
    """Return the format in which rows of a source go to a stream: that of its files if possible, or JSON Lines."""
    suffixes = {path.suffix.lower() for path in _plain_names(source)}
    fitting = [one for one in formats() if one.name == source.format and one.streamable]
    named = [suffix for one in fitting for suffix in one.suffixes if {suffix} == suffixes]
    return next((suffix[1:] for suffix in [*named, *(one.suffixes[0] for one in fitting)]), FOR_TABLES)


def _plain_names(source: Source) -> list[Path]:
    """Return the paths of files without the suffix of their compression."""
    return [path.with_suffix("") if path.suffix.lower() in (".gz", ".zst") else path for path in source.paths]


def check_option(outputs: Mapping[str, Path], output_format: str | None) -> None:
    """Raise if there is no such format, or no output whose name leaves it open."""
    if output_format is None:
        return
    asked_format(output_format)
    if all(named_format(path) is not None for path in outputs.values()):
        where = " and ".join(shown(path) for path in outputs.values()) or "nothing"
        raise OutputError(
            f"`output_format` is for outputs whose name does not tell their format. Got {output_format!r} for {where}; "
            "leave it out"
        )


def is_same(source: Source, output_format: OutputFormat) -> bool:
    """Return whether an output has the format of all inputs."""
    return source.format == output_format.name
