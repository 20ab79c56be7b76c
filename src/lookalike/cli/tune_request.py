"""What is asked of `lookalike tune`, and whether it goes together."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lookalike.cli import options
from lookalike.errors import RecipeError
from lookalike.measures import NAMES
from lookalike.tuning.tune import check_known, measure_for

if TYPE_CHECKING:
    from lookalike.measures import Measure, Name, Of


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for; None where nothing is."""

    threshold: float | None
    recall: float | None
    bands: int | None
    rows: int | None
    weights: str | None
    slots: int | None
    sample: bool
    sample_size: int | None
    measure: Name | None
    tolerance: float | None
    of: Of | None
    bits: int | None
    items: int | None

    def check(self) -> None:
        """Raise where two wishes contradict each other."""
        banded = self.bands is not None or self.rows is not None
        ways = {"`--bands` and `--rows`": banded, "`--weights`": self.weights is not None, "`--sample`": self.sample}
        if len(given := [way for way, wanted in ways.items() if wanted]) > 1:
            raise RecipeError(f"{given[0]} choose the banding in one way, {given[1]} in another. Leave one out")
        if banded and (self.bands is None or self.rows is None):
            raise RecipeError("`--bands` and `--rows` go together: give both, or neither and a `--recall`")
        if self.weights is not None and self.recall is not None:
            raise RecipeError("`--weights` promises no recall, so it cannot be wished for. Leave `--recall` out")
        if self.weights is None and self.slots is not None:
            raise RecipeError("`--slots` limits the signature that `--weights` choose. Give them too, or leave it out")
        if not self.sample and self.sample_size is not None:
            raise RecipeError("`--sample-size` says how many items of a `--sample` to draw. Give one, or leave it out")
        self._check_kind()

    def _check_kind(self) -> None:
        """Raise where what is said of the items contradicts the rest."""
        said = {"--of": self.of, "--bits": self.bits, "--items": self.items}
        given = next((option for option, value in said.items() if value is not None), None)
        if self.sample and given:
            raise RecipeError(f"`{given}` says what a sample says by itself. Leave it out, or the sample")
        if self.items is not None and (self.bands is not None or self.weights is not None):
            raise RecipeError("`--items` is for how many items to choose bands, and they are chosen already here")
        if self.items is not None and self.items < 1:
            raise RecipeError(f"`--items` must be at least 1. Got {self.items}")
        if self.sample:
            return
        measure = self.measured()
        if self.weights is not None and measure.name != "jaccard":
            raise RecipeError(
                f"`--weights` weigh areas under the S-curve of jaccard. Leave them out for {measure.name}, and give a "
                "`--recall`"
            )
        if self.items is not None and measure.of == "sets":
            raise RecipeError("`--items` matters to bands of vectors and bits, not to those of sets. Leave it out")

    def measured(self) -> Measure:
        """Return the measure that is asked for, without looking at any items; they would say of what it is."""
        of = [one for one, names in NAMES.items() if self.measure in names]
        if self.of is None and len(of) > 1:
            raise RecipeError(
                f"`--measure` {self.measure} is one of {' and one of '.join(of)}. Say which with "
                f"{' or '.join(f'`--of {one}`' for one in of)}"
            )
        found = measure_for(self.measure, self.of, self.bits, self.tolerance)
        if found.of == "bits" and not found.bits:
            raise RecipeError(
                "`--bits` must say how many bits an item has, for the measure hamming, such as 64; or give a `--sample`"
            )
        check_known(found)
        return found


def refuse_without_sample(settings: dict[str, Any]) -> None:
    """Raise if there is something that is for a sample, though there is none."""
    groups = (inspect.signature(group).parameters for group in (options.recipe, options.reading))
    usual = {name: parameter.default for group in groups for name, parameter in group.items()}
    if given := [name for name, value in settings.items() if value != usual[name]]:
        option = given[0].replace("_", "-")
        raise RecipeError(f"`--{option}` is for a `--sample`. Give one, or leave it out")


def parse_weights(text: str) -> tuple[float, float]:
    """Read weights such as ``fp=0.5,fn=0.5``."""
    try:
        pairs = [(name.strip(), float(value)) for name, _, value in (part.partition("=") for part in text.split(","))]
    except ValueError:
        pairs = []
    given = dict(pairs)
    if sorted(name for name, _ in pairs) != ["fn", "fp"]:
        raise RecipeError(f"`--weights` must be fp=X,fn=Y, such as fp=0.5,fn=0.5. Got {text!r}")
    return given["fp"], given["fn"]
