"""Long tables, which have one row per element of each set, and transposed collections -> one set per item."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import RecipeError
from lookalike.kernels.lists import gather

from .item_types import item_type, set_type
from .item_types.weighted import paired
from .memory import TableSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .base import Source
    from .options import Options

    Weights = NDArray[np.float64] | None


def gather_sets(source: Source, options: Options) -> Source:
    """Return the sets that the rows of a long table make, or the transposed collection; else the source as it is.

    Sets come in the order in which their first elements come.
    """
    _check(source, options)
    if not options.is_long_table and not options.transpose:
        return source
    rows = ((batch.ids, batch.items) for batch in source.batches()) if options.is_long_table else unrolled(source)
    names = (options.item, options.element) if options.is_long_table else ("item", source.text_column)
    items, elements, weights = encoded(rows)
    source.close()
    if weights is not None:
        items, elements, weights = without_zeros(items, elements, weights)
    if options.transpose:
        items, elements, names = elements, items, names[::-1]
    item, element = (str(name) for name in names)
    table = pa.table({item: items.dictionary, element: lists(items, elements, weights)})
    kind = set_type(weighted=weights is not None).name
    gathered = TableSource(
        table, replace(options, kind=kind, id=item, text=element, item=None, element=None, weight=None)
    )
    gathered.listing = source.listing
    return gathered


def _check(source: Source, options: Options) -> None:
    items = item_type(source.kind)
    if options.weight and not items.is_weighted:
        raise RecipeError(
            f"`weight` True reads the numbers in a sparse matrix as weights, but the input holds {items.name}. Pass "
            "weighted sets as dicts, maps, a sparse matrix or a long table"
        )
    if options.transpose and not items.is_set:
        raise RecipeError(f"`transpose` swaps the items and elements of sets, but the input holds {items.name}")


def unrolled(source: Source) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yield the elements of a source, with the id of the set that each is in."""
    for batch in source.batches():
        rows = np.arange(batch.first, batch.first + len(batch))
        ids = source.default_ids(rows) if batch.ids is None else batch.ids
        yield ids.take(pc.list_parent_indices(batch.items)), batch.items.flatten()


def encoded(rows: Iterator[tuple[pa.Array, pa.Array]]) -> tuple[pa.DictionaryArray, pa.DictionaryArray, Weights]:
    """Return items and elements as numbers, in the order in which they first come; and any weights."""
    columns: tuple[list[pa.Array], list[pa.Array]] = ([], [])
    weights: list[NDArray[np.float64]] = []
    for ids, elements in rows:
        weighted = pa.types.is_struct(elements.type)
        weights += [elements.field(1).to_numpy()] if weighted else []
        for column, values in zip(columns, (ids, elements.field(0) if weighted else elements), strict=True):
            column.append(values if pa.types.is_dictionary(values.type) else values.dictionary_encode())
    items, elements = map(united, columns)
    return items, elements, np.concatenate(weights) if weights else None


def without_zeros(
    items: pa.DictionaryArray, elements: pa.DictionaryArray, weights: NDArray[np.float64]
) -> tuple[pa.DictionaryArray, pa.DictionaryArray, NDArray[np.float64]]:
    """Return the rows whose weight is above 0; an item that has no other stays in the dictionary, as an empty set."""
    positive = weights > 0
    if positive.all():
        return items, elements, weights
    kept = as_arrow(positive)
    return items.filter(kept), elements.filter(kept), weights[positive]


def united(chunks: list[pa.Array]) -> pa.DictionaryArray:
    """Return chunks as one array with one dictionary."""
    empty = pa.array([], pa.dictionary(pa.int32(), pa.large_string()))
    return pa.chunked_array(chunks).unify_dictionaries().combine_chunks() if chunks else empty


def lists(items: pa.DictionaryArray, elements: pa.DictionaryArray, weights: Weights) -> pa.Array:
    """Return the elements of each item as a list, with any weights; repetitions stay, and so does the order."""
    owners, values = items.indices.to_numpy(), elements.indices.to_numpy()
    ends = np.cumsum(np.bincount(owners, minlength=len(items.dictionary)), dtype=np.int64)
    offsets = np.append(0, ends)
    gathered = np.empty_like(values)
    gather(owners, values, offsets[:-1].copy(), gathered)
    members = pa.DictionaryArray.from_arrays(as_arrow(gathered), elements.dictionary)
    if weights is not None:
        held = np.empty_like(weights)
        gather(owners, weights, offsets[:-1].copy(), held)
        members = paired(members, held)
    return pa.LargeListArray.from_arrays(as_arrow(offsets), members)
