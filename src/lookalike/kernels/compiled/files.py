"""Files of compiled kernels: one per kernel and signature, with a checksum, replaced as a whole.

Several processes may use a folder at once. A process that is about to compile a kernel claims it. Others that need it
wait, and then load it.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from lookalike.kernels.compiled.folders import Folder, candidates, is_trusted

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows, each process compiles for itself
    fcntl = None  # type: ignore[assignment]

MAGIC = b"lookalike kernel 1\n"
HEAD = len(MAGIC) + 32
PATIENCE = 60.0
"""How long to wait for another process, in seconds, before compiling a kernel oneself."""
PAUSE = 0.01


class Files:
    """All compiled kernels that this process can find, and the folder where it keeps what it compiles."""

    def __init__(self, digest: str) -> None:
        self.folder: Folder | None = None
        self.trouble: list[str] = []
        """Why folders that seemed usable could not be written."""
        self._readable: list[Folder] = []
        self._candidates = candidates(digest)
        self._claims: tuple[Path, int] | None = None
        self._advance()

    def _advance(self) -> None:
        """Go on to the next folder that can be written. Those passed over are only read."""
        self.folder = None
        for folder in self._candidates:
            usable = folder.usable
            if folder.readable:
                self._readable.append(folder)
            if usable:
                self.folder = folder
                return

    def load(self, name: str) -> bytes | None:
        """Return the content of a file, or None if it is missing, damaged or not to be trusted."""
        for folder in self._readable:
            found = read(folder.path / name)
            if found is not None:
                return found
        return None

    def has(self, name: str) -> bool:
        """Return whether there is a file, whatever is in it."""
        return any((folder.path / name).exists() for folder in self._readable)

    def save(self, name: str, content: bytes) -> bool:
        """Keep a file in the first folder that takes it; return whether one did."""
        while self.folder is not None:
            try:
                self.folder.create()
                write(self.folder.path / name, content)
            except OSError as error:
                self.trouble.append(f"{self.folder.path}: {error.strerror or error}")
                self._advance()
            else:
                return True
        return False

    def claim(self, name: str, arrived: Callable[[], bool]) -> None:
        """Claim a file, so that other processes wait for it. If another has, wait until it has arrived."""
        end = time.monotonic() + PATIENCE
        while not self.try_claim(name) and not arrived() and time.monotonic() < end:
            time.sleep(PAUSE)

    def release(self, name: str) -> None:
        """Give up a claim, if there is one."""
        if self._claims is not None:
            with suppress(OSError):
                fcntl.lockf(self._claims[1], fcntl.LOCK_UN, 1, place(name))

    def try_claim(self, name: str) -> bool:
        """Lock a byte of a file, at a place derived from the name; return whether no other process has locked it."""
        if fcntl is None or self.folder is None:
            return True
        try:
            path = self.folder.path
            if self._claims is None or self._claims[0] != path:
                self.folder.create()
                self._claims = path, os.open(path / "claims", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.lockf(self._claims[1], fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place(name))
        except (BlockingIOError, PermissionError):
            return self._claims is None
        except OSError:  # a file system without locks
            return True
        return True


def place(name: str) -> int:
    """Return the byte that stands for a file in the file of claims."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little") >> 1


def read(path: Path) -> bytes | None:
    """Return the content of a file without its head, or None if there is no such file that is whole and trusted."""
    try:
        with path.open("rb") as file:
            if not is_trusted(os.fstat(file.fileno())):
                return None
            content = file.read()
    except OSError:
        return None
    body = content[HEAD:]
    return body if content[:HEAD] == MAGIC + hashlib.sha256(body).digest() else None


def write(path: Path, content: bytes) -> None:
    """Write a file with its head under a temporary name, and rename it."""
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb", opener=opener) as file:
            file.write(MAGIC + hashlib.sha256(content).digest() + content)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def opener(path: str, flags: int) -> int:
    """Open a file that only its owner can write, whatever the umask: others would not be trusted to have written it."""
    return os.open(path, flags, 0o644)
