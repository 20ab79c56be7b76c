"""Places to write to: a file that appears when it is complete, or a stream that is written as rows come.

A regular file grows under a temporary name beside its place and is renamed, so that nothing is ever half written. What
is not a regular file cannot be replaced without destroying it: standard output, a FIFO, a character device such as
/dev/null, or a file that is open already (/dev/stdout, /dev/fd/N, the shell's `>(...)`) is written into.
"""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import stat
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, cast

from lookalike.errors import OutputError

from .formats.base import STDOUT, writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DESCRIPTORS = "/dev/fd"
"""Where systems list the open files of a process."""
_MAX_LINKS = 40
_BUFFER_BYTES = 1 << 17


def is_stdout(path: Path) -> bool:
    """Return whether a path stands for standard output."""
    return str(path) == STDOUT


def is_stream(path: Path) -> bool:
    """Return whether a path is written into as rows come, instead of being replaced."""
    return is_stdout(path) or descriptor_of(path) is not None or _is_pipe_or_device(path)


def is_terminal(path: Path) -> bool:
    """Return whether what is written to a path appears on a terminal."""
    if is_stdout(path):
        return sys.stdout is not None and sys.stdout.isatty()
    descriptor = descriptor_of(path)
    return descriptor is not None and os.isatty(descriptor)


def descriptor_of(path: Path) -> int | None:
    """Return the number of the open file that a path names, as /dev/stdout and /dev/fd/63 do; None for other paths."""
    for _ in range(_MAX_LINKS):
        if path.name.isdecimal() and os.path.realpath(path.parent) == os.path.realpath(_DESCRIPTORS):
            return int(path.name)
        try:
            path = path.parent / os.readlink(path)  # noqa: PTH115 - one step at a time
        except (OSError, ValueError):
            return None
    return None


def _is_pipe_or_device(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def target_of(path: Path) -> Path:
    """Follow links as far as they go, even if they form a loop."""
    return Path(os.path.realpath(path))


def identity(path: Path) -> object:
    """Return what identifies a file, whatever it is called: links and .. are followed."""
    try:
        status = os.fstat(sys.stdout.fileno()) if is_stdout(path) else path.stat()
    except (OSError, ValueError, AttributeError):  # there is none, or it is not a file of the system
        return target_of(path)
    is_device = stat.S_ISCHR(status.st_mode)  # which may have several names
    return ("device", status.st_rdev) if is_device else (status.st_dev, status.st_ino)


def is_null_device(path: Path) -> bool:
    """Return whether a path discards what is written to it, so that any number of outputs may go there."""
    return identity(path) == identity(Path(os.devnull))


def check_stream(path: Path) -> None:
    """Raise if a stream is not there to be written to."""
    if is_stdout(path):
        if sys.stdout is None:
            raise OutputError("standard output is closed; send it somewhere, or give the name of a file")
        if _stdout_number() is None and not hasattr(sys.stdout, "buffer"):
            raise OutputError("standard output takes only text here, as in a notebook; give the name of a file")
        return
    descriptor = descriptor_of(path)
    if descriptor is None:
        if not os.access(path, os.W_OK):
            raise OutputError(f"{path} cannot be written: no permission; choose another place")
        return
    try:
        writable = _is_writable(descriptor)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: no file is open under this number; choose another") from error
    if not writable:
        raise OutputError(f"{path} cannot be written: it is open for reading only; choose another place")


def _is_writable(descriptor: int) -> bool:
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        return False
    try:
        import fcntl  # noqa: PLC0415 - not on Windows, which has no such paths either
    except ImportError:
        return True
    return fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY


def check_file(path: Path, *, force: bool) -> None:
    """Raise if a regular file cannot or must not be created or replaced."""
    place = target_of(path)
    mode = _mode_of(path)
    if not os.path.isdir(place.parent):  # noqa: PTH112 - Path's own raises for what it may not look at
        raise OutputError(f"{path} cannot be written: there is no directory {place.parent}; create it first")
    if mode is not None:
        _refuse_other_than_files(path, mode)
    if _is_taken(path) and not force:
        says = f"{path} exists already; `force` replaces it"
        raise OutputError(says if mode is not None else f"{path} is a link to nothing; `force` creates {place}")
    if not os.access(place.parent, os.W_OK | os.X_OK):
        raise OutputError(f"{path} cannot be written: no permission in {place.parent}; choose another place")


def _refuse_other_than_files(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a directory; give the name of a file in it")
    if stat.S_ISSOCK(mode):
        raise OutputError(f"{path} is a socket, which has no rows; choose another place")
    if stat.S_ISBLK(mode):
        raise OutputError(f"{path} is a block device, which is never written to; choose another place")


def _mode_of(path: Path) -> int | None:
    """Return the mode of what a path leads to; None if there is nothing, or it may not be looked at."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None


def _is_taken(path: Path) -> bool:
    """Return whether a name is taken, even by a link to nothing; raise if it is invalid."""
    with writing(path):
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
    return True


class Place(Protocol):
    """Where one output goes."""

    path: Path

    def open(self) -> contextlib.AbstractContextManager[IO[bytes]]:
        """Open it for writing."""

    def keep(self) -> None:
        """Let what was written appear under the name of the output."""

    def drop(self) -> None:
        """Remove what was written, if it has not appeared."""


class NewFile:
    """A regular file: written beside its place, then renamed. A link stays; what it leads to is replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._place = target_of(path)
        self._temporary = self._place.with_name(f".lookalike-{secrets.token_hex(8)}.tmp")

    @contextlib.contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the temporary file, with the owner and the permissions of the file that it will replace."""
        with _create(self._temporary, self._replaced()) as file:
            yield file

    def keep(self) -> None:
        """Rename the file. What has come there meanwhile is not replaced unless it is a file, too."""
        with writing(self.path):
            mode = _mode_of(self._place)
            if mode is not None and not stat.S_ISREG(mode):
                raise OutputError(f"{self.path} cannot be written: it is not a regular file; choose another place")
            os.replace(self._temporary, self._place)  # noqa: PTH105 - the name on both platforms' pages

    def drop(self) -> None:
        """Remove the temporary file, if it is still there."""
        with contextlib.suppress(OSError):
            self._temporary.unlink(missing_ok=True)

    def _replaced(self) -> os.stat_result | None:
        try:
            return self._place.stat()
        except OSError:
            return None


def _create(path: Path, like: os.stat_result | None) -> IO[bytes]:
    """Create a file that only its owner may read until it has the owner and the permissions of another one."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, 0o666 if like is None else 0o600)
    if like is not None and hasattr(os, "fchown"):
        with contextlib.suppress(PermissionError):
            os.fchown(handle, like.st_uid, like.st_gid)
        with contextlib.suppress(PermissionError):
            os.fchmod(handle, stat.S_IMODE(like.st_mode) & 0o777)
    return os.fdopen(handle, "wb")


class Stream:
    """Standard output, a pipe, a device or an open file: written into, and never removed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextlib.contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the stream; a FIFO waits for its reader."""
        check_stream(self.path)
        if sys.stdout is not None:
            sys.stdout.flush()  # what was printed before comes first
        if is_stdout(self.path) and _stdout_number() is None:
            yield cast("IO[bytes]", _Borrowed(sys.stdout.buffer))
            return
        with self._opened() as opened:
            yield opened

    def _opened(self) -> IO[bytes]:
        """Open a file of the system. That of `sys.stdout` is used as it is: it may know its errors from others."""
        raw = getattr(sys.stdout.buffer, "raw", None) if is_stdout(self.path) else None
        if raw is not None:
            return io.BufferedWriter(cast("io.RawIOBase", _Borrowed(raw)), _BUFFER_BYTES)
        return os.fdopen(self._handle(), "wb", buffering=_BUFFER_BYTES)

    def keep(self) -> None:
        """Do nothing: it has appeared."""

    def drop(self) -> None:
        """Do nothing: what was written cannot be taken back."""

    def _handle(self) -> int:
        """Return a descriptor; one that is open is duplicated, so that its position and mode are respected."""
        descriptor = _stdout_number() if is_stdout(self.path) else descriptor_of(self.path)
        if descriptor is not None:
            return os.dup(descriptor)
        return os.open(self.path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0))


def _stdout_number() -> int | None:
    """Return the descriptor of standard output; None if a program has put something else in its place."""
    try:
        return sys.stdout.fileno()
    except (OSError, ValueError, AttributeError):
        return None


class _Borrowed(io.RawIOBase):
    """A file that writers may close, while the one behind it stays open."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]  # any buffer
        """Write bytes."""
        return self._file.write(data)


def place_of(path: Path) -> Place:
    """Return the place that a path names, as it is now."""
    return Stream(path) if is_stream(path) else NewFile(path)


@contextlib.contextmanager
def places(paths: Sequence[Path]) -> Iterator[dict[Path, Place]]:
    """Provide a place per path; let all files appear on success, and remove them on any failure."""
    found = {path: place_of(path) for path in paths}
    try:
        yield found
        for place in found.values():
            place.keep()
    finally:
        for place in found.values():
            place.drop()
