"""lookalike index delete: remove items by their ids."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli import options

from . import options as own

if TYPE_CHECKING:
    from lookalike.index import Index

MAX_DIGITS = 20
"""Characters of the longest integer that can be an id."""


def delete(
    index: own.IndexPath,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="Ids of items to delete.")] = None,
    listed: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="File with one id per line, or - for standard input.")
    ] = None,
    timeout: own.Timeout = 0,
    quiet: options.Quiet = False,
    json: own.Json = False,
) -> None:
    """Delete items by their ids, and report how many were not found.

    \b
    Examples:
      lookalike index delete news.lookalike https://example.org/1 https://example.org/2
      lookalike index delete news.lookalike --from gone.txt

    In Python: lookalike.Index.open("news.lookalike").delete(ids)
    """  # noqa: D301 - Click interprets this backslash
    from lookalike.cli.index.session import IndexSession, open_index
    from lookalike.cli.inputs import read_text
    from lookalike.errors import InputError

    wanted = list(ids or [])
    if listed is not None:
        wanted += [line for line in read_text(listed, "strict").replace("\r\n", "\n").split("\n") if line]
    elif not wanted:
        raise InputError("No ids were given. Pass some, or a file of them with --from")
    wanted = list(dict.fromkeys(wanted))
    with IndexSession(index, quiet=quiet, as_json=json) as session:
        with open_index(index, timeout=timeout) as held:
            deleted = 0
            if wanted:
                with session.changing(held):
                    deleted = held.delete(convert_ids(held, wanted))
            items = len(held)
        absent = len(wanted) - deleted
        facts = [("deleted", f"{deleted:,}"), ("not found", f"{absent:,}"), ("items", f"{items:,}")]
        session.finish({"deleted": deleted, "not_there": absent, "items": items}, facts)


def convert_ids(index: Index, ids: list[str]) -> list[str] | list[int]:
    """Return ids in the type the index has: strings or integers."""
    from lookalike.errors import InputError

    if index.schema.field(0).type != "int64":
        return ids
    wrong = next((one for one in ids if not re.fullmatch(r"-?[0-9]+", one)), None)
    if wrong is not None:
        raise InputError(f"The ids of this index are integers. Got {wrong!r}")
    return [int(one) for one in ids if len(one) <= MAX_DIGITS and -(1 << 63) <= int(one) < 1 << 63]
