"""The whole flow: read, shingle, sign, band, verify, cluster. Each step is the module of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from lookalike import band, exact
from lookalike.cluster import Components, Keep, count_components, members
from lookalike.collect import Collected, collect
from lookalike.expand import Groups
from lookalike.measure import Connected, Listed, measure
from lookalike.results import Clusters, Deduplicated, Pairs, cluster_table, pair_table
from lookalike.settings import Run, Settings
from lookalike.summary import summarise
from lookalike.verify import Verified, Verifier, concatenate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def find_pairs(items: Any, *, against: Any = None, **settings: Unpack[Settings]) -> Pairs:  # noqa: ANN401 - whatever holds texts
    """Find all pairs of items whose similarity is at least the threshold, each verified.

    `items` is a list of texts, a dict of them by id, anything that speaks Arrow (a pyarrow, polars, pandas or duckdb
    table or column), or a `pathlib.Path` (or several) of files. With `against`, only pairs of an item and one of those
    are found. The other arguments are those of `Settings`.

    >>> find_pairs(["the cat sat on the mat", "a dog", "The cat sat on the mat!"])
    Pairs: 1 among 3 items, similarity at least 0.8
      left  right  similarity
      0     2      1.0000
    """
    with Run(settings, items, against) as run:
        collected = collect(run)
        verifier = Verifier(collected.sets, run.threads)
        apart = np.arange(collected.items.count, dtype=np.int32)
        seen = band.Seen()
        found = concatenate(search(run, collected, verifier, apart, seen, band.ALL))
        with run.stages.timed("expand"):
            pairs = Groups(collected.copies, collected.boundary).expand(found).across(collected.boundary)
            table = pair_table(collected, pairs)
            clusters = count_components(collected.items.count, pairs.left, pairs.right)
        measured = measure(run, collected, Listed(found))
        counts = {"pairs": len(pairs), "clusters": clusters, "condensed": pairs.condensed}
        summary = summarise(run, collected, seen, measured, **counts)
        for column in (pairs.left, pairs.right):
            column.flags.writeable = False
        return Pairs(table, summary, pairs.left, pairs.right, run.sources)


def deduplicate(items: Any, *, keep: str = "first", **settings: Unpack[Settings]) -> Deduplicated:  # noqa: ANN401
    """Keep one item of each cluster of similar items.

    `keep` says which: first, last, longest, shortest, max:COLUMN or min:COLUMN. The other arguments are those of
    `find_pairs`.

    >>> deduplicate(["the cat sat on the mat", "a dog", "The cat sat on the mat!"]).kept
    ['the cat sat on the mat', 'a dog']
    """
    rule = Keep.parse(keep)
    with Run(settings, items, rank=rule.column) as run:
        collected = collect(run, rule)
        verifier = Verifier(collected.sets, run.threads)
        components = Components(collected.items.count)
        seen = band.Seen()
        linked = 0
        for pairs in search(run, collected, verifier, components.roots, seen, band.ONE):
            components.unite(pairs)
            linked += len(pairs)
        with run.stages.stage("cluster"), run.stages.timed("cluster"):
            found = members(components.roots, collected.copies, rule, collected.ranks)
            similarity = verifier.similarity_of_items(found.item, found.keeper, collected.copies)
            table = cluster_table(collected.names(found.item), collected.names(found.keeper), found, similarity)
        mask = np.ones(collected.items.count, bool)
        mask[found.item] = found.kept
        mask.flags.writeable = False
        measured = measure(run, collected, Connected(components.roots))
        counts = {"pairs": linked + collected.copies.count, "clusters": found.clusters, "kept": int(mask.sum())}
        summary = summarise(run, collected, seen, measured, **counts)
        return Deduplicated(Clusters(table, summary), summary, mask, run.source, items)


def search(
    run: Run, collected: Collected, verifier: Verifier, roots: NDArray[np.int32], seen: band.Seen, width: int
) -> Iterator[Verified]:
    """Yield the pairs among items of different roots, bucket by bucket; the caller may unite roots meanwhile."""
    exactly = exact.Search(collected, run.recipe.threshold, run.scratch, run.threads)
    buckets: Iterator[band.Buckets]
    if run.recipe.banding is None:
        with run.stages.stage("filter"), run.stages.timed("filter"):
            prefixes = exactly.everywhere()
        rounds, buckets = prefixes.shares, prefixes.buckets(width)
    else:
        rounds = run.recipe.banding.bands
        buckets = band.buckets(collected.items, collected.copies.originals, rounds, run.threads, width=width)
    with run.stages.stage("compare", rounds) as advance:
        for found in run.stages.timed_each("band", buckets):
            proposals = found.proposals(roots, collected.sides, seen, lambda some: exactly.among(some).buckets(width))
            for candidates in run.stages.timed_each("band", proposals):
                with run.stages.timed("verify"):
                    pairs = verifier.verify(candidates, run.recipe.threshold)
                yield pairs
            advance(1)
