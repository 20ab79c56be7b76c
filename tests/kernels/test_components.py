from __future__ import annotations

import random

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import call_kernels, strategies


@given(graph=strategies.graphs())
def test_roots_are_the_least_item_that_pairs_lead_to(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, pairs = graph
    assert call_kernels.roots(count, pairs) == naive.components(count, pairs)


@given(graph=strategies.graphs(), source=st.randoms(use_true_random=False))
def test_order_and_sides_of_pairs_do_not_matter(
    graph: tuple[int, list[tuple[int, int]]], source: random.Random
) -> None:
    count, pairs = graph
    turned = [(two, one) for one, two in pairs]
    source.shuffle(turned)
    assert call_kernels.roots(count, turned) == call_kernels.roots(count, pairs)


@pytest.mark.parametrize("count", [1, 2, 1000])
@pytest.mark.parametrize("turn", [1, -1])
def test_a_chain_is_one_component(count: int, turn: int) -> None:
    pairs = [(item, item + 1) for item in range(count - 1)][::turn]
    assert call_kernels.roots(count, pairs) == [0] * count


def test_no_pairs() -> None:
    assert call_kernels.roots(5, []) == [0, 1, 2, 3, 4]


@call_kernels.compiled
def test_a_big_graph() -> None:
    source = random.Random(5)
    pairs = [(source.randrange(20_000), source.randrange(20_000)) for _ in range(11_000)]
    assert call_kernels.first_difference(call_kernels.roots(20_000, pairs), naive.components(20_000, pairs)) is None
