"""Features by name: what `shingle` may be, the kind of item each belongs to, and what goes with it."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.errors import RecipeError
from lookalike.measures import NAMES, Measure, one_of


@dataclass(frozen=True, slots=True)
class Feature:
    """A way to see an item, as `shingle` names it."""

    name: str
    kind: str
    """The kind of items that have it."""
    of: str = "sets"
    """What it makes of an item: a set, a vector, or bits. Measures of these apply."""
    sized: bool = False
    """Whether its name comes with a size, as words:5 does."""
    size: int = 1
    """The default size."""
    is_text: bool = False
    """Whether texts are normalised before it is taken."""
    is_prose: bool = False
    """Whether people read it as running text."""
    lower: bool = False
    """Whether letters are lower-cased by default."""
    punctuation: bool = True
    """Whether punctuation counts by default."""
    countable: bool = True
    """Whether a bag of it counts repetitions."""
    noun: str = "item"
    """What an item is called."""
    plural: str = ""
    """What its items are called in messages, if not by its name."""
    unit: str = ""
    """What a shingle is made of, if it is one."""
    min_size: int = 3
    """The smallest size that most items do not share."""
    short: str | None = None
    """What to compare short items by instead, if no smaller size will do."""
    measures: tuple[str, ...] = ()
    """The measures that apply to it, if these are not all of its sets, vectors or bits."""
    sketches: tuple[str, ...] = ("fast", "classic")
    whole: bool = False
    """Whether it is the item itself, so that two items are equal or have nothing in common."""

    @property
    def items(self) -> str:
        """What its items are called in messages."""
        return self.plural or self.name

    def check_measure(self, measure: Measure) -> None:
        """Raise unless a measure applies."""
        if measure.of != self.of:
            raise RecipeError(
                f"`measure` must be {one_of(NAMES[self.of])} for {self.items}. Got {measure.name!r}, a measure of "
                f"{measure.of}"
            )
        if self.measures and measure.name not in self.measures:
            raise RecipeError(
                f"`measure` must be {one_of(self.measures)} for {self.items}. Got {measure.name!r}; to use it, compare "
                "the items as sets, without weights"
            )

    def check_sketch(self, sketch: str) -> None:
        """Raise unless a sketch applies."""
        if sketch not in self.sketches:
            raise RecipeError(f"`sketch` must be {one_of(self.sketches)} for {self.items}. Got {sketch}")


FEATURES: dict[str, Feature] = {}


def register(feature: Feature) -> None:
    """Make a feature known by its name."""
    FEATURES[feature.name] = feature


def feature_named(name: str) -> Feature:
    """Return the feature of a name, which exists."""
    return FEATURES[name]


def feature_of_kind(kind: str) -> Feature:
    """Return the default feature of a kind of items."""
    return next(feature for feature in FEATURES.values() if feature.kind == kind)


def whole_feature(kind: str) -> Feature:
    """Return the feature that is a whole item of a kind, which every kind has.

    >>> whole_feature("texts").name
    'whole-texts'
    """
    name = f"whole-{kind}"
    measures = NAMES["sets"][:1]
    return FEATURES.setdefault(name, Feature(name, kind, countable=False, measures=measures, whole=True))


def kinds_measured(measure: str) -> set[str]:
    """Return the kinds of items that a measure of this name applies to."""
    ofs = {of for of, names in NAMES.items() if measure in names}
    return {
        feature.kind
        for feature in FEATURES.values()
        if feature.of in ofs and not feature.whole and (not feature.measures or measure in feature.measures)
    }


def spellings() -> str:
    """Return what `shingle` may be, for messages."""
    sizes = {"words": "n", "tokens": "n"}
    sets = (feature for feature in FEATURES.values() if feature.of == "sets" and not feature.whole)
    return one_of(f"{one.name}:{sizes.get(one.name, 'k')}" if one.sized else one.name for one in sets)


for _feature in (
    Feature(
        "words",
        "texts",
        sized=True,
        size=5,
        is_text=True,
        is_prose=True,
        lower=True,
        punctuation=False,
        min_size=2,
        short="chars:5",
        noun="text",
        unit="word",
    ),
    Feature("chars", "texts", sized=True, size=9, is_text=True, noun="text", unit="character"),
    Feature("bytes", "texts", sized=True, size=9, noun="text", unit="byte"),
    Feature("tokens", "tokens", sized=True, size=5, noun="list", unit="token"),
    Feature("elements", "elements", noun="set", plural="sets"),
    Feature(
        "weights",
        "weights",
        noun="set",
        plural="weighted sets",
        countable=False,
        measures=("jaccard",),
        sketches=("fast",),
    ),
    Feature("vectors", "vectors", of="vectors", noun="vector", countable=False),
    Feature("bits", "bits", of="bits", countable=False),
):
    register(_feature)

for _feature in tuple(FEATURES.values()):
    whole_feature(_feature.kind)
