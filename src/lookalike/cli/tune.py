"""lookalike tune: choose bands and rows, and show what they find."""

from __future__ import annotations

import json as jsons
import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import options
from lookalike.cli.tune_request import TuneRequest, parse_weights, refuse_without_sample
from lookalike.cli.tune_result import TuneResult, describe
from lookalike.errors import RecipeError
from lookalike.lsh.banding import Banding
from lookalike.measures import Of
from lookalike.options import option
from lookalike.tuning.curve import Curve
from lookalike.tuning.tune import balance, check_recall, threshold_for
from lookalike.tuning.tune import tune as choose_banding


@options.with_settings(options.recipe, options.reading)
def tune(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="Files to choose a banding for, same as --sample.")
    ] = None,
    threshold: Annotated[float | None, options.declared(option("threshold"))] = None,
    recall: Annotated[float | None, options.declared(option("recall"), default_shown=True)] = None,
    of: Annotated[
        Of | None,
        typer.Option(
            help="Kind of items that the measure compares, without a sample. [default: the kind that has this measure]"
        ),
    ] = None,
    bits: Annotated[int | None, typer.Option(help="Number of bits per item, for hamming without a sample.")] = None,
    items: Annotated[
        int | None,
        typer.Option(help="Number of vectors or rows of bits to compare, without a sample. [default: 100000]"),
    ] = None,
    bands: Annotated[int | None, options.declared(option("bands"))] = None,
    rows: Annotated[int | None, options.declared(option("rows"))] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="fp=X,fn=Y", help="Weights of false positives and false negatives to balance, instead of a recall."
        ),
    ] = None,
    slots: Annotated[int | None, typer.Option(help="Maximum length of a signature, with --weights. [default: 128]")] = (
        None
    ),
    sample: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE", help="Choose the cheapest banding for this file. Repeat the option for several files."
        ),
    ] = None,
    sample_size: Annotated[int | None, typer.Option(help="Number of items to sample. [default: 500]")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Output file for a plot of the S-curve: .svg, .png or .pdf.")
    ] = None,
    force: options.Force = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """Choose bands and rows, and show the pairs they find, the pairs they miss and the false candidates.

    Without files this is a calculation. With files, or --sample, a sample of the items is compared with all others, and
    the banding is the cheapest one for the similarities found. The options for shingles and reading are the same as for
    the other commands.

    \b
    Examples:
      lookalike tune --threshold 0.8 --recall 0.99 --plot s-curve.svg
      lookalike tune --measure hamming --bits 64 --threshold 3
      lookalike tune --measure cosine --of vectors --threshold 0.9
      lookalike tune --bands 20 --rows 5 --recall 0.95
      lookalike tune --sample corpus.parquet --threshold 0.7 --shingle words:3
      lookalike tune --threshold 0.8 --weights fp=0.5,fn=0.5 --slots 128

    In Python: lookalike.tune(threshold=0.8, recall=0.99).plot("s-curve.svg", threshold=0.8)
    """  # noqa: D301 - Click's mark for a paragraph that is not wrapped
    inputs = [*(sample or []), *(files or [])]
    measure = {name: settings.get(name) for name in ("measure", "tolerance")}
    request = TuneRequest(
        threshold=threshold,
        recall=recall,
        bands=bands,
        rows=rows,
        weights=weights,
        slots=slots,
        has_sample=bool(inputs),
        sample_size=sample_size,
        of=of,
        bits=bits,
        items=items,
        **measure,
    )
    request.check()
    if not inputs:
        refuse_without_sample({name: value for name, value in settings.items() if name not in measure})
    if plot is not None:
        check_plot(plot, force=force)
    result = from_sample(request, inputs, settings, plot, as_json=json) if inputs else calculated(request)
    if plot is not None:
        result.curve.plot(plot)
    typer.echo(jsons.dumps(result.to_dict(), indent=2) if json else "\n".join(describe(result, plot)))


def check_plot(plot: Path, inputs: list[Path] | None = None, *, force: bool) -> None:
    """Raise, before any work is done, if a plot cannot or must not be written."""
    from lookalike.report.plots import check_ending
    from lookalike.write.checks import check_outputs

    check_ending(plot)
    check_outputs({}, inputs or [], force=force, others={"--plot": plot})


def calculated(request: TuneRequest) -> TuneResult:
    """Choose a banding without a sample."""
    measure = request.requested_measure()
    if request.bands is not None and request.rows is not None:
        return described(request, Banding(request.bands, request.rows))
    threshold = threshold_for(measure, request.threshold)
    if request.weights is not None:
        banding = balance(threshold, weights=parse_weights(request.weights), **given(request, "slots"))
    else:
        chosen = given(request, "recall", "items")
        banding = choose_banding(threshold, measure=measure.name, of=measure.of, bits=measure.bits or None, **chosen)
    return TuneResult(Curve(banding, measure, threshold))


def described(request: TuneRequest, banding: Banding) -> TuneResult:
    """Describe a banding that was given. If only a recall is requested, the threshold is the one that has it."""
    curve = Curve(banding, request.requested_measure(), request.threshold)
    if request.recall is None:
        return TuneResult(curve)
    check_recall(request.recall)
    if request.threshold is not None:
        return TuneResult(curve, request.recall)
    found = curve.value_at(request.recall)
    if found is None:
        raise RecipeError(
            f"`recall` {request.recall:g} cannot be reached with {banding.bands} bands of {banding.rows} rows, "
            f"whatever the {curve.measure.name} of two items. Use more bands, or fewer rows"
        )
    if curve.measure.is_whole:
        found = math.floor(found)
    if curve.measure.is_distance or found > 0:  # else all pairs have that recall, and no threshold divides them
        curve = replace(curve, threshold=found)
    return TuneResult(curve, request.recall)


def from_sample(
    request: TuneRequest, inputs: list[str], settings: dict[str, Any], plot: Path | None, *, as_json: bool
) -> TuneResult:
    """Choose the cheapest banding for files, from a sample of their items."""
    from lookalike.cli.session import RunSession
    from lookalike.estimate import estimate_costs

    wanted = given(request, "threshold", "recall", "sample_size")
    with RunSession(settings, inputs, quiet=False, as_json=as_json) as session:
        if plot is not None:
            check_plot(plot, session.files, force=True)
        found = estimate_costs(session.inputs, **wanted, **session.settings)
    return TuneResult(Curve(found.banding, found.measure, found.threshold), estimate=found)


def given(request: TuneRequest, *names: str) -> dict[str, Any]:
    """Return those of some options that were given, as keyword arguments."""
    values = {name: getattr(request, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}
