"""A guard against a run that has become much slower: ratios within one run, with a great deal of slack.

How fast it is, is for `make bench` to say. The machine that tests run on is busy with other tests.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from corpus import write_corpus

import lookalike
from lookalike.engines.local.verify import Verified, Verifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from lookalike.lsh.buckets import Candidates


def least_seconds(action: Callable[[], object], times: int = 5) -> float:
    """Return the time of the quickest of some runs: what others do on the machine can only add to it."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        action()
        taken.append(time.perf_counter() - begin)
    return min(taken)


@pytest.fixture(scope="module", params=["made", "short"])
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    shape, count = request.param, {"made": 10_000, "short": 50_000}[request.param]
    return write_corpus(tmp_path_factory.mktemp("speed") / f"{shape}.parquet", count, shape)


@pytest.mark.slow
def test_file_to_clusters_takes_a_few_times_as_long_as_reading(corpus: Path) -> None:
    """On a quiet machine it is 3 to 4 times for documents, and 8 to 9 for short texts."""
    lookalike.deduplicate(corpus, threshold=0.7)
    reading = least_seconds(lambda: pq.read_table(corpus))
    assert least_seconds(lambda: lookalike.deduplicate(corpus, threshold=0.7)) < 40 * reading


@pytest.mark.slow
def test_an_exact_search_takes_a_few_times_as_long(corpus: Path) -> None:
    """On a quiet machine it is about twice."""
    for recall in (0.99, 1):
        lookalike.deduplicate(corpus, threshold=0.7, recall=recall)
    bands = least_seconds(lambda: lookalike.deduplicate(corpus, threshold=0.7), 3)
    assert least_seconds(lambda: lookalike.deduplicate(corpus, threshold=0.7, recall=1), 3) < 10 * bands


@pytest.mark.slow
def test_few_candidates_are_verified_together(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round for every band and every pivot would leave threads without work most of the time."""
    rounds = []
    verify = Verifier.verify

    def counting(self: Verifier, candidates: Candidates, threshold: float) -> Verified:
        rounds.append(len(candidates))
        return verify(self, candidates, threshold)

    monkeypatch.setattr(Verifier, "verify", counting)
    lookalike.deduplicate(corpus, threshold=0.7)
    assert len(rounds) <= 16 + sum(rounds) // (1 << 15)
