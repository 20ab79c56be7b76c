"""The report of a run: a self-contained HTML page with figures, plots and examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import MissingExtraError, OutputError
from lookalike.write.checks import check_outputs
from lookalike.write.outputs import write_file
from lookalike.write.places import is_stream

if TYPE_CHECKING:
    from pathlib import Path

    from lookalike.report.facts import Result
    from lookalike.summary import Summary

ENDINGS = (".html", ".htm")


def check(path: Path) -> None:
    """Raise if the file name or a missing library prevents a report, before any work is done."""
    if path.suffix.lower() not in ENDINGS and not is_stream(path):
        raise OutputError(f"A report must be an HTML file. Got {path}; choose a name that ends in .html")
    try:
        import jinja2  # noqa: PLC0415, F401 - loaded only when needed
        import matplotlib as mpl  # noqa: PLC0415, F401
    except ImportError as error:
        raise MissingExtraError("Jinja2 and matplotlib", "A report", "report") from error


def report(result: Result, path: Path, *, force: bool = False) -> None:
    """Write a report. Never overwrite an input, and an existing file only with `force`."""
    from lookalike.report.facts import sources_of  # noqa: PLC0415 - loaded only when needed

    check(path)
    inputs = [file for source in sources_of(result) for file in source.paths]
    check_outputs({}, inputs, force=force, others={"path": path})
    write(result, path, result.summary)


def write(result: Result, path: Path, summary: Summary) -> None:
    """Write a report of the final summary, replacing any existing file."""
    from lookalike.report.page import make_page  # noqa: PLC0415 - loaded only when needed

    write_file(make_page(result, summary).encode(), path)
