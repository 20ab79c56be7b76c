"""What is true of a corpus, by exact search, and how much of it a tool has found.

    python benchmarks/truth.py CORPUS RESULT [--threshold 0.7] [--words 5]

It is computed once for each corpus, in a process of its own, and kept beside the corpus.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
from job import clusters_of

import lookalike

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Quality:
    """How right a result is; a share of nothing is None."""

    recall: float | None
    precision: float | None


@dataclass(frozen=True)
class Truth:
    """The pairs of rows whose similarity is at least the threshold, each once and the lower row first."""

    pairs: NDArray[np.int64]
    clusters: NDArray[np.int64]

    @classmethod
    def of(cls, pairs: NDArray[np.int64], count: int) -> Truth:
        """Take the pairs and connect them."""
        return cls(pairs, clusters_of(pairs, count))

    def of_pairs(self, found: NDArray[np.int64]) -> Quality:
        """Judge pairs: the share of true pairs among them, the share of them that is true."""
        keys = self.keys(self.pairs)
        reported = self.keys(found)
        right = len(np.intersect1d(keys, reported, assume_unique=True))
        return Quality(share(right, len(keys)), share(right, len(reported)))

    def keys(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return one number for each pair, each once, however it is turned."""
        low, high = pairs.min(axis=1, initial=len(self.clusters)), pairs.max(axis=1, initial=0)
        return np.unique((low * len(self.clusters) + high)[low != high])

    def of_clusters(self, found: NDArray[np.int64]) -> Quality:
        """Judge clusters: the share of true pairs within one, the share of what is within one that belongs together.

        Two rows belong together if true pairs connect them.
        """
        _, names = np.unique(found, return_inverse=True)
        together = pairs_within(names)
        right = pairs_within(names * np.int64(len(self.clusters)) + self.clusters)
        joined = names[self.pairs[:, 0]] == names[self.pairs[:, 1]]
        return Quality(share(int(joined.sum()), len(joined)), share(right, together))


def share(part: int, whole: int) -> float | None:
    """Return a share, or None of nothing."""
    return part / whole if whole else None


def pairs_within(labels: NDArray[np.int64]) -> int:
    """Count the pairs of rows that have the same label."""
    _, sizes = np.unique(labels, return_counts=True)
    return int((sizes * (sizes - 1) // 2).sum())


def truth(corpus: Path, threshold: float, words: int) -> Truth:
    """Return what is true of a corpus; search first unless that was done."""
    path = corpus.with_name(f"{corpus.stem}-truth-{threshold:g}-{words}.parquet")
    if not path.exists() or path.stat().st_mtime < corpus.stat().st_mtime:
        settings = ["--threshold", str(threshold), "--words", str(words)]
        subprocess.run([sys.executable, __file__, str(corpus), str(path), *settings], check=True)
    table = pq.read_table(path)
    pairs = np.column_stack([table["left"].to_numpy(), table["right"].to_numpy()])
    return Truth.of(pairs, pq.read_metadata(corpus).num_rows)


def main() -> None:
    """Search exactly and write the pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("result", type=Path)
    parser.add_argument("--threshold", type=float, default=0.7)
    parser.add_argument("--words", type=int, default=5)
    given = parser.parse_args()
    found = lookalike.find_pairs(
        given.corpus, id="id", recall=1, threshold=given.threshold, shingle=f"words:{given.words}"
    )
    temporary = given.result.with_suffix(".part")
    pq.write_table(found.to_arrow(), temporary)
    temporary.rename(given.result)


if __name__ == "__main__":
    main()
