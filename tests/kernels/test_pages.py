from __future__ import annotations

from itertools import pairwise

import naive.pages
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.index.storage.page_checksums import Pages, PageSummer, page_sums


def some_bytes(size: int) -> bytes:
    return np.random.default_rng(size).bytes(size)


@pytest.mark.parametrize("size", [0, 8, 64, 4088, 4096, 4104, 8192, 20_000])
def test_sums_are_those_of_the_definition(size: int) -> None:
    data = some_bytes(size)
    assert page_sums(np.frombuffer(data, np.uint8)).tolist() == naive.pages.page_sums(data)


@given(cuts=st.lists(st.integers(0, 20_000), max_size=6))
def test_sums_do_not_depend_on_how_bytes_come(cuts: list[int]) -> None:
    data = some_bytes(20_000)
    bounds = [0, *sorted(cuts), len(data)]
    summer = PageSummer()
    for begin, end in pairwise(bounds):
        summer.update(data[begin:end])
    assert summer.finish().tolist() == naive.pages.page_sums(data)


@pytest.mark.slow
@given(
    place=st.integers(0, 19_999),
    bits=st.integers(1, 255),
    runs=st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 5000)), min_size=1, max_size=4),
)
def test_a_page_is_wrong_if_any_bit_of_it_is(place: int, bits: int, runs: list[tuple[int, int]]) -> None:
    data = some_bytes(20_000)
    sums = page_sums(np.frombuffer(data, np.uint8))
    changed = data[:place] + bytes([data[place] ^ bits]) + data[place + 1 :]
    pages = Pages.of(np.frombuffer(changed, np.uint8), sums)
    pairs = [(begin, min(begin + length, len(data))) for begin, length in runs]
    begins, ends = (np.array(one, np.int64) for one in zip(*pairs, strict=True))
    right = naive.pages.runs_are_right(changed, sums.tolist(), pairs)
    assert pages.verify_runs(0, begins, ends) == right
    assert pages.verify_runs(0, begins, ends) == right, "the second time too"
    assert not pages.verify_runs(0, np.zeros(1, np.int64), np.full(1, len(data)))
    assert not pages.verify_runs(0, np.zeros(1, np.int64), np.full(1, len(data) + 1)), "beyond the end"
    at = np.array([place // 8], np.int64)
    assert not pages.verify_values(0, 8, at, 0)
    assert pages.verify_values(0, 8, at, 0) == naive.pages.runs_are_right(changed, sums.tolist(), [(place, place + 1)])


@pytest.mark.slow
def test_cells_are_checked_on_the_way() -> None:
    """A directory of two bands and two cells, then postings, each on pages of their own."""
    directory = np.array([[0, 2, 3], [0, 1, 3]], np.uint32)
    postings = np.arange(6, dtype=np.uint64)
    data = directory.tobytes().ljust(4096, b"\0") + postings.tobytes().ljust(4096, b"\0")
    sums = page_sums(np.frombuffer(data, np.uint8))
    keys = np.array([[1 << 63], [0]], np.uint64)
    for place in (None, 9, 4096 + 17):
        changed = data if place is None else data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        pages = Pages.of(np.frombuffer(changed, np.uint8), sums)
        assert pages.verify_cells((4096, 0), directory, 3, 1, keys) == (place is None)
