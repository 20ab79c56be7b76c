"""What a run did, for people: one page with numbers, plots and examples, which needs nothing beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import MissingExtraError, OutputError
from lookalike.write.outputs import check_outputs, write_file

if TYPE_CHECKING:
    from pathlib import Path

    from lookalike.report.facts import Result
    from lookalike.summary import Summary

ENDINGS = (".html", ".htm")


def check(path: Path) -> None:
    """Raise unless a report can be written under that name with the libraries there are: before the work is done."""
    if path.suffix.lower() not in ENDINGS:
        raise OutputError(f"{path} has no ending of a page; choose .html")
    try:
        import jinja2  # noqa: PLC0415, F401 - loaded when asked for
        import matplotlib as mpl  # noqa: PLC0415, F401
    except ImportError as error:
        raise MissingExtraError("Jinja2 and matplotlib", "A report", "report") from error


def report(result: Result, path: Path, *, force: bool = False) -> None:
    """Write a report, unless that would overwrite an input, or an existing file without `force`."""
    from lookalike.report.facts import sources_of  # noqa: PLC0415 - loaded when asked for

    check(path)
    inputs = [file for source in sources_of(result) for file in source.paths]
    check_outputs({}, inputs, force=force, others={"path": path})
    write(result, path, result.summary)


def write(result: Result, path: Path, summary: Summary) -> None:
    """Write a report with the final numbers, whatever is there."""
    from lookalike.report.page import make_page  # noqa: PLC0415 - loaded when asked for

    write_file(make_page(result, summary).encode(), path)
