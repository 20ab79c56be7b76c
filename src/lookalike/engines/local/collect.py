"""The first half of the flow: every item read, signed, and put on disk; items with the same shingles found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import null_as_zero
from lookalike.exact.prefixes import Sampler
from lookalike.features.shingles import Shingler
from lookalike.features.weighted import Weigher, WeightedSets, WeightSigner
from lookalike.kinds.space import SetSpace, Space, VectorSpace, WeightSpace
from lookalike.lsh.family import FAMILIES
from lookalike.lsh.minhash import Signer
from lookalike.store.ids import Ids
from lookalike.store.items import Copies, Items
from lookalike.store.sets import Sets
from lookalike.store.vectors import Vectors
from lookalike.tuning.vectors import settle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.engines.local.cluster import Keep
    from lookalike.engines.local.run import Run
    from lookalike.read import Batch, Source
    from lookalike.resources.progress import Advance


@dataclass(frozen=True)
class Collected:
    """All items of a run, ready to be compared."""

    items: Items | Vectors
    copies: Copies
    space: Space
    ids: tuple[Ids, ...]
    boundary: int | None
    """Where the items of the second collection begin, when two are compared."""
    ranks: pa.Array | None
    """What the keep rule compares."""
    sides: NDArray[np.uint8]
    """1, 2 or 3 for an original with copies in the first collection, the second, or both; empty for one collection."""

    def names(self, indices: NDArray[np.int64]) -> pa.Array:
        """Return the ids of items of the first collection."""
        return self.ids[0].take(indices)

    def names_against(self, indices: NDArray[np.int64]) -> pa.Array:
        """Return the ids of items of the last collection."""
        return self.ids[-1].take(indices - (self.boundary or 0))


def collect(run: Run, keep: Keep | None = None, *, searched: bool = True) -> Collected:
    """Read and sign all items, or sample them for an exact search; or neither, if they will not be searched at all."""
    ids: list[Ids] = []
    ranks: list[pa.Array] = []
    boundary = None
    collector = VectorCollector(run) if run.recipe.measure.of != "sets" else SetCollector(run, searched=searched)
    with run.stages.stage("sign", total_of(run)) as advance, run.stages.timed("sign"):
        for source in run.sources:
            boundary = collector.items.count if ids else None
            ids.append(Ids(source, run.scratch))
            collector.take(read(run, source, ids[-1], keep, ranks), source, advance)
            ids[-1].finish()
        copies = collector.finish()
    run.stages.seconds["sign"] -= run.stages.seconds.get("read", 0.0)
    sides = sides_of(copies, boundary)
    return Collected(collector.items, copies, collector.space(), tuple(ids), boundary, joined(ranks), sides)


class SetCollector:
    """Makes shingles of items and signs them."""

    def __init__(self, run: Run, *, searched: bool) -> None:
        self._run = run
        self._shingler, self._signer = makers(run, exactly=searched and run.recipe.banding is None)
        self.items = Items(run.scratch, fragile_below(run))

    def take(self, batches: Iterator[Batch], source: Source, advance: Advance) -> None:  # noqa: ARG002 - no item is wrong
        """Sign the items of a source."""
        for stored in self._run.threads.map(lambda batch: self.items.store(self._signer.sign(batch)), batches):
            self.items.append(stored)
            advance(stored.block.count)

    def finish(self) -> Copies:
        """Find the items with the same shingles, once all are there."""
        self.items.finish()
        return self.items.copies()

    def space(self) -> Space:
        """Return what the later stages ask."""
        if isinstance(self._shingler, Weigher):
            return WeightSpace(self._run, self.items, self._shingler, WeightedSets(self.items))
        sets = Sets(self.items, self._shingler, self._run.scratch, self._run.threads)
        return SetSpace(self._run, self.items, self._shingler, sets)


class VectorCollector:
    """Puts vectors on disk, decides how they are searched, and signs them if it is by bands."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.items = Vectors(run.scratch, run.recipe.measure)

    def take(self, batches: Iterator[Batch], source: Source, advance: Advance) -> None:
        """Look through the vectors of a source, and keep them."""
        first = 0
        for checked in self._run.threads.map(lambda batch: self.items.check(batch, source), batches):
            self.items.append(checked, source, first)
            first += len(checked.rows)
            advance(len(checked.rows))

    def finish(self) -> Copies:
        """Find the vectors that are the same, and sign all of them."""
        run, items = self._run, self.items
        items.finish()
        copies = items.copies()
        run.recipe = replace(run.recipe, measure=replace(run.recipe.measure, bits=items.bits))
        self.family = FAMILIES[run.recipe.measure.name](items, run.recipe)
        if run.recipe.banding is None and run.recall < 1:
            banding = settle(self.family, run.recipe, run.recall, copies.originals)
            run.recipe = replace(run.recipe, banding=banding)
        if banding := run.recipe.banding:
            blocks = run.threads.map(lambda part: items.store_keys(self.family.keys(part, banding)), items.parts())
            items.take_keys(list(blocks))
        return copies

    def space(self) -> Space:
        """Return what the later stages ask."""
        return VectorSpace(self._run, self.items, self.family)


def makers(run: Run, *, exactly: bool) -> tuple[Shingler, Signer | Sampler | WeightSigner]:
    """Return what makes the sets of items, and what signs them or samples them for an exact search."""
    shingling = run.recipe.shingling
    if shingling.kind == "weights":
        weigher = Weigher(shingling)
        return weigher, WeightSigner(run.recipe, weigher)
    shingler = Shingler(shingling)
    return shingler, Sampler(run.recipe, shingler) if exactly else Signer(run.recipe, shingler)


def total_of(run: Run) -> int | None:
    """Return how many items there are to sign, about, if that is known."""
    counts = [source.estimated_rows() for source in run.sources]
    return None if None in counts else sum(count for count in counts if count is not None)


def read(run: Run, source: Source, ids: Ids, keep: Keep | None, ranks: list[pa.Array]) -> Iterator[Batch]:
    """Yield the batches of a source, taking ids and ranks from them on the way."""
    for batch in run.stages.timed_each("read", source.batches()):
        ids.append(batch.ids)
        if keep is not None and keep.by_length:
            ranks.append(lengths(batch.items))
        elif batch.ranks is not None:
            ranks.append(batch.ranks)
        yield batch


def lengths(texts: pa.Array) -> pa.Array:
    """Return the length of each item: characters of a text, or token ids."""
    listed = pa.types.is_list(texts.type) or pa.types.is_large_list(texts.type)
    count = pc.list_value_length(texts) if listed else pc.utf8_length(texts)
    return null_as_zero(count.cast(pa.int64()))


def joined(ranks: list[pa.Array]) -> pa.Array | None:
    """Return the ranks of all batches as one array."""
    return pa.concat_arrays(ranks) if ranks else None


def sides_of(copies: Copies, boundary: int | None) -> NDArray[np.uint8]:
    """Tell for each original in which of two collections it or a copy of it is."""
    if boundary is None:
        return np.empty(0, np.uint8)
    sides = np.zeros(len(copies.original), np.uint8)
    for side, part in ((1, slice(0, boundary)), (2, slice(boundary, None))):
        originals = copies.original[part]
        sides[originals[originals >= 0]] |= side
    return sides


def fragile_below(run: Run) -> float:
    """Return the number of shingles below which one changed token brings an item under the threshold.

    Sets are not made of tokens: 0.
    """
    if run.recipe.shingling.kind in ("elements", "weights"):
        return 0.0
    threshold, size = run.recipe.least_jaccard, run.recipe.shingling.size
    return size * (1 + threshold) / (1 - threshold) if threshold < 1 else 0.0
