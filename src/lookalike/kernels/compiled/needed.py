"""What has to be compiled: the kernels that Python calls, with their signatures, and the runs that need them.

`needed.json` is recorded by `tools/record_kernels.py`. Kernels that it lacks are compiled when they are needed.
"""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numba.core.registry import cpu_target

from lookalike.kernels.compiled.cache import file_of
from lookalike.kernels.compiled.signatures import Spec, to_types

if TYPE_CHECKING:
    from collections.abc import Sequence

RECORD = Path(__file__).with_name("needed.json")

TELLING = 3
"""The number of kinds of items up to which a kernel tells what a run is about."""


@dataclass(frozen=True)
class Variant:
    """A kernel and the types of its arguments."""

    kernel: str
    arguments: tuple[Any, ...]

    @cached_property
    def file(self) -> str:
        """The name of the file for this machine."""
        return file_of(self.kernel, self.arguments, cpu_target.target_context.codegen())

    def compile(self) -> None:
        """Load the kernel, or compile and keep it."""
        module, name = self.kernel.split(".")
        getattr(importlib.import_module(f"lookalike.kernels.{module}"), name).compile(self.arguments)


@cache
def runs() -> dict[str, tuple[Variant, ...]]:
    """Return the variants that each kind of run needs, by its name, in the order of their use."""
    record: dict[str, Any] = json.loads(RECORD.read_text())
    variants = [Variant(kernel, to_types(specs)) for kernel, specs in record["kernels"]]
    return {run: tuple(variants[i] for i in numbers) for run, numbers in record["runs"].items()}


def everything() -> tuple[Variant, ...]:
    """Return the variants of all runs."""
    return tuple({variant.file: variant for run in runs().values() for variant in run}.values())


def needed_with(file: str, command: str) -> tuple[Variant, ...] | None:
    """Return what all runs of a command need that need this file, or None if they are too many to tell."""
    needing = {name: run for name, run in runs().items() if any(variant.file == file for variant in run)}
    usual = {name: run for name, run in needing.items() if name.split(": ")[0] == command}
    fitting = usual or {name: run for name, run in needing.items() if name.startswith(command)} or needing
    if len({name.split(": ")[1] for name in fitting}) > TELLING:
        return None
    first, *others = fitting.values() or [()]
    shared = set(first).intersection(*others)
    return tuple(variant for variant in first if variant in shared)


def to_record(used: dict[str, Sequence[tuple[str, list[Spec]]]]) -> str:
    """Return the record of what runs have used."""
    kernels = sorted({json.dumps(variant) for variants in used.values() for variant in variants})
    numbers = {variant: i for i, variant in enumerate(kernels)}
    lines = [f'  "{run}": {[numbers[json.dumps(variant)] for variant in variants]}' for run, variants in used.items()]
    return '{"kernels": [\n  ' + ",\n  ".join(kernels) + '\n],\n"runs": {\n' + ",\n".join(lines) + "\n}}\n"
