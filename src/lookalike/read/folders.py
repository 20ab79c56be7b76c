"""What is read of a folder: all its tables, or all its texts; never some of them in silence."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.errors import InputError
from lookalike.summary import plural

from .binaries import BinaryFileError
from .formats import TEXT
from .naming import display
from .streams import suffixes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .formats import Entry
    from .paths import Found, Listing

    Identified = tuple[Found, Entry]

COMPANIONS = frozenset(
    {"readme", "license", "licence", "copying", "notice", "changelog", "changes", "citation", "authors", "contributing"}
)
"""Texts that describe the tables beside them, by name without the suffix."""
_CHECKSUMS = frozenset({".md5", ".sha1", ".sha256", ".sha512"})
_MAX_SUFFIXES = 3
"""Suffixes in the advice of a message."""


def choose_entries(listing: Listing, identify: Callable[[Path], Entry]) -> list[Entry]:
    """Identify the files of a listing, and pass over those in folders that hold no items.

    Raise for a file that was named but cannot be read, and for a folder that holds both tables and texts.
    """
    identified, binary = _identify_all(listing, identify)
    held = {found.folder for found, _ in identified}
    if empty := next((folder for folder in binary if folder not in held), None):
        raise InputError(f"{display(empty)} holds nothing that can be read: {binary[empty]}")
    chosen: list[Identified] = []
    for folder, members in groupby(sorted(identified, key=_folder), key=_folder):
        files = list(members)
        chosen += _of_folder(folder, files, listing) if folder else files
    return [entry for _, entry in sorted(chosen, key=lambda one: str(one[0].path))]


def _folder(one: Identified) -> str:
    return "" if one[0].folder is None else str(one[0].folder)


def _identify_all(
    listing: Listing, identify: Callable[[Path], Entry]
) -> tuple[list[Identified], dict[Path, BinaryFileError]]:
    """Return the files that can be read; and, for each folder that has others, what is wrong with the first."""
    identified: list[Identified] = []
    binary: dict[Path, BinaryFileError] = {}
    for found in listing.files:
        try:
            identified.append((found, identify(found.path)))
        except BinaryFileError as error:
            if found.folder is None:
                raise
            binary.setdefault(found.folder, error)
            listing.passed_over.add(found.path.suffix.lower() or "binary", found.path)
    return identified, binary


def _of_folder(folder: str, members: Sequence[Identified], listing: Listing) -> Sequence[Identified]:
    texts = [one for one in members if one[1].format is TEXT]
    tables = [one for one in members if one[1].format is not TEXT]
    if texts and tables:
        for found, _ in texts:
            if _is_companion(found.path):
                listing.passed_over.add(found.path.name, found.path)
        texts = [one for one in texts if not _is_companion(one[0].path)]
        if texts:
            raise InputError(_mixed(folder, tables, texts))
    return tables or texts


def _is_companion(path: Path) -> bool:
    return path.name.split(".")[0].lower() in COMPANIONS or path.suffix.lower() in _CHECKSUMS


def _mixed(folder: str, tables: Sequence[Identified], texts: Sequence[Identified]) -> str:
    kinds = [Counter(_ending(found.path) for found, _ in members) for members in (tables, texts)]
    endings = [name for name, _ in kinds[0].most_common()]
    include, exclude = (
        " and ".join(f"`{option}='{name}'`" for name in endings[:_MAX_SUFFIXES]) for option in ("include", "exclude")
    )
    return (
        f"{display(Path(folder))} holds {_listed(len(tables), 'table', kinds[0])} and "
        f"{_listed(len(texts), 'text', kinds[1])}, which are not read together; for the tables, use {include}; for the "
        f"texts, {exclude}"
    )


def _listed(count: int, noun: str, endings: Counter[str]) -> str:
    shown = ", ".join(name for name, _ in endings.most_common(_MAX_SUFFIXES))
    more = ", ..." if len(endings) > _MAX_SUFFIXES else ""
    return f"{plural(count, noun)} ({shown}{more})"


def _ending(path: Path) -> str:
    """Return the pattern of files such as this one."""
    suffix = "".join(suffixes_of(path))
    return f"*{suffix}" if suffix else path.name
