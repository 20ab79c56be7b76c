"""Patterns that choose among the files of folders: `*`, `?`, `[...]` and `**`, as shells have them.

A pattern is relative to the folder. One without a slash matches a name at any depth; one with a slash matches a path
from the top of the folder. A pattern that matches a folder stands for all that is below it. Only a pattern that spells
out the dot of a hidden name matches it.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Sequence

Parts = tuple[str, ...]
"""A path relative to a folder, as names."""
ANY_DEPTH = "**"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of paths in a folder."""

    text: str
    parts: Parts
    folders_only: bool = False
    """Whether it matches only folders, as one that ends in a slash does."""

    @classmethod
    def parse(cls, text: str, *, at_any_depth: bool = True) -> Pattern:
        """Return a pattern; without `at_any_depth`, one without a slash matches only at the top of the folder."""
        parts = tuple(part for part in text.split("/") if part not in ("", "."))
        if at_any_depth and len(parts) == 1 and not text.startswith(("/", "./")):
            parts = (ANY_DEPTH, *parts)
        return cls(text, parts, text.endswith("/"))

    @property
    def names_hidden(self) -> bool:
        """Whether it may match something hidden."""
        return any(part.startswith(".") for part in self.parts)

    def matches(self, path: Parts, *, is_folder: bool = False) -> bool:
        """Return whether a path in the folder matches."""
        return (is_folder or not self.folders_only) and _matches(path, self.parts)


def _matches(path: Parts, pattern: Parts) -> bool:
    if not pattern:
        return not path
    if pattern[0] == ANY_DEPTH:
        return _matches(path, pattern[1:]) or (bool(path) and not is_hidden(path[0]) and _matches(path[1:], pattern))
    return bool(path) and _name_matches(path[0], pattern[0]) and _matches(path[1:], pattern[1:])


def _name_matches(name: str, pattern: str) -> bool:
    if is_hidden(name) and not pattern.startswith("."):
        return False
    return _compiled(pattern).match(name) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))


def is_hidden(name: str) -> bool:
    """Return whether the name of a file or folder begins with a dot."""
    return name.startswith(".")


@dataclass(slots=True)
class Selection:
    """The patterns `include` and `exclude`, and which of them have matched something."""

    include: tuple[Pattern, ...] = ()
    exclude: tuple[Pattern, ...] = ()
    matched: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, include: Sequence[str] | str | None, exclude: Sequence[str] | str | None) -> Selection:
        """Return the selection that two options ask for."""
        return cls(_patterns("include", include), _patterns("exclude", exclude))

    @property
    def names_hidden(self) -> bool:
        """Whether something hidden may be included."""
        return any(pattern.names_hidden for pattern in self.include)

    def includes(self, path: Parts, *, is_folder: bool = False) -> bool:
        """Return whether a path is included by a pattern of its own; the caller knows about the folders above it."""
        return self._any(self.include, path, is_folder=is_folder)

    def excludes(self, path: Parts, *, is_folder: bool = False) -> bool:
        """Return whether a path is excluded."""
        return self._any(self.exclude, path, is_folder=is_folder)

    def unmatched(self) -> tuple[list[str], list[str]]:
        """Return the patterns of `include`, and those of `exclude`, that have matched nothing."""
        include, exclude = (
            [pattern.text for pattern in patterns if pattern.text not in self.matched]
            for patterns in (self.include, self.exclude)
        )
        return include, exclude

    def _any(self, patterns: tuple[Pattern, ...], path: Parts, *, is_folder: bool) -> bool:
        found = [pattern.text for pattern in patterns if pattern.matches(path, is_folder=is_folder)]
        self.matched.update(found)
        return bool(found)


def _patterns(name: str, given: Sequence[str] | str | None) -> tuple[Pattern, ...]:
    texts = [given] if isinstance(given, str) else [] if given is None else given
    if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) for text in texts):
        raise RecipeError(f"`{name}` must be a pattern, such as '*.txt', or a list of patterns. Got {given!r}")
    for text in texts:
        if not text.strip("/") or ".." in text.split("/"):
            raise RecipeError(f"`{name}` must name something below the folder, such as '*.txt'. Got {text!r}")
    return tuple(map(Pattern.parse, texts))
