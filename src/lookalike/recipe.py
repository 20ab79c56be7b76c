"""What a run is asked to do, as small frozen objects that check themselves.

Recipe
├── Shingling   which shingles: words:5, chars:9, ...; and how texts are normalised first
├── Measure     how similar two sets are: jaccard, dice, ...
├── Banding     how many bands of how many rows; none for an exact search
└── threshold, sketch, seed
"""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass, field
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from lookalike.errors import RecipeError
from lookalike.measures import Measure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Kind = Literal["words", "chars", "bytes", "tokens", "elements", "weights", "vectors", "bits"]
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
Sketch = Literal["fast", "classic"]

FORMAT = 1
"""Version of the recipe's JSON; also of every hash that follows from it."""

KINDS = "words:n, chars:k, bytes:k, tokens:n, elements or weights"
WHOLE = ("elements", "weights", "vectors", "bits")
"""Kinds of items that are taken as they are."""

LARGEST_SHINGLE = 1000
LARGEST_SIGNATURE = 1 << 16


def plain_number(value: Any) -> Any:  # noqa: ANN401 - any setting
    """Return a number of NumPy as one of Python, and all else as it is."""
    return value.item() if isinstance(value, Number) and hasattr(value, "item") else value


def check_number(name: str, value: object) -> None:
    """Raise unless a setting is a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise RecipeError(f"`{name}` must be a number. Got {value!r}")


def check_threshold(threshold: float) -> None:
    """Raise unless a similarity can be at least `threshold` without always being so."""
    check_number("threshold", threshold)
    if not 0 < threshold <= 1:
        hint = f"; did you mean {threshold / 100:.2f}?" if 2 <= threshold <= 100 else ""  # noqa: PLR2004 - per cent
        raise RecipeError(f"`threshold` must be in (0, 1]. Got {threshold:.10g}{hint}")


@dataclass(frozen=True, slots=True)
class Shingling:
    """Which shingles an item has.

    >>> Shingling.parse("chars:9")
    Shingling(kind='chars', size=9, bag=False, lower=False, form=None, accents=True, punctuation=True)

    `lower` and `punctuation` follow the kind unless given: words are lower-cased and punctuation separates them;
    characters and bytes are taken as they are.
    """

    kind: Kind = "words"
    size: int = 5
    bag: bool = False
    lower: bool = None  # type: ignore[assignment]  # filled in from the kind
    form: Form | None = None
    accents: bool = True
    punctuation: bool = None  # type: ignore[assignment]  # filled in from the kind

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise RecipeError(f"`shingle` must be {KINDS}. Got {self.kind}:{self.size}")
        if self.kind in WHOLE and self.size != 1:
            raise RecipeError(
                f"`shingle` {self.kind} takes items as they are, and has no size. Got {self.kind}:{self.size}"
            )
        if self.kind == "weights" and self.bag:
            raise RecipeError("`bag` counts repeated elements, and weights do so by themselves. Leave it out")
        if self.kind in ("vectors", "bits") and self.bag:
            raise RecipeError(f"`bag` counts repeated elements of sets, and {self.kind} have none. Leave it out")
        if not isinstance(self.size, int) or not 1 <= self.size <= LARGEST_SHINGLE:
            raise RecipeError(f"The size of a shingle must be in 1..{LARGEST_SHINGLE}. Got {self.kind}:{self.size}")
        if self.form is not None and self.form not in get_args(Form):
            raise RecipeError(f"`form` must be NFC, NFD, NFKC or NFKD. Got {self.form}")
        words = self.kind == "words"
        if self.lower is None:
            object.__setattr__(self, "lower", words)
        if self.punctuation is None:
            object.__setattr__(self, "punctuation", not words)
        self._refuse_switches_without_text()

    def _refuse_switches_without_text(self) -> None:
        changes = {
            "lower": self.lower,
            "form": self.form is not None,
            "accents": not self.accents,
            "punctuation": not self.punctuation,
        }
        if self.kind in ("bytes", "tokens", *WHOLE) and any(changes.values()):
            switch = next(name for name, on in changes.items() if on)
            raise RecipeError(f"`{switch}` normalises text, and {self} takes {self.kind} as they are. Leave it out")

    def __str__(self) -> str:
        return self.kind if self.kind in WHOLE else f"{self.kind}:{self.size}"

    @classmethod
    def parse(cls, text: str, **switches: Any) -> Self:  # noqa: ANN401 - the fields of this class
        """Make a shingling of words like ``words:5``."""
        if text in WHOLE:
            return cls(kind=text, size=1, **switches)  # type: ignore[arg-type]  # one of them
        kind, _, size = str(text).partition(":")
        if not (size.isascii() and size.isdecimal() and len(size) <= len(str(LARGEST_SHINGLE))):
            raise RecipeError(f"`shingle` must be {KINDS}, such as words:5. Got {text!r}")
        return cls(kind=kind, size=int(size), **switches)  # type: ignore[arg-type]  # checked on construction


@dataclass(frozen=True, slots=True)
class Banding:
    """b bands of r rows: two items meet when they agree in all rows of at least one band.

    >>> Banding(bands=20, rows=5).chance(0.8)
    0.9996439421094793
    """

    bands: int
    rows: int

    def __post_init__(self) -> None:
        for name, value in (("bands", self.bands), ("rows", self.rows)):
            if not isinstance(value, int) or value < 1:
                raise RecipeError(f"`{name}` must be a whole number, at least 1. Got {value}")
        if self.slots > LARGEST_SIGNATURE:
            raise RecipeError(f"bands x rows must be at most {LARGEST_SIGNATURE}. Got {self.bands} x {self.rows}")

    @property
    def slots(self) -> int:
        """Length of a signature."""
        return self.bands * self.rows

    @property
    def threshold(self) -> float:
        """Where the S-curve is steepest, about."""
        return float((1 / self.bands) ** (1 / self.rows))

    def chance(self, similarity: float) -> float:
        """Return the probability that two items of this similarity become candidates."""
        return float(1 - (1 - similarity**self.rows) ** self.bands)

    def similarity_at(self, chance: float) -> float:
        """Return the similarity from which on two items become candidates with at least this probability.

        >>> Banding(bands=20, rows=5).similarity_at(0.99)
        0.7288445910641829
        """
        check_number("chance", chance)
        if not 0 <= chance <= 1:
            raise RecipeError(f"`chance` must be in [0, 1]. Got {chance:g}")
        if chance == 1:
            return 1.0
        return float((-math.expm1(math.log1p(-chance) / self.bands)) ** (1 / self.rows))

    def curve(self, points: int = 101) -> list[tuple[float, float]]:
        """Return the S-curve: similarities from 0 to 1, evenly spaced, each with its chance."""
        if isinstance(points, bool) or not isinstance(points, int) or points < 2:  # noqa: PLR2004 - 0 and 1
            raise RecipeError(f"`points` must be a whole number, at least 2. Got {points!r}")
        return [(i / (points - 1), self.chance(i / (points - 1))) for i in range(points)]

    def plot(self, path: Path | str | None = None, threshold: float | None = None) -> Figure:
        """Draw the S-curve with matplotlib, and write it if there is a path: .svg, .png or .pdf.

        With a threshold, the areas of what is compared in vain and of what is missed are shaded.
        """
        from lookalike.report import plots  # noqa: PLC0415 - needs matplotlib

        figure = plots.curve(self, threshold)
        if path is not None:
            plots.save(figure, Path(path))
        return figure


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides which pairs are found."""

    shingling: Shingling = field(default_factory=Shingling)
    banding: Banding | None = field(default_factory=lambda: Banding(20, 7))
    """None for an exact search, which misses nothing."""
    threshold: float = 0.8
    sketch: Sketch = "fast"
    seed: int = 1
    measure: Measure = field(default_factory=Measure)

    def __post_init__(self) -> None:
        self.measure.check(self.threshold)
        if self.sketch not in get_args(Sketch):
            raise RecipeError(f"`sketch` must be fast or classic. Got {self.sketch}")
        if not isinstance(self.seed, int) or not 0 <= self.seed < 1 << 64:
            raise RecipeError(f"`seed` must be a whole number in 0..2^64-1. Got {self.seed}")
        if self.banding is not None and not self.measure.banded:
            raise RecipeError(
                f"`{self.measure.name}` finds small sets in large ones, which do not meet in bands: the search is "
                "always exact. Leave `bands` and `rows` out"
            )

        if self.shingling.kind == "weights":
            self._refuse_for_weights()

    def _refuse_for_weights(self) -> None:
        if self.measure.name != "jaccard":
            raise RecipeError(
                f"`measure` must be jaccard for weighted sets: sum(min) / sum(max). Got {self.measure.name!r}; without "
                "weights, as sets, they may be compared by it"
            )
        if self.sketch != "fast":
            raise RecipeError(f"`sketch` {self.sketch} signs sets without weights. Leave it out for weighted sets")

    @property
    def recall(self) -> float:
        """The chance of a pair exactly at the threshold to be found, at least; more similar pairs have a better one."""
        return self.chance(self.threshold)

    def chance(self, similarity: float) -> float:
        """Return the probability that a pair of this similarity is found, at least.

        Bands of sets go by the Jaccard similarity, which follows from another measure, or is at least so much.
        """
        return (
            1.0 if self.banding is None else self.banding.chance(self.measure.slot_chance(similarity, self.threshold))
        )

    def plot(self, path: Path | str | None = None) -> Figure:
        """Draw the chance of two items to be compared, over similarity or distance; write it if there is a path."""
        from lookalike.report import plots  # noqa: PLC0415 - needs matplotlib
        from lookalike.tuning.curve import Curve, axis_end  # noqa: PLC0415 - which knows recipes

        if self.banding is not None:
            return Curve(self.banding, self.measure, self.threshold).plot(path)
        figure = plots.step(self.threshold, plots.across(self.measure, axis_end(self.measure, self.threshold)))
        if path is not None:
            plots.save(figure, Path(path))
        return figure

    @property
    def least_score(self) -> float:
        """The least score of a pair: the threshold, or minus the most that two may be apart."""
        return self.measure.score(float(self.threshold))

    @property
    def goal(self) -> tuple[int, float]:
        """What kernels must know of it: the measure and the threshold."""
        return self.measure.code, float(self.threshold)

    @property
    def least_jaccard(self) -> float:
        """The least Jaccard similarity of a pair, which is also the least share of either set that is shared."""
        return self.measure.least_jaccard(self.threshold)

    def to_json(self) -> str:
        """Write the recipe down."""
        return json.dumps({"format": FORMAT, **dataclasses.asdict(self)}, indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a recipe that `to_json` wrote."""
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
