"""Atomic operations: threads change numbers in one step and get the previous value."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support import call_kernels, call_prefix_kernels

places = st.lists(st.integers(0, 5), max_size=40)


@given(places)
def test_add_atomically_returns_what_was_there(places: list[int]) -> None:
    array, before = np.zeros(6, np.uint16), np.full(len(places), 9, np.uint16)
    call_prefix_kernels.add_each(array, call_kernels.int64(places), before)
    assert call_kernels.ints(array) == [places.count(place) for place in range(6)]
    assert call_kernels.ints(before) == [places[:i].count(place) for i, place in enumerate(places)]


@given(places, st.data())
def test_or_atomically_returns_what_was_there(places: list[int], data: st.DataObject) -> None:
    bits = data.draw(st.lists(st.integers(0, 255), min_size=len(places), max_size=len(places)))
    array, before = np.zeros(6, np.uint8), np.full(len(places), 9, np.uint8)
    call_prefix_kernels.or_each(array, call_kernels.int64(places), np.array(bits, np.uint8), before)
    held, was = [0] * 6, []
    for place, new in zip(places, bits, strict=True):
        was.append(held[place])
        held[place] |= new
    assert (call_kernels.ints(array), call_kernels.ints(before)) == (held, was)


@call_kernels.compiled
def test_threads_that_add_at_one_place_lose_nothing() -> None:
    """Every number is what one of them found there."""
    array, places = np.zeros(16, np.uint16), np.resize(np.arange(16), 1 << 17)
    before = np.zeros((4, 1 << 17), np.uint16)
    call_kernels.at_once(lambda thread: call_prefix_kernels.add_each(array, places, before[thread]), 4)
    assert call_kernels.ints(array) == [1 << 15] * 16
    for place in range(16):
        assert np.array_equal(np.sort(before[:, place::16], axis=None), np.arange(1 << 15))


def test_threads_that_set_the_bits_of_one_byte_lose_nothing() -> None:
    """Each thread has its own bit of every byte; one of the eight finds it empty."""
    array, places = np.zeros(2000, np.uint8), np.arange(2000)
    before = np.zeros((8, 2000), np.uint8)
    bits = [np.full(2000, 1 << bit, np.uint8) for bit in range(8)]
    call_kernels.at_once(lambda bit: call_prefix_kernels.or_each(array, places, bits[bit], before[bit]), 8)
    assert (array == 255).all()
    assert ((before == 0).sum(axis=0) == 1).all()
