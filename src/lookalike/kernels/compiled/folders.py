"""Folders for compiled kernels: the usual places of Numba's cache, then a private folder for temporary files.

Compiled kernels are code. So a file is loaded only if it belongs to this user, to root or to the owner of this
package, and not everybody may write to it.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from numba.core import config
from numba.misc.appdirs import AppDirs

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).parents[1]
"""The folder with the sources of the kernels."""

PREFIX = "lookalike-"

USUAL = ("/tmp", "/var/tmp", "/usr/tmp")  # noqa: S108 - what is there is checked
"""Where Python looks for a folder for temporary files."""


@dataclass(frozen=True)
class Folder:
    """A folder that may hold compiled kernels, inside one that others use too."""

    root: Path
    path: Path
    private: bool = False
    """Whether the root has a name that others could have taken, and so must belong to this user alone."""

    @property
    def usable(self) -> bool:
        """Whether files can probably be written. It may still fail, on a full disk for example."""
        if not self.private:
            return can_create(self.path)
        with suppress(FileExistsError, OSError):
            self.root.mkdir(mode=0o700)
        return belongs_to_user_alone(self.root) and can_create(self.path)

    @property
    def readable(self) -> bool:
        """Whether files may be loaded from here, if they are there."""
        return not self.private or belongs_to_user_alone(self.root)

    def create(self) -> None:
        """Create the folder, and remove what earlier sources of this very installation have left."""
        if self.path.is_dir():
            return
        self.path.mkdir(parents=True, exist_ok=True)
        if self.root.parent == PACKAGE:
            for other in self.root.glob(f"{PREFIX}*"):
                if other != self.path:
                    shutil.rmtree(other, ignore_errors=True)


def candidates(digest: str) -> Iterator[Folder]:
    """Yield the folders to use for sources with this digest, the best first. Those that cannot be written are read."""
    name = PREFIX + digest[:16]
    if chosen := vars(config)["CACHE_DIR"]:  # NUMBA_CACHE_DIR
        yield Folder(Path(chosen), Path(chosen) / name)
    yield Folder(PACKAGE / "__pycache__", PACKAGE / "__pycache__" / name)
    home = Path(AppDirs(appname="numba", appauthor=False).user_cache_dir)
    if home.is_absolute():  # it begins with ~ if there is no home
        yield Folder(home, home / name)
    temporary = temporary_folder()
    if temporary is not None:
        yield Folder(temporary, temporary / name, private=True)


def temporary_folder() -> Path | None:
    """Return the private folder of this user among temporary files, which may not exist yet."""
    try:
        base = tempfile.gettempdir()
    except OSError:
        return None
    named = [os.environ.get(name, USUAL[0]) for name in ("TMPDIR", "TEMP", "TMP")]
    if os.name == "posix" and base not in {*map(os.path.abspath, named), *USUAL}:  # Python's last resort: here
        return None
    return Path(base).resolve() / f"{PREFIX}{os.geteuid() if hasattr(os, 'geteuid') else 'user'}"


def can_create(path: Path) -> bool:
    """Return whether this user may create files in a folder, or the folder itself."""
    while not path.exists() and path != path.parent:
        path = path.parent
    return path.is_dir() and os.access(path, os.W_OK | os.X_OK)


def belongs_to_user_alone(folder: Path) -> bool:
    """Return whether a folder is no link, belongs to this user, and no one else can write to it or read it."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    if not hasattr(os, "geteuid"):  # on Windows, temporary files are in the user's profile
        return stat.S_ISDIR(found.st_mode)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def is_trusted(file: os.stat_result) -> bool:
    """Return whether the code in an open file is as trustworthy as this package."""
    if not hasattr(os, "geteuid"):
        return True
    owners = {os.geteuid(), 0, PACKAGE.stat().st_uid}
    return file.st_uid in owners and not file.st_mode & stat.S_IWOTH
