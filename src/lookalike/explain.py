"""Two items of any kind, compared exactly and explained."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from lookalike.errors import InputError
from lookalike.kinds import kind_named
from lookalike.options import READING, check_names, plain
from lookalike.plan import check_early, kind_asked, lasting_recipe
from lookalike.read import open_values
from lookalike.settings import with_recipe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from lookalike.comparison import Comparison, SetComparison, TextComparison
    from lookalike.options import Settings

    Elements = AbstractSet[Any] | Mapping[Any, float]
    """A set, or a weighted one."""


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
    settings, _ = with_recipe(settings)
    check_names(settings)
    settings = plain(settings)
    check_early(settings)
    if settings.get("transpose"):
        raise InputError("`transpose` applies to collections of sets. Leave it out to compare two items")
    if isinstance(left, Path) or isinstance(right, Path):
        raise InputError("compare takes two items, not files of them. Read them first")
    reading: dict[str, Any] = {name: value for name, value in settings.items() if name in READING}
    source = open_values([left, right], **reading, kind=kind_asked(settings))
    recipe, kind = lasting_recipe(settings, source.kind), kind_named(source.kind)
    (batch,) = source.batches()
    kind.check(batch, source, recipe)
    return kind.explain(recipe, batch.items)
