"""Which files are meant, in an order that does not depend on how they were given."""

from __future__ import annotations

import glob
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.errors import InputError

from .naming import display
from .streams import CODECS, codec_of, open_bytes, reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .base import Format, Options

STDIN = "-"
_FORMATS: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".jsonlines": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".npy": "npy",
}
_PARQUET_MAGIC = b"PAR1"
_HEAD_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to read. `label` is how the user knows it; `path` differs from it when it was spooled."""

    label: str
    path: Path
    format: Format
    codec: str | None = None
    delimiter: str = ","


def expand(given: Iterable[str | Path], *, lines: bool = False) -> list[Path]:
    """Resolve globs and directories; sort; refuse what occurs twice and what holds nothing."""
    found = sorted((path for one in given for path in _expand_one(one, lines=lines)), key=str)
    seen: dict[str, Path] = {}
    for path in found:
        place = os.path.abspath(path)  # noqa: PTH100  resolve() would also follow links: two names are two items
        if place in seen:
            raise InputError(f"{display(path)} is given twice; give every file once")
        seen[place] = path
    if not found:
        raise InputError("no input files were given")
    return found


def _expand_one(given: str | Path, *, lines: bool) -> Iterator[Path]:
    path = Path(given)
    label = display(path)
    if given == "":
        raise InputError("the name of an input is empty; check the path")
    if str(given) == STDIN:
        yield path
    elif os.path.lexists(path):
        with reading(label):
            yield from _walk(path, lines=lines) if stat.S_ISDIR(path.stat().st_mode) else (path,)
    elif glob.has_magic(str(given)):
        matches = glob.glob(str(given), recursive=True)  # noqa: PTH207  a Path would lose a leading ./ or **
        if not matches:
            raise InputError(f"{label} matches no file; check the pattern")
        for match in matches:
            yield from _expand_one(match, lines=lines)
    else:
        raise InputError(f"{label}: no such file or directory; check the path")


def _walk(directory: Path, *, lines: bool) -> list[Path]:
    """List the data files below a directory; if it has none, or lines are wanted, all but hidden ones."""

    def refuse(error: OSError) -> None:
        raise error

    files = []
    for root, folders, names in os.walk(directory, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [Path(root, name) for name in names if not name.startswith(".")]
    files = [path for path in files if path.is_file()]
    if not files:
        raise InputError(f"{display(directory)} is a directory without files; nothing to read")
    if lines or all(_suffixes(path)[0] == ".json" for path in files):
        return files
    return [path for path in files if _suffixes(path)[0] in _FORMATS] or files


def _suffixes(path: Path) -> tuple[str, str]:
    """Split the ending of a name: what it is, and how it is compressed."""
    last = path.suffix.lower()
    return (Path(path.stem).suffix.lower(), last) if last in CODECS else (last, "")


def identify(path: Path, label: str, options: Options) -> Entry:
    """Tell what kind of file it is: by its name, or by its first bytes where the name does not say."""
    ending, compression = _suffixes(path)
    codec = CODECS.get(compression)
    if options.lines:
        return _refuse_parquet(Entry(label, path, "text", codec))
    if ending == ".json":
        return Entry(label, path, _json_lines(path, label, codec), codec)
    if ending not in _FORMATS:
        head = _head(path, label, None)
        return Entry(label, path, "parquet") if head.startswith(_PARQUET_MAGIC) else Entry(label, path, "text", codec)
    if codec and _FORMATS[ending] in ("parquet", "npy"):
        raise InputError(f"{label}: a {ending[1:]} file must not be compressed as a whole; decompress it first")
    return Entry(label, path, _FORMATS[ending], codec, "," if ending == ".csv" else "\t")


def sniff(path: Path, label: str, options: Options) -> Entry:
    """Tell what kind of data came without a name, as from stdin.

    Parquet and compression show in the first bytes; JSON Lines begin with {; CSV and TSV are recognised by a header
    that names the text column. All else must be declared with --lines.
    """
    codec = codec_of(_head(path, label, None))
    head = _head(path, label, codec)
    if options.lines:
        return _refuse_parquet(Entry(label, path, "text", codec))
    if head.startswith(_PARQUET_MAGIC):
        return Entry(label, path, "parquet")
    if not head.strip() or head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return Entry(label, path, "jsonl", codec)
    names = (options.text,) if options.text is not None else ("text", "content", "body")
    header = head.removeprefix(b"\xef\xbb\xbf").splitlines()[0].decode("utf-8", "replace")
    for delimiter in "\t,":
        if any(name in (cell.strip('" ') for cell in header.split(delimiter)) for name in names):
            return Entry(label, path, "csv", codec, delimiter)
    raise InputError(
        f"{label} is neither parquet, nor JSON Lines, nor CSV with a column {' or '.join(map(repr, names))}; "
        "add --lines if every line is an item"
    )


def _json_lines(path: Path, label: str, codec: str | None) -> Format:
    """Let .json pass if it is one object a line; a JSON array is not read in a stream."""
    if _head(path, label, codec).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        raise InputError(f"{label} is one JSON array; make it JSON Lines first, for instance with: jq -c '.[]'")
    return "jsonl"


def _refuse_parquet(entry: Entry) -> Entry:
    if _head(entry.path, entry.label, None).startswith(_PARQUET_MAGIC):
        raise InputError(f"{entry.label} is a parquet file, which has no lines; leave out --lines")
    return entry


def _head(path: Path, label: str, codec: str | None) -> bytes:
    with reading(label), open_bytes(path, codec) as stream:
        return bytes(stream.read(_HEAD_BYTES))
