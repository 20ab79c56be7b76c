"""Long tables, a row for each element of each set, and transposed ones -> a set an item."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError, RecipeError
from lookalike.kernels.lists import gather

from .memory import TableSource
from .weights import paired

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .base import Kind, Options, Source

    Weights = NDArray[np.float64] | None


def baskets(source: Source, options: Options) -> Source:
    """Return the sets that the rows of a long table make, or the dual view; or else the source as it is.

    Sets are in the order in which their first element comes.
    """
    if options.weight and source.kind != "weights":
        raise RecipeError(
            f"`weight` True takes the numbers of a sparse matrix for weights, and the input holds {source.kind}. Give "
            "weighted sets as dicts, maps, a sparse matrix or a long table"
        )
    if options.transpose and source.kind not in ("elements", "weights"):
        raise RecipeError(f"`transpose` turns sets round: items and elements. The input holds {source.kind}")
    if not options.long and not options.transpose:
        return source
    rows = ((batch.ids, batch.items) for batch in source.batches()) if options.long else unrolled(source)
    names = (options.item, options.element) if options.long else ("item", source.text_column)
    items, elements, weights = encoded(rows)
    source.close()
    if weights is not None:
        items, elements, weights = without_zeros(items, elements, weights, dual=options.transpose)
    if options.transpose:
        items, elements, names = elements, items, names[::-1]
    item, element = (str(name) for name in names)
    table = pa.table({item: items.dictionary, element: lists(items, elements, weights)})
    kind: Kind = "elements" if weights is None else "weights"
    return TableSource(table, replace(options, kind=kind, id=item, text=element, item=None, element=None, weight=None))


def unrolled(source: Source) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yield the name of its set with each element of a source."""
    for batch in source.batches():
        rows = np.arange(batch.first, batch.first + len(batch))
        names = source.names(rows) if batch.ids is None else batch.ids
        yield names.take(pc.list_parent_indices(batch.items)), batch.items.flatten()


def encoded(rows: Iterator[tuple[pa.Array, pa.Array]]) -> tuple[pa.DictionaryArray, pa.DictionaryArray, Weights]:
    """Return the names of items and of elements as numbers, in the order in which they first come; and any weights."""
    columns: tuple[list[pa.Array], list[pa.Array]] = ([], [])
    weights: list[NDArray[np.float64]] = []
    for names, elements in rows:
        weighted = pa.types.is_struct(elements.type)
        weights += [elements.field(1).to_numpy()] if weighted else []
        for column, values in zip(columns, (names, elements.field(0) if weighted else elements), strict=True):
            column.append(values if pa.types.is_dictionary(values.type) else values.dictionary_encode())
    items, elements = map(united, columns)
    return items, elements, np.concatenate(weights) if weights else None


def without_zeros(
    items: pa.DictionaryArray, elements: pa.DictionaryArray, weights: NDArray[np.float64], *, dual: bool
) -> tuple[pa.DictionaryArray, pa.DictionaryArray, NDArray[np.float64]]:
    """Return the rows whose weight is above 0; an item that has no other is refused, or not there in the dual view."""
    there = weights > 0
    if there.all():
        return items, elements, weights
    has = np.bincount(items.indices.to_numpy(), there, len(items.dictionary))
    if not dual and not has.all():
        name = items.dictionary[int(np.argmin(has))].as_py()
        raise InputError(f"item {name!r}: all its weights are 0, so nothing can resemble it; drop its rows")
    kept = as_arrow(there)
    items, elements = (column.filter(kept).dictionary_decode().dictionary_encode() for column in (items, elements))
    return items, elements, weights[there]


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
