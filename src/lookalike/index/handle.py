"""An index that is open: its database, the latest commit as it was read, and threads to work with."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lookalike.errors import InputError
from lookalike.index.kit import kind_by, kit_for
from lookalike.index.rows import read_types
from lookalike.index.snapshot import Held, View
from lookalike.index.storage import fork_safety as fork
from lookalike.index.storage.container import Container, damaged
from lookalike.index.storage.database import Store
from lookalike.index.storage.errors import reason
from lookalike.index.storage.part import Part
from lookalike.recipe import Recipe
from lookalike.resources.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lookalike.index.storage.parts_table import Entry

A_MOMENT = 0.02
"""Seconds to wait for another thread, before it is looked whether it changes something."""

ATTEMPTS = 20
"""How often parts are looked for that were joined meanwhile."""


class Opened:
    """What all that is done with an index shares. One thread at a time uses the database; answers need only a view."""

    def __init__(self, store: Store, threads: int | None = None) -> None:
        self.store = store
        self.recipe, self.fields = described(store)
        self.kind = kind_by(self.recipe)
        """What the items are."""
        self.guard = threading.RLock()
        """Whoever uses the database has it."""
        self._kit = kit_for(self.recipe)
        self._threads = started(threads, store)
        self._steps = 0
        self._committed: View | None = None
        """What other threads see while one of them changes something."""
        self._forget()
        fork.remember(self)

    @property
    def threads(self) -> Threads:
        """Threads that last as long as the index is open."""
        self.store.refuse_closed()
        return self._threads

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Ask something, and say so if the index is closed meanwhile, by another thread."""
        try:
            yield
        except (CancelledError, RuntimeError):  # threads have gone, or take nothing new
            self.store.refuse_closed()
            raise

    # The latest commit

    def view(self) -> View:
        """Return the index as of the latest commit; what it answers stays the same whatever is changed later.

        A thread that changes something sees what it has changed; others need not wait for it, and see what was before.
        """
        self.store.refuse_closed()
        while not self.guard.acquire(timeout=A_MOMENT if self._committed is None else 0):
            if (committed := self._committed) is not None:
                return committed
        try:
            self.store.refuse_closed()
            if self.store.is_replaced and not self.store.in_transaction:
                self._renew()
            return self._latest()
        finally:
            self.guard.release()

    def _latest(self) -> View:
        for attempt in range(ATTEMPTS):
            try:
                return self._load()
            except FileNotFoundError as error:  # parts were joined since the database was read
                if attempt == ATTEMPTS - 1:
                    raise InputError(f"{error.filename} is missing. Take a whole copy of the index") from error
        raise AssertionError  # pragma: no cover

    def _forget(self, held: tuple[Held, ...] = ()) -> None:
        """Read the database again when a view is wanted; these parts need not be opened again."""
        self._view = View(-1, held, self._kit, None, None)

    def _renew(self) -> None:
        """Go on with the index that has taken this one's place, if it is one of the same kind."""
        store = Store.open(self.store.folder, self.store.given)
        if described(store) != (self.recipe, self.fields):
            store.close()
            raise InputError(
                f"{self.store.given} was replaced by an index with another recipe, or other fields. Open it again"
            )
        self.store.close()
        self.store = store
        self._forget()

    def _load(self) -> View:
        store = self.store
        with store.reading():
            commit = store.about("commit")
            if (commit, store.steps) == (self._view.commit, self._steps):
                return self._view
            entries = store.entries()
            known = {one.part.number: one for one in self._view.held}
            held = []
            for entry in entries:
                if entry.number in known and len(known[entry.number].gone) == entry.gone:
                    held.append(known[entry.number])
                    continue
                part = known[entry.number].part if entry.number in known else self._open(entry)
                if part.count != entry.items:
                    raise damaged(part.container.name, "it has not as many items as were committed")
                held.append(Held(part, store.deleted(entry)))
            types = read_types(store.about("types"))
            schema = pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(store.about("schema")))) if types else None
        self._view, self._steps = View(commit, tuple(held), self._kit, types, schema), store.steps
        return self._view

    def _open(self, entry: Entry) -> Part:
        if entry.filed:
            container = self._mapped(self.store.path(entry.number))
        else:
            data = np.frombuffer(self.store.data(entry), np.uint8)
            container = Container.read(f"part {entry.number}", data)
            container.refuse_damage()
        if container.checksum != entry.checksum:
            raise damaged(container.name, "it is another one than was committed")
        return Part(entry.number, container)

    def _mapped(self, path: Path) -> Container:
        try:
            return Container.open(path)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise InputError(f"{path} cannot be read: {reason(error)}. Check who may read it") from error

    # Changes

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Change something, and say so if that fails."""
        with self.guard, self.store.telling(), self.transaction():
            yield

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Change several things as one: all of them are there afterwards, or none if there is an error."""
        self.store.refuse_closed()
        with self.guard:
            self.store.refuse_closed()
            outer = not self.store.in_transaction
            if outer:
                self._committed = self.view()
            try:
                with self.store.writing():
                    yield
                held = self._view.held
            except BaseException:
                held = ()  # numbers of parts, and what was deleted, may come again with other contents
                raise
            finally:
                if outer:
                    self._committed = None
                self._forget(held)

    def close(self) -> None:
        """Close it; changes are on disk already."""
        if self.store.forked:
            return
        with self.guard:
            self.store.close()
            self._threads.close()
            self._forget()  # and with it the files that are mapped

    def let_go(self, *, idle: bool) -> None:
        """Let go, in a child of this process, of what the parent has open."""
        self.store.let_go(idle=idle)


def started(threads: int | None, store: Store) -> Threads:
    """Return so many threads; close the index if there cannot be."""
    try:
        return Threads(threads)
    except BaseException:
        store.close()
        raise


def described(store: Store) -> tuple[Recipe, tuple[str, ...]]:
    """Return the recipe of an index, and the fields that it stores; close it if they cannot be read."""
    try:
        with store.reading():
            return Recipe.from_json(store.about("recipe")), tuple(store.about("fields"))
    except BaseException:
        store.close()
        raise
