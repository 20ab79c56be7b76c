"""The first half of the flow: every item read and stored, signed if its bands are known; equal items found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import null_as_zero
from lookalike.errors import RecipeError
from lookalike.kinds import Compared
from lookalike.plan import plan_early
from lookalike.store.ids import Ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.engines.local.cluster import Keep
    from lookalike.engines.local.run import Run
    from lookalike.kinds import Collection
    from lookalike.plan import Plan
    from lookalike.read import Batch, Source
    from lookalike.store.copies import Copies


@dataclass(frozen=True)
class Collected:
    """All items of a run, ready to be compared."""

    items: Collection
    copies: Copies
    compared: Compared
    ids: tuple[Ids, ...]
    boundary: int | None
    """Where the items of the second collection begin, when two are compared."""
    ranks: pa.Array | None
    """What the keep rule compares."""
    plan: Plan | None
    """The plan, if it does not depend on the items; they are signed then."""

    def names(self, indices: NDArray[np.int64]) -> pa.Array:
        """Return the ids of items of the first collection."""
        return self.ids[0].take(indices)

    def names_against(self, indices: NDArray[np.int64]) -> pa.Array:
        """Return the ids of items of the last collection."""
        return self.ids[-1].take(indices - (self.boundary or 0))


def collect(run: Run, keep: Keep | None = None, *, searched: bool = True) -> Collected:
    """Read and store all items. Those that will not be searched are neither signed nor sampled."""
    ids: list[Ids] = []
    ranks: list[pa.Array] = []
    boundary = None
    if keep is not None and keep.by_length and not run.kind.has_parts:
        raise RecipeError(
            f"`keep` must be first, last, max:COLUMN or min:COLUMN for {run.kind.name}, which have one length. Got "
            f"{keep.rule}"
        )
    plan = plan_early(run.asked, chooses_early=run.kind.chooses_early)
    recipe = plan.recipe if plan else run.asked.recipe
    make = run.kind.whole_collection if recipe.shingling.feature.whole else run.kind.collection
    items = make(recipe, run.resources, searched=searched)
    with run.stages.stage("sign", estimated_items(run)) as advance, run.stages.timed("sign"):
        for source in run.sources:
            boundary = items.count if ids else None
            ids.append(Ids(source, run.scratch))
            items.add(read(run, source, ids[-1], keep, ranks), source, advance)
            ids[-1].finish()
        copies = items.finish()
        if plan is not None:
            plan = replace(plan, recipe=items.recipe)
        if plan is not None and plan.recipe.banding is not None:
            items.sign(plan.recipe.banding)
    compared = Compared(copies.originals, sides_of(copies, boundary))
    return Collected(items, copies, compared, tuple(ids), boundary, joined(ranks), plan)


def estimated_items(run: Run) -> int | None:
    """Return approximately how many items there are to sign, if that is known."""
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


def lengths(items: pa.Array) -> pa.Array:
    """Return the length of each item: characters of a text, or elements of a list."""
    listed = pa.types.is_list(items.type) or pa.types.is_large_list(items.type)
    count = pc.list_value_length(items) if listed else pc.utf8_length(items)
    return null_as_zero(count.cast(pa.int64()))


def joined(ranks: list[pa.Array]) -> pa.Array | None:
    """Return the ranks of all batches as one array."""
    return pa.concat_arrays(ranks) if ranks else None


def sides_of(copies: Copies, boundary: int | None) -> NDArray[np.uint8]:
    """Return for each original which of two collections it or a copy of it is in: 1, 2, or 3 for both."""
    if boundary is None:
        return np.empty(0, np.uint8)
    sides = np.zeros(len(copies.original), np.uint8)
    for side, part in ((1, slice(0, boundary)), (2, slice(boundary, None))):
        originals = copies.original[part]
        sides[originals[originals >= 0]] |= side
    return sides
