"""The whole flow: read, shingle, sign, band, verify, cluster. Each step is the module of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from lookalike import band
from lookalike.cluster import Components, Keep, count_components, members
from lookalike.collect import Collected, collect
from lookalike.examples import Rejected, gather
from lookalike.expand import Groups, IndexedPairs
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
        verifier = Verifier(collected.items, collected.shingler, run.scratch, run.threads)
        apart = np.arange(collected.items.count, dtype=np.int32)
        seen = band.Seen()
        rejected = Rejected(run.examples)
        found = concatenate(search(run, collected, verifier, apart, seen, rejected, band.ALL))
        with run.stages.timed("expand"):
            pairs = Groups(collected.copies, collected.boundary).expand(found).across(collected.boundary)
            table = pair_table(collected, pairs)
            clusters = count_components(collected.items.count, pairs.left, pairs.right)
        examples = gather(run, collected, verifier, pairs, rejected)
        summary = summarise(run, collected, seen, pairs=len(pairs), clusters=clusters, condensed=pairs.condensed)
        for column in (pairs.left, pairs.right):
            column.flags.writeable = False
        return Pairs(table, summary, pairs.left, pairs.right, run.sources, run.recipe, examples)


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
        verifier = Verifier(collected.items, collected.shingler, run.scratch, run.threads)
        components = Components(collected.items.count)
        seen = band.Seen()
        rejected = Rejected(run.examples)
        linked = 0
        for pairs in search(run, collected, verifier, components.roots, seen, rejected, band.ONE):
            components.unite(pairs)
            linked += len(pairs)
        with run.stages.stage("cluster"), run.stages.timed("cluster"):
            found = members(components.roots, collected.copies, rule, collected.ranks)
            similarity = verifier.similarity_of_items(found.item, found.keeper, collected.copies)
            table = cluster_table(collected.names(found.item), collected.names(found.keeper), found, similarity)
        members_of = IndexedPairs(found.keeper, found.item, similarity, condensed=0)
        examples = gather(run, collected, verifier, members_of, rejected, found)
        mask = np.ones(collected.items.count, bool)
        mask[found.item] = found.kept
        mask.flags.writeable = False
        copies = collected.copies.count
        summary = summarise(run, collected, seen, pairs=linked + copies, clusters=found.clusters, kept=int(mask.sum()))
        return Deduplicated(Clusters(table, summary), summary, mask, run.source, items, run.recipe, keep, examples)


def search(
    run: Run,
    collected: Collected,
    verifier: Verifier,
    roots: NDArray[np.int32],
    seen: band.Seen,
    rejected: Rejected,
    width: int,
) -> Iterator[Verified]:
    """Yield the pairs among items of different roots, bucket by bucket; the caller may unite roots meanwhile."""
    bands = run.recipe.banding.bands if run.recipe.banding else 0
    threshold = run.recipe.threshold
    buckets = band.buckets(collected.items, collected.copies.originals, bands, run.threads, width=width)
    with run.stages.stage("compare", bands) as advance:
        for found in run.stages.timed_each("band", buckets):
            proposals = found.proposals(roots, collected.sides, seen, lambda items: verifier.join(items, threshold))
            for candidates in run.stages.timed_each("band", proposals):
                with run.stages.timed("verify"):
                    pairs = verifier.verify(candidates, threshold)
                rejected.see(candidates, pairs)
                yield pairs
            advance(1)
