"""Which files an input names, in an order that does not depend on how they were given."""

from __future__ import annotations

import glob
import os
import stat
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.checks import refuse_url
from lookalike.errors import InputError, RecipeError

from .formats import data_suffixes, format_of
from .naming import display
from .patterns import ANY_DEPTH, Pattern, Selection
from .streams import reading, suffixes_of
from .walk import LINKED, SPECIAL, PassedOver, Walk, identity_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

STDIN = "-"
_STDIN_NAMES = (STDIN, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_DESCRIPTORS = ("/dev/fd", "/proc/self/fd")
_MAX_SHOWN = 80
"""Characters of a path in a message: a text may have been passed in its place."""
_MAX_SUFFIXES = 8
"""Suffixes in a message about what a folder holds."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read."""

    path: Path
    given: str
    """The input that names it: itself, a folder or a glob."""
    folder: Path | None = None
    """The folder in which it was found; None if it was named, or matched by a glob."""
    linked: bool = False
    """Whether a folder or a glob led to it by a link."""


@dataclass(slots=True)
class Listing:
    """The files that inputs name, and what was passed over on the way."""

    files: list[Found] = field(default_factory=list)
    passed_over: PassedOver = field(default_factory=PassedOver)
    notes: list[str] = field(default_factory=list)
    idle: str = ""
    """The option, `include` or `exclude`, that had nothing to choose from."""

    @property
    def paths(self) -> list[Path]:
        """The files on disk, without standard input."""
        return [found.path for found in self.files if str(found.path) != STDIN]


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


def refuse_stdin_twice(inputs: object, against: object) -> None:
    """Raise if both collections name standard input, which can be read only once."""
    both = [next((one for one in named_files(side) or () if _is_stdin(one)), None) for side in (inputs, against)]
    if None not in both:
        by = "" if both[0] == both[1] else f", as {both[0]} and as {both[1]}"
        raise InputError(
            f"{STDIN if by else both[0]} is given twice{by}, but standard input can be read only once; save one of the "
            "collections in a file"
        )


def _is_stdin(given: str | Path) -> bool:
    return str(given) in _STDIN_NAMES


def is_descriptor(path: Path) -> bool:
    """Return whether a path names an open file of this process, such as /dev/stdin: a terminal, say."""
    return _is_stdin(path) or str(path.parent) in _DESCRIPTORS


def _has_data_suffix(given: str | Path) -> bool:
    return "\n" not in str(given) and suffixes_of(Path(given))[0] in data_suffixes()


def _names_file(given: str | Path) -> bool:
    if "\0" in str(given):
        return False
    return os.path.isfile(given) or (_is_glob(given) and next(_matches(str(given), PassedOver()), None) is not None)  # noqa: PTH113


def list_files(
    given: Iterable[str | Path], include: Sequence[str] | str | None = None, exclude: Sequence[str] | str | None = None
) -> Listing:
    """List the files that paths, folders and globs name, sorted; raise if one occurs twice, or there is none.

    `include` and `exclude` choose among the files of folders, and among the matches of globs. A file that is named is
    always read.
    """
    lister = _Lister(Selection.of(include, exclude))
    found = sorted((one for path in given for one in lister.expand(path)), key=lambda one: str(one.path))
    files = _without_links(found, lister.passed_over) if any(one.linked for one in found) else found
    lister.check_patterns()
    _check_once(files)
    if not files:
        passed = lister.passed_over.note()
        raise InputError(f"there is nothing to read; {passed}" if passed else "no input files were given")
    idle = "" if lister.has_searched else idle_option(include, exclude)
    return Listing(files, lister.passed_over, lister.notes(), idle)


def idle_option(include: Sequence[str] | str | None, exclude: Sequence[str] | str | None) -> str:
    """Return the name of the first option that asks to choose among files; empty if none does."""
    return "include" if include else "exclude" if exclude else ""


def refuse_idle(listings: Sequence[Listing]) -> None:
    """Raise if patterns had nothing to choose from in any of the inputs that are read together."""
    if all(listing.idle for listing in listings):
        raise RecipeError(
            f"`{listings[0].idle}` chooses among the files of folders and of quoted globs, but the input has neither. "
            "Leave it out, or pass a folder"
        )


def _without_links(files: Sequence[Found], passed_over: PassedOver) -> list[Found]:
    """Return files without those that a link led to and that are read anyway; named files are all read."""
    kept = [one for one in files if not one.linked]
    known = {identity_of(one.path) for one in kept if str(one.path) != STDIN}
    for one in files:
        if one.linked and (identity := identity_of(one.path)) not in known:
            known.add(identity)
            kept.append(one)
        elif one.linked:
            passed_over.add(LINKED[-1], one.path)
    return sorted(kept, key=lambda one: str(one.path))


def _check_once(files: Sequence[Found]) -> None:
    seen: dict[str, Found] = {}
    for found in files:
        # resolve() would also follow links: two names are two items
        place = STDIN if _is_stdin(found.path) else os.path.abspath(found.path)  # noqa: PTH100
        if (first := seen.setdefault(place, found)) is not found:
            by = "" if first.given == found.given else f", as {_shown(first.given)} and as {_shown(found.given)}"
            raise InputError(f"{display(found.path)} is given twice{by}; give every file once")


class _Lister:
    """Expands inputs one by one, and keeps count of what is passed over."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self.passed_over = PassedOver()
        self._searched: list[str] = []
        self._seen: Counter[str] = Counter()

    def expand(self, given: str | Path) -> Iterator[Found]:
        """Yield the files that one input names."""
        if given == "":
            raise InputError("the path of an input is empty; check it")
        path = Path(given)
        if str(given) == STDIN:
            yield Found(path, STDIN)
        elif os.path.lexists(path):
            with reading(display(path)):
                is_folder = stat.S_ISDIR(path.stat().st_mode)
            yield from self._folder(path, str(given)) if is_folder else (Found(path, str(given)),)
        else:
            refuse_url(given, InputError)
            yield from self._glob(str(given)) if _is_glob(given) else self._missing(given)

    def check_patterns(self) -> None:
        """Raise if a pattern of `include` matched nothing."""
        if self._searched and (unmatched := self._selection.unmatched()[0]):
            raise InputError(
                f"`include` {unmatched[0]!r} matches nothing in {_shown(self._searched[0])}, which holds "
                f"{held(self._seen)}; check the pattern"
            )

    @property
    def has_searched(self) -> bool:
        """Whether there was a folder or a glob."""
        return bool(self._searched)

    def notes(self) -> list[str]:
        """Return notes on patterns that had no effect."""
        unmatched = self._selection.unmatched()[1] if self._searched else ()
        return [f"`exclude` {pattern!r} matched nothing" for pattern in unmatched]

    def _folder(self, path: Path, given: str) -> Iterator[Found]:
        self._searched.append(given)
        passed_over = PassedOver()
        walk = Walk(path, self._selection, passed_over)
        files = walk.files()
        self._seen += walk.seen
        self.passed_over.update(passed_over)
        if not files and not self._selection.include:
            note = passed_over.note()
            raise InputError(
                f"{display(path)} is a directory without files" + (f" to read; {note}" if note else "; nothing to read")
            )
        yield from (Found(file, given, path, linked=file in walk.linked) for file in files)

    def _glob(self, given: str) -> Iterator[Found]:
        """Yield the files that a glob matches, and those of folders that it matches, each once."""
        self._searched.append(given)
        matches = list(_matches(given, self.passed_over))
        if not matches:
            raise InputError(f"{_shown(given)} matches no file; check the pattern{_hint(given)}")
        fixed = _fixed_part(given)
        top, real = len(fixed.parts), Path(os.path.realpath(fixed))
        found: dict[Path, Found] = {}
        for path in matches:
            if self._is_selected(path, path.parts[top:]):
                linked = os.path.realpath(path) != str(real.joinpath(*path.parts[top:]))
                chosen = self._folder(path, given) if path.is_dir() else (Found(path, given),)
                found |= {one.path: replace(one, linked=one.linked or linked) for one in chosen}
        yield from found.values()

    def _is_selected(self, path: Path, parts: tuple[str, ...]) -> bool:
        """Return whether a match of a glob is to be read; a folder is searched in any case, unless it is excluded."""
        is_folder = path.is_dir()
        if not is_folder:
            self._seen[_ending(path)] += 1
        above = [parts[:length] for length in range(1, len(parts))]
        excluded = any(self._selection.excludes(part, is_folder=True) for part in above)
        if excluded or self._selection.excludes(parts, is_folder=is_folder):
            self.passed_over.add("excluded folder" if is_folder else "excluded", path)
            return False
        if is_folder or not self._selection.include or self._selection.includes(parts):
            return True
        if any(self._selection.includes(part, is_folder=True) for part in above):
            return True
        self.passed_over.add("not included", path)
        return False

    def _missing(self, given: str | Path) -> Iterator[Found]:
        raise InputError(f"{_shown(given)}: no such file or directory; check the path{_hint(given)}")


def _is_glob(given: str | Path) -> bool:
    return glob.has_magic(str(given)) and "\0" not in str(given)


def _fixed_part(given: str) -> Path:
    """Return the part of a glob before its first wildcard."""
    path = Path(given)
    magic = next(i for i, part in enumerate(path.parts) if glob.has_magic(part))
    return Path(*path.parts[:magic])


def _matches(given: str, passed_over: PassedOver) -> Iterator[Path]:
    """Yield the files and folders that a glob matches.

    Below `**`, folders are walked as a folder that is given is: glob.glob would follow a link that leads upward for as
    long as the system allows, and double the matches with every link.
    """
    parts = Path(given).parts
    if ANY_DEPTH not in parts:
        yield from map(Path, glob.iglob(given))  # noqa: PTH207  a Path would lose a leading ./
        return
    depth = parts.index(ANY_DEPTH)
    pattern = Pattern.parse("/".join(parts[depth:]), at_any_depth=False)
    tops = [Path(top) for top in glob.iglob(str(Path(*parts[:depth])))] if depth else [Path()]  # noqa: PTH207
    for top in tops:
        if top.is_dir():
            yield from _matches_below(top, pattern, passed_over)


def _matches_below(top: Path, pattern: Pattern, passed_over: PassedOver) -> Iterator[Path]:
    walk = Walk(top, Selection((pattern,)), PassedOver(), markers=frozenset())
    files = walk.files()
    passed_over.update(walk.passed_over, (*LINKED, *SPECIAL))
    folders = () if pattern.parts[-1] == ANY_DEPTH else walk.folders[1:]
    yield from (path for path in folders if pattern.matches(path.relative_to(top).parts, is_folder=True))
    yield from (path for path in files if pattern.matches(path.relative_to(top).parts))


def _ending(path: Path) -> str:
    return "".join(suffixes_of(path)) or path.name


def held(seen: Counter[str]) -> str:
    """Return what there is, for a message: "3 .jsonl, 1 .md"."""
    if not seen:
        return "no files"
    shown = ", ".join(f"{count:,} {name}" for name, count in seen.most_common(_MAX_SUFFIXES))
    return shown + (f" and {len(seen) - _MAX_SUFFIXES:,} more kinds" if len(seen) > _MAX_SUFFIXES else "")


def _shown(given: str | Path) -> str:
    """Return a path for a message: on one line, and no longer than a reader takes in."""
    label = " ".join(display(Path(given)).split()) if "\n" in str(given) else display(Path(given))
    return label if len(label) <= _MAX_SHOWN else f"{label[:_MAX_SHOWN]}..."


def _hint(given: str | Path) -> str:
    """Return what to do if a string that does not look like a path was meant as a text."""
    is_pathlike = isinstance(given, Path) or format_of(suffixes_of(Path(given))[0]) or os.sep in given
    return "" if is_pathlike else ", or pass a list if it is a text"
