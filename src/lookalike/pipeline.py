"""The whole flow: read, shingle, sign, band, verify, cluster. A line per stage."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from lookalike.checks import check_count, plain_number
from lookalike.engines.local.cluster import Keep, count_components
from lookalike.engines.local.clustering import clustering_named
from lookalike.engines.local.collect import collect
from lookalike.engines.local.examples import choose_examples
from lookalike.engines.local.expand import Groups, IndexedPairs
from lookalike.engines.local.nearest import find_nearest, without_bands
from lookalike.engines.local.recall import Listed, measure_recall
from lookalike.engines.local.run import Run
from lookalike.engines.local.search import prepare
from lookalike.engines.local.summarise import Counts, summarise
from lookalike.engines.local.verify import concatenate
from lookalike.errors import RecipeError
from lookalike.lsh import buckets
from lookalike.results import Clusters, Deduplicated, Nearest, Pairs, cluster_table, nearest_table, pair_table
from lookalike.settings import with_recipe
from lookalike.summary import recall_notes
from lookalike.tuning.tune import check_recall

if TYPE_CHECKING:
    from lookalike.options import Cluster, Settings


def find_pairs(items: Any, *, against: Any = None, **settings: Unpack[Settings]) -> Pairs:  # noqa: ANN401 - whatever holds items
    """Find all pairs of items whose similarity is at least the threshold, each verified.

    `items` is a list of texts, a dict of them by id, anything that speaks Arrow (a pyarrow, polars, pandas or duckdb
    table or column), or the path of a file, a folder or a glob, or several; see `read_items`. With `against`,
    only pairs of an item and one of those are found. The other arguments are those of `Settings`.

    >>> find_pairs(["the cat sat on the mat", "a dog", "The cat sat on the mat!"])
    Pairs: 1 among 3 items, similarity at least 0.8
      left  right  similarity
      0     2      1.0000
    """
    settings, _ = with_recipe(settings)
    with Run(settings, items, against) as run:
        collected = collect(run)
        search = prepare(run, collected)
        recipe = search.plan.recipe
        apart = np.arange(collected.items.count, dtype=np.int32)
        found = concatenate(search.pairs(apart, buckets.ALL))
        with run.stages.timed("expand"):
            groups = Groups(collected.copies, collected.boundary, recipe.measure.best)
            pairs = groups.expand(found).across(collected.boundary).directed(collected, recipe)
            table = pair_table(collected, pairs, recipe.measure)
            clusters = count_components(collected.items.count, pairs.left, pairs.right)
        examples = choose_examples(run, collected, search, pairs)
        measured = measure_recall(run, recipe, collected, Listed(found))
        counts = Counts(pairs=len(pairs), clusters=clusters, condensed=pairs.condensed)
        summary = summarise(run, recipe, collected, search.seen, counts, measured)
        for column in (pairs.left, pairs.right):
            column.flags.writeable = False
        return Pairs(table, summary, pairs.left, pairs.right, run.sources, recipe, examples)


def deduplicate(
    items: Any,  # noqa: ANN401 - whatever holds items
    *,
    keep: str | None = None,
    cluster: Cluster | None = None,
    **settings: Unpack[Settings],
) -> Deduplicated:
    """Keep one item of each cluster of similar items.

    `keep` chooses it: first (the default), last, longest, shortest, max:COLUMN or min:COLUMN. With `cluster="star"`
    (the default), every removed item resembles its keeper; with "chain", a chain of similar items connects the two. The
    other arguments are those of `find_pairs`.

    >>> deduplicate(["the cat sat on the mat", "a dog", "The cat sat on the mat!"]).kept
    ['the cat sat on the mat', 'a dog']
    """
    settings, own = with_recipe(settings, keep=keep, cluster=cluster)
    keep, cluster = own["keep"], own["cluster"]
    rule, clustering = Keep.parse(keep), clustering_named(cluster)
    with Run(settings, items, rank=rule.column) as run:
        collected = collect(run, rule)
        search = prepare(run, collected, united=True)
        recipe = search.plan.recipe
        clusters = clustering(run, collected, search, rule)
        found = clusters.members
        with run.stages.timed("cluster"):
            scores = search.verifier.scores_of_items(found.item, found.keeper, collected.copies, clusters.linked)
            table = cluster_table(collected.names(found.item), found, scores, recipe.measure)
        kept_pairs = IndexedPairs(found.keeper, found.item, scores, condensed=0)
        examples = choose_examples(run, collected, search, kept_pairs, found)
        mask = np.ones(collected.items.count, bool)
        mask[found.item] = found.kept
        mask.flags.writeable = False
        measured = measure_recall(run, recipe, collected, clusters.found())
        below = int(np.count_nonzero(scores < recipe.min_score))
        pairs, kept = clusters.pairs + collected.copies.count, int(mask.sum())
        counts = Counts(pairs=pairs, clusters=found.clusters, kept=kept, cluster=cluster, below=below)
        summary = summarise(run, recipe, collected, search.seen, counts, measured)
        return Deduplicated(Clusters(table, summary), summary, mask, run.source, items, recipe, keep, examples)


def nearest(items: Any, k: int | None = None, *, against: Any = None, **settings: Unpack[Settings]) -> Nearest:  # noqa: ANN401
    """Find the k (by default, 10) most similar other items of each, or the k items of `against` most similar to it.

    Scores are exact. For vectors by cosine, `recall` is the expected share of the k nearest that is found, 0.99 by
    default; every other search misses nothing. With `measure_recall`, that many items are searched exactly to measure
    it. A threshold leaves out less similar items. What shares nothing with an item is never listed, so there may be
    fewer than k. By containment, it is the item that is contained in the others.

    >>> nearest([{1, 2, 3}, {1, 2}, {2, 3, 4}], k=1)
    Nearest: 1 per item, for 3 items
      left  right  rank  similarity
      0     1      1     0.6667
      1     0      1     0.6667
      2     0      1     0.5000
    """
    settings, own = with_recipe(settings, k=k)
    k, recall = check_count("k", own["k"]), plain_number(settings.get("recall", 0.99))
    check_recall(recall)
    if settings.get("bands") is not None or settings.get("rows") is not None:
        raise RecipeError("`bands` and `rows` are for pairs. Leave them out: the nearest are found without")
    with Run(without_bands(settings), items, against) as run:
        collected = collect(run, searched=False)
        recipe = collected.items.recipe
        min_score = recipe.min_score if "threshold" in settings else -np.inf
        found = find_nearest(run, collected, k, recall, min_score=min_score)
        table, count = nearest_table(collected, found.queries, found.best.items, found.best.scores, recipe.measure)
        summary = summarise(run, recipe, collected, found.seen, Counts(pairs=count), found.measured)
        notes = (*summary.notes, *(recall_notes(found.measured) if found.recall < 1 else ()))
        return Nearest(table, replace(summary, recall=found.recall, notes=notes), k, recipe)
