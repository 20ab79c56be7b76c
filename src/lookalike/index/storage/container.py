"""A file of columns: plain arrays one after the other, read where they stand, with a checksum for every byte.

    MAGIC, then each column from a multiple of 64 bytes on, then a description in JSON, then a tail that says how long
    the description is, and its checksum.

The last column has a sum of each page before it, so that a file need not be read as a whole to be sure of what is read.
The description has a checksum of these sums. The same bytes may stand in a file or in a database.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
import struct
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import InputError
from lookalike.index.storage.page_checksums import Pages, Summer

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MAGIC = b"lookalike columns 1\n"
TAIL = struct.Struct("<Q16s8s")
END = b"the end\n"
ALIGNED = 64
SUMS = "sums"
AT_A_TIME = 1 << 22
"""Bytes that are written, or looked through, in one go."""


def digest(*parts: bytes | memoryview) -> hashlib.blake2b:
    """Begin a checksum, with what there is so far."""
    made = hashlib.blake2b(digest_size=16)
    for part in parts:
        made.update(part)
    return made


class ContainerWriter:
    """Writes columns, one at a time, each in any number of pieces."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._columns: dict[str, dict[str, Any]] = {}
        self._at = 0
        self._summer = Summer()
        self._put(MAGIC)
        self._pad()

    def begin(self, name: str, dtype: type[np.generic]) -> None:
        """Begin a column."""
        self._columns[name] = {"dtype": np.dtype(dtype).str, "begin": self._at}

    def write(self, values: NDArray[Any]) -> None:
        """Write some values of it."""
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        for begin in range(0, len(data), AT_A_TIME):
            self._put(data[begin : begin + AT_A_TIME].data)

    def end(self, *shape: int) -> None:
        """End the column: it has this shape, or one dimension."""
        name, column = list(self._columns.items())[-1]
        size = (self._at - column["begin"]) // np.dtype(column["dtype"]).itemsize
        column["shape"] = list(shape or (size,))
        if math.prod(column["shape"]) != size:
            raise ValueError(f"column {name} has {size} values, not the shape {shape}")
        self._pad()

    def column(self, name: str, values: NDArray[Any]) -> None:
        """Write a whole column."""
        self.begin(name, values.dtype.type)
        self.write(values)
        self.end(*values.shape)

    def finish(self, about: dict[str, Any]) -> bytes:
        """Write the description, with what else is to be known; return its checksum, which stands for all of it."""
        sums = self._summer.finish()
        self.column(SUMS, sums)
        text = json.dumps({"columns": self._columns, SUMS: digest(sums.data).hexdigest(), **about}).encode()
        checksum = digest(text).digest()
        self._file.write(text + TAIL.pack(len(text), checksum, END))
        return checksum

    def _put(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self._summer.take(data)
        self._at += len(data)

    def _pad(self) -> None:
        self._put(bytes(-self._at % ALIGNED))


@dataclass(frozen=True)
class Container:
    """Columns that were written."""

    name: str
    """What messages call it."""
    data: NDArray[np.uint8]
    about: dict[str, Any]
    checksum: bytes
    pages: Pages | None = None
    """What of it was looked at; None if that is not needed."""

    @classmethod
    def open(cls, path: Path) -> Container:
        """Map a file. What is read of it must be looked at first."""
        with path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                raise damaged(path.name, "it is empty")
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        made = cls.read(path.name, np.frombuffer(mapped, np.uint8))
        if not made.sums_are_whole():
            raise damaged(path.name, "its sums are not what was written")
        return replace(made, pages=made.unseen())

    @classmethod
    def read(cls, name: str, data: NDArray[np.uint8]) -> Container:
        """Read the description. It is checked; the columns are not, which would take time."""
        if len(data) < len(MAGIC) + TAIL.size:
            raise damaged(name, "it is too short")
        if data[: len(MAGIC)].tobytes() != MAGIC:
            raise damaged(name, "it does not begin as it should")
        length, checksum, end = TAIL.unpack(data[-TAIL.size :].tobytes())
        if end != END or not 0 < length <= len(data) - TAIL.size - len(MAGIC):
            raise damaged(name, "it does not end as it should")
        text = data[-TAIL.size - length : -TAIL.size].tobytes()
        if digest(text).digest() != checksum:
            raise damaged(name, "its description is not what was written")
        return cls(name, data, json.loads(text), checksum)

    def column(self, name: str) -> NDArray[Any]:
        """Return a column, where it stands."""
        found = self.about["columns"][name]
        dtype = np.dtype(found["dtype"])
        begin, size = found["begin"], math.prod(found["shape"]) * dtype.itemsize
        values: NDArray[Any] = self.data[begin : begin + size].view(dtype).reshape(found["shape"])
        return values

    def damage(self) -> list[str]:
        """Name the columns that are not what was written; all of them are read."""
        if not self.sums_are_whole():
            return [SUMS]
        head = MAGIC + bytes(-len(MAGIC) % ALIGNED)
        found = [] if self.data[:ALIGNED].tobytes() == head else ["head"]
        fresh = replace(self, pages=self.unseen())
        return found + [name for name in self.about["columns"] if name != SUMS and not fresh.is_whole(name)]

    def is_whole(self, name: str) -> bool:
        """Tell whether a column and its padding are what was written; what was looked at is not read again."""
        begin, end = self._bounds(name)
        return self.pages is None or self.pages.runs_are_right(begin, np.zeros(1, np.int64), np.full(1, end - begin))

    def sums_are_whole(self) -> bool:
        """Tell whether the sums of pages are what was written, and the padding after them."""
        begin, end = self._bounds(SUMS)
        values = self.column(SUMS)
        padding = self.data[begin + values.nbytes : end]
        return bool(digest(values.data).hexdigest() == self.about[SUMS]) and not padding.any()

    def unseen(self) -> Pages:
        """Return all pages, none of which was looked at."""
        return Pages.of(self.data[: self._bounds(SUMS)[0]], self.column(SUMS))

    def _bounds(self, name: str) -> tuple[int, int]:
        """Return where a column begins, and where the padding after it ends."""
        column = self.about["columns"][name]
        end = column["begin"] + math.prod(column["shape"]) * np.dtype(column["dtype"]).itemsize
        return column["begin"], end + -end % ALIGNED

    # Looking at what is about to be read

    def look(self, name: str, places: NDArray[np.integer[Any]], following: int = 0) -> None:
        """Raise unless rows of a column are what was written, and so many after each."""
        if self.pages is None:
            return
        column = self.about["columns"][name]
        width = math.prod(column["shape"][1:]) * np.dtype(column["dtype"]).itemsize
        if not self.pages.values_are_right(column["begin"], width, places.astype(np.int64), following):
            raise damaged(self.name, f"the column {name} is not what was written")

    def look_at_runs(self, name: str, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        """Raise unless runs of bytes of a column are what was written."""
        if self.pages is None:
            return
        if not self.pages.runs_are_right(self.about["columns"][name]["begin"], begins, ends):
            raise damaged(self.name, f"the column {name} is not what was written")

    def look_at_all(self, name: str) -> NDArray[Any]:
        """Return a column, all of which is what was written."""
        values = self.column(name)
        self.look_at_runs(name, np.zeros(1, np.int64), np.full(1, values.nbytes))
        return values

    def look_at_cells(self, names: tuple[str, str], bits: int, keys: NDArray[np.uint64]) -> None:
        """Raise unless the postings that some keys lead to, and the directory, are what was written."""
        if self.pages is None:
            return
        begins = tuple(self.about["columns"][name]["begin"] for name in names)
        postings, directory = (self.column(name) for name in names)
        if not self.pages.cells_are_right(begins, directory, postings.shape[1], bits, keys):
            raise damaged(self.name, f"the column {names[0]} is not what was written")

    def refuse_damage(self) -> None:
        """Raise if anything is not what was written; all of it is read, by the sums of pages where they are used."""
        if self.pages is not None:
            if not self.pages.runs_are_right(0, np.zeros(1, np.int64), np.full(1, self.pages.words.nbytes)):
                raise damaged(self.name, "it is not what was written")
        elif found := self.damage():
            raise damaged(self.name, f"the column {found[0]} is not what was written")


def damaged(name: str, why: str) -> InputError:
    """Say that a part of an index is damaged."""
    return InputError(f"{name} is damaged: {why}. Run lookalike index check, or take a copy that is whole")
