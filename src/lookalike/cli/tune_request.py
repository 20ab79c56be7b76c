"""Requests to `lookalike tune`: the options given, checked against each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lookalike.cli import options
from lookalike.errors import RecipeError
from lookalike.measures import NAMES
from lookalike.tuning.tune import measure_for

if TYPE_CHECKING:
    from lookalike.measures import Measure, Of


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneRequest:
    """Options given to `lookalike tune`; None for those not given."""

    threshold: float | None
    recall: float | None
    bands: int | None
    rows: int | None
    weights: str | None
    slots: int | None
    has_sample: bool
    sample_size: int | None
    measure: str | None
    tolerance: float | None
    of: Of | None
    bits: int | None
    items: int | None

    def check(self) -> None:
        """Raise if two options contradict each other."""
        banded = self.bands is not None or self.rows is not None
        ways = {"`bands` and `rows`": banded, "`weights`": self.weights is not None, "`sample`": self.has_sample}
        if len(given := [way for way, is_given in ways.items() if is_given]) > 1:
            raise RecipeError(f"{given[0]} cannot be combined with {given[1]}: each chooses the banding. Leave one out")
        if banded and (self.bands is None or self.rows is None):
            raise RecipeError("`bands` and `rows` go together: give both, or neither and a `recall`")
        if self.weights is not None and self.recall is not None:
            raise RecipeError("`weights` guarantees no recall. Leave `recall` out")
        if self.weights is None and self.slots is not None:
            raise RecipeError("`slots` limits the signature that `weights` chooses. Give `weights`, or leave it out")
        if not self.has_sample and self.sample_size is not None:
            raise RecipeError("`sample_size` is the number of items to draw from a `sample`. Give one, or leave it out")
        if self.has_sample:
            self._check_with_sample()
        else:
            self._check_without_sample()

    def _check_with_sample(self) -> None:
        """Raise if an option describes items, which the sample itself shows."""
        described = {"of": self.of, "bits": self.bits, "items": self.items}
        if given := next((name for name, value in described.items() if value is not None), None):
            raise RecipeError(f"`{given}` is known from the sample. Leave it out, or the sample")

    def _check_without_sample(self) -> None:
        """Raise if what is described of the items contradicts the other options."""
        if self.items is not None and (self.bands is not None or self.weights is not None):
            raise RecipeError("`items` matters only where a `recall` chooses the bands. Leave it out")
        if self.items is not None and self.items < 1:
            raise RecipeError(f"`items` must be at least 1. Got {self.items}")
        measure = self.requested_measure()
        if self.weights is not None and not measure.slot_is_value:
            raise RecipeError(
                f"`weights` is for the S-curve of jaccard. Leave it out for {measure.name}, and give a `recall`"
            )
        if self.items is not None and measure.unrelated_slot is None:
            raise RecipeError("`items` matters to the bands of vectors and bits, not to those of sets. Leave it out")

    def requested_measure(self) -> Measure:
        """Return the measure requested, with the kind of items it compares."""
        kinds = [kind for kind, names in NAMES.items() if self.measure in names]
        if self.of is None and len(kinds) > 1:
            raise RecipeError(
                f"`measure` {self.measure} exists for {' and for '.join(kinds)}. Choose one with "
                f"{' or '.join(f'`of={kind!r}`' for kind in kinds)}"
            )
        measure = measure_for(self.measure, self.of, self.bits, self.tolerance)
        if measure.takes_bits and not measure.bits:
            raise RecipeError(
                "`bits` must be the number of bits per item, such as 64, for the measure hamming; or give a `sample`"
            )
        measure.check_banded()
        return measure


def refuse_without_sample(settings: dict[str, Any]) -> None:
    """Raise if an option is given that only matters to a sample."""
    defaults = {option.name: options.default_of(option) for option in (*options.recipe, *options.reading)}
    if given := next((name for name, value in settings.items() if value != defaults[name]), None):
        raise RecipeError(f"`{given}` only applies to a `sample`. Give one, or leave it out")


def parse_weights(text: str) -> tuple[float, float]:
    """Return the weights of false positives and false negatives in a text such as ``fp=0.5,fn=0.5``."""
    try:
        pairs = [(name.strip(), float(value)) for name, _, value in (part.partition("=") for part in text.split(","))]
    except ValueError:
        pairs = []
    given = dict(pairs)
    if sorted(name for name, _ in pairs) != ["fn", "fp"]:
        raise RecipeError(f"`weights` must be fp=X,fn=Y, such as fp=0.5,fn=0.5. Got {text!r}")
    return given["fp"], given["fn"]
