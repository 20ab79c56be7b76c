"""`Index`: items on disk that can be searched for similar ones."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack, overload

import numpy as np
import pyarrow as pa

from lookalike.checks import plain_number
from lookalike.errors import InputError, RecipeError
from lookalike.index import change
from lookalike.index.check import check
from lookalike.index.handle import Handle
from lookalike.index.ids import as_ids, batch_ids, refuse_unordered
from lookalike.index.merging import compact
from lookalike.index.rows import IncomingItems, fitting, two_items
from lookalike.index.search import numbered, search_many, split_batch
from lookalike.index.settings import check_fields, check_timeout, choose_recipe
from lookalike.index.storage.database import Database
from lookalike.index.storage.replacement import atomic_folder
from lookalike.index.types import Types
from lookalike.kinds import kind_named, kind_of
from lookalike.read import open_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from lookalike.comparison import Comparison, TextComparison
    from lookalike.index.matches import Added, Match, Matches
    from lookalike.index.rows import Seen
    from lookalike.index.snapshot import Snapshot
    from lookalike.options import DirectSettings, RecipeSource
    from lookalike.read import KindName, Reading, Source
    from lookalike.recipe import Recipe

MAX_TOP = 1 << 62
"""Larger values of `top` mean the same, and fit in no 64-bit integer."""


class Index:
    """An index of items on disk, which finds the items that resemble a query.

        with Index.create("news.lookalike", threshold=0.8, fields=["title"]) as index:
            index.add(["a", "b"], [one, another], {"title": ["One", "Another"]})
            index.query(text)  # [Match(id='a', similarity=0.93, fields={'title': 'One'})]

    The first to change an index is its only writer until it closes it; others may read meanwhile. When a method
    returns, its changes are on disk. An index may be used from several threads.

    Files are read in batches: `index.add_source(index.source(Path("news.parquet"), id="url"))`.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @classmethod
    def create(
        cls,
        path: Path | str,
        recipe: RecipeSource | None = None,
        *,
        fields: Sequence[str] = (),
        **settings: Unpack[DirectSettings],
    ) -> Self:
        """Create an empty index from a recipe or from settings; `fields` names the columns stored with items."""
        recipe = choose_recipe(recipe, settings)
        check_fields(fields, recipe)
        database = Database.create(Path(path), {"recipe": recipe.to_json(), "fields": list(fields)})
        return cls(Handle(database, settings.get("threads")))

    @classmethod
    @contextmanager
    def build(
        cls,
        path: Path | str,
        recipe: RecipeSource | None = None,
        *,
        fields: Sequence[str] = (),
        force: bool = False,
        timeout: float = 0,
        **settings: Unpack[DirectSettings],
    ) -> Iterator[Self]:
        """Build an index atomically: it appears at `path`, complete, at the end of a `with` block, or not at all.

        `force` replaces an index that exists, after waiting up to `timeout` seconds for its writer. Until the end of
        the block, the old one can be read but not changed.
        """
        with (
            atomic_folder(Path(path), force=force, timeout=check_timeout(timeout)) as folder,
            cls.create(folder, recipe, fields=fields, **settings) as index,
        ):
            yield index

    @classmethod
    def open(cls, path: Path | str, threads: int | None = None, *, timeout: float = 0) -> Self:
        """Open an existing index, with a number of threads, by default one per core.

        If another writer has it open, the first change waits up to `timeout` seconds for it to close, and then raises
        `IndexLockedError`. Queries never wait.
        """
        return cls(Handle(Database.open(Path(path), timeout=check_timeout(timeout)), threads))

    @staticmethod
    def check(path: Path | str) -> list[str]:
        """Read every byte of an index, and return a list of problems, one sentence each."""
        return check(Path(path))

    @property
    def path(self) -> Path:
        """The folder of the index, as it was passed."""
        return self._handle.database.given

    @property
    def recipe(self) -> Recipe:
        """How items are compared."""
        recipe = self._handle.recipe
        return self._handle.snapshot().recipe if recipe.measure.takes_bits else recipe

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the stored fields."""
        return self._handle.fields

    @property
    def kind(self) -> KindName:
        """Kind of the items."""
        return self._handle.kind

    # Queries

    def query(self, item: Any, top: int | None = 10, threshold: float | None = None) -> list[Match]:  # noqa: ANN401 - an item of any kind
        """Return the items that resemble a query, the most similar first: at most `top`, or all if None.

        `threshold` is by default that of the index. A lower one may miss more items: `query_many` returns the
        probability that each is found.
        """
        if isinstance(item, str) and kind_named(self.kind).is_text:  # a shortcut for the usual case
            snapshot = self._handle.snapshot()
            return self._search(snapshot, iter([one_text(item)]), top, threshold)[0]
        return self.query_many([item], top, threshold)[0]

    def query_many(self, items: Any, top: int | None = 10, threshold: float | None = None) -> Matches:  # noqa: ANN401 - any collection of items
        """Return the items that resemble each of many queries."""
        return self.query_source(self.source(items), top, threshold)

    def query_source(
        self, source: Source, top: int | None = 10, threshold: float | None = None, seen: Seen | None = None
    ) -> Matches:
        """Return the items that resemble each item of a source; `seen` is called with each batch that is read."""
        snapshot = self._handle.snapshot()
        return self._search(snapshot, self._comparable(source, snapshot, seen), top, threshold)

    def _search(
        self, snapshot: Snapshot, queries: Iterator[pa.Array], top: int | None, threshold: float | None
    ) -> Matches:
        """Return the matches of queries, which come in batches."""
        if top is not None and (isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1):
            raise RecipeError(f"`top` must be an integer of at least 1, or None for all matches. Got {top!r}")
        top = None if top is None else min(int(top), MAX_TOP)
        threshold = self.recipe.threshold if threshold is None else plain_number(threshold)
        self.recipe.measure.check(threshold)
        min_score = self.recipe.measure.score(float(threshold))
        with self._handle.querying():
            hits, count = search_many(snapshot, queries, min_score, top, self._handle.threads)
        return snapshot.matches(hits, count, top, threshold)

    def _comparable(self, source: Source, snapshot: Snapshot, seen: Seen | None) -> Iterator[pa.Array]:
        """Yield the items of a source in batches; raise if they cannot be compared with those of the index."""
        for batch in source.batches():
            if seen is not None:
                seen(batch)
            items = fitting(batch, source, snapshot.types, self.recipe).items
            if snapshot.types is not None:
                snapshot.types.refuse_others(Types.of(self.kind, items))
            yield from split_batch(items)

    def get(self, id: Any) -> Any:  # noqa: A002, ANN401 - an id of any type, an item of any kind
        """Return the item with an id, as it was added; raise KeyError if there is none."""
        return kind_named(self.kind).as_python(self._handle.snapshot().item(id)[0].as_py())

    @overload
    def explain(self, item: str, id: object) -> TextComparison: ...
    @overload
    def explain(self, item: object, id: object) -> Comparison: ...
    def explain(self, item: object, id: object) -> Comparison:  # noqa: A002 - named as in `Match`
        """Compare an item with one of the index, and return what they have in common."""
        snapshot = self._handle.snapshot()
        held = snapshot.item(id)
        (query,) = self._comparable(self.source([item]), snapshot, None)
        return kind_named(self.kind).explain(snapshot.recipe, two_items(query, held, self.kind))

    def explain_source(self, source: Source, matches: Matches) -> Iterator[Comparison | None]:
        """Compare each item of a source with its matches: yield one comparison per row of the matches.

        It is None if the match has been deleted since, or replaced by another item.
        """
        snapshot = self._handle.snapshot()
        for first, items in numbered(self._comparable(source, snapshot, None)):
            if first + len(items) > matches.queries:
                raise InputError(
                    f"The source has more items than the {matches.queries:,} queries of these matches. Pass the source "
                    "that was queried"
                )
            for i in range(len(items)):
                for match in matches[first + i]:
                    try:
                        held = snapshot.item(match.id)
                    except KeyError:
                        yield None
                        continue
                    found = kind_named(self.kind).explain(
                        snapshot.recipe, two_items(items.slice(i, 1), held, self.kind)
                    )
                    yield replace(found, threshold=matches.threshold) if found.value == match.value else None

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Yield the contents of the index, in the order of addition: id, item, stored fields."""
        return self._handle.snapshot().batches(kind_of(self.recipe).column)

    @property
    def schema(self) -> pa.Schema:
        """The schema of `rows`; all columns are strings until items are added."""
        snapshot, column = self._handle.snapshot(), kind_of(self.recipe).column
        if snapshot.schema is None or snapshot.types is None:
            return pa.schema([(name, pa.large_string()) for name in ("id", column, *self.fields)])
        return snapshot.schema.insert(1, pa.field(column, snapshot.types.arrow))

    def info(self) -> dict[str, Any]:
        """Return a description of the index, its settings and its size, as plain values."""
        snapshot = self._handle.snapshot()
        banding = self.recipe.banding
        return {
            "path": str(self.path),
            "items": len(snapshot),
            "deleted": sum(len(one.deleted) for one in snapshot.parts),
            "parts": len(snapshot.parts),
            "bytes": self._handle.database.size(),
            "commit": snapshot.commit,
            "kind": self.kind,
            "shingle": str(self.recipe.shingling),
            "measure": self.recipe.measure.name,
            "threshold": self.recipe.threshold,
            "bands": banding.bands if banding else 0,
            "rows": banding.rows if banding else 0,
            "recall": self.recipe.recall,
            "fields": list(self.fields),
        }

    def __contains__(self, id: object) -> bool:  # noqa: A002 - the usual name
        snapshot = self._handle.snapshot()
        if snapshot.schema is None:
            return False
        try:
            ids = as_ids([id], snapshot.schema)
        except InputError:
            return False
        return len(snapshot.locate(ids)[0]) > 0

    def __iter__(self) -> Iterator[Any]:
        """Yield the ids, in the order of addition, as of the latest commit."""
        return self._handle.snapshot().ids()

    def __len__(self) -> int:
        return len(self._handle.snapshot())

    # Changes

    def add(self, ids: Any, items: Any, fields: Any = None) -> int:  # noqa: ANN401 - any collections
        """Add items with new ids; return how many.

        `ids` are strings, integers or UUIDs, or None to number the items. A UUID is stored as a string, in its usual
        notation; any method that takes an id takes either form. `fields` is a dict or table of columns.
        """
        with self._handle.changing(), self._incoming(self.source(items)) as incoming:
            return change.add(self._handle, incoming.with_columns(ids, fields))

    def add_source(self, source: Source, seen: Seen | None = None) -> int:
        """Add the items of a source, with its ids and fields; `seen` is called with each batch that is read."""
        with self._handle.changing(), self._incoming(source, seen) as incoming:
            return change.add(self._handle, incoming.with_source_fields())

    def add_new(self, ids: Any, items: Any, fields: Any = None) -> Added:  # noqa: ANN401 - any collections
        """Add only items that resemble none in the index and no earlier one of these; return what was skipped."""
        with self._handle.changing(), self._incoming(self.source(items)) as incoming:
            return change.add_new(self._handle, incoming.with_columns(ids, fields))

    def add_new_source(self, source: Source, seen: Seen | None = None) -> Added:
        """Add only the new items of a source, as `add_new` does."""
        with self._handle.changing(), self._incoming(source, seen) as incoming:
            return change.add_new(self._handle, incoming.with_source_fields())

    @contextmanager
    def _incoming(self, source: Source, seen: Seen | None = None) -> Iterator[IncomingItems]:
        """Yield items to add, and record the numbers used for them, including those of items that were not added."""
        incoming = IncomingItems(source, self._handle, self._handle.database.metadata("next_id", 0), seen)
        yield incoming
        self._handle.database.set_metadata("next_id", incoming.next_id)

    def update(self, ids: Any, items: Any, fields: Any = None) -> int:  # noqa: ANN401 - any collections
        """Replace items, or add those whose id is new; return how many were replaced."""
        with self._handle.changing():
            refuse_unordered(ids)
            ids = as_ids(ids, self._handle.snapshot().schema)
            replaced = self.delete(ids)
            self.add(ids, items, fields)
            return replaced

    def update_source(self, source: Source, seen: Seen | None = None) -> int:
        """Replace items by those of a source, which must have ids; return how many. The source is read twice."""
        if not source.has_ids:
            raise InputError("Items are replaced by id, but the source has no ids. Name their column with `id`")
        with self._handle.changing():
            schema = self._handle.snapshot().schema
            replaced = sum(self.delete(batch_ids(source, batch, schema)) for batch in source.batches())
            self.add_source(source, seen)
            return replaced

    def delete(self, ids: Any) -> int:  # noqa: ANN401 - any collections
        """Delete items by id; return how many were in the index."""
        with self._handle.changing():
            return change.delete(self._handle, ids)

    def compact(self, *, rebuild: bool = False) -> None:
        """Merge all parts into one, without deleted items; with `rebuild`, compute signatures and postings again."""
        with self._handle.changing():
            compact(self._handle, rebuild=rebuild)
        with self._handle.guard:
            self._handle.database.vacuum()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make several changes in one transaction: all of them are committed, or none if there is an error."""
        with self._handle.transaction():
            yield

    def close(self) -> None:
        """Close the index. Changes are on disk already."""
        self._handle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        database = self._handle.database
        state = "closed" if database.closed or database.forked else f"{len(self):,} items"
        return f"Index({str(self.path)!r}, {state})"

    def source(self, items: Any, **reading: Unpack[Reading]) -> Source:  # noqa: ANN401 - any collection of items
        """Open items for reading, with the reading options of `find_pairs`."""
        how: Reading = {**reading, "kind": self.kind}
        source = open_source(items, **how)
        if source.kind != self.kind:
            raise InputError(f"The index holds {self.kind}, but these are {source.kind}. Create another index for them")
        return source


def one_text(text: str) -> pa.Array:
    """Return a text as an Arrow array."""
    try:
        return pa.array([text], pa.large_string())
    except (pa.ArrowInvalid, UnicodeEncodeError) as error:
        raise InputError("The text contains an unpaired surrogate, which is not valid Unicode. Replace it") from error
