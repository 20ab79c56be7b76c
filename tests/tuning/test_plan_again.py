"""The plan for texts, once their buckets are known: bands that suit texts in general may not suit these."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from lookalike import deduplicate, find_pairs
from lookalike.exact.base import Rounds
from lookalike.lsh.banding import Banding
from lookalike.plan import Plan, ask, plan_again, plan_early

MESSAGES = [
    "Accepted publickey for deploy from 10.{}.{}.{} port {} ssh2",
    "GET /api/v1/users/{}/orders/{} HTTP/1.1 200 {} {}ms",
    "connection from 192.168.{}.{} closed by peer after {} bytes in {} ms",
    "block blk_{}{} received of size 67108864 from /10.251.{}.{}",
]


def log_lines(count: int, seed: int = 1) -> list[str]:
    """Return lines of a log: a few templates with numbers in them, so that none of their shingles is rare."""
    draw = random.Random(seed)
    return [
        f"2024-03-{draw.randrange(1, 29):02d}T{draw.randrange(24):02d}:{draw.randrange(3600):04d}Z "
        f"web-{draw.randrange(20):02d}.example.com app[{draw.randrange(30000)}]: "
        + draw.choice(MESSAGES).format(*(draw.randrange(256) for _ in range(4)))
        for _ in range(count)
    ]


LINES = log_lines(1500)
OPTIONS: dict[str, Any] = {"shingle": "chars:4", "threshold": 0.5}


def test_pairs_of_log_lines_are_searched_exactly() -> None:
    found = find_pairs(LINES, **OPTIONS)
    assert found.summary.exact
    assert found.summary.recall == 1
    assert list(found) == list(find_pairs(LINES, **OPTIONS, recall=1))
    assert found.summary.candidates < len(LINES) ** 2 / 8
    assert [note for note in found.summary.notes if "the search is exact instead, which is faster here" in note]


def test_clusters_of_log_lines_are_searched_exactly() -> None:
    options = OPTIONS | {"threshold": 0.7}
    found = deduplicate(LINES, **options)
    assert found.summary.exact
    assert found.mask.tolist() == deduplicate(LINES, **options, recall=1).mask.tolist()
    assert found.summary.candidates < 10 * len(LINES)


def test_log_lines_of_two_collections_are_searched_exactly() -> None:
    found = find_pairs(LINES[:1000], against=LINES[500:], **OPTIONS)
    assert found.summary.exact
    assert list(found) == list(find_pairs(LINES[:1000], against=LINES[500:], **OPTIONS, recall=1))


def test_the_plan_is_the_same_however_many_threads() -> None:
    runs = [
        find_pairs(LINES, **OPTIONS, threads=threads, batch_bytes=size)
        for threads, size in ((1, 1 << 22), (2, 5000), (3, 1 << 15))
    ]
    assert len({tuple(run) for run in runs}) == 1
    assert len({(run.summary.candidates, run.summary.notes) for run in runs}) == 1


def test_bands_that_are_given_are_used() -> None:
    summary = find_pairs(LINES, **OPTIONS, bands=20, rows=3).summary
    assert (summary.bands, summary.rows, summary.notes) == (20, 3, ())


def test_unrelated_texts_keep_their_bands() -> None:
    draw = random.Random(3)
    texts = [" ".join(str(draw.randrange(5000)) for _ in range(100)) for _ in range(1500)]
    summary = find_pairs([*texts, *(text + " more" for text in texts[:300])]).summary
    assert (summary.bands, summary.rows, summary.pairs, summary.notes) == (20, 7, 300, ())


def test_clusters_of_many_similar_texts_keep_their_bands() -> None:
    """Many share buckets, but a few comparisons unite them: no other search could spare any."""
    draw = random.Random(5)
    words = [str(number) for number in range(300)]
    texts = []
    for _ in range(1500):
        text = list(words)
        text[draw.randrange(300)] = f"x{draw.random()}"
        texts.append(" ".join(text))
    summary = deduplicate(texts).summary
    assert (summary.bands, summary.rows, summary.notes) == (20, 7, ())
    assert summary.candidates < 10 * len(texts)


@dataclass
class Fixed:
    """Estimates that are given. An exact search that is asked for is prepared."""

    exact_least: float
    exact: float
    by_rows: dict[int, float]
    asked: list[str] = field(default_factory=list)
    candidates: float = 1e6

    @property
    def least_exact_seconds(self) -> float:
        """The least time of an exact search."""
        return self.exact_least

    @property
    def exact_seconds(self) -> float:
        """The time of an exact search."""
        self.asked.append("exact")
        return self.exact

    @property
    def rounds(self) -> Rounds:
        """Nothing."""
        raise NotImplementedError

    def seconds(self, banding: Banding) -> float:
        """Return the time of a search by bands."""
        return self.by_rows.get(banding.rows, 1e9)


@pytest.mark.parametrize(
    ("estimates", "rows"),
    [
        (Fixed(1.0, 9.0, {7: 10.0}), 7),
        (Fixed(1.0, 1.0, {7: 10.0}), 0),
        (Fixed(1.0, 9.0, {7: 10.0, 9: 5.0, 12: 3.0, 6: 1.0}), 12),
        (Fixed(1.0, 2.0, {7: 10.0, 12: 3.0}), 0),
        (Fixed(1.0, 1.0, {7: 1.1}), 7),
    ],
    ids=["as good", "exact", "more rows", "exact, though rows help", "hardly faster"],
)
def test_the_fastest_plan_is_chosen_if_it_saves_enough(estimates: Fixed, rows: int) -> None:
    asked = ask({}, "texts")
    early = plan_early(asked, chooses_early=True)
    assert early is not None
    assert early.is_open
    plan = plan_again(asked, early, estimates)
    assert (plan.recipe.banding.rows if plan.recipe.banding else 0) == rows
    assert not plan.is_open
    assert bool(plan.reason) == (rows != 7)
    if plan.recipe.banding is not None:
        assert plan.recipe.banding.chance(0.8) >= 0.99


def test_an_exact_search_that_cannot_be_faster_is_not_prepared() -> None:
    asked = ask({}, "texts")
    estimates = Fixed(20.0, 20.0, {7: 10.0})
    early = plan_early(asked, chooses_early=True)
    assert isinstance(early, Plan)
    assert plan_again(asked, early, estimates).recipe.banding == Banding(20, 7)
    assert not estimates.asked


def test_more_rows_find_what_the_bands_would_have_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The texts are signed again, with other bands than when they were read."""
    draw = random.Random(7)
    texts = [" ".join(str(draw.randrange(5000)) for _ in range(100)) for _ in range(200)]
    texts += [text + " more" for text in texts]
    wanted = list(find_pairs(texts))
    estimates = Fixed(1e9, 1e9, {7: 10.0, 9: 1.0})
    monkeypatch.setattr("lookalike.kinds.shingled.SetCollection.signed_estimates", lambda *_, **__: estimates)
    found = find_pairs(texts)
    assert (found.summary.rows, len(found.summary.notes)) == (9, 1)
    assert list(found) == wanted


class Told:
    """A watcher that takes hints."""

    def __init__(self) -> None:
        self.hints: list[str] = []

    def begin(self, stage: str, total: int | None) -> None:
        """Do nothing."""

    def advance(self, steps: int) -> None:
        """Do nothing."""

    def end(self, seconds: float) -> None:
        """Do nothing."""

    def hint(self, text: str) -> None:
        """Keep a hint."""
        self.hints.append(text)


def test_a_long_search_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["the cat sat on the mat", "a dog"]
    watcher = Told()
    find_pairs(texts, watcher=watcher)
    assert not watcher.hints
    estimates = Fixed(1e9, 1e9, {7: 600.0})
    monkeypatch.setattr("lookalike.kinds.shingled.SetCollection.signed_estimates", lambda *_, **__: estimates)
    find_pairs(texts, watcher=watcher)
    assert watcher.hints == [
        "About 1e+06 candidates share a bucket: the search will take about 10.0 minutes of one core"
    ]
