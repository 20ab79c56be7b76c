"""Results of `lookalike tune`: the banding chosen, as text and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from lookalike.cli.tune_curve import aligned, curve_picture, curve_table
from lookalike.tuning.tune import error_areas

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lookalike.tuning.curve import Curve
    from lookalike.tuning.estimate import Estimate

VALUES_SHOWN = 10
"""Number of similarities (or distances) shown with their chance, besides the threshold."""

CHANCES = (0.5, 0.9, 0.95, 0.99, 0.999)

KEY_BYTES = 8
"""Size of a slot of a set's signature, and of the key of a band."""


@dataclass(frozen=True, slots=True)
class TuneResult:
    """A banding with its S-curve, and what it was chosen for."""

    curve: Curve
    recall: float | None = None
    """Recall requested for a banding that was given."""
    estimate: Estimate | None = None

    @property
    def chances(self) -> list[tuple[float, float]]:
        """Similarities (or distances) to show, each with the chance that two items become candidates."""
        values = {self.curve.end * i / VALUES_SHOWN for i in range(1, VALUES_SHOWN + 1)}
        if self.curve.measure.is_whole:
            values = {float(round(value)) for value in values}
        if self.curve.threshold is not None:
            values.add(self.curve.threshold)
        return [(value, self.curve.chance(value)) for value in sorted(values)]

    @property
    def found_from(self) -> dict[float, float | None]:
        """By chance, the minimum similarity (or maximum distance) of pairs that are found with that chance."""
        shown = sorted({*CHANCES, *([] if self.recall is None else [self.recall])})
        return {chance: self.curve.value_at(chance) for chance in shown}

    @property
    def false_share(self) -> float | None:
        """Share of the area under the curve that is on the wrong side of the threshold: false candidates."""
        if (areas := self.curve.areas()) is None:
            return None
        false, missed = areas
        if self.curve.measure.slot_is_value:
            return false / (1 - error_areas(self.curve.banding, 0.0)[1])
        at = min(self.curve.threshold or 0.0, self.curve.end) / self.curve.end
        found = (at if self.curve.measure.is_distance else 1 - at) - missed
        return false / (false + found) if false + found else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, ready for JSON."""
        curve, banding, measure = self.curve, self.curve.banding, self.curve.measure
        false, missed = curve.areas() or (None, None)
        found = "found_up_to" if measure.is_distance else "found_from"
        return {
            **asdict(banding),
            "slots": banding.slots,
            "signature_bytes": banding.slots * measure.slot_bytes if measure.slot_bytes else None,
            "key_bytes": banding.bands * KEY_BYTES,
            "measure": measure.name,
            "of": measure.of,
            "threshold": curve.threshold,
            "recall": None if curve.threshold is None else curve.chance(curve.threshold),
            "steepest": curve.steepest,
            "chance": {f"{value:.15g}": chance for value, chance in self.chances},
            found: {f"{chance:.15g}": value for chance, value in self.found_from.items()},
            "false_positive_area": false,
            "false_negative_area": missed,
            "share_in_vain": self.false_share,
            "curve": curve.points(),
            "estimate": self.estimate and self.estimate.to_dict(),
        }


def describe(result: TuneResult, plot: Path | None) -> Iterator[str]:
    """Yield the lines of a result: the banding, the curve as a table and as a picture, and the estimate if any."""
    facts = [*banding_facts(result), *curve_facts(result)]
    if plot is not None:
        facts.append(("wrote", str(plot)))
    yield from aligned(facts)
    yield ""
    yield from curve_table(result.chances, result.curve.threshold, result.curve.measure)
    yield ""
    yield curve_picture(result.curve)
    if result.estimate is not None:
        from lookalike.cli.tune_estimate import describe_estimate

        yield from describe_estimate(result.estimate)


def banding_facts(result: TuneResult) -> Iterator[tuple[str, str]]:
    """Yield names and values that describe the banding."""
    banding, measure = result.curve.banding, result.curve.measure
    if not measure.is_default:
        what = f"{measure.bits} bits" if measure.bits else measure.of
        yield "measure", f"{measure.name} of {what}, a {measure.column}"
    yield "banding", f"{banding.bands} bands of {banding.rows} rows"
    slots = f"{banding.slots:,} slots"
    if measure.slot_bytes:
        slots += f", {banding.slots * measure.slot_bytes:,} bytes"
    yield "signature", f"{slots}; stored as {banding.bands * KEY_BYTES:,} bytes of band keys per item"


def curve_facts(result: TuneResult) -> Iterator[tuple[str, str]]:
    """Yield names and values that describe what the banding finds."""
    curve, measure = result.curve, result.curve.measure
    if curve.threshold is not None:
        yield "recall", f"{curve.chance(curve.threshold):.4f} at the threshold {curve.threshold:.4g}"
    if (steepest := curve.steepest) is not None:
        yield "steepest", f"near {steepest:.4f}"
    word = "up to" if measure.is_distance else "from"
    found = [
        f"{chance:g} nowhere" if value is None else f"{chance:g} {word} {value:.4f}"
        for chance, value in result.found_from.items()
    ]
    yield "found with", ", ".join(found)
    if (areas := curve.areas()) is not None:
        false, missed = areas
        sides = ("right", "left") if measure.is_distance else ("left", "right")
        share = f"{result.false_share:.1%} of the area under the curve"
        yield "false", f"area {false:.4f} {sides[0]} of the threshold, {share}"
        yield "missed", f"area {missed:.4f} above the curve, {sides[1]} of the threshold"
