"""Checks before any work is done: a run may take hours, and what it finds must have a place to go."""

from __future__ import annotations

import contextlib
import io
import os
from typing import TYPE_CHECKING

import pyarrow as pa

from lookalike.checks import refuse_url
from lookalike.errors import OutputError
from lookalike.read.columns import storable_schema

from .encodings import check_option, encoding_of, is_same, usual_format
from .formats import formats_for_tables, shown, writing
from .places import check_file, check_stream, identity, is_null_device, is_stream, is_terminal, target_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from lookalike.read import Source

    from .formats import OutputFormat


def check_outputs(
    outputs: Mapping[str, Path],
    inputs: Sequence[Path],
    *,
    force: bool,
    others: Mapping[str, Path] | None = None,
    rows: Collection[str] = (),
    output_format: str | None = None,
) -> None:
    """Raise for outputs that cannot or must not be written, before any work is done.

    Args:
        outputs: The path of each output, by the name of its option, for messages.
        inputs: Files that are read. They are never written, even with `force`.
        force: Whether an existing file may be replaced.
        others: Outputs that are not tables, such as a page or a picture; their suffixes are not checked.
        rows: The options of outputs for rows of the inputs, which `check_rows` checks when the inputs are open.
        output_format: The format of outputs whose name does not tell it.

    """
    for path in (*outputs.values(), *(others or {}).values()):
        if not os.path.isdir(target_of(path).parent):  # noqa: PTH112 - Path raises for what it may not look at
            refuse_url(path, OutputError)
    check_option(outputs, output_format)
    for option, path in outputs.items():
        found, _ = encoding_of(path, output_format)
        if option not in rows:
            _check_format(path, option, found)
    _check_places({**outputs, **(others or {})}, inputs, force=force)


def check_rows(source: Source, outputs: Mapping[str, Path], output_format: str | None = None) -> None:
    """Raise if rows of a source cannot be written to outputs, as far as its columns tell."""
    usual = usual_format(source)
    for option, path in outputs.items():
        found, _ = encoding_of(path, output_format, usual)
        _check_format(path, option, found, source)
        if not (is_same(source, found) and found.copies_lines):
            _check_columns(storable_schema(source.schema), path, found)


def _check_format(path: Path, option: str, found: OutputFormat, source: Source | None = None) -> None:
    """Raise if a format cannot go to a stream, or holds only rows of files of the same format and gets others."""
    in_memory = source is not None and not source.paths  # the writer knows what it can hold of that
    if found.same_format_only and not in_memory and (source is None or not is_same(source, found)):
        raise OutputError(
            f"{shown(path)} can only hold {found.holds}, and {_named(option)} has no such rows; choose "
            f"{formats_for_tables()}"
        )
    if not is_stream(path):
        return
    if not found.streamable:
        raise OutputError(f"{shown(path)} cannot take {found.name}, whose beginning is written last; write a file")
    if not found.is_text and is_terminal(path):
        raise OutputError(f"{found.name} is not for a terminal; send {shown(path)} elsewhere, or choose another format")


def _check_columns(schema: pa.Schema, path: Path, found: OutputFormat) -> None:
    """Write no rows to nowhere, to see whether the format takes these columns."""
    with writing(path):
        writer = found.open(path, io.BytesIO(), schema)
        with contextlib.suppress(pa.ArrowNotImplementedError):  # there are types of which none is made without values
            arrays = [column.combine_chunks() for column in schema.empty_table().columns]
            writer.write(pa.record_batch(arrays, schema=schema))
        writer.close()


def _check_places(outputs: Mapping[str, Path], inputs: Sequence[Path], *, force: bool) -> None:
    taken = {identity(path) for path in inputs}
    seen: dict[object, str] = {}
    for option, path in outputs.items():
        if is_stream(path):
            check_stream(path)
        if is_null_device(path):
            continue
        if identity(path) in taken:
            raise OutputError(
                f"{shown(path)} is an input, which is never written to; choose another name for {_named(option)}"
            )
        if (other := seen.setdefault(identity(path), option)) != option:
            raise OutputError(f"{_named(option)} and {_named(other)} are both {shown(path)}; give each its own file")
        if not is_stream(path):
            check_file(path, force=force)


def _named(option: str) -> str:
    """Return the name of an option for a message; a flag of the command line stands as it is."""
    return option if option.startswith("-") else f"`{option}`"
