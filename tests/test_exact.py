from __future__ import annotations

from itertools import combinations

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import exact

THRESHOLDS = st.sampled_from([0.05, 1 / 3, 0.5, 2 / 3, 0.7, 0.75, 0.8, 0.9, 1.0])


def sets_of(collection: list[set[int]]) -> exact.Sets:
    sizes = np.array([len(one) for one in collection], np.int32)
    elements = np.array([h for one in collection for h in one], np.uint64)
    elements.flags.writeable = False
    return exact.Sets(elements, (np.cumsum(sizes) - sizes).astype(np.int64), sizes)


def joined(collection: list[set[int]], threshold: float) -> list[tuple[int, int]]:
    items = np.arange(len(collection), dtype=np.int32)
    return [
        (min(pair), max(pair))
        for left, right in exact.join(sets_of(collection), items, threshold)
        for pair in zip(left.tolist(), right.tolist(), strict=True)
    ]


@given(
    st.lists(st.sets(st.integers(1, 30).map(lambda i: i << 42 | i), min_size=1, max_size=20), min_size=1, max_size=25),
    THRESHOLDS,
)
def test_no_pair_is_missed_and_none_comes_twice(collection: list[set[int]], threshold: float) -> None:
    found = joined(collection, threshold)
    assert len(found) == len(set(found))
    wanted = {
        (i, j) for (i, one), (j, two) in combinations(enumerate(collection), 2) if naive.jaccard(one, two) >= threshold
    }
    assert wanted <= set(found)


@given(
    st.lists(st.sets(st.integers(1, 30), min_size=1, max_size=20), min_size=1, max_size=25),
    THRESHOLDS,
)
def test_elements_that_share_a_counter_cost_no_pair(collection: list[set[int]], threshold: float) -> None:
    found = set(joined(collection, threshold))
    for (i, one), (j, two) in combinations(enumerate(collection), 2):
        assert naive.jaccard(one, two) < threshold or (i, j) in found


def test_a_shared_template_below_the_threshold_makes_no_candidate() -> None:
    rng = np.random.default_rng(5)
    template = rng.integers(1, 1 << 63, 300).tolist()
    collection = [set(template) | set(rng.integers(1, 1 << 63, 60).tolist()) for _ in range(200)]
    assert naive.jaccard(collection[0], collection[1]) == pytest.approx(300 / 420)
    assert not joined(collection, 0.8)


def test_candidates_come_in_parts_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "AT_A_TIME", 1)
    collection = [{1, 2, 3, i + 10} for i in range(40)]
    assert sorted(joined(collection, 0.5)) == list(combinations(range(40), 2))
