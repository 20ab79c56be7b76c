"""What `lookalike tune` has chosen, and what it tells of that."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from lookalike.cli.curve import curve_table, lined_up, picture
from lookalike.tuning.tune import error_areas

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lookalike.tuning.curve import Curve
    from lookalike.tuning.estimate import Estimate

SHOWN = 10
"""Values whose chance is shown, and the threshold's beside them."""

CHANCES = (0.5, 0.9, 0.95, 0.99, 0.999)

KEY_BYTES = 8
"""Of a slot of sets, and of the key of a band."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A banding with its S-curve, and what it was chosen for."""

    curve: Curve
    recall: float | None = None
    """That asked of a banding which was given."""
    estimate: Estimate | None = None

    @property
    def chances(self) -> list[tuple[float, float]]:
        """The values shown, with the chance of each."""
        values = {self.curve.most * i / SHOWN for i in range(1, SHOWN + 1)}
        if self.curve.measure.name == "hamming":
            values = {float(round(value)) for value in values}
        if self.curve.threshold is not None:
            values.add(self.curve.threshold)
        return [(value, self.curve.chance(value)) for value in sorted(values)]

    @property
    def found_from(self) -> dict[float, float | None]:
        """By a chance to be found, from which similarity on, or up to which distance, a pair has it."""
        shown = sorted({*CHANCES, *([] if self.recall is None else [self.recall])})
        return {chance: self.curve.value_at(chance) for chance in shown}

    @property
    def share_in_vain(self) -> float | None:
        """The share of all the area under the curve that is on the wrong side of the threshold."""
        if (areas := self.curve.areas()) is None:
            return None
        vain, missed = areas
        if self.curve.measure.name == "jaccard":
            return vain / (1 - error_areas(self.curve.banding, 0.0)[1])
        at = min(self.curve.threshold or 0.0, self.curve.most) / self.curve.most
        found = (at if self.curve.measure.is_distance else 1 - at) - missed
        return vain / (vain + found) if vain + found else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, ready for JSON."""
        curve, banding, measure = self.curve, self.curve.banding, self.curve.measure
        vain, missed = curve.areas() or (None, None)
        found = "found_up_to" if measure.is_distance else "found_from"
        return {
            **asdict(banding),
            "slots": banding.slots,
            "signature_bytes": banding.slots * KEY_BYTES if measure.of == "sets" else None,
            "key_bytes": banding.bands * KEY_BYTES,
            "measure": measure.name,
            "of": measure.of,
            "threshold": curve.threshold,
            "recall": None if curve.threshold is None else curve.chance(curve.threshold),
            "steepest": curve.steepest,
            "chance": {f"{value:.15g}": chance for value, chance in self.chances},
            found: {f"{chance:.15g}": value for chance, value in self.found_from.items()},
            "false_positive_area": vain,
            "false_negative_area": missed,
            "share_in_vain": self.share_in_vain,
            "curve": curve.points(),
            "estimate": self.estimate and self.estimate.to_dict(),
        }


def told(choice: Choice, plot: Path | None) -> Iterator[str]:
    """Yield what people read: the banding, the curve as a table and as a picture, and what a sample says."""
    lines = [*about_banding(choice), *about_curve(choice)]
    if plot is not None:
        lines.append(("wrote", str(plot)))
    yield from lined_up(lines)
    yield ""
    yield from curve_table(choice.chances, choice.curve.threshold, choice.curve.measure)
    yield ""
    yield picture(choice.curve)
    if choice.estimate is not None:
        from lookalike.cli.costs import estimate_told

        yield from estimate_told(choice.estimate)


def about_banding(choice: Choice) -> Iterator[tuple[str, str]]:
    """Yield what the banding is."""
    banding, measure = choice.curve.banding, choice.curve.measure
    if measure.name != "jaccard":
        what = f"{measure.bits} bits" if measure.bits else measure.of
        yield "measure", f"{measure.name} of {what}, a {measure.column}"
    yield "banding", f"{banding.bands} bands of {banding.rows} rows"
    slots = f"{banding.slots:,} slots"
    if measure.of == "sets":
        slots += f", {banding.slots * KEY_BYTES:,} bytes"
    yield "signature", f"{slots}; kept as {banding.bands * KEY_BYTES:,} bytes of band keys an item"


def about_curve(choice: Choice) -> Iterator[tuple[str, str]]:
    """Yield what the banding finds."""
    curve, measure = choice.curve, choice.curve.measure
    if curve.threshold is not None:
        yield "recall", f"{curve.chance(curve.threshold):.4f} at the threshold {curve.threshold:.4g}"
    if (steepest := curve.steepest) is not None:
        yield "steepest", f"near {steepest:.4f}"
    word = "up to" if measure.is_distance else "from"
    found = [
        f"{chance:g} nowhere" if value is None else f"{chance:g} {word} {value:.4f}"
        for chance, value in choice.found_from.items()
    ]
    yield "found with", ", ".join(found)
    if (areas := curve.areas()) is not None:
        vain, missed = areas
        sides = ("right", "left") if measure.is_distance else ("left", "right")
        share = f"{choice.share_in_vain:.1%} of that under the curve"
        yield "in vain", f"area {vain:.4f} {sides[0]} of the threshold, {share}"
        yield "missed", f"area {missed:.4f} above the curve, {sides[1]} of the threshold"
