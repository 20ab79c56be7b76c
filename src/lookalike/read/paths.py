"""Which files an input names, in an order that does not depend on how they were given."""

from __future__ import annotations

import glob
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.errors import InputError

from .formats import data_suffixes, format_of
from .naming import display
from .streams import reading, suffixes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

STDIN = "-"
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:/")
"""How a URL begins, with one slash of two if it was made a `Path`; a drive has one letter."""
_MAX_SHOWN = 80
"""Characters of a path in a message: a text may have been passed in its place."""


def named_files(inputs: object) -> Sequence[str | Path] | None:
    """Return the files that an input names; None if it holds items.

    A `Path` names a file, a folder or a glob, and so does a string. A list of paths does too. A list of strings holds
    texts, unless every string ends in the suffix of a data file (such as .parquet or .csv.gz) and at least one of them
    names a file that exists.
    """
    if isinstance(inputs, (str, Path)):
        return [inputs]
    if not isinstance(inputs, (list, tuple)) or not inputs:
        return None
    if all(isinstance(one, Path) for one in inputs):
        return inputs
    if all(isinstance(one, (str, Path)) and _has_data_suffix(one) for one in inputs) and any(map(_names_file, inputs)):
        if missing := next((one for one in inputs if isinstance(one, str) and not _names_file(one)), None):
            raise InputError(
                f"{_shown(missing)}: no such file or directory; check the path. The list is read as files, because "
                "other strings in it name files"
            )
        return inputs
    return None


def _has_data_suffix(given: str | Path) -> bool:
    return "\n" not in str(given) and suffixes_of(Path(given))[0] in data_suffixes()


def _names_file(given: str | Path) -> bool:
    if "\0" in str(given):
        return False
    return os.path.isfile(given) or (glob.has_magic(str(given)) and bool(glob.glob(str(given), recursive=True)))  # noqa: PTH113, PTH207


def expand(given: Iterable[str | Path], *, lines: bool = False) -> list[Path]:
    """Return the files that paths, folders and globs name, sorted; raise if one occurs twice, or there is none."""
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
    if given == "":
        raise InputError("the path of an input is empty; check it")
    path = Path(given)
    if str(given) == STDIN:
        yield path
    elif os.path.lexists(path):
        with reading(display(path)):
            yield from _walk(path, lines=lines) if stat.S_ISDIR(path.stat().st_mode) else (path,)
    elif glob.has_magic(str(given)) and "\0" not in str(given):
        matches = glob.glob(str(given), recursive=True)  # noqa: PTH207  a Path would lose a leading ./ or **
        if not matches:
            raise InputError(f"{_shown(given)} matches no file; check the pattern{_hint(given)}")
        for match in matches:
            yield from _expand_one(match, lines=lines)
    elif _URL.match(str(given)):
        raise InputError(f"{str(given)[:_MAX_SHOWN]}: URLs cannot be read; download the file first, and pass its path")
    else:
        raise InputError(f"{_shown(given)}: no such file or directory; check the path{_hint(given)}")


def _shown(given: str | Path) -> str:
    """Return a path for a message: on one line, and no longer than a reader takes in."""
    label = " ".join(display(Path(given)).split()) if "\n" in str(given) else display(Path(given))
    return label if len(label) <= _MAX_SHOWN else f"{label[:_MAX_SHOWN]}..."


def _hint(given: str | Path) -> str:
    """Return what to do if a string that does not look like a path was meant as a text."""
    is_pathlike = isinstance(given, Path) or format_of(suffixes_of(Path(given))[0]) or os.sep in given
    return "" if is_pathlike else ", or pass a list if it is a text"


def _walk(directory: Path, *, lines: bool) -> list[Path]:
    """List the data files below a folder; if it has none, or lines are wanted, all files but hidden ones."""

    def refuse(error: OSError) -> None:
        raise error

    files = []
    for root, folders, names in os.walk(directory, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [Path(root, name) for name in names if not name.startswith(".")]
    files = [path for path in files if path.is_file()]
    if not files:
        raise InputError(f"{display(directory)} is a directory without files; nothing to read")
    if lines:
        return files
    suffixes = data_suffixes()
    return [path for path in files if suffixes_of(path)[0] in suffixes] or files
