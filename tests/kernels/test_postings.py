"""Postings and their directory, against the definitions."""

from __future__ import annotations

from collections import Counter

import naive
import naive.postings
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from naive.postings import Posting
from support import strategies

from lookalike.kernels import postings as kernels
from lookalike.kernels.codes import CONTAINMENT

LAST_KEY, LAST_MEMBER = 2**64 - 1, 2**32 - 1
EDGES = (0, 1, LAST_MEMBER, 2**32, 2**63 - 1, 2**63, LAST_KEY - LAST_MEMBER, LAST_KEY)
"""Some of these have equal upper halves."""

key_numbers = st.sampled_from(EDGES) | strategies.numbers
members = st.sampled_from([0, 1, LAST_MEMBER]) | st.integers(0, 40)


@st.composite
def banded(draw: st.DrawFn) -> tuple[list[list[Posting]], list[list[int]]]:
    """Draw the postings of bands, as many in each, and the keys of items; of these, some are there and some are not."""
    bands, count, asked = draw(st.integers(0, 3)), draw(st.integers(0, 12)), draw(st.integers(0, 6))
    key = st.sampled_from(draw(st.lists(key_numbers, min_size=1, max_size=5))) | key_numbers
    postings = st.lists(st.tuples(key, members), min_size=count, max_size=count, unique=True)
    keys = st.lists(key, min_size=asked, max_size=asked)
    return [draw(postings) for _ in range(bands)], [draw(keys) for _ in range(bands)]


def matrix(rows: list[list[int]], columns: int) -> np.ndarray:
    return np.array(rows, np.uint64).reshape(len(rows), columns)


def sorted_postings(bands: list[list[Posting]]) -> np.ndarray:
    return matrix([sorted(map(naive.postings.packed, band)) for band in bands], len(bands[0]) if bands else 0)


def directory_of(postings: np.ndarray, bits: int) -> np.ndarray:
    directory = np.full((len(postings), 2**bits + 1), 7, np.uint32)
    kernels.fill_directory(postings, bits, directory)
    return directory


@given(banded(), st.integers(1, 8))
@example(([[]], [[]]), 1)
@example(([[(0, 0)], [(LAST_KEY, LAST_MEMBER)]], [[], []]), 3)
def test_a_directory_holds_where_cells_begin(drawn: tuple[list[list[Posting]], list[list[int]]], bits: int) -> None:
    postings = sorted_postings(drawn[0])
    expected = [naive.postings.directory(band, bits) for band in postings.tolist()]
    assert directory_of(postings, bits).tolist() == expected


@pytest.mark.slow
@given(banded(), st.integers(1, 8))
@example(([[]], [[0, LAST_KEY]]), 1)
@example(([[(0, 0)], [(LAST_KEY, LAST_MEMBER)]], [[0, 1, LAST_KEY], [0, LAST_KEY - 5, LAST_KEY]]), 1)
@example(([[(2**40, 3), (2**40 + 1, 5), (2**40 + 2**32, 4)]], [[2**40 + 9, 2**41]]), 2)
@example(([], []), 1)
def test_postings_that_keys_meet(drawn: tuple[list[list[Posting]], list[list[int]]], bits: int) -> None:
    """Equal upper halves are enough; two bands may find the same, which then is written twice."""
    bands, rows = drawn
    items = [3 * i + 1 for i in range(len(rows[0]) if rows else 0)]
    postings, keys = sorted_postings(bands), matrix(rows, len(items))
    directory = directory_of(postings, bits)
    expected = naive.postings.found(bands, rows, items)

    counts = np.full(len(items), -1, np.int64)
    kernels.count_found(postings, directory, bits, keys, counts)
    assert dict(zip(items, counts.tolist(), strict=True)) == {i: Counter(i for i, _ in expected)[i] for i in items}

    out = np.full(len(expected) + 1, 7, np.uint64)
    filled = kernels.write_found(postings, directory, bits, keys, np.array(items, np.int64), out)
    assert sorted(divmod(number, 2**32) for number in out[:filled].tolist()) == expected
    assert out[-1] == 7


@pytest.mark.slow
@pytest.mark.parametrize("measure", [*range(len(naive.MEASURES)), CONTAINMENT])
@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), max_size=8), strategies.thresholds)
def test_sizes_that_may_reach_a_threshold(measure: int, sizes: list[tuple[int, int]], threshold: float) -> None:
    """They may if the smaller set, as a part of the larger, does."""
    similarity = (*naive.MEASURES, naive.containment)[measure]
    one, two = np.array(sizes, np.int32).reshape(-1, 2).T.copy()
    out = np.empty(len(sizes), bool)
    kernels.may_reach((measure, threshold), one, two, out)
    assert out.tolist() == [similarity(range(a), range(b)) >= threshold for a, b in sizes]
