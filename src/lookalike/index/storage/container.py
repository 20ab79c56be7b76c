"""A container: a file of columns, plain arrays that are read in place, with a checksum for every byte.

    MAGIC, then each column at a multiple of 64 bytes, then a description in JSON, then a tail with the length of the
    description and its checksum.

The last column holds a checksum of each page before it, so that a reader need not read the whole file to trust what it
reads. The description holds a checksum of these checksums. The same bytes may be a file or a value in a database.
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

from lookalike.index.storage.errors import damaged
from lookalike.index.storage.page_checksums import Pages, PageSummer

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MAGIC = b"lookalike columns 1\n"
TAIL = struct.Struct("<Q16s8s")
END = b"the end\n"
ALIGNMENT = 64
SUMS = "sums"
WRITE_BYTES = 1 << 22
"""Bytes written per call."""


def digest(*parts: bytes | memoryview) -> hashlib.blake2b:
    """Return a hash of some bytes, which may be updated with more."""
    made = hashlib.blake2b(digest_size=16)
    for part in parts:
        made.update(part)
    return made


class ContainerWriter:
    """Writes columns one after the other, each in any number of pieces."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._columns: dict[str, dict[str, Any]] = {}
        self._position = 0
        self._summer = PageSummer()
        self._put(MAGIC)
        self._pad()

    def begin(self, name: str, dtype: type[np.generic]) -> None:
        """Begin a column."""
        self._columns[name] = {"dtype": np.dtype(dtype).str, "begin": self._position}

    def write(self, values: NDArray[Any]) -> None:
        """Write values of the current column."""
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        for begin in range(0, len(data), WRITE_BYTES):
            self._put(data[begin : begin + WRITE_BYTES].data)

    def end(self, *shape: int) -> None:
        """End the current column, which has this shape, or one dimension if none is given."""
        name, column = list(self._columns.items())[-1]
        size = (self._position - column["begin"]) // np.dtype(column["dtype"]).itemsize
        column["shape"] = list(shape or (size,))
        if math.prod(column["shape"]) != size:
            raise ValueError(f"column {name} has {size} values, not the shape {shape}")
        self._pad()

    def column(self, name: str, values: NDArray[Any]) -> None:
        """Write a whole column."""
        self.begin(name, values.dtype.type)
        self.write(values)
        self.end(*values.shape)

    def finish(self, metadata: dict[str, Any]) -> bytes:
        """Write the description, including `metadata`; return its checksum, which identifies the whole container."""
        sums = self._summer.finish()
        self.column(SUMS, sums)
        text = json.dumps({"columns": self._columns, SUMS: digest(sums.data).hexdigest(), **metadata}).encode()
        checksum = digest(text).digest()
        self._file.write(text + TAIL.pack(len(text), checksum, END))
        return checksum

    def _put(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self._summer.update(data)
        self._position += len(data)

    def _pad(self) -> None:
        self._put(bytes(-self._position % ALIGNMENT))


@dataclass(frozen=True)
class Container:
    """A container that was written earlier."""

    name: str
    """What messages call it."""
    data: NDArray[np.uint8]
    metadata: dict[str, Any]
    """The description."""
    checksum: bytes
    pages: Pages | None = None
    """Pages to verify before they are read; None if all were verified up front."""

    @classmethod
    def open(cls, path: Path) -> Container:
        """Map a file. Whatever is read of it must be verified first."""
        with path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                raise damaged(path.name, "it is empty")
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        made = cls.read(path.name, np.frombuffer(mapped, np.uint8))
        if not made.sums_are_intact():
            raise damaged(path.name, "its page checksums do not match")
        return replace(made, pages=made.unverified_pages())

    @classmethod
    def read(cls, name: str, data: NDArray[np.uint8]) -> Container:
        """Read and verify the description. Columns are not verified, which would take time."""
        if len(data) < len(MAGIC) + TAIL.size:
            raise damaged(name, "it is too short")
        if data[: len(MAGIC)].tobytes() != MAGIC:
            raise damaged(name, "it begins with the wrong bytes")
        length, checksum, end = TAIL.unpack(data[-TAIL.size :].tobytes())
        if end != END or not 0 < length <= len(data) - TAIL.size - len(MAGIC):
            raise damaged(name, "it ends with the wrong bytes")
        text = data[-TAIL.size - length : -TAIL.size].tobytes()
        if digest(text).digest() != checksum:
            raise damaged(name, "the checksum of its description does not match")
        return cls(name, data, json.loads(text), checksum)

    def column(self, name: str) -> NDArray[Any]:
        """Return a column, in place."""
        found = self.metadata["columns"][name]
        dtype = np.dtype(found["dtype"])
        begin, size = found["begin"], math.prod(found["shape"]) * dtype.itemsize
        values: NDArray[Any] = self.data[begin : begin + size].view(dtype).reshape(found["shape"])
        return values

    # Checking all of it

    def damaged_columns(self) -> list[str]:
        """Return the names of damaged columns, reading all of them."""
        if not self.sums_are_intact():
            return [SUMS]
        head = MAGIC + bytes(-len(MAGIC) % ALIGNMENT)
        found = [] if self.data[:ALIGNMENT].tobytes() == head else ["head"]
        fresh = replace(self, pages=self.unverified_pages())
        return found + [name for name in self.metadata["columns"] if name != SUMS and not fresh.column_is_intact(name)]

    def column_is_intact(self, name: str) -> bool:
        """Return whether a column and its padding are intact. Pages already verified are not read again."""
        begin, end = self._bounds(name)
        return self.pages is None or self.pages.verify_runs(begin, np.zeros(1, np.int64), np.full(1, end - begin))

    def sums_are_intact(self) -> bool:
        """Return whether the page checksums and the padding after them are intact."""
        begin, end = self._bounds(SUMS)
        values = self.column(SUMS)
        padding = self.data[begin + values.nbytes : end]
        return bool(digest(values.data).hexdigest() == self.metadata[SUMS]) and not padding.any()

    def unverified_pages(self) -> Pages:
        """Return all pages, none of them verified."""
        return Pages.of(self.data[: self._bounds(SUMS)[0]], self.column(SUMS))

    def _bounds(self, name: str) -> tuple[int, int]:
        """Return where a column begins, and where the padding after it ends."""
        column = self.metadata["columns"][name]
        end = column["begin"] + math.prod(column["shape"]) * np.dtype(column["dtype"]).itemsize
        return column["begin"], end + -end % ALIGNMENT

    def verify_all(self) -> None:
        """Raise if anything is damaged, reading all pages not yet verified."""
        if self.pages is not None:
            if not self.pages.verify_runs(0, np.zeros(1, np.int64), np.full(1, self.pages.words.nbytes)):
                raise damaged(self.name, "a page checksum does not match")
        elif found := self.damaged_columns():
            raise self._damaged(found[0])

    # Verifying what is about to be read

    def verify_rows(self, name: str, rows: NDArray[np.integer[Any]], following: int = 0) -> None:
        """Raise unless some rows of a column, and `following` rows after each, are intact."""
        if self.pages is None:
            return
        column = self.metadata["columns"][name]
        width = math.prod(column["shape"][1:]) * np.dtype(column["dtype"]).itemsize
        if not self.pages.verify_values(column["begin"], width, rows.astype(np.int64), following):
            raise self._damaged(name)

    def verify_runs(self, name: str, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        """Raise unless some runs of bytes of a column are intact."""
        if self.pages is None:
            return
        if not self.pages.verify_runs(self.metadata["columns"][name]["begin"], begins, ends):
            raise self._damaged(name)

    def verified_column(self, name: str) -> NDArray[Any]:
        """Return a column, or raise if any of it is damaged."""
        values = self.column(name)
        self.verify_runs(name, np.zeros(1, np.int64), np.full(1, values.nbytes))
        return values

    def verify_cells(self, names: tuple[str, str], bits: int, keys: NDArray[np.uint64]) -> None:
        """Raise unless the postings that some keys lead to, and the directory on the way, are intact."""
        if self.pages is None:
            return
        begins = tuple(self.metadata["columns"][name]["begin"] for name in names)
        postings, directory = (self.column(name) for name in names)
        if not self.pages.verify_cells(begins, directory, postings.shape[1], bits, keys):
            raise self._damaged(names[0])

    def _damaged(self, column: str) -> Exception:
        return damaged(self.name, f"the checksum of column {column} does not match")
