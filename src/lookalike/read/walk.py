"""A folder, walked: every real file below it once, and what is passed over counted.

Links to files and folders are followed, except to where the walk has been or to a folder above, so that a loop ends.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.errors import InputError
from lookalike.summary import plural

from .naming import display
from .patterns import Parts, is_hidden
from .streams import reading, suffixes_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from .patterns import Selection


Identity = tuple[int, int]
"""Device and inode."""
MARKERS = frozenset({"_SUCCESS", "_metadata", "_common_metadata", "_delta_log", "_temporary", "__MACOSX", "Thumbs.db"})
"""Names that programs leave beside data: they hold no items."""
MARKER = "marker"
LINKED = ("link to a known folder", "link to a higher folder", "link to a file read")
"""Reasons to pass over a link."""
_FOLDER = " folder"
SPECIAL = ("socket", "FIFO", "device")
"""Reasons to pass over what is not a regular file; rare enough to say which it was."""
_CHECKS = ((stat.S_ISSOCK, "socket"), (stat.S_ISFIFO, "FIFO"))


@dataclass(slots=True)
class PassedOver:
    """Files and folders that were found but not read: how many, by the reason."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add(self, reason: str, path: Path) -> None:
        """Count a file; a reason that ends in "folder" counts a folder, with all that is in it."""
        self.counts[reason] += 1
        self.examples.setdefault(reason, display(path))

    def update(self, other: PassedOver, reasons: Container[str] | None = None) -> None:
        """Add what was passed over elsewhere, all of it or for some reasons."""
        for reason, count in other.counts.items():
            if reasons is None or reason in reasons:
                self.counts[reason] += count
                self.examples.setdefault(reason, other.examples[reason])

    def note(self) -> str:
        """Return a sentence for the summary; empty if nothing was passed over."""
        folders = sum(count for reason, count in self.counts.items() if reason.endswith(_FOLDER))
        files = self.counts.total() - folders
        totals = [plural(count, noun) for count, noun in ((files, "file"), (folders, "folder")) if count]
        return f"passed over {' and '.join(totals)}: {', '.join(self._reasons())}" if totals else ""

    def _reasons(self) -> Iterator[str]:
        for reason, count in sorted(self.counts.items(), key=lambda one: (-one[1], one[0])):
            example = f" ({self.examples[reason]})" if reason in SPECIAL else ""
            yield f"{count:,} {_plural(reason) if count > 1 else reason}{example}"


@dataclass(slots=True)
class Walk:
    """The walk of one folder."""

    root: Path
    selection: Selection
    passed_over: PassedOver
    seen: Counter[str] = field(default_factory=Counter)
    """How many files there are by suffix, included or not, for the message about a pattern that matches none."""
    markers: frozenset[str] = MARKERS
    folders: list[Path] = field(default_factory=list)
    """The folders walked, the first included."""
    linked: set[Path] = field(default_factory=set)
    """Files that were reached by a link."""
    _files: list[Path] = field(default_factory=list)
    _file_links: list[Path] = field(default_factory=list)
    _folder_links: list[tuple[Path, Parts, bool]] = field(default_factory=list)

    def files(self) -> list[Path]:
        """Return the files to read, in no particular order."""
        self._scan(self.root, (), included=not self.selection.include)
        self._follow_folders()
        self._follow_files()
        return self._files

    def _scan(self, top: Path, parts: Parts, *, included: bool, visited: set[Identity] | None = None) -> None:
        """List a folder and those below it; below a link, folders where the walk has been are left out."""
        pending = [(top, parts, included)]
        while pending:
            here, above, taken = pending.pop()
            if visited is not None:
                if (identity := identity_of(here)) in visited:
                    self.passed_over.add(LINKED[0], here)
                    continue
                visited.add(identity)
            self.folders.append(here)
            with reading(display(here)):
                entries = sorted(os.scandir(here), key=lambda entry: entry.name)
            below = (self._visit(one, here / one.name, (*above, one.name), included=taken) for one in entries)
            pending += [folder for folder in below if folder is not None]

    def _visit(
        self, entry: os.DirEntry[str], path: Path, parts: Parts, *, included: bool
    ) -> tuple[Path, Parts, bool] | None:
        """Sort a file in, or pass it over; return a folder to go on with."""
        is_folder = _is_folder(entry)
        named = self.selection.includes(parts, is_folder=is_folder)
        included = included or named
        if reason := self._reason(entry.name, parts, is_folder=is_folder, named=named):
            self.passed_over.add(reason + _FOLDER * is_folder, path)
        elif is_folder and entry.is_symlink():
            self._folder_links.append((path, parts, included))
        elif is_folder:
            return path, parts, included
        elif not included:
            self.passed_over.add("not included", path)
        elif entry.is_symlink():
            self._file_links.append(path)
        elif entry.is_file():
            self._files.append(path)
        else:
            self.passed_over.add(_special(path), path)
        return None

    def _reason(self, name: str, parts: Parts, *, is_folder: bool, named: bool) -> str:
        """Return why a file or folder is passed over by its name; empty if it is not."""
        if is_hidden(name) and not named and not (is_folder and self.selection.names_hidden):
            return "hidden"
        if self.selection.include and not is_folder:
            self.seen["".join(suffixes_of(Path(name))) or name] += 1
        if self.selection.excludes(parts, is_folder=is_folder):
            return "excluded"
        return MARKER if name in self.markers else ""

    def _follow_folders(self) -> None:
        """Walk folders that links lead to. They come last, so that a file has its own name if it has one here."""
        if not self._folder_links:
            return
        visited = {identity_of(folder) for folder in self.folders}
        above = set()
        for folder in Path(os.path.realpath(self.root)).parents:
            with suppress(OSError):  # it may be closed to us, and so will a link to it
                above.add(identity_of(folder))
        while self._folder_links:
            link, parts, included = min(self._folder_links)
            self._folder_links.remove((link, parts, included))
            if identity_of(link) in above:
                self.passed_over.add(LINKED[1], link)
            else:
                before = len(self._files)
                self._scan(link, parts, included=included, visited=visited)
                self.linked.update(self._files[before:])

    def _follow_files(self) -> None:
        """Add the files that links lead to, unless they are read anyway."""
        if not self._file_links:
            return
        known = {identity_of(path) for path in self._files}
        for link in sorted(self._file_links):
            status = _status(link)
            if (identity := (status.st_dev, status.st_ino)) in known:
                self.passed_over.add(LINKED[2], link)
            elif stat.S_ISREG(status.st_mode):
                known.add(identity)
                self._files.append(link)
                self.linked.add(link)
            else:
                self.passed_over.add(_special(link), link)


def _plural(reason: str) -> str:
    """Return a reason for several files: "links to a higher folder", but "hidden"."""
    if reason in LINKED:
        return reason.replace("link", "links", 1)
    return f"{reason}s" if reason.endswith(_FOLDER) or reason in (*SPECIAL, MARKER) else reason


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a folder; a link that cannot be followed is not."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def identity_of(path: Path) -> Identity:
    """Return what identifies a file or folder, whatever it is called; raise for a broken link."""
    status = _status(path)
    return status.st_dev, status.st_ino


def _status(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        if not path.is_symlink():
            raise
        raise InputError(
            f"{display(path)} is a link to {str(path.readlink())!r}, which cannot be read ({error.strerror}); "
            "restore the file, or leave the link out with `exclude`"
        ) from error


def _special(path: Path) -> str:
    mode = _status(path).st_mode
    return next((name for is_such, name in _CHECKS if is_such(mode)), "device")
