"""Stars where components are large: the same as in small steps, and never all pairs."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

from lookalike import deduplicate, find_pairs
from lookalike.engines.local import star

WAYS = {"bands": {"bands": 10, "rows": 2}, "exact": {"recall": 1}}


@pytest.fixture
def tangled() -> list[set[int]]:
    """Return sets that drift from one to the next, and others that are similar to some of them."""
    random = np.random.default_rng(8)
    made = [set(range(i, i + 12)) for i in range(0, 400, 2)]
    made += [{*random.choice(sorted(one), 11, replace=False).tolist(), 1000 + i} for i, one in enumerate(made)]
    return [made[i] for i in random.permutation(len(made))]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("changes", [{}, {"LARGE": 3, "PATIENCE": 1}, {"AT_A_TIME": 5}], ids=str)
def test_large_components_are_decided_as_small_ones(
    tangled: list[set[int]], way: dict[str, Any], changes: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in changes.items():
        monkeypatch.setattr(star, name, value)
    pairs = find_pairs(tangled, threshold=0.6, **way)
    keepers = naive.stars(range(len(tangled)), {(left, right): value for left, right, value in pairs})
    result = deduplicate(tangled, threshold=0.6, **way)
    assert result.mask.tolist() == [keepers[item] == item for item in range(len(tangled))]
    assert {item: keeper for item, _, keeper, _, kept in result.clusters if not kept} == {
        item: keeper for item, keeper in keepers.items() if item != keeper
    }


@pytest.mark.parametrize("way", [{}, {"recall": 1}], ids=str)
def test_near_copies_are_not_all_compared(way: dict[str, Any]) -> None:
    words = [f"w{i}" for i in range(200)]
    texts = [" ".join([*words[:place], f"x{place}", *words[place + 1 :]]) for place in range(200) for _ in range(5)]
    texts = [f"{text} end{i}" for i, text in enumerate(texts)]
    result = deduplicate(texts, threshold=0.8, **way)
    assert result.summary.kept == 1
    assert result.summary.candidates < 30 * len(texts)


def test_a_long_chain_is_decided() -> None:
    texts = [" ".join(f"w{word}" for word in range(start, start + 30)) for start in range(0, 6000, 2)]
    result = deduplicate(texts, shingle="words:1", threshold=0.85, recall=1)
    assert result.mask.tolist() == [place % 2 == 0 for place in range(len(texts))]
    chained = deduplicate(texts, shingle="words:1", threshold=0.85, recall=1, cluster="chain")
    assert chained.summary.kept == 1
    assert chained.summary.below_threshold == len(texts) - 2
