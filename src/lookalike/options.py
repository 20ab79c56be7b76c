"""The settings of a run, as callers pass them, and the run itself: what all its stages share."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, cast

from lookalike.errors import InputError, RecipeError
from lookalike.measures import NAMES, Measure, Of
from lookalike.read import open_source
from lookalike.recipe import WHOLE, Banding, Form, Recipe, Shingling, Sketch, plain_number
from lookalike.resources.progress import Stages, Watcher
from lookalike.resources.scratch import Scratch
from lookalike.resources.threads import Threads
from lookalike.tuning.tune import check_recall, tune

if TYPE_CHECKING:
    from types import TracebackType

    from lookalike.measures import Name
    from lookalike.read import Kind, Source


class Settings(TypedDict, total=False):
    """Keyword arguments of `find_pairs` and `deduplicate`; each has a default.

    threshold        0.8: the least similarity of a pair, or the most distance, which has no default
    measure          of texts and sets jaccard, dice, cosine, overlap or containment; of vectors cosine, euclidean or
                     agreement; of bits hamming. By default the first of them
    tolerance        by how much a feature may differ to be close, for the measure agreement
    recall           0.99: the chance of a pair exactly at the threshold to be found; more similar ones have more.
                     1 is an exact search: it misses none
    shingle          words:n, chars:k, bytes:k, tokens:n, elements or weights; by default words:5 for texts, elements
                     for sets, weights for weighted sets
    bag              False: whether the second occurrence of a shingle counts as another one
    lower            lower-case letters; by default for words, not for characters
    form             None: a Unicode form to bring texts to (NFC, NFD, NFKC, NFKD)
    accents          True: keep accents
    punctuation      keep punctuation; by default for characters, not for words
    bands, rows      the banding, instead of the one that `recall` asks for
    sketch           "fast", or "classic" for the textbook's MinHash
    seed             1
    text, id         names of columns; by default text, content, body or the only column of strings; and none
    item, element    the columns of a table that has a row for each element of each set
    weight           None: the column of such a table that has the weights of elements; or True, if the numbers of a
                     sparse matrix are weights
    transpose        False: whether to turn sets round, and find similar elements by the sets that have them
    lines            False: whether text files have an item a line
    encoding_errors  "strict", or "replace" to go on after text that is not UTF-8
    threads          as many as there are cores
    scratch          a folder for temporary columns; by default the system's
    measure_recall   0: how many items to sample, to measure which of their pairs were found, by an exact scan;
                     of `nearest`, which of the nearest
    examples         0: how many examples of each kind to keep, with their texts, for `report`
    batch_bytes      4 MiB: about how much text is read at a time
    watcher          somebody to tell about progress
    """

    threshold: float
    measure: Name | None
    tolerance: float | None
    recall: float
    shingle: str
    bag: bool
    lower: bool | None
    form: Form | None
    accents: bool
    punctuation: bool | None
    bands: int | None
    rows: int | None
    sketch: Sketch
    seed: int
    text: str | None
    id: str | None
    item: str | None
    element: str | None
    weight: str | bool | None
    transpose: bool
    lines: bool
    encoding_errors: Literal["strict", "replace"]
    threads: int | None
    scratch: Path | str | None
    measure_recall: int
    examples: int
    batch_bytes: int
    watcher: Watcher | None


SWITCHES = ("bag", "lower", "form", "accents", "punctuation")
READING = ("text", "id", "item", "element", "weight", "transpose", "lines", "encoding_errors", "batch_bytes")


def measure_of(settings: Settings, kind: Kind) -> Measure:
    """Return the measure that settings ask for, or the usual one of a kind of items."""
    of: Of = "vectors" if kind == "vectors" else "bits" if kind == "bits" else "sets"
    return Measure(settings.get("measure") or NAMES[of][0], of, settings.get("tolerance"))


def recipe_of(settings: Settings, kind: Kind = "texts") -> Recipe:
    """Make the recipe that settings ask for, for items of a kind; the bands of sets and vectors are settled later."""
    settings = plain(settings)
    recipe = untuned(settings, kind)
    return recipe if kind == "elements" else tuned(recipe, settings)


def plain(settings: Settings) -> Settings:
    """Return settings with the numbers of NumPy as those of Python."""
    return cast("Settings", {name: plain_number(value) for name, value in settings.items()})


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


def whole_number(name: Literal["measure_recall", "examples"], settings: Settings) -> int:
    """Return a setting that counts something; 0 if it is not given."""
    value = settings.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RecipeError(f"`{name}` must be a whole number, at least 0. Got {value!r}")
    return value


def check_names(settings: Settings) -> None:
    """Raise where there is no setting of a name."""
    if unknown := set(settings) - set(Settings.__annotations__):
        raise TypeError(f"unknown setting {min(unknown)!r}; there are {', '.join(Settings.__annotations__)}")


def check_early(settings: Settings) -> None:
    """Raise where settings are wrong, as far as that shows before anything is read, and items may turn out anything."""
    kind = kind_of(settings)
    if kind is not None:
        recipe_of(settings, kind)
    elif settings.get("measure") in (None, *NAMES["sets"]):
        untuned(settings, "texts")


def check_alike(one: Source, other: Source) -> None:
    """Raise where two collections can have nothing in common."""
    if one.kind != other.kind and other.about() != 0:
        raise InputError(
            f"The items are {one.kind}, but those they are compared with {other.kind}. Compare like with like"
        )
    here, there = one.holds, other.holds
    if here is not None and there is not None and here != there:
        raise InputError(
            f"The elements of the sets are of {here}, but those they are compared with of {there}. Make them one type"
        )


class Run:
    """One run: its recipe, its sources, its scratch columns, its clock. Leaving it deletes what is on disk."""

    def __init__(self, settings: Settings, inputs: Any, against: Any = None, rank: str | None = None) -> None:  # noqa: ANN401 - whatever holds texts
        check_names(settings)
        settings = plain(settings)
        check_early(settings)
        self.sampled, self.examples = (whole_number(name, settings) for name in ("measure_recall", "examples"))
        self.threads = Threads(settings.get("threads"))
        self.stages = Stages(settings.get("watcher"))
        self.scratch = Scratch(Path(settings.get("scratch") or tempfile.gettempdir()))
        reading: dict[str, Any] = {key: value for key, value in settings.items() if key in READING}
        reading |= {"kind": kind_of(settings), "scratch": self.scratch.folder}
        self.source: Source = open_source(inputs, rank=rank, **reading)
        self.against: Source | None = None
        if against is not None:
            self.against = open_source(against, **reading)
            if self.source.kind != self.against.kind and self.source.about() == 0:
                self.source = open_source(inputs, rank=rank, **{**reading, "kind": self.against.kind})
            check_alike(self.source, self.against)
        self.recipe = recipe_of(settings, self.source.kind)
        self.recall = 1.0 if self.recipe.banding else settings.get("recall", 0.99)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The collections: one, or two that are compared."""
        return (self.source,) if self.against is None else (self.source, self.against)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.threads.close()
        self.scratch.close()
