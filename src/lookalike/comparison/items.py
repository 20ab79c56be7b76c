"""Two items of any kind, compared exactly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np

from lookalike.comparison.base import Comparison, meetings
from lookalike.comparison.sets import SetComparison, compare_sets
from lookalike.comparison.texts import TextComparison, compare_texts
from lookalike.errors import InputError
from lookalike.lsh.family import FAMILIES
from lookalike.options import READING, Settings, check_names, plain
from lookalike.plan import check_early, kind_of, lasting_recipe
from lookalike.read import open_values
from lookalike.store.vectors import FewVectors, as_compared, fingerprints, matrix_of, refuse_wrong

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    import pyarrow as pa

    Elements = AbstractSet[Any] | Mapping[Any, float]
    """A set, or one with weights."""

    from lookalike.recipe import Recipe


@overload
def compare(left: str, right: str, **settings: Unpack[Settings]) -> TextComparison: ...
@overload
def compare(left: Elements, right: Elements, **settings: Unpack[Settings]) -> SetComparison: ...
@overload
def compare(left: object, right: object, **settings: Unpack[Settings]) -> Comparison: ...
def compare(left: object, right: object, **settings: Unpack[Settings]) -> Comparison:
    """Compare two items exactly: texts, sets, weighted sets, vectors. The other arguments are those of `find_pairs`.

    >>> compare("a rose is a rose is a rose", "a rose is a rose", shingle="words:2").similarity
    1.0
    >>> compare({"milk", "tea", "bread"}, {"milk", "tea"}).shared_elements
    ['milk', 'tea']

    Texts and token ids give a `TextComparison`, sets a `SetComparison`.
    """
    check_names(settings)
    settings = plain(settings)
    check_early(settings)
    if settings.get("transpose"):
        raise InputError("`transpose` turns a collection of sets round, and these are two items. Leave it out")
    if isinstance(left, Path) or isinstance(right, Path):
        raise InputError("compare takes two items, not files of them. Read them first")
    reading: dict[str, Any] = {name: value for name, value in settings.items() if name in READING}
    source = open_values([left, right], **reading, kind=kind_of(settings))
    recipe = lasting_recipe(settings, source.kind)
    (batch,) = source.batches()
    if recipe.measure.of == "vectors":
        refuse_wrong(batch, source, recipe.measure)
    return compare_items(recipe, batch.items)


def compare_items(recipe: Recipe, items: pa.Array) -> Comparison:
    """Compare the two items of an array, which have been looked through, as a recipe says."""
    if recipe.measure.of != "sets":
        return compare_vectors(recipe, items)
    return (compare_sets if recipe.shingling.kind in ("elements", "weights") else compare_texts)(recipe, items)


def compare_vectors(recipe: Recipe, items: pa.Array) -> Comparison:
    """Compare two vectors, or rows of bits."""
    if items.null_count:
        raise InputError("A null is no vector, and resembles nothing. Compare two vectors")
    rows = as_compared(matrix_of(items), recipe.measure)
    rows.flags.writeable = False
    measure = recipe.measure
    if measure.of == "bits":
        measure = replace(measure, bits=8 * items.type.list_size)
    family = FAMILIES[measure.name](FewVectors(rows), replace(recipe, measure=measure))
    one, other = np.array([0], np.int32), np.array([1], np.int32)
    prints = fingerprints(rows)
    score = measure.best if (prints[0] == prints[1]).all() else float(family.scores(one, other)[0])
    met = meetings(family.keys(slice(0, 2), recipe.banding)) if recipe.banding else 0
    return Comparison(measure.score(score), recipe.threshold, family.recipe, met)
