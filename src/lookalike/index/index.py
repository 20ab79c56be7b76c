"""An index on disk, as users know it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack, overload

import numpy as np
import pyarrow as pa

from lookalike.checks import plain_number
from lookalike.comparison import compare_items
from lookalike.errors import InputError, RecipeError
from lookalike.index import change
from lookalike.index.check import check
from lookalike.index.handle import Opened
from lookalike.index.kit import Types, column_of
from lookalike.index.rows import Arriving, as_ids, fitting, own_ids, refuse_unordered, two_items
from lookalike.index.snapshot import View, export, numbered, pieces, search_many
from lookalike.index.storage.database import Store
from lookalike.options import READING, Settings
from lookalike.plan import kind_of, lasting_recipe
from lookalike.read import open_source
from lookalike.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from lookalike.comparison import Comparison, TextComparison
    from lookalike.index.matches import Added, Match, Matches
    from lookalike.index.rows import Seen
    from lookalike.read import Kind, Reading, Source

MOST = 1 << 62
"""Matches of an item; more can be asked for and never be."""

OF_A_RUN = ("scratch", "measure_recall", "examples", "watcher")
"""Settings that mean nothing here."""


class Index:
    """Items on disk, to ask which of them resemble another.

        with Index.create("news.lookalike", threshold=0.8, fields=["title"]) as index:
            index.add(["a", "b"], [one, another], {"title": ["One", "Another"]})
            index.query(text)  # [Match(id='a', similarity=0.93, fields={'title': 'One'})]

    Whoever adds or deletes first is the one writer, until the index is closed; others may read meanwhile. What a method
    has returned from is on disk. An index may be used from several threads.

    Files need not be read as a whole: `index.add_source(index.source(Path("news.parquet"), id="url"))`.
    """

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    @classmethod
    def create(
        cls,
        path: Path | str,
        recipe: Recipe | None = None,
        *,
        fields: Sequence[str] = (),
        **settings: Unpack[Settings],
    ) -> Self:
        """Make an empty index, by a recipe or by the settings of one; `fields` are stored with items."""
        if recipe is not None and not isinstance(recipe, Recipe):
            raise RecipeError(f"`recipe` must be a Recipe. Got {recipe!r}; settings are given by name")
        wanted = settings.keys() - {"threads"}
        if unknown := wanted - (Settings.__annotations__.keys() - {*READING, *OF_A_RUN}):
            raise TypeError(f"{min(unknown)!r} is no setting of an index")
        if recipe is not None and wanted:
            raise RecipeError("Give a recipe, or the settings of one, not both")
        recipe = recipe or lasting_recipe(settings, kind_of(settings) or "texts")
        own = ("id", column_of(recipe), "query", recipe.measure.column)
        if isinstance(fields, str) or not isinstance(fields, Sequence) or not all(map(is_name, fields)):
            raise RecipeError(f"`fields` must be a list of names. Got {fields!r}")
        if set(own) & set(fields) or len(set(fields)) < len(fields):
            raise RecipeError(
                f"`fields` must be different names, and none of {', '.join(own)}, which are there anyway. "
                f"Got {', '.join(fields)}"
            )
        store = Store.create(Path(path), {"recipe": recipe.to_json(), "fields": list(fields)})
        return cls(Opened(store, settings.get("threads")))

    @classmethod
    def open(cls, path: Path | str, threads: int | None = None) -> Self:
        """Open an index that is there; it uses so many threads, or as many as there are cores."""
        return cls(Opened(Store.open(Path(path)), threads))

    @staticmethod
    def check(path: Path | str) -> list[str]:
        """Read every byte of an index, and return what is not as it was written, each in a sentence."""
        return check(Path(path))

    @property
    def path(self) -> Path:
        """The folder it is in, as it was given."""
        return self._opened.store.given

    @property
    def recipe(self) -> Recipe:
        """How items are compared."""
        recipe = self._opened.recipe
        return self._opened.view().recipe if recipe.measure.of == "bits" else recipe

    @property
    def fields(self) -> tuple[str, ...]:
        """What is stored with them."""
        return self._opened.fields

    @property
    def kind(self) -> Kind:
        """What its items are."""
        return self._opened.kind

    # Asking

    def query(self, item: Any, top: int | None = 10, threshold: float | None = None) -> list[Match]:  # noqa: ANN401 - an item
        """Return what resembles an item, the most similar first: at most `top`, all if None.

        The threshold is that of the index unless given. With a lower one, more similar items may be missed:
        `query_many` says how likely each is found.
        """
        if isinstance(item, str) and self.kind == "texts":  # the usual case, in a shorter way
            view = self._opened.view()
            return self._answer(view, iter([one_text(item)]), top, threshold)[0]
        return self.query_many([item], top, threshold)[0]

    def query_many(self, items: Any, top: int | None = 10, threshold: float | None = None) -> Matches:  # noqa: ANN401 - whatever holds items
        """Return what resembles each of many items."""
        return self.query_source(self.source(items), top, threshold)

    def query_source(
        self, source: Source, top: int | None = 10, threshold: float | None = None, seen: Seen | None = None
    ) -> Matches:
        """Return what resembles each item of a source; `seen` is called with each batch that is read."""
        view = self._opened.view()
        return self._answer(view, self._checked(source, view, seen), top, threshold)

    def _answer(self, view: View, items: Iterator[pa.Array], top: int | None, threshold: float | None) -> Matches:
        """Return what resembles each of the items, some of which come at a time."""
        if top is not None and (isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1):
            raise RecipeError(f"`top` must be a whole number, at least 1, or None (--all) for all. Got {top!r}")
        top = None if top is None else min(int(top), MOST)
        threshold = self.recipe.threshold if threshold is None else plain_number(threshold)
        self.recipe.measure.check(threshold)
        least = self.recipe.measure.score(float(threshold))
        with self._opened.asking():
            found, count = search_many(view, items, least, top, self._opened.threads)
        return view.answer(found, count, top, threshold)

    def _checked(self, source: Source, view: View, seen: Seen | None) -> Iterator[pa.Array]:
        """Yield the items of a source, if they can be compared with those of the index."""
        for batch in source.batches():
            if seen is not None:
                seen(batch)
            items = fitting(batch, source, view.types, self.recipe.measure).items
            if view.types is not None:
                view.types.refuse_others(Types.of(self.kind, items))
            yield from pieces(items)

    def get(self, id: Any) -> Any:  # noqa: A002, ANN401 - a name and an item of any kind
        """Return an item as it was added."""
        item = self._opened.view().item(id)[0].as_py()
        if self.kind != "weights" or item is None:
            return item
        return {one["element"]: one["weight"] for one in item}

    @overload
    def explain(self, item: str, id: object) -> TextComparison: ...
    @overload
    def explain(self, item: object, id: object) -> Comparison: ...
    def explain(self, item: object, id: object) -> Comparison:  # noqa: A002 - as `query` gives it
        """Compare an item with one of the index, and tell what they share."""
        view = self._opened.view()
        held = view.item(id)
        (asked,) = self._checked(self.source([item]), view, None)
        return compare_items(view.recipe, two_items(asked, held, self.kind))

    def explain_source(self, source: Source, matches: Matches) -> Iterator[Comparison | None]:
        """Compare each item of a source with what was found for it: yield a comparison for each row of the matches.

        It is None where the match has been deleted since, or replaced by another item.
        """
        view = self._opened.view()
        for first, items in numbered(self._checked(source, view, None)):
            if first + len(items) > matches.queries:
                raise InputError(
                    f"These matches are of {matches.queries:,} items, and there are more. Ask about them all"
                )
            for i in range(len(items)):
                for match in matches[first + i]:
                    try:
                        held = view.item(match.id)
                    except KeyError:
                        yield None
                        continue
                    found = compare_items(view.recipe, two_items(items.slice(i, 1), held, self.kind))
                    yield replace(found, threshold=matches.threshold) if found.value == match.value else None

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Yield all that is in the index, in the order it was added: id, item, stored fields."""
        return export(self._opened.view(), column_of(self.recipe))

    @property
    def schema(self) -> pa.Schema:
        """The columns of `rows`; all of them strings as long as nothing was added."""
        view, column = self._opened.view(), column_of(self.recipe)
        if view.schema is None or view.types is None:
            return pa.schema([(name, pa.large_string()) for name in ("id", column, *self.fields)])
        return view.schema.insert(1, pa.field(column, view.types.arrow))

    def info(self) -> dict[str, Any]:
        """Return what the index is and how large, as plain values."""
        view = self._opened.view()
        banding = self.recipe.banding
        return {
            "path": str(self.path),
            "items": len(view),
            "deleted": sum(len(one.gone) for one in view.held),
            "parts": len(view.held),
            "bytes": self._opened.store.size(),
            "commit": view.commit,
            "kind": self.kind,
            "shingle": str(self.recipe.shingling),
            "measure": self.recipe.measure.name,
            "threshold": self.recipe.threshold,
            "bands": banding.bands if banding else 0,
            "rows": banding.rows if banding else 0,
            "recall": self.recipe.recall,
            "fields": list(self.fields),
        }

    def __contains__(self, id: object) -> bool:  # noqa: A002 - what it is called
        view = self._opened.view()
        if view.schema is None:
            return False
        try:
            ids = as_ids([id], view.schema)
        except InputError:
            return False
        return len(view.locate(ids)[0]) > 0

    def __len__(self) -> int:
        return len(self._opened.view())

    # Changing

    def add(self, ids: Any, items: Any, fields: Any = None) -> int:  # noqa: ANN401 - whatever holds them
        """Add items under their ids, each of which is new; return how many.

        `ids` are strings or integers, None to number items on. `fields` is a dict or table of columns.
        """
        with self._opened.changing(), self._arriving(self.source(items)) as arriving:
            return change.add(self._opened, arriving.with_columns(ids, fields))

    def add_source(self, source: Source, seen: Seen | None = None) -> int:
        """Add the items of a source, with the ids and fields it has; `seen` is called with each batch that is read."""
        with self._opened.changing(), self._arriving(source, seen) as arriving:
            return change.add(self._opened, arriving.with_own_fields())

    def add_new(self, ids: Any, items: Any, fields: Any = None) -> Added:  # noqa: ANN401 - whatever holds them
        """Add only items that resemble none in the index, nor an earlier one of these; tell what the others match."""
        with self._opened.changing(), self._arriving(self.source(items)) as arriving:
            return change.add_new(self._opened, arriving.with_columns(ids, fields))

    def add_new_source(self, source: Source, seen: Seen | None = None) -> Added:
        """Add what is new in a source."""
        with self._opened.changing(), self._arriving(source, seen) as arriving:
            return change.add_new(self._opened, arriving.with_own_fields())

    @contextmanager
    def _arriving(self, source: Source, seen: Seen | None = None) -> Iterator[Arriving]:
        """Have items arrive, and remember which numbers are taken: also by those that were not added."""
        arriving = Arriving(source, self._opened, self._opened.store.about("next_id", 0), seen)
        yield arriving
        self._opened.store.set_about("next_id", arriving.next_id)

    def update(self, ids: Any, items: Any, fields: Any = None) -> int:  # noqa: ANN401 - whatever holds them
        """Replace items, or add those whose id is new; return how many were there."""
        with self._opened.changing():
            refuse_unordered(ids)
            ids = as_ids(ids, self._opened.view().schema)
            replaced = self.delete(ids)
            self.add(ids, items, fields)
            return replaced

    def update_source(self, source: Source, seen: Seen | None = None) -> int:
        """Replace items by those of a source, which has ids; its items are read twice."""
        if not source.has_ids:
            raise InputError("Items are replaced by their ids. Say which column has them with --id")
        with self._opened.changing():
            schema = self._opened.view().schema
            replaced = sum(self.delete(own_ids(source, batch, schema)) for batch in source.batches())
            self.add_source(source, seen)
            return replaced

    def delete(self, ids: Any) -> int:  # noqa: ANN401 - whatever holds them
        """Delete items; return how many of the ids were there."""
        with self._opened.changing():
            return change.delete(self._opened, ids)

    def compact(self, *, rebuild: bool = False) -> None:
        """Make one part of all, without what was deleted; with `rebuild`, all that follows from the items anew."""
        with self._opened.changing():
            change.compact(self._opened, rebuild=rebuild)
        with self._opened.guard:
            self._opened.store.shrink()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Change several things as one: all of them are there afterwards, or none if there is an error."""
        with self._opened.transaction():
            yield

    def close(self) -> None:
        """Close it; changes are on disk already."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        store = self._opened.store
        state = "closed" if store.closed or store.forked else f"{len(self):,} items"
        return f"Index({str(self.path)!r}, {state})"

    def source(self, items: Any, **reading: Unpack[Reading]) -> Source:  # noqa: ANN401 - whatever holds items
        """Open items to be read; how is said as for a run."""
        how: Reading = {**reading, "kind": self.kind}
        source = open_source(items, **how)
        if source.kind != self.kind:
            raise InputError(f"The index holds {self.kind}, and these are {source.kind}. Make an index of their own")
        return source


def is_name(name: object) -> bool:
    """Tell whether a column can be called so."""
    return isinstance(name, str) and bool(name) and name.isprintable()


def one_text(text: str) -> pa.Array:
    """Return a text as an Arrow array."""
    try:
        return pa.array([text], pa.large_string())
    except (pa.ArrowInvalid, UnicodeEncodeError) as error:
        raise InputError("The text holds half of a surrogate pair, which is not valid Unicode. Replace it") from error
