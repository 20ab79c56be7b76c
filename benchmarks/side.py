"""Sets, vectors and an index side by side: other tools and lookalike on the same input, one after the other in one run.

    python benchmarks/side.py sets|vectors|index [--count 100000] [--limit MINUTES] [--tool TOOL ...]

Each adapter in the folder of that name is a script that says what it needs (PEP 723), runs in an environment of its
own, and prints a line of JSON for each thing it was asked. Results go to sets.json, vectors.json and index.json in
benchmarks/results: those of a tool replace its own and no other's. Those of another count than 100,000 have a file of
their own, with the count in its name, as times of two sizes cannot stand beside each other.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from corpus import write_corpus
from environments import InstallError, Tool, tools
from process import THREADS, cores
from rows import RESULTS, Sides

from lookalike import find_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNT = 100_000
SEED = 7
SIZE = 30
"""Elements of a basket."""

PRODUCTS = 50_000
LENGTH = 128
GROUPS = 1000
"""Groups that vectors are in."""

QUESTIONS = 10_000
"""Documents that an index is asked about."""


def baskets(count: int, path: Path) -> None:
    """Write baskets whose elements are as frequent as Zipf says; a tenth of them are others with some replaced."""
    rng = np.random.default_rng(SEED)
    chance = 1 / np.arange(1, PRODUCTS + 1)
    steps = np.cumsum(chance / chance.sum())
    drawn = np.searchsorted(steps, rng.random((count, 3 * SIZE))).clip(max=PRODUCTS - 1)
    sets = [np.array(list(dict.fromkeys(row.tolist()))[:SIZE]) for row in drawn]
    for i in range(count // 10):
        near = sets[i].copy()
        places = rng.choice(len(near), rng.integers(1, len(near) // 2), replace=False)
        near[places] = rng.integers(0, PRODUCTS, len(places))
        sets[count - 1 - i] = np.unique(near)
    pq.write_table(pa.table({"elements": pa.array([one.tolist() for one in sets], pa.list_(pa.int64()))}), path)


def vectors(count: int, path: Path) -> None:
    """Write vectors in groups; a tenth of them are others with some noise. The last 1,000 are the questions."""
    rng = np.random.default_rng(SEED)
    total = count + 1000
    rows = rng.normal(size=(GROUPS, LENGTH))[rng.integers(0, GROUPS, total)] + 0.7 * rng.normal(size=(total, LENGTH))
    near = count // 10
    rows[:near] = rows[near : 2 * near] + rng.uniform(0.05, 0.6, (near, 1)) * rng.normal(size=(near, LENGTH))
    np.save(path, rows.astype(np.float32))


def documents(count: int, path: Path) -> None:
    """Write made documents. Those after `count` are the questions, each with the documents that it resembles."""
    corpus = write_corpus(path.with_name("corpus.parquet"), count + QUESTIONS)
    texts = pq.read_table(corpus)["text"].cast(pa.large_string()).combine_chunks()
    asked = np.arange(len(texts)) >= count
    pairs = find_pairs(texts.slice(count), against=texts.slice(0, count), threshold=0.8, recall=1).to_arrow()
    similar: list[list[int]] = [[] for _ in range(len(texts))]
    for question, document in zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True):
        similar[count + question].append(document)
    lists = pa.array(similar, pa.list_(pa.int64()))
    pq.write_table(pa.table({"text": texts, "question": asked, "similar": lists}), path)


MAKERS = {"sets": baskets, "vectors": vectors, "index": documents}


def run(tool: Tool, source: Path, limit: float) -> list[dict[str, Any]]:
    """Run an adapter, and return what it printed; or why it failed."""
    environment = {**os.environ, **{name: str(len(cores())) for name in THREADS}}
    try:
        command = [str(tool.python()), str(tool.adapter), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment, check=False)
    except InstallError as error:
        return [{"failed": str(error)}]
    except subprocess.TimeoutExpired as error:
        printed = (error.stdout or b"").decode()
        return [*map(json.loads, printed.splitlines()), {"failed": f"stopped after {limit:g} seconds"}]
    if done.returncode:
        return [{"failed": done.stderr.strip().splitlines()[-1]}]
    return [json.loads(line) for line in done.stdout.splitlines()]


def main() -> None:
    """Make the input and run the tools on it."""
    parser = argparse.ArgumentParser(description="Compare tools on sets, vectors, or as an index.")
    parser.add_argument("what", choices=tuple(MAKERS))
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--limit", type=float, default=15.0, help="minutes for one tool")
    parser.add_argument("--tool", action="append", help="only this one; what is known of others stays")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / ("vectors.npy" if asked.what == "vectors" else f"{asked.what}.parquet")
        MAKERS[asked.what](asked.count, source)
        found = sides(RESULTS / f"{name_of(asked.what, asked.count)}.json", asked.count)
        measure(asked.what, source, found, asked.tool, 60 * asked.limit)


def name_of(what: str, count: int) -> str:
    """Return the name of a file of results."""
    return what if count == COUNT else f"{what}-{count}"


def sides(path: Path, count: int) -> Sides:
    """Return the results there are, if they are of as many items; else none."""
    there = Sides.read(path)
    if there.tools and there.count != count:
        print(f"{path.name} has results of {there.count:,} items, which are left out beside those of {count:,}")
    return there if there.count == count else Sides(path, count)


def measure(what: str, source: Path, found: Sides, chosen: Sequence[str] | None, limit: float) -> None:
    """Run every tool, or those chosen, and write down what came of each."""
    every = {tool.name.removeprefix(f"{what}-"): tool for tool in tools(Path(__file__).parent / what)}
    if unknown := set(chosen or ()) - set(every):
        raise SystemExit(f"there is no tool {min(unknown)!r} for {what}; choose of {', '.join(every)}")
    for name in chosen or every:
        rows = run(every[name], source, limit)
        found.put(name, every[name].version(), len(cores()), rows)
        for row in rows:
            print(name, json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
