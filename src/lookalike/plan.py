"""From the options of a run to its recipe."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lookalike.errors import RecipeError
from lookalike.features.shingling import WHOLE, Shingling
from lookalike.lsh.banding import Banding
from lookalike.measures import NAMES, Measure, Of
from lookalike.options import SWITCHES, Settings, plain
from lookalike.recipe import Recipe
from lookalike.tuning.tune import check_recall, tune

if TYPE_CHECKING:
    from lookalike.read import Kind


def measure_of(settings: Settings, kind: Kind) -> Measure:
    """Return the measure that settings ask for, or the usual one of a kind of items."""
    of: Of = "vectors" if kind == "vectors" else "bits" if kind == "bits" else "sets"
    return Measure(settings.get("measure") or NAMES[of][0], of, settings.get("tolerance"))


def recipe_of(settings: Settings, kind: Kind = "texts") -> Recipe:
    """Make the recipe that settings ask for, for items of a kind; the bands of sets and vectors are settled later."""
    settings = plain(settings)
    recipe = untuned(settings, kind)
    return recipe if kind == "elements" else tuned(recipe, settings)


def tuned(recipe: Recipe, settings: Settings) -> Recipe:
    """Return a recipe for sets with the bands that follow from threshold and recall, unless it is to have none."""
    measure, recall = recipe.measure, settings.get("recall", 0.99)
    if recipe.banding is None and measure.banded and measure.of == "sets" and recall < 1:
        return replace(recipe, banding=tune(recipe.threshold, recall, measure=measure.name))
    return recipe


def untuned(settings: Settings, kind: Kind) -> Recipe:
    """Make the recipe that settings ask for, with bands only if they are given."""
    given: dict[str, Any] = dict(settings)
    usual = kind if kind in WHOLE else "words:5"
    shingling = Shingling.parse(given.get("shingle") or usual, **{k: given[k] for k in SWITCHES if k in given})
    if kind in WHOLE and shingling.kind != kind:
        raise RecipeError(f"`shingle` {shingling} does not go with {kind}, which are taken as they are. Leave it out")
    measure = measure_of(settings, kind)
    if measure.is_distance and "threshold" not in given:
        raise RecipeError(f"`threshold` must say how far apart two items may be, for the measure {measure.name}")
    threshold = given.get("threshold", 0.8)
    bands, rows = given.get("bands"), given.get("rows")
    if (bands is None) != (rows is None):
        raise RecipeError("`bands` and `rows` go together: give both, or neither and a `recall`")
    recall = given.get("recall", 0.99)
    check_recall(recall)
    if recall == 1 and bands is not None:
        raise RecipeError(
            "`recall` 1 is an exact search, which has no bands. Leave `bands` and `rows` out, or ask for less"
        )
    banding: Banding | None = None
    if bands is not None and rows is not None:
        banding = Banding(bands, rows)
    options = {key: given[key] for key in ("sketch", "seed") if key in given}
    return Recipe(shingling, banding, threshold, measure=measure, **options)


def lasting_recipe(settings: Settings, kind: Kind) -> Recipe:
    """Make a recipe that is settled before any items are known: sets have the bands that follow from the threshold.

    Vectors and bits have none unless they are given.
    """
    settings = plain(settings)
    return tuned(untuned(settings, kind), settings)


def kind_of(settings: Settings) -> Kind | None:
    """Tell what items must be, if settings say so."""
    shingle = str(settings.get("shingle") or "")
    if shingle == "weights" or (settings.get("element") is not None and settings.get("weight")):
        return "weights"
    if settings.get("element") is not None or shingle == "elements":
        return "elements"
    if settings.get("measure") in ("euclidean", "agreement") or shingle == "vectors":
        return "vectors"
    if settings.get("measure") == "hamming" or shingle == "bits":
        return "bits"
    return ("tokens" if shingle.startswith("tokens") else "texts") if shingle else None


def check_early(settings: Settings) -> None:
    """Raise where settings are wrong, as far as that shows before anything is read, and items may turn out anything."""
    kind = kind_of(settings)
    if kind is not None:
        recipe_of(settings, kind)
    elif settings.get("measure") in (None, *NAMES["sets"]):
        untuned(settings, "texts")
