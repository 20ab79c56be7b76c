"""lookalike tune: bands and rows, and what they mean."""

from __future__ import annotations

import json as jsons
import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import options
from lookalike.cli.choice import Choice, told
from lookalike.cli.wish import Wish, parse_weights, refuse_without_sample
from lookalike.errors import RecipeError
from lookalike.lsh.banding import Banding
from lookalike.measures import Of
from lookalike.tuning.curve import Curve
from lookalike.tuning.tune import balance, check_recall, threshold_for
from lookalike.tuning.tune import tune as tuned


@options.with_settings(options.recipe, options.reading)
def tune(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="Files to choose for, as with --sample.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", "-t", help="Least similarity of a pair, or most distance. [default: 0.8]"),
    ] = None,
    recall: Annotated[
        float | None, typer.Option(help="Chance of a pair exactly at the threshold to be found. [default: 0.99]")
    ] = None,
    of: Annotated[
        Of | None,
        typer.Option(help="Of what the measure is, without a sample. [default: what has one of that name]"),
    ] = None,
    bits: Annotated[int | None, typer.Option(help="How many bits an item has, for hamming without a sample.")] = None,
    items: Annotated[
        int | None,
        typer.Option(help="For how many vectors, or items of bits, without a sample. [default: 100000]"),
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

    Without files this is a calculation. With files, or --sample, some items are compared with all others, and the
    banding is the cheapest for the similarities found; the options for shingles and reading are those of the other
    commands.

    \b
    Examples:
      lookalike tune --threshold 0.8 --recall 0.99 --plot s-curve.svg
      lookalike tune --measure hamming --bits 64 --threshold 3
      lookalike tune --measure cosine --of vectors --threshold 0.9
      lookalike tune --bands 20 --rows 5 --recall 0.95
      lookalike tune --sample corpus.parquet --threshold 0.7 --shingle words:3
      lookalike tune --threshold 0.8 --weights fp=0.5,fn=0.5 --slots 128

    In Python: lookalike.tune(threshold=0.8, recall=0.99).plot("s-curve.svg", threshold=0.8)
    """  # noqa: D301 - Click knows this backslash
    inputs = [*(sample or []), *(files or [])]
    measured = {name: settings.get(name) for name in ("measure", "tolerance")}
    wish = Wish(
        threshold,
        recall,
        bands,
        rows,
        weights,
        slots,
        bool(inputs),
        sample_size,
        **measured,
        of=of,
        bits=bits,
        items=items,
    )
    wish.check()
    if not inputs:
        refuse_without_sample({name: value for name, value in settings.items() if name not in measured})
    if plot is not None:
        check_plot(plot, force=force)
    choice = sampled(wish, inputs, settings, plot, as_json=json) if inputs else calculated(wish)
    if plot is not None:
        choice.curve.plot(plot)
    typer.echo(jsons.dumps(choice.to_dict(), indent=2) if json else "\n".join(told(choice, plot)))


def check_plot(plot: Path, inputs: list[Path] | None = None, *, force: bool) -> None:
    """Refuse a picture that cannot or must not be written, before any work is done."""
    from lookalike.report.plots import check_ending
    from lookalike.write.outputs import check_outputs

    check_ending(plot)
    check_outputs({}, inputs or [], force=force, others={"--plot": plot})


def calculated(wish: Wish) -> Choice:
    """Choose without looking at any items."""
    measure = wish.measured()
    if wish.bands is not None and wish.rows is not None:
        return given(wish, Banding(wish.bands, wish.rows))
    threshold = threshold_for(measure, wish.threshold)
    if wish.weights is not None:
        slots = 128 if wish.slots is None else wish.slots
        return Choice(Curve(balance(threshold, weights=parse_weights(wish.weights), slots=slots), measure, threshold))
    items = {} if wish.items is None else {"items": wish.items}
    recall = 0.99 if wish.recall is None else wish.recall
    banding = tuned(threshold, recall, measure=measure.name, of=measure.of, bits=measure.bits or None, **items)
    return Choice(Curve(banding, measure, threshold))


def given(wish: Wish, banding: Banding) -> Choice:
    """Tell of a banding that was given; where a recall is asked for, the threshold that has it."""
    curve = Curve(banding, wish.measured(), wish.threshold)
    if wish.recall is None:
        return Choice(curve)
    check_recall(wish.recall)
    if wish.threshold is not None:
        return Choice(curve, wish.recall)
    found = curve.value_at(wish.recall)
    if found is None:
        raise RecipeError(
            f"`--recall` {wish.recall:g} is out of reach of {banding.bands} bands of {banding.rows} rows, whatever the "
            f"{curve.measure.name} of two items. Give more bands, or fewer rows"
        )
    if curve.measure.name == "hamming":
        found = math.floor(found)
    if curve.measure.is_distance or found > 0:  # else all have that recall, and no threshold divides them
        curve = replace(curve, threshold=found)
    return Choice(curve, wish.recall)


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
    return Choice(Curve(found.banding, found.measure, found.threshold), estimate=found)
