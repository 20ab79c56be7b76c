"""Results and kept rows -> files, in the format that the name asks for.

No output is ever half written: a file grows under a temporary name beside its place and is renamed when it is complete.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError, OutputError
from lookalike.read.columns import filter_rows, storable_schema
from lookalike.read.schemas import conform
from lookalike.read.utf8 import ensure_utf8_rows, replace_invalid
from lookalike.write.formats import Writer, format_of, formats_for_tables, writing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from lookalike.read import Lines, Source

    Mask = npt.NDArray[np.bool_]

_TABLE_ROWS = 1 << 14


def check_outputs(
    outputs: Mapping[str, Path],
    inputs: Sequence[Path],
    *,
    force: bool,
    others: Mapping[str, Path] | None = None,
    rows: Collection[str] = (),
) -> None:
    """Raise for outputs that cannot or must not be written, before any work is done.

    Args:
        outputs: The path of each output, by the name of its option, for messages.
        inputs: Files that are read. They are never written, even with `force`.
        force: Whether an existing file may be replaced.
        others: Outputs that are not tables, such as a page or a picture; their suffixes are not checked.
        rows: The options of outputs for rows of the inputs: if all inputs are .npy files, these may be, too.

    """
    taken = {_identity(path): path for path in inputs}
    seen: dict[object, str] = {}
    for option, path in outputs.items():
        _check_format(path, option, inputs if option in rows else None)
    for option, path in {**outputs, **(others or {})}.items():
        if _identity(path) in taken:
            raise OutputError(
                f"{path} is an input, which is never written to; choose another name for {_named(option)}"
            )
        if (other := seen.setdefault(_identity(path), option)) != option:
            raise OutputError(f"{_named(option)} and {_named(other)} are both {path}; give each its own file")
        _check_place(path, force=force)


def _check_format(path: Path, option: str, rows_of: Sequence[Path] | None) -> None:
    """Raise if a format that holds only rows of its own kind of files gets others, or no rows of files at all."""
    output_format, _ = format_of(path)
    if not output_format.same_format_only:
        return
    if rows_of is None or any(one.suffix.lower() not in output_format.suffixes for one in rows_of):
        raise OutputError(
            f"{path} can only hold rows of {output_format.suffixes[0]} files, and {_named(option)} has no such rows; "
            f"choose {formats_for_tables()}"
        )


def _named(option: str) -> str:
    """Return the name of an option for a message; a flag of the command line stands as it is."""
    return option if option.startswith("-") else f"`{option}`"


def _identity(path: Path) -> object:
    """Return what identifies a file, whatever it is called: links and .. are followed."""
    try:
        status = path.stat()
    except OSError:
        return _target(path)
    return status.st_dev, status.st_ino


def _target(path: Path) -> Path:
    """Follow links as far as they go, even if they form a loop."""
    return Path(os.path.realpath(path))


def _check_place(path: Path, *, force: bool) -> None:
    folder = _target(path).parent
    exists = _exists(path)
    if not os.path.isdir(folder):  # noqa: PTH112  Path's own raises for what it may not look at
        raise OutputError(f"{path} cannot be written: there is no directory {folder}; create it first")
    if os.path.isdir(path):  # noqa: PTH112
        raise OutputError(f"{path} is a directory; give the name of a file in it")
    if exists and not force:
        raise OutputError(f"{path} exists already; `force` replaces it")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"{path} cannot be written: no permission in {folder}; choose another place")


def _exists(path: Path) -> bool:
    """Return whether a name is taken, even by a link to nothing; raise if it is invalid."""
    with writing(path):
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
    return True


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table in the format that the name asks for."""
    with _replacing([path]) as temporary:
        _convert_table(table, path, temporary[path])


def write_batches(batches: Iterable[pa.RecordBatch], schema: pa.Schema, path: Path) -> None:
    """Write rows as they come, all of one schema."""
    with _replacing([path]) as temporary, _writer(path, temporary[path], schema) as writer:
        for batch in batches:
            writer.write(batch)


def write_file(data: bytes, path: Path) -> None:
    """Write a file that is not a table, such as a page or a picture."""
    with _replacing([path]) as temporary, writing(path):
        temporary[path].write_bytes(data)


def write_rows(source: Source, picks: Mapping[Path, Mask], tables: Mapping[Path, pa.Table] | None = None) -> None:
    """Read a source again and write the rows picked for each path: every column, in order, unchanged.

    From JSON Lines to JSON Lines, lines are copied byte for byte; all else goes through Arrow. `tables` are written
    with them: all files appear, or none.
    """
    tables = tables or {}
    verbatim = {
        path: mask for path, mask in picks.items() if _is_same(source, path) and format_of(path)[0].copies_lines
    }
    typed = {path: mask for path, mask in picks.items() if path not in verbatim}
    with _replacing([*picks, *tables]) as temporary:
        if verbatim:
            _copy_lines(source, verbatim, temporary)
        if typed:
            _convert_rows(source, typed, temporary)
        for path, table in tables.items():
            _convert_table(table, path, temporary[path])


def _is_same(source: Source, path: Path) -> bool:
    """Return whether an output has the format of all inputs."""
    return source.format == format_of(path)[0].name


def _convert_table(table: pa.Table, path: Path, temporary: Path) -> None:
    with _writer(path, temporary, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=_TABLE_ROWS):
            writer.write(batch)


def _copy_lines(source: Source, picks: Mapping[Path, Mask], temporary: Mapping[Path, Path]) -> None:
    with contextlib.ExitStack() as stack:
        files = [(path, stack.enter_context(_open(path, temporary[path])), mask) for path, mask in picks.items()]
        first = 0
        for lines in source.raw_lines() or ():
            valid = replace_invalid(lines) if source.encoding_errors == "replace" else lines
            for path, file, mask in files:
                with writing(path):
                    _write_lines(file, valid, mask[first : first + len(lines)])
            first += len(lines)
        _check_count(first, picks)


def _write_lines(file: IO[bytes], lines: Lines, mask: Mask) -> None:
    """Write the lines picked; neighbouring ones at once."""
    if len(mask) < len(lines):
        return  # more lines than in the first pass: `_check_count` reports it
    starts, ends = lines.starts[mask], lines.ends[mask]
    if not len(starts):
        return
    breaks = np.flatnonzero(starts[1:] != ends[:-1])
    view = memoryview(lines.data)
    for start, end in zip(starts[np.append(0, breaks + 1)], ends[np.append(breaks, -1)], strict=True):
        file.write(view[start:end])
    if view[ends[-1] - 1] != ord("\n"):
        file.write(b"\n")


def _convert_rows(source: Source, picks: Mapping[Path, Mask], temporary: Mapping[Path, Path]) -> None:
    with contextlib.ExitStack() as stack:
        schema = storable_schema(source.schema)
        writers = {
            path: stack.enter_context(_writer(path, temporary[path], schema, source.delimiter)) for path in picks
        }
        first = 0
        for rows in source.rows():
            batch = conform(rows, schema, "the input")
            for path, mask in picks.items():
                kept = mask[first : first + batch.num_rows]
                _write_picked(source, writers[path], batch, kept, first, same=_is_same(source, path))
            first += batch.num_rows
        _check_count(first, picks)


def _write_picked(source: Source, writer: Writer, batch: pa.RecordBatch, mask: Mask, first: int, *, same: bool) -> None:
    """Write some rows of a batch; strings are checked if the format changes, or invalid ones are to be replaced."""
    if not mask.any() or len(mask) < batch.num_rows:
        return
    items = first + np.flatnonzero(mask)
    picked = batch if mask.all() else filter_rows(batch, as_arrow(mask))
    if not same or source.encoding_errors == "replace":
        picked = ensure_utf8_rows(picked, source.encoding_errors, lambda row: source.locate(int(items[row])))
    writer.write(picked)


def _check_count(count: int, picks: Mapping[Path, Mask]) -> None:
    wanted = {len(mask) for mask in picks.values()}
    if wanted != {count}:
        raise InputError(
            f"the input changed while it was read: {max(wanted)} items in the first pass, then {count}; run again"
        )


@contextlib.contextmanager
def _replacing(paths: Sequence[Path]) -> Iterator[dict[Path, Path]]:
    """Provide a temporary file beside each path; rename all on success, remove all on any failure."""
    temporary = {path: _beside(path) for path in paths}
    try:
        yield temporary
        for path in paths:
            with writing(path):
                os.replace(temporary[path], _target(path))  # noqa: PTH105  the name on both platforms' pages
    finally:
        for name in temporary.values():
            with contextlib.suppress(OSError):
                name.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    """Return a name in the same directory, so that renaming is atomic; a link's target is replaced, not the link."""
    return _target(path).with_name(f".lookalike-{secrets.token_hex(8)}.tmp")


@contextlib.contextmanager
def _open(path: Path, temporary: Path) -> Iterator[IO[bytes] | Any]:
    """Open the temporary file of a path, compressing if its name asks for it."""
    _, codec = format_of(path)
    with writing(path), contextlib.ExitStack() as stack:
        file: Any = stack.enter_context(temporary.open("xb"))
        yield stack.enter_context(pa.CompressedOutputStream(file, codec)) if codec else file


@contextlib.contextmanager
def _writer(path: Path, temporary: Path, schema: pa.Schema, delimiter: str | None = None) -> Iterator[Writer]:
    with _open(path, temporary) as file:
        output_format, _ = format_of(path)
        own = {"delimiter": delimiter} if delimiter is not None and output_format.keeps_delimiter else {}
        writer = output_format.open(path, file, schema, **own)
        try:
            yield writer
        except BaseException:
            with contextlib.suppress(Exception):  # the first failure is the one to report
                writer.discard()
            raise
        writer.close()
