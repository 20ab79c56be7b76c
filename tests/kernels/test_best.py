"""The best of the items whose score is known, and of those in cells, against the definitions."""

from __future__ import annotations

from typing import Any

import naive.best
import naive.near
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lookalike.kernels import best as kernels
from lookalike.kernels.cells import search_cells

scores = st.sampled_from([-3.0, -1.0, -0.0, 0.0, 0.25, 0.5, 1.0]) | st.floats(-1, 1)


@given(
    st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 9)), scores, max_size=40),
    st.integers(1, 12),
    st.integers(0, 40),
    st.randoms(use_true_random=False),
)
def test_keep_best(scored: dict[tuple[int, int], float], k: int, first: int, random: Any) -> None:
    """Items come in any order, in two goes; many score the same, and row i does not take item i."""
    given = list(scored.items())
    random.shuffle(given)
    items, best = np.full((4, k), -1, np.int32), np.full((4, k), -np.inf)
    for some in (given[:first], given[first:]):
        rows, columns = (np.array([place[side] for place, _ in some], np.int32) for side in (0, 1))
        values = np.array([score for _, score in some], float)
        kernels.keep_best(rows, columns, values, np.arange(4, dtype=np.int32), items, best)
    for row in range(4):
        expected = naive.near.best([(item, score) for (at, item), score in given if at == row], k, row)
        rest = [(-1, -np.inf)] * (k - len(expected))
        assert list(zip(items[row].tolist(), best[row].tolist(), strict=True)) == expected + rest


@given(st.integers(0, 5), st.integers(0, 6), st.integers(0, 20), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_gather_above_bounds(height: int, width: int, room: int, first: int, seed: int) -> None:
    """Products often are the bound itself. A row that might not fit is left for another call."""
    rng = np.random.default_rng(seed)
    products = rng.integers(-1, 3, (height, width)).astype(np.float32)
    bounds = rng.choice([-np.inf, -1, 0.5, 1, 2, 3], height).astype(np.float32)
    rows, columns = np.full((2, room), -1, np.int32)
    filled, came_to = kernels.gather_above_bounds(products, bounds, min(first, height), rows, columns)
    found = list(zip(rows[:filled].tolist(), columns[:filled].tolist(), strict=True))
    expected = naive.best.above_bounds(products.tolist(), bounds.tolist(), min(first, height), room)
    assert (found, came_to) == expected


@given(
    st.integers(1, 4), st.integers(1, 3), st.sampled_from([1, 15, 16, 35]), st.integers(1, 9),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_search_cells(questions: int, looked: int, length: int, wanted: int, seed: int) -> None:
    """Cells may be empty, and numbers are whole, so that products are exact and often the same."""
    rng = np.random.default_rng(seed)
    begins = np.append(0, np.cumsum(rng.integers(0, 5, 4)))
    rows = rng.integers(-2, 3, (begins[-1], length)).astype(np.float32)
    asked = rng.integers(-2, 3, (questions, length)).astype(np.float32)
    cells = np.array([rng.permutation(4)[:looked] for _ in range(questions)])
    places, scores = np.empty((questions, wanted), np.int64), np.empty((questions, wanted), np.float32)
    search_cells(asked, cells, begins, rows, places, scores)
    for q in range(questions):
        expected = naive.best.in_cells(asked[q].tolist(), cells[q].tolist(), begins.tolist(), rows.tolist(), wanted)
        assert list(zip(places[q].tolist(), scores[q].tolist(), strict=True)) == expected
