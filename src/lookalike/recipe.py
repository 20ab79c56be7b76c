"""What is asked, as small frozen objects that check themselves; what does not go together never becomes a recipe.

Recipe
├── Shingling   the features compared: words:5, chars:9, elements, vectors, ...; it implies the kind of items
├── Measure     how similar two items are: jaccard, cosine, hamming, ...
├── Banding     the number of bands and rows; none for an exact search
└── threshold, sketch, seed
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, get_args

from lookalike.errors import RecipeError
from lookalike.features.shingling import Shingling
from lookalike.lsh.banding import Banding
from lookalike.measures import Measure
from lookalike.options import Sketch, option

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT = 1
"""Version of the recipe's JSON; also of every hash that follows from it."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides which pairs are found."""

    shingling: Shingling = field(default_factory=Shingling)
    banding: Banding | None = field(default_factory=lambda: Banding(20, 7))
    """None for an exact search, which misses nothing."""
    threshold: float = option("threshold").default
    sketch: Sketch = option("sketch").default
    seed: int = option("seed").default
    measure: Measure = field(default_factory=Measure)

    def __post_init__(self) -> None:
        if self.sketch not in get_args(Sketch):
            raise RecipeError(f"`sketch` must be fast or classic. Got {self.sketch}")
        if not isinstance(self.seed, int) or not 0 <= self.seed < 1 << 64:
            raise RecipeError(f"`seed` must be a whole number in 0..2^64-1. Got {self.seed}")
        self.shingling.feature.check_measure(self.measure)
        self.measure.check(self.threshold)
        self.shingling.feature.check_sketch(self.sketch)
        if self.banding is not None and not self.measure.banded:
            raise RecipeError(
                f"`{self.measure.name}` finds small sets in large ones, which do not meet in bands: the search is "
                "always exact. Leave `bands` and `rows` out"
            )

    @property
    def kind(self) -> str:
        """The kind of items that the recipe is for."""
        return self.shingling.feature.kind

    @property
    def recall(self) -> float:
        """The lowest chance that a pair exactly at the threshold is found; more similar pairs have a better one."""
        return self.chance(self.threshold)

    def chance(self, similarity: float) -> float:
        """Return a lower bound of the probability that a pair of this similarity, or distance, is found."""
        return (
            1.0 if self.banding is None else self.banding.chance(self.measure.slot_chance(similarity, self.threshold))
        )

    def plot(self, path: Path | str | None = None) -> Figure:
        """Draw the chance of two items to be compared, over similarity or distance; write it if there is a path."""
        from lookalike.report import plots  # noqa: PLC0415 - needs matplotlib
        from lookalike.tuning.curve import Curve  # noqa: PLC0415 - which knows recipes

        if self.banding is not None:
            return Curve(self.banding, self.measure, self.threshold).plot(path)
        figure = plots.step(self.threshold, plots.across(self.measure, self.measure.axis_end(self.threshold)))
        if path is not None:
            plots.save(figure, Path(path))
        return figure

    @property
    def min_score(self) -> float:
        """The lowest score of a pair: the threshold, or minus the largest distance."""
        return self.measure.score(float(self.threshold))

    def settings(self) -> dict[str, Any]:
        """Return the recipe as keyword arguments of `find_pairs`, which then does the same.

        >>> Recipe(banding=None).settings()["recall"]
        1.0
        """
        if self.shingling.feature.whole:
            return {"exact_copies": True}  # no option of similarity applies
        shingling, switches = self.shingling, ("lower", "form", "accents", "punctuation")
        bands = {"recall": 1.0} if self.banding is None else dataclasses.asdict(self.banding)
        values = {
            "threshold": self.threshold,
            "measure": self.measure.name,
            "tolerance": self.measure.tolerance,
            "shingle": str(shingling),
            "bag": shingling.bag,
            **{name: getattr(shingling, name) for name in switches if shingling.feature.is_text},
            **bands,
            "sketch": self.sketch,
            "seed": self.seed,
        }
        return {name: value for name, value in values.items() if value is not None}

    def to_json(self) -> str:
        """Return the recipe as JSON."""
        return json.dumps({"format": FORMAT, **dataclasses.asdict(self)}, indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the recipe that `to_json` wrote."""
        try:
            fields = json.loads(text)
            if (found := fields.pop("format", None)) != FORMAT:
                raise RecipeError(f"This version reads recipes of format {FORMAT}. Got format {found}")
            shingling = Shingling(**fields.pop("shingling"))
            measure = Measure(**fields.pop("measure", {}))
            banding = fields.pop("banding")
            banding = None if banding is None else Banding(**banding)
            return cls(shingling=shingling, measure=measure, banding=banding, **fields)
        except (TypeError, KeyError, AttributeError, json.JSONDecodeError) as error:
            raise RecipeError(f"This is not a recipe that `to_json` wrote ({error}). Write it again") from error
