"""Record which kernels each kind of run needs, with which signatures, in src/lookalike/kernels/compiled/needed.json.

    python tools/record_kernels.py          # after a change of a kernel's arguments, or of what calls it
    python tools/record_kernels.py --check  # fail if the record is outdated

`lookalike warm-up` compiles what is recorded, and a first run divides it among processes. Each run is carried out in a
process of its own, on values and on files, as the types of arrays depend on where they come from.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numba.core.registry import cpu_target

import lookalike
from lookalike.kernels.compiled import needed
from lookalike.kernels.compiled.cache import KernelCache
from lookalike.kernels.compiled.signatures import Spec, to_spec
from lookalike.neighbours import vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Each collection has copies, and three items or more that are similar: clusters of two need fewer kernels.
TEXTS = [
    "a fox lived in a wood by the sea and ate what the tide had left on the sand",
    "a fox lived in a wood by the lake and ate what the tide had left on the sand",
    "a fox lived in a wood by the river and ate what the tide had left on the sand",
    "etwas ganz anderes, über das Meer und den Wald und was der Fuchs dort gefunden hat",
] * 3
TOKENS = [[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 9], [1, 2, 3, 4, 5, 6, 7, 10], [9, 8, 7, 6, 5, 4, 3, 2]] * 2
SETS = [[1, 2, 3, 4], [1, 2, 3, 5], [1, 2, 3, 6], [7, 8, 9], [1, 2, 3, 4]] * 2
NAMED = [[f"element {number}" for number in one] for one in SETS]
WEIGHTS = [{"a": 1.0, "b": 2.0, "c": 0.5}, {"a": 1.0, "b": 2.0, "c": 0.25}, {"a": 1.0, "b": 2.0}, {"d": 1.0}] * 2
VECTORS = np.random.default_rng(1).standard_normal((16, 8)).astype(np.float32).repeat(3, axis=0)
VECTORS[:6, 0] += np.repeat(np.arange(3, dtype=np.float32) / 100, 2)
BITS = [b"\x00\x01\x02\x03", b"\x00\x01\x02\x02", b"\x00\x01\x02\x01", b"\xff\x00\xff\x00"] * 2

Settings = dict[str, Any]
Used = list[tuple[str, list[Spec]]]
KINDS: dict[str, tuple[str, Any, Settings]] = {
    "words": ("text", TEXTS, {"threshold": 0.5}),
    "chars": ("text", TEXTS, {"threshold": 0.5, "shingle": "chars:5"}),
    "bytes": ("text", TEXTS, {"threshold": 0.5, "shingle": "bytes:5"}),
    "bags": ("text", TEXTS, {"threshold": 0.5, "shingle": "words:1", "bag": True, "sketch": "classic"}),
    "tokens": ("tokens", TOKENS, {"threshold": 0.5, "shingle": "tokens:2"}),
    "sets": ("elements", SETS, {"threshold": 0.5, "shingle": "elements"}),
    "named sets": ("elements", NAMED, {"threshold": 0.5, "shingle": "elements", "measure": "dice"}),
    "weights": ("weights", WEIGHTS, {"threshold": 0.5, "shingle": "weights"}),
    "cosine": ("vector", VECTORS, {"threshold": 0.9, "shingle": "vectors"}),
    "euclidean": ("vector", VECTORS, {"threshold": 0.5, "measure": "euclidean"}),
    "agreement": ("vector", VECTORS, {"threshold": 0.5, "measure": "agreement", "tolerance": 0.1}),
    "double cosine": ("vector", VECTORS.astype(np.float64), {"threshold": 0.9, "shingle": "vectors"}),
    "double euclidean": ("vector", VECTORS.astype(np.float64), {"threshold": 0.5, "measure": "euclidean"}),
    "double agreement": (
        "vector",
        VECTORS.astype(np.float64),
        {"threshold": 0.5, "measure": "agreement", "tolerance": 0.1},
    ),
    "bits": ("bits", BITS, {"threshold": 4, "measure": "hamming"}),
}


def inputs(kind: str) -> Iterator[Any]:
    """Yield the items of a kind as values, as Arrow arrays and as files."""
    column, items, _ = KINDS[kind]
    yield items
    if kind == "weights":
        rows = [[{"element": name, "weight": weight} for name, weight in one.items()] for one in items]
        array = pa.array(rows)
    else:
        array = pa.array(list(items))
    pq.write_table(pa.table({"id": [f"item {i}" for i in range(len(array))], column: array}), f"{column}.parquet")
    yield Path(f"{column}.parquet")
    if column == "text":
        Path("text.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in items))
        yield Path("text.jsonl")


def dedup(items: Any, **settings: Any) -> None:
    """Deduplicate, as the command does by default and as for a report."""
    lookalike.deduplicate(items, **settings)
    lookalike.deduplicate(items, examples=1, **settings)


def exact_dedup(items: Any, **settings: Any) -> None:
    """Deduplicate by an exact search."""
    lookalike.deduplicate(items, recall=1, **settings)


def pairs(items: Any, **settings: Any) -> None:
    """Find pairs by bands, among one collection and between two, and measure the recall."""
    lookalike.find_pairs(items, **settings)
    lookalike.find_pairs(items, against=items, **settings)
    lookalike.find_pairs(items, bands=4, rows=2, measure_recall=3, **settings)


def exact_pairs(items: Any, **settings: Any) -> None:
    """Find pairs by an exact search."""
    lookalike.find_pairs(items, recall=1, **settings)
    lookalike.find_pairs(items, against=items, recall=1, **settings)
    if settings["threshold"] < 1:
        lookalike.find_pairs(
            items, recall=1, **{**settings, "threshold": 0.95}
        )  # sets are sampled if they must be close


def nearest(items: Any, threshold: float, **settings: Any) -> None:
    """Find the nearest items, by bands and exactly."""
    lookalike.nearest(items, k=2, **settings)
    lookalike.nearest(items, k=2, against=items, recall=1, **settings)
    lookalike.nearest(items, k=2, threshold=threshold, measure_recall=2, **settings)


def index(items: Any, **settings: Any) -> None:
    """Build an index, change it, query it and check it."""
    with tempfile.TemporaryDirectory() as folder:
        made = lookalike.Index.create(Path(folder) / "i", **settings)
        with made:
            made.add(None, items)
            made.add_new(None, items)
            made.compact()
            made.query_many(items)
        lookalike.Index.check(Path(folder) / "i")


def compare(items: Any, **settings: Any) -> None:
    """Compare two items."""
    if not isinstance(items, Path):
        lookalike.compare(items[0], items[1], **settings)


def nearest_by_cells() -> None:
    """Find the nearest among many vectors in groups."""
    vectors.PAY = 0  # cells pay even for this few
    random = np.random.default_rng(9)
    groups = random.normal(size=(200, 32))
    rows = groups[random.integers(0, 200, 6000)] + 0.5 * random.normal(size=(6000, 32))
    lookalike.nearest(rows[:500].astype(np.float32), 5, against=rows[500:].astype(np.float32), recall=0.9)


def pairs_of_long_tables() -> None:
    """Gather sets, and weighted sets, from a table with a row per element."""
    table = pa.table({"who": ["a", "a", "b", "b"], "what": ["x", "y", "x", "y"], "much": [1.0, 2.0, 1.0, 2.0]})
    lookalike.find_pairs(table, item="who", element="what")
    lookalike.find_pairs(table, item="who", element="what", weight="much")


def pairs_of_templates() -> None:
    """Find pairs where more items share buckets than are similar, so that the plan changes."""
    random = np.random.default_rng(4)
    lines = [
        f"2024-01-{d:02} host{h} sshd: connection from 10.0.0.{h} port {p}"
        for d, h, p in random.integers(1, 99, (3000, 3))
    ]
    lookalike.find_pairs(lines, shingle="chars:4", threshold=0.3)
    lookalike.deduplicate(lines, shingle="chars:5", threshold=0.6)


def exact_copies() -> None:
    """Find items that are equal."""
    for items in (TEXTS, TOKENS, NAMED, WEIGHTS, VECTORS):
        lookalike.deduplicate(items, exact_copies=True)
    lookalike.deduplicate(TOKENS, shingle="whole-tokens")
    lookalike.deduplicate(BITS, shingle="whole-bits")


def trace() -> None:
    """Trace a few items of each kind that has bands."""
    lookalike.trace(TEXTS)
    lookalike.trace(TEXTS, sketch="classic")
    lookalike.trace(NAMED, bands=4, rows=2)
    lookalike.trace(WEIGHTS, bands=4, rows=2)
    lookalike.trace(VECTORS, measure="cosine", bands=4, rows=2)


def tune(items: Any, threshold: float, **settings: Any) -> None:
    """Estimate what a run would cost."""
    lookalike.estimate_costs(items, threshold=threshold, **settings)


OPERATIONS: dict[str, Callable[..., None]] = {
    "dedup": dedup, "dedup exact": exact_dedup, "pairs": pairs, "pairs exact": exact_pairs, "nearest": nearest,
    "index": index, "compare": compare, "tune": tune,
}  # fmt: skip


OTHERS = {
    "nearest: cells": nearest_by_cells,
    "pairs exact: long tables": pairs_of_long_tables,
    "pairs exact: templates": pairs_of_templates,
    "dedup exact: copies": exact_copies,
    "trace: all": trace,
}


def record(run: Callable[[], None]) -> Used:
    """Carry out a run and return the kernels that Python has called, without those that they are made of."""
    used: Used = []
    inside: list[str] = []
    load, save = KernelCache.load_overload, KernelCache.save_overload

    def watched_load(self: Any, signature: Any, target: Any) -> Any:
        if not inside:
            used.append((self.name, [to_spec(kind) for kind in signature]))
        inside.append(self.name)
        found = load(self, signature, target)
        if found is not None:
            inside.pop()
        return found

    def watched_save(self: Any, signature: Any, compiled: Any) -> None:
        save(self, signature, compiled)
        inside.pop()

    KernelCache.load_overload, KernelCache.save_overload = watched_load, watched_save  # type: ignore[method-assign]
    run()
    return used


def in_process(run: Callable[[], None]) -> Used:
    """Record a run in a process of its own, which has not called any kernel yet."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(sender, "w") as answer, tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            json.dump(record(run), answer)
        os._exit(0)
    os.close(sender)
    with os.fdopen(receiver) as answer:
        content = answer.read()
    os.waitpid(child, 0)
    return [(kernel, specs) for kernel, specs in json.loads(content)]


def carry_out(operation: str, kind: str) -> None:
    """Carry out an operation on all inputs of a kind."""
    _, _, settings = KINDS[kind]
    for items in inputs(kind):
        named = (
            {"id": "id"} if str(items).endswith(".parquet") and operation in {"dedup", "dedup exact", "pairs"} else {}
        )
        OPERATIONS[operation](items, **settings, **named)


def recorded() -> dict[str, Used]:
    """Return what each run needs."""
    runs: dict[str, Callable[[], None]] = {
        f"{operation}: {kind}": partial(carry_out, operation, kind) for operation in OPERATIONS for kind in KINDS
    }
    used = {}
    for name, run in {**runs, **OTHERS}.items():
        print(name, flush=True)
        used[name] = in_process(run)
    return used


def all_used() -> dict[str, Used]:
    """Return what all runs of a kind need together, which takes less time."""

    def all_of(kind: str) -> None:
        for operation in OPERATIONS:
            carry_out(operation, kind)

    return {kind: in_process(partial(all_of, kind)) for kind in KINDS} | {
        name: in_process(run) for name, run in OTHERS.items()
    }


def main() -> None:
    """Write the record, or compare it with what is there."""
    cpu_target.target_context.refresh()  # imports what Numba needs to load a kernel, before processes are forked
    if "--check" not in sys.argv:
        needed.RECORD.write_text(needed.to_record(recorded()))
        return
    found, known = (
        {json.dumps(variant) for variant in json.loads(record)["kernels"]}
        for record in (needed.to_record(all_used()), needed.RECORD.read_text())
    )
    if found != known:
        sys.exit(f"{needed.RECORD.name} is outdated. Run python tools/record_kernels.py: {found ^ known}")


if __name__ == "__main__":
    main()
