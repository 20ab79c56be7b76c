"""From options to a recipe, and from a recipe to a plan: bands, or an exact search, chosen once.

    Asked     what the options ask for: a recipe whose bands are open unless they are given, and a recall
    Plan      what will be done: the same recipe with its bands, or without any for an exact search

Bands that follow from the recipe alone are chosen before items are read (`plan_early`), so that items are signed while
they are read. Others are chosen when the items are known (`plan_for`), as the cost model tells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lookalike.errors import RecipeError
from lookalike.features.registry import feature_of_kind, kinds_measured, whole_feature
from lookalike.features.shingling import Shingling
from lookalike.lsh.banding import Banding
from lookalike.measures import NAMES, Measure
from lookalike.options import SWITCHES, Settings, option, plain
from lookalike.read.item_types import default_type, set_type
from lookalike.recipe import Recipe
from lookalike.tuning.tune import check_recall, tune

if TYPE_CHECKING:
    from lookalike.kinds.base import Estimates, SignedEstimates

DEFAULT_KIND = default_type().name
"""The kind of items, where nothing implies another one."""

RECALL: float = option("recall").default
THRESHOLD: float = option("threshold").default

COPIES_IGNORE = ("threshold", "measure", "tolerance", "recall", "bands", "rows", "sketch", "seed", "measure_recall")
"""Options without a meaning where only equal items are found."""

COPIES_MEAN = {"threshold": 1, "recall": 1}
"""What is true of them all the same."""

WORTHWHILE = 0.8
"""The share of the time of a plan that another one may take, to be worth the change."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options of a run ask for."""

    recipe: Recipe
    """Without bands, unless they are given."""
    recall: float
    """The chance wanted that a pair at the threshold is found; 1 for an exact search."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will do."""

    recipe: Recipe
    """With the bands chosen; without any, the search is exact."""
    is_open: bool = False
    """Whether its bands follow from the recipe alone, and may turn out not to suit the items."""
    reason: str = ""
    """Why it is not the plan that follows from the recipe, if it is another one."""
    seconds: float = 0.0
    """How long the search is expected to take on one core, if it was estimated."""

    @property
    def exact(self) -> bool:
        """Whether the search is exact."""
        return self.recipe.banding is None


def plan_early(asked: Asked, *, chooses_early: bool) -> Plan | None:
    """Return the plan if it does not depend on the items: bands are given, useless, or follow from the recipe."""
    recipe = asked.recipe
    if recipe.banding is not None or asked.recall == 1 or not recipe.measure.banded:
        return Plan(recipe)
    return Plan(with_bands(asked), is_open=True) if chooses_early else None


def plan_for(asked: Asked, recipe: Recipe, estimates: Estimates) -> Plan:
    """Return the plan for a collection: the fastest of all bandings that reach the recall, or an exact search.

    `recipe` is the one asked for, with what is known of the items by now.
    """
    from lookalike.tuning.bandings import sampled_bandings  # noqa: PLC0415 - needs NumPy
    from lookalike.tuning.cost import cheapest  # noqa: PLC0415

    if estimates.exact_is_cheap:
        return Plan(recipe)
    bandings = sampled_bandings(recipe, asked.recall)
    return Plan(replace(recipe, banding=cheapest(bandings, estimates.seconds, estimates.exact_seconds)))


def plan_again(asked: Asked, plan: Plan, estimates: SignedEstimates) -> Plan:
    """Return the plan, or another one where much more would meet in its bands than is similar.

    The other one is the faster of an exact search and of bands with more rows, which must save a good part of the time:
    estimates are not that precise.
    """
    from lookalike.tuning.bandings import sampled_bandings  # noqa: PLC0415 - needs NumPy
    from lookalike.tuning.cost import cheapest  # noqa: PLC0415

    bands = plan.recipe.banding
    assert bands is not None  # noqa: S101 - open plans have bands
    taken = estimates.seconds(bands)
    limit = WORTHWHILE * taken
    longer = (one for one in sampled_bandings(plan.recipe, asked.recall) if one.rows > bands.rows)
    better = cheapest(longer, estimates.seconds, limit)
    least = estimates.seconds(better) if better else limit
    if estimates.least_exact_seconds < least and estimates.exact_seconds < least:
        better, least = None, estimates.exact_seconds
    elif better is None:
        return replace(plan, is_open=False, seconds=taken)
    chosen = f"{better.bands} bands of {better.rows} rows are used" if better else "the search is exact"
    reason = (
        f"about {estimates.candidates:,.2g} candidates would have shared a bucket in {bands.bands} bands of "
        f"{bands.rows} rows: {chosen} instead, which is faster here"
    )
    return Plan(replace(plan.recipe, banding=better), reason=reason, seconds=least)


def lasting_recipe(settings: Settings, kind: str) -> Recipe:
    """Return a recipe that must do before any items are known, as that of an index.

    Sets have the bands that follow from the threshold; vectors and bits have none unless they are given.
    """
    asked = ask(settings, kind)
    if asked.recipe.shingling.feature.whole:
        raise RecipeError("`exact_copies` is for deduplicate and find_pairs. Leave it out")
    return with_bands(asked)


def with_bands(asked: Asked) -> Recipe:
    """Return the recipe with the bands that follow from threshold and recall alone, if they do."""
    recipe, measure = asked.recipe, asked.recipe.measure
    if recipe.banding is not None or asked.recall == 1 or not measure.banded or measure.unrelated_slot is not None:
        return recipe
    return replace(recipe, banding=tune(recipe.threshold, asked.recall, measure=measure.name, of=measure.of))


def ask(settings: Settings, kind: str) -> Asked:
    """Return what options ask for, for items of a kind."""
    given: dict[str, Any] = dict(plain(settings))
    shingling = shingling_of(given, kind)
    if shingling.feature.whole:
        return ask_for_copies(given, shingling)
    measure = Measure(
        given.get("measure") or NAMES[shingling.feature.of][0], shingling.feature.of, given.get("tolerance")
    )
    if measure.is_distance and "threshold" not in given:
        raise RecipeError(f"`threshold` must be the maximum distance of two items, for the measure {measure.name}")
    recall = given.get("recall", RECALL)
    check_recall(recall)
    options = {key: given[key] for key in ("sketch", "seed") if key in given}
    recipe = Recipe(shingling, banding_of(given), given.get("threshold", THRESHOLD), measure=measure, **options)
    return Asked(recipe, recall)


def ask_for_copies(given: dict[str, Any], shingling: Shingling) -> Asked:
    """Return what options ask for that look for equal items only; those of similarity do not apply."""
    for name in COPIES_IGNORE:
        if given.get(name) not in (None, option(name).default, COPIES_MEAN.get(name)):
            raise RecipeError(f"`exact_copies` finds items that are equal, so `{name}` does not apply. Leave it out")
    return Asked(Recipe(shingling, None, 1.0), 1.0)


def shingling_of(given: dict[str, Any], kind: str) -> Shingling:
    """Return the shingling that options ask for, or the default one of the kind."""
    usual = feature_of_kind(kind)
    switches = {name: given[name] for name in SWITCHES if name in given}
    default = f"{usual.name}:{usual.size}" if usual.sized else usual.name
    if given.get("exact_copies"):
        default = whole_feature(kind).name
        if given.get("shingle") not in (None, default):
            raise RecipeError("`exact_copies` finds items that are equal, so `shingle` does not apply. Leave it out")
    shingling = Shingling.parse(given.get("shingle") or default, **switches)
    if shingling.feature.kind != kind:
        raise RecipeError(f"`shingle` {shingling} does not apply to {usual.items}. Leave it out")
    return shingling


def banding_of(given: dict[str, Any]) -> Banding | None:
    """Return the banding that options give, if they do."""
    bands, rows = given.get("bands"), given.get("rows")
    if (bands is None) != (rows is None):
        raise RecipeError("`bands` and `rows` go together: give both, or neither and a `recall`")
    if bands is None or rows is None:
        return None
    if given.get("recall", RECALL) == 1:
        raise RecipeError(
            "`recall` 1 is an exact search, which has no bands. Leave `bands` and `rows` out, or lower the recall"
        )
    return Banding(bands, rows)


def kind_asked(settings: Settings) -> str | None:
    """Return the kind that items must be, if options imply one."""
    shingle = str(settings.get("shingle") or "")
    if settings.get("element") is not None:  # a long table
        weighted = bool(settings.get("weight"))
        if shingle == set_type(weighted=True).name and not weighted:
            raise RecipeError(f"`weight` must be the column of weights of a long table, for the shingle {shingle}")
        return set_type(weighted=weighted).name
    if shingle:
        return Shingling.parse(shingle).feature.kind
    kinds = kinds_measured(str(settings.get("measure") or ""))
    return kinds.pop() if len(kinds) == 1 else None


def check_early(settings: Settings) -> None:
    """Raise where options are wrong, as far as that shows before anything is read."""
    kind = kind_asked(settings)
    measure = settings.get("measure")
    if kind is not None:
        with_bands(ask(settings, kind))
    elif measure is None or DEFAULT_KIND in kinds_measured(measure):
        ask(settings, DEFAULT_KIND)
