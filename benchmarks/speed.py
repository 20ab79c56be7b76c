"""Measure how fast lookalike is, against what bounds it: reading the file, a bare loop, a tenth of the documents.

    python benchmarks/speed.py [--documents 100000] [--corpus FILE]

Ratios are taken within one run, since machines differ and are shared. Results go to benchmarks/results/speed.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from bare import bare_chars, bare_words
from corpus import write_corpus

import lookalike
from lookalike.features.shinglers import shingler_for
from lookalike.features.shingling import Shingling
from lookalike.lsh.minhash import Signer
from lookalike.read import Batch
from lookalike.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
REPEATS = 5
SAMPLE = 20_000


def timed(action: Callable[[], Any]) -> float:
    """Return the median time of some runs, the first not counted."""
    action()
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def whole_flow(path: Path) -> dict[str, Any]:
    """Compare file-to-clusters with reading the file by pyarrow alone."""
    read = timed(lambda: pq.read_table(path))
    results = []
    flow = timed(lambda: results.append(lookalike.deduplicate(path)))
    one = timed(lambda: lookalike.deduplicate(path, threads=1))
    return {
        "read_seconds": read,
        "flow_seconds": flow,
        "one_thread_seconds": one,
        "flow_over_read": flow / read,
        "goal": "flow_over_read <= 5",
        "stages": results[-1].summary.seconds,
        "summary": repr(results[-1]),
        "peak_memory_bytes": results[-1].summary.peak_memory_bytes,
    }


def signing(path: Path, shingle: str) -> dict[str, Any]:
    """Compare shingling and signing on one thread with a bare loop on the same texts."""
    texts = pq.read_table(path, columns=["text"])["text"].slice(0, SAMPLE).combine_chunks()
    texts = texts.chunk(0) if isinstance(texts, pa.ChunkedArray) else texts
    recipe = Recipe(shingling=Shingling.parse(shingle))
    shingler = shingler_for(recipe.shingling)
    signer = Signer(recipe, shingler)
    columns = shingler.columns(texts)
    bare = bare_words if shingle.startswith("words") else bare_chars
    size = recipe.shingling.size
    megabytes = float(columns.offsets[-1] - columns.offsets[0]) / 1e6
    loop = timed(lambda: bare(columns.data, columns.offsets, size))
    batches = [Batch(i, texts.slice(i, 2000), None, None) for i in range(0, len(texts), 2000)]
    sign = timed(lambda: [signer.sign(batch) for batch in batches])
    return {
        "megabytes": megabytes,
        "bare_megabytes_a_second": megabytes / loop,
        "sign_megabytes_a_second": megabytes / sign,
        "sign_over_bare": loop / sign,
        "goal": "sign_over_bare >= 0.5",
    }


def growth(small: Path, large: Path) -> dict[str, Any]:
    """Compare ten times the documents."""
    times = [timed(lambda path=path: lookalike.deduplicate(path)) for path in (small, large)]  # type: ignore[misc]
    return {"seconds": times, "ratio": times[1] / times[0], "goal": "ratio <= 11"}


def exact_search(path: Path) -> dict[str, Any]:
    """Compare an exact search with one by bands, at the same threshold, and see what measuring the recall takes."""
    runs: dict[str, Any] = {}

    def run(name: str, **settings: Any) -> float:  # noqa: ANN401 - the settings of a run
        return timed(lambda: runs.update({name: lookalike.deduplicate(path, threshold=0.8, **settings)}))

    bands, exact, measured = run("bands"), run("exact", recall=1), run("measured", measure_recall=200)
    return {
        "bands_seconds": bands,
        "exact_seconds": exact,
        "exact_over_bands": exact / bands,
        "goal": "exact_over_bands <= 2",
        "measure_seconds": runs["measured"].summary.seconds["measure"],
        "measured_over_bands": measured / bands,
        "removed": {name: found.summary.removed for name, found in runs.items()},
        "candidates": {name: found.summary.candidates for name, found in runs.items()},
        "peak_memory_bytes": runs["exact"].summary.peak_memory_bytes,
    }


def short_texts(path: Path) -> dict[str, Any]:
    """Compare file-to-clusters with reading the file, for very many short texts with many duplicates."""
    read = timed(lambda: pq.read_table(path))
    results = []
    flow = timed(lambda: results.append(lookalike.deduplicate(path, threshold=0.7)))
    return {
        "documents": results[-1].summary.items,
        "removed": results[-1].summary.removed,
        "read_seconds": read,
        "flow_seconds": flow,
        "flow_over_read": flow / read,
        "goal": "flow_over_read <= 8",
        "stages": results[-1].summary.seconds,
        "peak_memory_bytes": results[-1].summary.peak_memory_bytes,
    }


def start() -> dict[str, Any]:
    """Time the help, and the very first run: nothing compiled yet."""
    command = [sys.executable, "-c", "from lookalike.cli import main; main()"]
    example = HERE.parent / "examples" / "articles.jsonl"
    help_seconds = timed(lambda: subprocess.run([*command, "--help"], check=True, capture_output=True))
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        run = subprocess.run(
            [*command, "dedup", str(example)],
            check=True,
            capture_output=True,
            env={**os.environ, "NUMBA_CACHE_DIR": folder},
        )
        first = time.perf_counter() - begin
    return {
        "help_seconds": help_seconds,
        "first_run_seconds": first,
        "says_so": b"Compiling" in run.stderr,
        "goal": "help_seconds < 0.3, first_run_seconds < 8",
    }


def main() -> None:
    """Run all, print as it goes, write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--corpus", type=Path, help="a parquet file with a text column, instead of the made one")
    arguments = parser.parse_args()
    data = HERE / "data"
    data.mkdir(exist_ok=True)
    count = arguments.documents
    large = arguments.corpus or write_corpus(data / f"made-{count}.parquet", count)
    small = write_corpus(data / f"made-{count // 10}.parquet", count // 10)
    made = write_corpus(data / f"made-{count}.parquet", count)
    short = write_corpus(data / f"short-{10 * count}.parquet", 10 * count, "short")
    results: dict[str, Any] = {
        "machine": {"cpu": platform.processor() or platform.machine(), "cores": os.cpu_count()},
        "versions": {"python": platform.python_version(), "pyarrow": pa.__version__, "numpy": np.__version__},
        "corpus": {"name": large.name, "documents": pq.ParquetFile(large).metadata.num_rows},
    }
    steps: dict[str, Callable[[], dict[str, Any]]] = {
        "flow": lambda: whole_flow(large),
        "exact": lambda: exact_search(large),
        "sign words:5": lambda: signing(large, "words:5"),
        "sign chars:9": lambda: signing(large, "chars:9"),
        "growth": lambda: growth(small, made),
        "short texts": lambda: short_texts(short),
        "start": start,
    }
    for name, step in steps.items():
        results[name] = step()
        print(name, json.dumps(results[name], indent=2))
    target = HERE / "results" / "speed.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
