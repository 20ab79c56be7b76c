"""The handle of an open index: its database, the snapshot last read, and worker threads."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lookalike.errors import InputError
from lookalike.index.items import ItemOperations
from lookalike.index.rows import read_types
from lookalike.index.snapshot import LivePart, Snapshot
from lookalike.index.storage import fork_safety
from lookalike.index.storage.container import Container
from lookalike.index.storage.database import Database
from lookalike.index.storage.errors import damaged, reason
from lookalike.index.storage.part import Part
from lookalike.recipe import Recipe
from lookalike.resources.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lookalike.index.storage.parts_table import PartEntry

LOCK_INTERVAL = 0.02
"""Seconds to wait for another thread before checking whether it is in a transaction."""

MAX_ATTEMPTS = 20
"""How often to read the list of parts again when part files were merged away meanwhile."""


class Handle:
    """State shared by all operations on an open index.

    One thread at a time uses the database. Queries need only a snapshot.
    """

    def __init__(self, database: Database, threads: int | None = None) -> None:
        self.database = database
        self.recipe, self.fields = read_description(database)
        self.kind = self.recipe.kind
        """Kind of the items."""
        self.guard = threading.RLock()
        """Held by the thread that uses the database."""
        self._operations = ItemOperations(self.recipe)
        self._threads = start_threads(threads, database)
        self._revision = 0
        self._committed: Snapshot | None = None
        """What other threads see while one is in a transaction."""
        self._reset()
        fork_safety.register(self)

    @property
    def threads(self) -> Threads:
        """Threads that last as long as the index is open."""
        self.database.refuse_closed()
        return self._threads

    @contextmanager
    def querying(self) -> Iterator[None]:
        """Run a query; if another thread closes the index meanwhile, the error says so."""
        try:
            yield
        except (CancelledError, RuntimeError):  # the threads are gone, or accept nothing new
            self.database.refuse_closed()
            raise

    # Snapshots

    def snapshot(self) -> Snapshot:
        """Return the index as of the latest commit; later changes do not affect what it returns.

        A thread in a transaction sees its own changes. Other threads do not wait for it, and see the last commit.
        """
        self.database.refuse_closed()
        while not self.guard.acquire(timeout=LOCK_INTERVAL if self._committed is None else 0):
            if (committed := self._committed) is not None:
                return committed
        try:
            self.database.refuse_closed()
            if self.database.is_replaced and not self.database.in_transaction:
                self._reopen()
            return self._latest()
        finally:
            self.guard.release()

    def _latest(self) -> Snapshot:
        for attempt in range(MAX_ATTEMPTS):
            try:
                return self._load()
            except FileNotFoundError as error:  # parts were merged since the database was read
                if attempt == MAX_ATTEMPTS - 1:
                    raise InputError(f"{error.filename} is missing. Restore an intact copy of the index") from error
        raise AssertionError  # pragma: no cover

    def _reset(self, parts: tuple[LivePart, ...] = ()) -> None:
        """Read the database again for the next snapshot, reusing these open parts."""
        self._snapshot = Snapshot(-1, parts, self._operations, None, None)

    def _reopen(self) -> None:
        """Continue with the index that has replaced this one, if it has the same recipe and fields."""
        database = Database.open(self.database.folder, self.database.given, timeout=self.database.timeout)
        if read_description(database) != (self.recipe, self.fields):
            database.close()
            raise InputError(
                f"{self.database.given} was replaced by an index with another recipe or other fields. Open it again"
            )
        self.database.close()
        self.database = database
        self._reset()

    def _load(self) -> Snapshot:
        database = self.database
        with database.reading():
            commit = database.metadata("commit")
            if (commit, database.revision) == (self._snapshot.commit, self._revision):
                return self._snapshot
            known = {one.part.number: one for one in self._snapshot.parts}
            parts = tuple(self._load_part(entry, known.get(entry.number)) for entry in database.entries())
            types = read_types(database.metadata("types"))
            schema = pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(database.metadata("schema")))) if types else None
        self._snapshot, self._revision = Snapshot(commit, parts, self._operations, types, schema), database.revision
        return self._snapshot

    def _load_part(self, entry: PartEntry, known: LivePart | None) -> LivePart:
        """Return a part with its deletions, reusing what is already open."""
        if known is not None and len(known.deleted) == entry.deleted:
            return known
        part = self._open_part(entry) if known is None else known.part
        if part.count != entry.items:
            raise damaged(part.container.name, "it has a different number of items than was committed")
        return LivePart(part, self.database.deleted(entry))

    def _open_part(self, entry: PartEntry) -> Part:
        if entry.in_file:
            container = open_container(self.database.path(entry.number))
        else:
            data = np.frombuffer(self.database.data(entry), np.uint8)
            container = Container.read(f"part {entry.number}", data)
            container.verify_all()
        if container.checksum != entry.checksum:
            raise damaged(container.name, "it is not the part that was committed")
        return Part(entry.number, container)

    # Changes

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Make a change in a transaction; errors of the system say that the index cannot be changed."""
        with self.guard, self.database.write_errors(), self.transaction():
            yield

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes made inside, or none if there is an error."""
        self.database.refuse_closed()
        with self.guard:
            self.database.refuse_closed()
            outer = not self.database.in_transaction
            if outer:
                self._committed = self.snapshot()
            try:
                with self.database.transaction():
                    yield
                parts = self._snapshot.parts
            except BaseException:
                parts = ()  # after a rollback, numbers of parts and deletions may recur with other contents
                raise
            finally:
                if outer:
                    self._committed = None
                self._reset(parts)

    def close(self) -> None:
        """Close the index. Changes are on disk already."""
        if self.database.forked:
            return
        with self.guard:
            self.database.close()
            self._threads.close()
            self._reset()  # unmaps the part files

    def abandon(self, *, idle: bool) -> None:
        """Abandon, in a forked child, what the parent has open."""
        self.database.abandon(idle=idle)


def open_container(path: Path) -> Container:
    """Open the file of a part. A missing file may have been merged away, and is left to the caller."""
    try:
        return Container.open(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InputError(f"{path} cannot be read: {reason(error)}. Check its permissions") from error


def start_threads(threads: int | None, database: Database) -> Threads:
    """Start threads; close the index if that fails."""
    try:
        return Threads(threads)
    except BaseException:
        database.close()
        raise


def read_description(database: Database) -> tuple[Recipe, tuple[str, ...]]:
    """Return the recipe and the stored fields of an index; close it if they cannot be read."""
    try:
        with database.reading():
            return Recipe.from_json(database.metadata("recipe")), tuple(database.metadata("fields"))
    except BaseException:
        database.close()
        raise
