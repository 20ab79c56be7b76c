"""Simulates power failures: which states a disk may be in, given a process's system calls as logged by strace.

What was synced is on disk. Of what was written, renamed or removed since then, any subset may be.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CALLS = "trace=openat,write,pwrite64,fsync,fdatasync,rename,unlink,ftruncate,close,mkdir,lseek"
LINE = re.compile(r"^(?P<thread>\d+) +(?P<call>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+)")


@dataclass(frozen=True)
class Event:
    """A system call that succeeded."""

    name: str
    paths: list[str]
    numbers: list[int]
    data: bytes
    flags: str
    result: int


def events(log: Path) -> Iterator[Event]:
    """Yield the calls in a log of strace. A call interrupted by one of another thread takes two lines."""
    pending: dict[str, str] = {}
    for line in log.read_text().splitlines():
        thread = line.split(maxsplit=1)[0]
        if line.endswith("<unfinished ...>"):
            pending[thread] = line.removesuffix("<unfinished ...>")
            continue
        if " resumed>" in line:
            line = pending.pop(thread) + line.split(" resumed>", 1)[1]  # noqa: PLW2901 - both halves
        if (found := LINE.match(line)) and int(found["result"]) >= 0:
            strings = [bytes.fromhex(one.replace("\\x", "")) for one in re.findall(r'"([^"]*)"', found["arguments"])]
            rest = re.sub(r'"[^"]*"', "", found["arguments"])
            numbers = [int(one) for one in re.findall(r"(?<![\w])\d+", rest)]
            named = found["call"] in ("openat", "rename", "unlink", "mkdir")
            yield Event(
                found["call"],
                [one.decode() for one in strings] if named else [],
                numbers,
                b"" if named else b"".join(strings),
                rest,
                int(found["result"]),
            )


@dataclass
class File:
    """A file: its current contents, and those known to be on disk."""

    now: bytearray = field(default_factory=bytearray)
    synced: bytes = b""
    since: list[tuple[int, bytes | None]] = field(default_factory=list)
    """Writes since the last sync: offset and bytes, or None to truncate there."""

    def write(self, at: int, data: bytes | None) -> None:
        """Write bytes."""
        put(self.now, at, data)
        self.since.append((at, data))

    def sync(self) -> None:
        """Sync the file."""
        self.synced, self.since = bytes(self.now), []

    def perhaps(self, rng: random.Random) -> bytes:
        """Return contents that may be on disk."""
        data = bytearray(self.synced)
        share = rng.choice([0.0, 0.5, 1.0])
        for at, some in self.since:
            if rng.random() < share:
                put(data, at, some)
        return bytes(data)


def put(data: bytearray, at: int, some: bytes | None) -> None:
    if some is None:
        data[at:] = b""
        return
    if len(data) < at:
        data.extend(bytes(at - len(data)))
    data[at : at + len(some)] = some


class Disk:
    """All files below a folder."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        self.handles: dict[int, tuple[str, File | None]] = {}
        self.places: dict[int, int] = {}
        self.names: dict[str, File | None] = {}
        self.synced: dict[str, File | None] = {}
        """Names known to be on disk; folders map to None."""

    def do(self, event: Event) -> None:
        """Apply a call."""
        paths = [os.path.normpath(path) for path in event.paths]
        if any(not path.startswith(self.root) for path in paths) or (paths and paths[0].endswith("-shm")):
            return
        getattr(self, f"_{event.name}")(event, *paths)

    def _openat(self, event: Event, path: str) -> None:
        if path not in self.names and "O_CREAT" in event.flags:
            self.names[path] = File()
        file = self.names.get(path)
        if file is not None and "O_TRUNC" in event.flags:
            file.write(0, None)
        self.handles[event.result] = (path, file)
        self.places[event.result] = -1 if "O_APPEND" in event.flags else 0

    def _mkdir(self, _: Event, path: str) -> None:
        self.names[path] = None

    def _close(self, event: Event) -> None:
        self.handles.pop(event.numbers[0], None)

    def _lseek(self, event: Event) -> None:
        self.places[event.numbers[0]] = event.result

    def _write(self, event: Event) -> None:
        handle = event.numbers[0]
        if (file := self.handles.get(handle, ("", None))[1]) is not None:
            at = len(file.now) if self.places[handle] < 0 else self.places[handle]
            file.write(at, event.data[: event.result])
            self.places[handle] = at + event.result

    def _pwrite64(self, event: Event) -> None:
        if (file := self.handles.get(event.numbers[0], ("", None))[1]) is not None:
            file.write(event.numbers[-1], event.data[: event.result])

    def _ftruncate(self, event: Event) -> None:
        if (file := self.handles.get(event.numbers[0], ("", None))[1]) is not None:
            size = event.numbers[-1]
            file.write(size, None if size < len(file.now) else b"")

    def _fsync(self, event: Event) -> None:
        path, file = self.handles.get(event.numbers[0], ("", None))
        if file is not None:
            file.sync()
        elif path:
            here = {name for name in self.names.keys() | self.synced.keys() if str(Path(name).parent) == path}
            for name in here:
                self._settle(name)

    _fdatasync = _fsync

    def _settle(self, name: str) -> None:
        if name in self.names:
            self.synced[name] = self.names[name]
        else:
            self.synced.pop(name, None)

    def _rename(self, _: Event, old: str, new: str) -> None:
        for name in [name for name in self.names if name == old or name.startswith(old + os.sep)]:
            self.names[new + name[len(old) :]] = self.names.pop(name)
        for name in [name for name in self.synced if name.startswith(old + os.sep)]:  # a folder takes its files along
            self.synced[new + name[len(old) :]] = self.synced.pop(name)
        self.handles = {
            handle: (new + path[len(old) :] if path.startswith(old + os.sep) else path, file)
            for handle, (path, file) in self.handles.items()
        }

    def _unlink(self, _: Event, path: str) -> None:
        self.names.pop(path, None)

    def make(self, folder: Path, rng: random.Random) -> None:
        """Write a state that the disk may be in to a folder."""
        share = rng.choice([0.0, 0.5, 1.0])
        names = dict(self.synced)
        for name in sorted(self.names.keys() | self.synced.keys()):
            if self.names.get(name, 0) is not self.synced.get(name, 0) and rng.random() < share:
                names.pop(name, None)
                if name in self.names:
                    names[name] = self.names[name]
        folder.mkdir()
        for name, file in sorted(names.items()):
            path = folder / os.path.relpath(name, self.root)
            if file is None:
                path.mkdir(exist_ok=True)
            elif path.parent.exists():
                path.write_bytes(file.perhaps(rng))
