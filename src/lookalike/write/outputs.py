"""Results and kept rows -> files and streams.

No file is ever half written: it grows under a temporary name beside its place and is renamed when it is complete. What
is not a regular file is written into; see `places`.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError
from lookalike.read.columns import filter_rows, storable_schema
from lookalike.read.schemas import conform
from lookalike.read.utf8 import ensure_utf8_rows

from .encodings import encoding_of, is_same, usual_format
from .formats import writing
from .lines import LineCopier
from .places import places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from lookalike.read import Source

    from .formats import OutputFormat, Writer
    from .places import Place

    Mask = npt.NDArray[np.bool_]

_TABLE_ROWS = 1 << 14


@dataclass(frozen=True, slots=True)
class Outlet:
    """An output: where it goes, and in which format."""

    place: Place
    format: OutputFormat
    codec: str | None

    @property
    def path(self) -> Path:
        """The path of the output."""
        return self.place.path

    @contextlib.contextmanager
    def open(self) -> Iterator[IO[bytes] | Any]:
        """Open the place, compressing on the way if the format asks for it."""
        with writing(self.path), contextlib.ExitStack() as stack:
            file: Any = stack.enter_context(self.place.open())
            yield stack.enter_context(pa.CompressedOutputStream(file, self.codec)) if self.codec else file

    @contextlib.contextmanager
    def writer(self, schema: pa.Schema, delimiter: str | None = None) -> Iterator[Writer]:
        """Open a writer of rows, with the delimiter that they had if the format keeps it."""
        own = {"delimiter": delimiter} if delimiter is not None and self.format.keeps_delimiter else {}
        with self.open() as file:
            writer = self.format.open(self.path, file, schema, **own)
            try:
                yield writer
            except BaseException:
                with contextlib.suppress(Exception):  # the first failure is the one to report
                    writer.discard()
                raise
            writer.close()


def write_table(table: pa.Table, path: Path, output_format: str | None = None) -> None:
    """Write a table in the format that the name asks for, or else the option."""
    write_batches(table.to_batches(max_chunksize=_TABLE_ROWS), table.schema, path, output_format)


def write_batches(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, path: Path, output_format: str | None = None
) -> None:
    """Write rows as they come, all of one schema."""
    with places([path]) as found, Outlet(found[path], *encoding_of(path, output_format)).writer(schema) as writer:
        for batch in batches:
            writer.write(batch)


def write_file(data: bytes, path: Path) -> None:
    """Write a file that is not a table, such as a page or a picture."""
    with places([path]) as found, writing(path), found[path].open() as file:
        file.write(data)


def write_rows(
    source: Source,
    picks: Mapping[Path, Mask],
    tables: Mapping[Path, pa.Table] | None = None,
    output_format: str | None = None,
) -> None:
    """Read a source again and write the rows picked for each path: every column, in order, unchanged.

    From JSON Lines to JSON Lines, and from lines to text, lines are copied byte for byte; all else goes through Arrow.
    `tables` are written with them: all files appear, or none.
    """
    tables, usual = tables or {}, usual_format(source)
    encodings = {path: encoding_of(path, output_format, usual) for path in picks}
    encodings |= {path: encoding_of(path, output_format) for path in tables}
    with places([*encodings]) as found:
        outlets = {path: Outlet(found[path], *encoding) for path, encoding in encodings.items()}
        verbatim = [(outlets[path], mask) for path, mask in picks.items() if _is_copied(source, outlets[path])]
        typed = [(outlets[path], mask) for path, mask in picks.items() if not _is_copied(source, outlets[path])]
        if verbatim:
            _copy_lines(source, verbatim)
        if typed:
            _convert_rows(source, typed)
        for path, table in tables.items():
            with outlets[path].writer(table.schema) as writer:
                for batch in table.to_batches(max_chunksize=_TABLE_ROWS):
                    writer.write(batch)


def _is_copied(source: Source, outlet: Outlet) -> bool:
    return outlet.format.copies_lines and is_same(source, outlet.format)


def _copy_lines(source: Source, picks: Sequence[tuple[Outlet, Mask]]) -> None:
    with contextlib.ExitStack() as stack:
        copiers = []
        for outlet, mask in picks:
            file, has_escapes = stack.enter_context(outlet.open()), outlet.format.has_escapes
            copiers.append((outlet, LineCopier(file, source.encoding_errors, has_escapes=has_escapes), mask))
        first = 0
        for lines in source.raw_lines() or ():
            for outlet, copier, mask in copiers:
                with writing(outlet.path):
                    copier.copy(lines, mask[first : first + len(lines)])
            first += len(lines)
        for outlet, copier, _ in copiers:
            if outlet.format.ends_lines:
                copier.end_line()
        _check_count(first, picks)


def _convert_rows(source: Source, picks: Sequence[tuple[Outlet, Mask]]) -> None:
    with contextlib.ExitStack() as stack:
        schema = storable_schema(source.schema)
        writers = [
            (outlet, stack.enter_context(outlet.writer(schema, source.delimiter)), mask) for outlet, mask in picks
        ]
        first = 0
        for rows in source.rows():
            batch = conform(rows, schema, "the input")
            for outlet, writer, mask in writers:
                kept = mask[first : first + batch.num_rows]
                unchecked = is_same(source, outlet.format) and source.encoding_errors == "strict"
                _write_picked(source, writer, batch, kept, first, unchecked=unchecked)
            first += batch.num_rows
        _check_count(first, picks)


def _write_picked(
    source: Source, writer: Writer, batch: pa.RecordBatch, mask: Mask, first: int, *, unchecked: bool
) -> None:
    """Write some rows of a batch. Strings stay as they are if the format does, unless they are to be replaced."""
    if not mask.any() or len(mask) < batch.num_rows:
        return
    items = first + np.flatnonzero(mask)
    picked = batch if mask.all() else filter_rows(batch, as_arrow(mask))
    if not unchecked:
        picked = ensure_utf8_rows(picked, source.encoding_errors, lambda row: source.locate(int(items[row])))
    writer.write(picked)


def _check_count(count: int, picks: Sequence[tuple[Outlet, Mask]]) -> None:
    wanted = {len(mask) for _, mask in picks}
    if wanted != {count}:
        raise InputError(
            f"the input changed while it was read: {max(wanted)} items in the first pass, then {count}; run again"
        )
