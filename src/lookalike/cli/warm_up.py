"""lookalike warm-up: compile all kernels in advance."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lookalike.cli import options, written

if TYPE_CHECKING:
    from lookalike.cli.progress import Bars
    from lookalike.kernels.compiled.ahead import Helper
    from lookalike.kernels.compiled.needed import Variant


def warm_up(quiet: options.Quiet = False) -> None:
    """Compile everything now, so that no later run has to: when a container image is built, for example.

    Compiled code is kept in the folder NUMBA_CACHE_DIR if it is set, or with the installed package, or else in the
    user's cache. It is valid for one version of lookalike, Python and Numba, and for one type of processor.

    \b
    Examples:
      lookalike warm-up
      NUMBA_CACHE_DIR=/opt/kernels lookalike warm-up
    """  # noqa: D301 - Click's mark for a paragraph that is not wrapped
    from numba.core import config
    from rich.console import Console

    from lookalike.cli.progress import Bars
    from lookalike.cli.summary import print_facts
    from lookalike.errors import RecipeError
    from lookalike.kernels.compiled.cache import files
    from lookalike.kernels.compiled.needed import everything

    if vars(config)["DISABLE_JIT"]:
        raise RecipeError("With NUMBA_DISABLE_JIT, nothing is compiled. Unset it to compile kernels")
    console = Console(stderr=True)
    begin = time.perf_counter()
    missing = missing_of(everything())
    bars = Bars(console) if console.is_terminal and not quiet else None
    if missing:
        written.append("what was compiled is kept")
        compile_all(missing, bars)
    if not quiet:
        seconds = f" in {time.perf_counter() - begin:.1f} seconds" if missing else ""
        facts = [("compiled", f"{len(missing)} of {len(everything())} kernels{seconds}; none is missing")]
        folder = files().folder
        print_facts(console, [*facts, ("kept in", str(folder.path))] if missing and folder else facts, {})


def missing_of(variants: tuple[Variant, ...] | list[Variant]) -> list[Variant]:
    """Return the kernels that no usable file is there for."""
    from lookalike.kernels.compiled.cache import files

    return [variant for variant in variants if files().load(variant.file) is None]


def compile_all(missing: list[Variant], bars: Bars | None) -> None:
    """Compile kernels in as many processes as there are cores, or raise an error if they cannot be kept."""
    from lookalike.errors import OutputError
    from lookalike.kernels.compiled.ahead import helper
    from lookalike.kernels.compiled.cache import Observed, files, why_not_kept
    from lookalike.resources.threads import thread_count

    count = min(thread_count(None), len(missing))
    helpers = [helper([*missing[i::count], *missing]) for i in range(count)]
    try:
        follow([one for one in helpers if one is not None], missing, bars)
    finally:
        for one in helpers:
            if one is not None:
                one.stop()
    Observed.told = True  # the error says it
    for variant in missing_of(missing):  # if there was no other process, or it has failed
        variant.compile()
        if files().folder is None:
            raise OutputError(why_not_kept())


def follow(helpers: list[Helper], missing: list[Variant], bars: Bars | None) -> None:
    """Wait for processes to end, and show how far they are."""
    from lookalike.kernels.compiled.cache import files

    while any(one.is_running for one in helpers):
        time.sleep(0.05)
        if bars is not None:
            bars.show_compiled(sum(files().has(variant.file) for variant in missing), len(missing))
