"""Long tables, a row for each element of each set, and transposed ones -> a set an item."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrow import as_arrow
from lookalike.errors import RecipeError
from lookalike.kernels.lists import gather

from .memory import TableSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .base import Options, Source


def baskets(source: Source, options: Options) -> Source:
    """Return the sets that the rows of a long table make, or the dual view; or else the source as it is.

    Sets are in the order in which their first element comes.
    """
    if options.transpose and source.kind != "elements":
        raise RecipeError(f"`transpose` turns sets round: items and elements. The input holds {source.kind}")
    if not options.long and not options.transpose:
        return source
    rows = ((batch.ids, batch.items) for batch in source.batches()) if options.long else unrolled(source)
    names = (options.item, options.element) if options.long else ("item", source.text_column)
    items, elements = encoded(rows)
    source.close()
    if options.transpose:
        items, elements, names = elements, items, names[::-1]
    item, element = (str(name) for name in names)
    table = pa.table({item: items.dictionary, element: lists(items, elements)})
    return TableSource(table, replace(options, kind="elements", id=item, text=element, item=None, element=None))


def unrolled(source: Source) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yield the name of its set with each element of a source."""
    for batch in source.batches():
        rows = np.arange(batch.first, batch.first + len(batch))
        names = source.names(rows) if batch.ids is None else batch.ids
        yield names.take(pc.list_parent_indices(batch.items)), batch.items.flatten()


def encoded(rows: Iterator[tuple[pa.Array, pa.Array]]) -> tuple[pa.DictionaryArray, pa.DictionaryArray]:
    """Return the names of items and of elements as numbers, in the order in which they first come."""
    columns: tuple[list[pa.Array], list[pa.Array]] = ([], [])
    for pair in rows:
        for column, values in zip(columns, pair, strict=True):
            column.append(values if pa.types.is_dictionary(values.type) else values.dictionary_encode())
    items, elements = map(united, columns)
    return items, elements


def united(chunks: list[pa.Array]) -> pa.DictionaryArray:
    """Return chunks as one array with one dictionary."""
    empty = pa.array([], pa.dictionary(pa.int32(), pa.large_string()))
    return pa.chunked_array(chunks).unify_dictionaries().combine_chunks() if chunks else empty


def lists(items: pa.DictionaryArray, elements: pa.DictionaryArray) -> pa.Array:
    """Return the elements of each item as a list; repetitions stay, and so does the order."""
    owners, values = items.indices.to_numpy(), elements.indices.to_numpy()
    ends = np.cumsum(np.bincount(owners, minlength=len(items.dictionary)), dtype=np.int64)
    offsets = np.append(0, ends)
    gathered = np.empty_like(values)
    gather(owners, values, offsets[:-1].copy(), gathered)
    members = pa.DictionaryArray.from_arrays(as_arrow(gathered), elements.dictionary)
    return pa.LargeListArray.from_arrays(as_arrow(offsets), members)
