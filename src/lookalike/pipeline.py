"""The whole flow: read, shingle, sign, band, verify, cluster. Each step is the module of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from lookalike.engines.local.cluster import Components, Keep, count_components, members
from lookalike.engines.local.collect import collect
from lookalike.engines.local.expand import Groups, IndexedPairs
from lookalike.engines.local.run import Run
from lookalike.engines.local.search import Search
from lookalike.engines.local.verify import concatenate
from lookalike.examples import gather
from lookalike.lsh import buckets as band
from lookalike.results import Clusters, Deduplicated, Pairs, cluster_table, pair_table
from lookalike.summary import summarise
from lookalike.tuning.recall import Connected, Listed, measure

if TYPE_CHECKING:
    from lookalike.options import Settings


def find_pairs(items: Any, *, against: Any = None, **settings: Unpack[Settings]) -> Pairs:  # noqa: ANN401 - whatever holds texts
    """Find all pairs of items whose similarity is at least the threshold, each verified.

    `items` is a list of texts, a dict of them by id, anything that speaks Arrow (a pyarrow, polars, pandas or duckdb
    table or column), or the path of a file, a folder or a glob, or several; see `read_items`. With `against`,
    only pairs of an item and one of those are found. The other arguments are those of `Settings`.

    >>> find_pairs(["the cat sat on the mat", "a dog", "The cat sat on the mat!"])
    Pairs: 1 among 3 items, similarity at least 0.8
      left  right  similarity
      0     2      1.0000
    """
    with Run(settings, items, against) as run:
        collected = collect(run)
        search = Search(run, collected)
        apart = np.arange(collected.items.count, dtype=np.int32)
        found = concatenate(search.pairs(apart, band.ALL))
        with run.stages.timed("expand"):
            groups = Groups(collected.copies, collected.boundary, run.recipe.measure.best)
            pairs = groups.expand(found).across(collected.boundary)
            pairs = collected.space.directed(pairs, collected)
            table = pair_table(collected, pairs, run.recipe.measure)
            clusters = count_components(collected.items.count, pairs.left, pairs.right)
        examples = gather(run, collected, search.verifier, pairs, search.rejected)
        measured = measure(run, collected, Listed(found))
        counts = {"pairs": len(pairs), "clusters": clusters, "condensed": pairs.condensed}
        summary = summarise(run, collected, search.seen, measured, **counts)
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
        search = Search(run, collected)
        components = Components(collected.items.count)
        linked = []
        for pairs in search.pairs(components.roots, band.ONE):
            components.unite(pairs)
            linked.append(pairs)
        with run.stages.stage("cluster"), run.stages.timed("cluster"):
            found = members(components.roots, collected.copies, rule, collected.ranks)
            similarity = search.verifier.similarity_of_items(found.item, found.keeper, collected.copies, linked)
            table = cluster_table(collected.names(found.item), found, similarity, run.recipe.measure)
        members_of = IndexedPairs(found.keeper, found.item, similarity, condensed=0)
        examples = gather(run, collected, search.verifier, members_of, search.rejected, found)
        mask = np.ones(collected.items.count, bool)
        mask[found.item] = found.kept
        mask.flags.writeable = False
        measured = measure(run, collected, Connected(components.roots))
        counts = {
            "pairs": sum(map(len, linked)) + collected.copies.count,
            "clusters": found.clusters,
            "kept": int(mask.sum()),
        }
        summary = summarise(run, collected, search.seen, measured, **counts)
        return Deduplicated(Clusters(table, summary), summary, mask, run.source, items, run.recipe, keep, examples)
