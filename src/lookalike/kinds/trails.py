"""Trails: what a run makes of items on the way to their band keys, in a form that people can read.

A run never needs it, as it keeps nothing but the keys; `lookalike.trace` shows it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.comparison.sets import amounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from lookalike.lsh.minhash import Signer
    from lookalike.lsh.weighted import WeightSigner

Parts = dict[Any, float]
"""What an item consists of, by name: with 1, a count in a bag, a weight, or the number of a vector."""

Names = list[list[Any]]
"""For each item, the part that each slot of its signature comes from."""


@dataclass(frozen=True, slots=True)
class Trail:
    """What a run makes of items on the way to their band keys."""

    parts: list[Parts]
    """What each item consists of; nothing for a null."""
    slots: NDArray[Any]
    """The signatures: a row per slot, a column per item."""
    firsts: Callable[[], Names] | None = None
    """Names the part that each slot comes from, where a slot is the first of an item's parts in a random order."""


def join(trails: Iterable[Trail]) -> Trail:
    """Return the trails of several batches as one."""
    held = list(trails)
    makers = [trail.firsts for trail in held]
    known = [make for make in makers if make is not None]

    def firsts() -> Names:
        return list(chain.from_iterable(make() for make in known))

    return Trail(
        [parts for trail in held for parts in trail.parts],
        np.concatenate([trail.slots for trail in held], axis=1),
        firsts if len(known) == len(makers) else None,
    )


def shingle_trail(signer: Signer, items: pa.Array) -> Trail:
    """Return the trail of texts, or lists of tokens."""
    shingler = signer.shingler
    columns = shingler.columns(items)
    begins, ends = columns.offsets[:-1], columns.offsets[1:]
    names = [shingler.names(columns.data[begin:end]) for begin, end in zip(begins, ends, strict=True)]
    if shingler.shingling.bag:  # the grams of a bag are not in the order of its tokens
        return Trail([dict(Counter(one)) for one in names], signer.signatures(items))
    grams, counts = shingler.grams(columns.data, begins, ends)
    grams = grams.copy()
    slots = signer.signatures_of(grams, counts)

    def alone() -> Iterator[NDArray[np.uint64]]:
        for one in np.split(grams, np.cumsum(counts)[:-1]):
            yield signer.signatures_of(one, np.ones(len(one), np.int64))

    return Trail([dict.fromkeys(one, 1) for one in names], slots, lambda: first_parts(slots, names, alone()))


def element_trail(signer: Signer | WeightSigner, items: pa.Array, *, bag: bool = False) -> Trail:
    """Return the trail of sets, or of weighted sets."""
    parts = [amounts(item.as_py() or [], bag=bag) for item in items]
    slots = signer.signatures(items)
    if bag:
        return Trail(parts, slots)
    weighted = pa.types.is_struct(items.type.value_type)

    def alone() -> Iterator[NDArray[np.uint64]]:
        for one in parts:
            singles = [[{"element": name, "weight": weight}] if weighted else [name] for name, weight in one.items()]
            yield signer.signatures(pa.array(singles, items.type))

    return Trail(parts, slots, lambda: first_parts(slots, [list(one) for one in parts], alone()))


def first_parts(slots: NDArray[np.uint64], names: Names, alone: Iterable[NDArray[np.uint64]]) -> Names:
    """Return the part that each slot of each item comes from, given the signatures of its parts by themselves.

    The signature of a set is the least of those of its elements, slot by slot, so the first in the order of a slot is
    the element that has the same value by itself.
    """
    found = []
    for signature, parts, singles in zip(slots.T, names, alone, strict=True):
        same = singles == signature[:, None]
        found.append([parts[place] for place in same.argmax(axis=1)] if parts else [])
    return found
