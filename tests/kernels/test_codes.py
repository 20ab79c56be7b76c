"""Codes of bits, and the best of those whose score is known, against the definitions."""

from __future__ import annotations

from typing import Any

import harness
import naive_codes
import naive_near
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lookalike.kernels import codes as kernels

BITS = 64 * kernels.WORDS
Parts = tuple[NDArray[np.uint64], ...]

numbers = st.floats(-2, 2, width=32) | st.sampled_from([0.0, -0.0, 1e-45, -1e-45, np.inf, -np.inf])
mosts = st.tuples(st.sampled_from([-1, 0, 3, 50, 128]), st.sampled_from([-1, 0, 9, 200, 512]))
seeds = st.integers(0, 2**32 - 1)


def make_codes(seed: int, queries: int, count: int) -> tuple[list[list[int]], list[list[int]]]:
    """Make codes of queries and others: those of the first query, but for so many bits, often equally many.

    The last one has none of its bits, so that it is as far apart as can be.
    """
    rng = np.random.default_rng(seed)
    centre = rng.integers(0, 2, BITS)
    rows = [centre.copy() for _ in range(queries + count)]
    for row in rows[1:]:
        changed = rng.permutation(BITS)[: rng.choice([0, 1, 2, 100, 400])]
        row[changed] ^= 1
    if count:
        rows[-1] = 1 - centre
    packed = [naive_codes.pack(row.tolist()) for row in rows]
    return packed[:queries], packed[queries:]


def words(codes: list[list[int]]) -> NDArray[np.uint64]:
    return np.array(codes, np.uint64).reshape(len(codes), kernels.WORDS)


def parts_of(codes: list[list[int]]) -> Parts:
    return tuple(part.copy() for part in np.split(words(codes), np.cumsum(naive_codes.PARTS)[:-1], axis=1))


def test_the_parts_are_those_of_the_definition() -> None:
    assert (kernels.FIRST, kernels.SECOND, kernels.THIRD) == naive_codes.PARTS


@given(st.integers(0, 3), st.integers(1, 2), st.data())
def test_pack_codes(count: int, length: int, data: st.DataObject) -> None:
    row = st.lists(numbers, min_size=64 * length, max_size=64 * length)
    products = np.array([data.draw(row) for _ in range(count)], np.float32).reshape(count, 64 * length)
    codes = np.full((count, length), 7, np.uint64)
    kernels.pack_codes(products, codes)
    assert codes.tolist() == [naive_codes.pack(one) for one in products.tolist()]


def near_codes(queries: list[list[int]], codes: list[list[int]], most: tuple[int, int], wanted: int) -> Any:
    """Return the places that are near each query, and how many codes pass each part in all."""
    shape = len(queries), len(codes) + 1
    work = np.full(shape, 9, np.uint16), np.full(shape, 9, np.int32), np.full(BITS + 1, 9, np.int32)
    rows, places = np.full((2, len(queries) * wanted + 1), -1, np.int32)
    asked, held, bounds = words(queries), parts_of(codes), np.array(most)
    filled = kernels.near_codes(asked, held, bounds, wanted, work, rows, places)
    assert rows[-1] == places[-1] == -1
    assert sorted(rows[:filled].tolist()) == rows[:filled].tolist()
    found = [places[:filled][rows[:filled] == row].tolist() for row in range(len(queries))]
    return found, kernels.count_passing(asked, held, bounds)


@given(seeds, st.integers(1, 3), st.integers(0, 12), mosts, st.integers(0, 13))
def test_near_codes(seed: int, queries: int, count: int, most: tuple[int, int], wanted: int) -> None:
    """Many are equally near, and more may be wanted than there are."""
    asked, codes = make_codes(seed, queries, count)
    found, passed = near_codes(asked, codes, most, wanted)
    assert found == [naive_codes.near(query, codes, most, wanted) for query in asked]
    passing = [naive_codes.passing(query, codes, most) for query in asked]
    assert passed == tuple(sum(len(one[part]) for one in passing) for part in range(2))


def test_all_codes_are_near_where_anything_goes() -> None:
    asked, codes = make_codes(1, 2, 5)
    assert naive_codes.apart(asked[0], codes[-1]) == BITS
    found, passed = near_codes(asked, codes, (128, 512), 5)
    assert (found, passed) == ([[0, 1, 2, 3, 4]] * 2, (10, 10))


@harness.compiled
def test_near_codes_of_more_than_one_tile() -> None:
    asked, codes = make_codes(2, 2, kernels.TILE + 500)
    found, _ = near_codes(asked, codes, (60, 300), 5000)
    assert max(found[0]) >= kernels.TILE
    assert found == [naive_codes.near(query, codes, (60, 300), 5000) for query in asked]


@given(seeds, st.integers(1, 3), st.integers(1, 12), st.data())
def test_code_ranks(seed: int, queries: int, count: int, data: st.DataObject) -> None:
    """Where there is no answer, nothing is written."""
    asked, codes = make_codes(seed, queries, count)
    row = st.lists(st.integers(-1, count - 1), min_size=3, max_size=3)
    answers = [data.draw(row) for _ in asked]
    apart, ranks = np.full((2, queries, 3), -7, np.int64), np.full((queries, 3), -7, np.int64)
    work = np.full(count, 9, np.uint16), np.full(BITS + 1, 9, np.int32)
    kernels.code_ranks(words(asked), parts_of(codes), np.array(answers), work, apart, ranks)
    for q, query in enumerate(asked):
        for j, place in enumerate(answers[q]):
            expected = [-7] * 3
            if place >= 0:
                expected = [naive_codes.apart(query, codes[place], parts) for parts in (1, 2)]
                expected.append(naive_codes.rank(query, codes, place))
            assert [*apart[:, q, j].tolist(), ranks[q, j]] == expected


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
        expected = naive_near.best([(item, score) for (at, item), score in given if at == row], k, row)
        rest = [(-1, -np.inf)] * (k - len(expected))
        assert list(zip(items[row].tolist(), best[row].tolist(), strict=True)) == expected + rest


@given(st.integers(0, 5), st.integers(0, 6), st.integers(0, 20), st.integers(0, 5), seeds)
def test_gather_above_bounds(height: int, width: int, room: int, first: int, seed: int) -> None:
    """Products often are the bound itself. A row that might not fit is left for another call."""
    rng = np.random.default_rng(seed)
    products = rng.integers(-1, 3, (height, width)).astype(np.float32)
    bounds = rng.choice([-np.inf, -1, 0.5, 1, 2, 3], height).astype(np.float32)
    rows, columns = np.full((2, room), -1, np.int32)
    filled, came_to = kernels.gather_above_bounds(products, bounds, min(first, height), rows, columns)
    found = list(zip(rows[:filled].tolist(), columns[:filled].tolist(), strict=True))
    expected = naive_codes.above_bounds(products.tolist(), bounds.tolist(), min(first, height), room)
    assert (found, came_to) == expected
