"""lookalike tune: bands and rows, and what they mean."""

from __future__ import annotations

import inspect
import json as jsons
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli import options
from lookalike.cli.curve import curve_table, lined_up, picture
from lookalike.errors import RecipeError
from lookalike.recipe import Banding, check_threshold
from lookalike.tune import balance, check_recall, error_areas
from lookalike.tune import tune as tuned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.estimate import Estimate

SIMILARITIES = tuple(i / 10 for i in range(1, 11))
CHANCES = (0.5, 0.9, 0.95, 0.99, 0.999)
KEY_BYTES = 8
"""Of a slot, and of the key of a band."""


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


@dataclass(frozen=True, slots=True)
class Choice:
    """A banding, and what it was chosen for."""

    banding: Banding
    threshold: float | None
    found_from: dict[float, float]
    """By a chance to be found, the similarity from which on a pair has it."""
    estimate: Estimate | None = None

    @property
    def chances(self) -> list[tuple[float, float]]:
        """The similarities shown, with the chance of each."""
        shown = {*SIMILARITIES, *([] if self.threshold is None else [self.threshold])}
        return [(similarity, self.banding.chance(similarity)) for similarity in sorted(shown)]

    @property
    def areas(self) -> tuple[float, float] | None:
        """The area under the curve left of the threshold, and that above it on the right."""
        return None if self.threshold is None else error_areas(self.banding, self.threshold)

    @property
    def share_in_vain(self) -> float | None:
        """The share of all the area under the curve that is left of the threshold."""
        return None if self.areas is None else self.areas[0] / (1 - error_areas(self.banding, 0.0)[1])

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, ready for JSON."""
        vain, missed = self.areas or (None, None)
        return {
            **asdict(self.banding),
            "slots": self.banding.slots,
            "signature_bytes": self.banding.slots * KEY_BYTES,
            "key_bytes": self.banding.bands * KEY_BYTES,
            "threshold": self.threshold,
            "recall": None if self.threshold is None else self.banding.chance(self.threshold),
            "steepest": self.banding.threshold,
            "chance": {f"{similarity:.15g}": chance for similarity, chance in self.chances},
            "found_from": {f"{chance:.15g}": similarity for chance, similarity in self.found_from.items()},
            "false_positive_area": vain,
            "false_negative_area": missed,
            "share_in_vain": self.share_in_vain,
            "curve": self.banding.curve(),
            "estimate": self.estimate and self.estimate.to_dict(),
        }


@options.with_settings(options.recipe, options.reading)
def tune(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="More files for --sample, as of a glob.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", "-t", help="Least Jaccard similarity of a pair. [default: 0.8]")
    ] = None,
    recall: Annotated[
        float | None, typer.Option(help="Chance of a pair exactly at the threshold to be found. [default: 0.99]")
    ] = None,
    bands: Annotated[int | None, typer.Option(help="Number of bands, with --rows: what do they find?")] = None,
    rows: Annotated[int | None, typer.Option(help="Rows of a band, with --bands.")] = None,
    weights: Annotated[
        str | None,
        typer.Option(metavar="fp=X,fn=Y", help="Instead of a recall: weigh false positives and false negatives."),
    ] = None,
    slots: Annotated[
        int | None, typer.Option(help="Longest signature that --weights may choose. [default: 128]")
    ] = None,
    sample: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Choose what is cheapest for these files; may be given several times."),
    ] = None,
    sample_size: Annotated[int | None, typer.Option(help="Items of the sample. [default: 500]")] = None,
    plot: Annotated[Path | None, typer.Option(help="Where to draw the S-curve: .svg, .png or .pdf.")] = None,
    force: options.Force = False,
    json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """Choose bands and rows, and show which pairs they find and which they compare in vain.

    Without files this is a calculation. With --sample some items are compared with all others, and the banding is the
    cheapest for the similarities found; the options for shingles and reading are those of the other commands.

    \b
    Examples:
      lookalike tune --threshold 0.8 --recall 0.99 --plot s-curve.svg
      lookalike tune --bands 20 --rows 5 --recall 0.95
      lookalike tune --sample corpus.parquet --threshold 0.7 --shingle words:3
      lookalike tune --threshold 0.8 --weights fp=0.5,fn=0.5 --slots 128

    In Python: lookalike.tune(threshold=0.8, recall=0.99).plot("s-curve.svg", threshold=0.8)
    """  # noqa: D301 - Click knows this backslash
    inputs = [*(sample or []), *(files or [])]
    wish = Wish(threshold, recall, bands, rows, weights, slots, bool(sample), sample_size)
    wish.check()
    if not sample:
        refuse_without_sample(files, settings)
    if plot is not None:
        check_plot(plot, force=force)
    choice = sampled(wish, inputs, settings, plot, as_json=json) if sample else calculated(wish)
    if plot is not None:
        choice.banding.plot(plot, choice.threshold)
    typer.echo(jsons.dumps(choice.to_dict(), indent=2) if json else "\n".join(told(choice, plot)))


def refuse_without_sample(files: list[str] | None, settings: dict[str, Any]) -> None:
    """Raise if there is something that is for a sample, though there is none."""
    groups = (inspect.signature(group).parameters for group in (options.recipe, options.reading))
    usual = {name: parameter.default for group in groups for name, parameter in group.items()}
    given = [name for name, value in settings.items() if value != usual[name]]
    if files:
        raise RecipeError(f"{files[0]} is not read without `--sample`. Put that before it")
    if given:
        option = given[0].replace("_", "-")
        raise RecipeError(f"`--{option}` is for a `--sample`. Give one, or leave it out")


def check_plot(plot: Path, inputs: list[Path] | None = None, *, force: bool) -> None:
    """Refuse a picture that cannot or must not be written, before any work is done."""
    from lookalike.report.plots import check_ending
    from lookalike.write import check_outputs

    check_ending(plot)
    check_outputs({}, inputs or [], force=force, others={"--plot": plot})


def calculated(wish: Wish) -> Choice:
    """Choose without looking at any items."""
    threshold = 0.8 if wish.threshold is None else wish.threshold
    if wish.weights is not None:
        slots = 128 if wish.slots is None else wish.slots
        return chosen(balance(threshold, weights=parse_weights(wish.weights), slots=slots), threshold)
    if wish.bands is None or wish.rows is None:
        return chosen(tuned(threshold, 0.99 if wish.recall is None else wish.recall), threshold)
    banding = Banding(wish.bands, wish.rows)
    if wish.threshold is not None:
        check_threshold(wish.threshold)
    if wish.recall is None:
        return chosen(banding, wish.threshold)
    check_recall(wish.recall)
    found_from = banding.similarity_at(wish.recall)
    return chosen(banding, found_from if wish.threshold is None else wish.threshold, wish.recall)


def chosen(banding: Banding, threshold: float | None, recall: float | None = None) -> Choice:
    """Return a banding with the similarities from which on it finds pairs, that for the recall wanted among them."""
    shown = sorted({*CHANCES, *([] if recall is None else [recall])})
    return Choice(banding, threshold, {chance: banding.similarity_at(chance) for chance in shown})


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


def sampled(wish: Wish, inputs: list[str], settings: dict[str, Any], plot: Path | None, *, as_json: bool) -> Choice:
    """Choose for files, after a look at some of their items."""
    from lookalike.cli.job import Job
    from lookalike.estimate import estimate_costs

    wanted = {name: getattr(wish, name) for name in ("threshold", "recall", "sample_size")}
    wanted = {name: value for name, value in wanted.items() if value is not None}
    with Job(settings, inputs, quiet=False, as_json=as_json) as job:
        if plot is not None:
            check_plot(plot, job.files, force=True)
        found = estimate_costs(job.inputs, **wanted, **job.settings)
    return replace(chosen(found.banding, found.threshold), estimate=found)


def told(choice: Choice, plot: Path | None) -> Iterator[str]:
    """Yield what people read: the banding, the curve as a table and as a picture, and what a sample says."""
    banding, threshold = choice.banding, choice.threshold
    found = ", ".join(f"{chance:g} from {similarity:.4f}" for chance, similarity in choice.found_from.items())
    slots, keys = banding.slots * KEY_BYTES, banding.bands * KEY_BYTES
    lines = [
        ("banding", f"{banding.bands} bands of {banding.rows} rows"),
        ("signature", f"{banding.slots:,} slots, {slots:,} bytes; kept as {keys:,} bytes of band keys an item"),
    ]
    if threshold is not None:
        lines.append(("recall", f"{banding.chance(threshold):.4f} at the threshold {threshold:.4g}"))
    lines += [("steepest", f"near {banding.threshold:.4f}"), ("found with", found)]
    if choice.areas is not None:
        vain, missed = choice.areas
        share = f"{choice.share_in_vain:.1%} of that under the curve"
        lines.append(("in vain", f"area {vain:.4f} left of the threshold, {share}"))
        lines.append(("missed", f"area {missed:.4f} above the curve, right of the threshold"))
    if plot is not None:
        lines.append(("wrote", str(plot)))
    yield from lined_up(lines)
    yield ""
    yield from curve_table(choice.chances, threshold)
    yield ""
    yield picture(banding, threshold)
    if choice.estimate is not None:
        from lookalike.cli.costs import estimate_told

        yield from estimate_told(choice.estimate)
