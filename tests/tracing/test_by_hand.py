"""Signatures by hand: the examples of the textbook, through `trace`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lookalike import RecipeError, Trace, trace
from lookalike.tracing.tables import INFINITE

ROWS = ["1010", "1001", "0101", "0101", "0101", "1010", "1010"]
DOCUMENTS = {column + 1: {row + 1 for row, bits in enumerate(ROWS) if bits[column] == "1"} for column in range(4)}
PERMUTATIONS = [(2, 3, 7, 6, 1, 5, 4), (4, 2, 1, 3, 6, 7, 5), (3, 4, 7, 2, 6, 1, 5)]
SETS = {"D1": {"a", "d"}, "D2": {"c"}, "D3": {"b", "d", "e"}, "D4": {"a", "c", "d"}}


def rows_of(found: Trace) -> list[list[Any]]:
    """Return the signature matrix as lists."""
    rows: list[list[Any]] = found.signatures.values.tolist()
    return rows


def test_characteristic_matrix() -> None:
    found = trace({"S": set("abcef"), "T": set("adfgh"), "U": set("be"), "V": set("abcfgh"), "W": set("defg")})
    rows = {name: "".join(map(str, row)) for name, row in zip("abcdefgh", found.matrix.values.tolist(), strict=True)}
    assert found.matrix.rows == tuple("abcdefgh")
    assert rows == {
        "a": "11010", "b": "10110", "c": "10010", "d": "01001", "e": "10101", "f": "11011", "g": "01011", "h": "01010",
    }  # fmt: skip


def test_signatures_by_permutations() -> None:
    found = trace(DOCUMENTS, permutations=PERMUTATIONS, threshold=0.7)
    assert rows_of(found) == [[2, 1, 2, 1], [2, 1, 4, 1], [1, 2, 1, 2]]
    agreement = {(one.left, one.right): (one.value, one.agreement) for one in found.estimates}
    assert agreement[1, 3] == (0.75, 2 / 3)
    assert agreement[2, 4] == (0.75, 1)
    assert agreement[1, 2] == agreement[3, 4] == (0, 0)


def test_permutations_may_begin_with_zero() -> None:
    found = trace(DOCUMENTS, permutations=[(np.array(one) - 1).tolist() for one in PERMUTATIONS])
    assert rows_of(found) == [[1, 0, 1, 0], [1, 0, 3, 0], [0, 1, 0, 1]]


def test_minhash_is_the_first_element_in_an_order() -> None:
    assert rows_of(trace(SETS, orders=["beadc"])) == [["a", "c", "b", "a"]]
    numbers = [{1, 4}, {3}, {2, 4, 5}, {1, 3, 4}, None]
    assert rows_of(trace(numbers, orders=[(2, 5, 1, 4, 3)])) == [[1, 3, 2, 1, None]]


@pytest.mark.parametrize("functions", [["x+1 mod 5", "3x+1 mod 5"], [lambda x: (x + 1) % 5, lambda x: (3 * x + 1) % 5]])
def test_signatures_by_hash_functions(functions: Any) -> None:
    assert rows_of(trace(SETS, hash_functions=functions)) == [[1, 3, 0, 1], [0, 2, 0, 0]]


def test_the_one_pass_algorithm_row_by_row() -> None:
    found = trace(SETS, hash_functions=["x+1 mod 5", "3x+1 mod 5"])
    assert found.steps is not None
    endless = INFINITE
    after = [step.signatures.T.tolist() for step in found.steps]
    assert [step.hashes for step in found.steps] == [(1, 1), (2, 4), (3, 2), (4, 0), (0, 3)]
    assert after == [
        [[1, 1], [endless, endless], [endless, endless], [1, 1]],
        [[1, 1], [endless, endless], [2, 4], [1, 1]],
        [[1, 1], [3, 2], [2, 4], [1, 1]],
        [[1, 0], [3, 2], [2, 0], [1, 0]],
        [[1, 0], [3, 2], [0, 0], [1, 0]],
    ]
    assert found.steps[3].changed.tolist() == [[False] * 4, [True, False, True, True]]
    assert repr(found.steps).splitlines()[1].split() == ["0", "a", "1", "1", "1", "1", "∞", "∞", "∞", "∞", "1", "1"]


def test_rows_may_be_numbered_from_one() -> None:
    found = trace({"C1": {1, 3, 4}, "C2": {2, 3, 5}}, hash_functions=["x mod 5", "2x+1 mod 5"], first_row=1)
    assert found.signatures.column("C1") == {"x mod 5": 1, "2x+1 mod 5": 2}
    assert found.signatures.column("C2") == {"x mod 5": 0, "2x+1 mod 5": 0}


def test_the_universe_sets_rows_and_their_order() -> None:
    found = trace(SETS, universe="edcbax", orders=["xbeadc"])
    assert found.matrix.rows == tuple("edcbax")
    assert found.matrix.row("x") == dict.fromkeys(SETS, 0)
    assert rows_of(found) == [["a", "c", "b", "a"]]


def test_bands_by_hand_make_buckets() -> None:
    found = trace(DOCUMENTS, permutations=[*PERMUTATIONS, PERMUTATIONS[0]], bands=2, rows=2, threshold=0.7)
    assert [(one.left, one.right, one.bands) for one in found.candidates] == [(1, 3, (2,)), (2, 4, (1, 2))]
    assert [(bucket.band, bucket.items) for bucket in found.buckets] == [(1, (2, 4)), (2, (1, 3)), (2, (2, 4))]
    assert found.bands.values.tolist() == [[1, 2, 3, 2], [1, 2, 1, 2]]


def test_items_without_elements_meet_nothing() -> None:
    found = trace([None, {1}, None], hash_functions=["x mod 2"])
    assert rows_of(found) == [[INFINITE, 0, INFINITE]]
    assert not found.candidates
    assert "∞" in repr(found.signatures)


def test_shingles_of_texts_by_hand() -> None:
    found = trace(["abcab", "abcd"], shingle="chars:2", orders=[["ca", "bc", "ab", "cd"]])
    assert rows_of(found) == [["ca", "bc"]]


def test_sides_of_planes() -> None:
    vectors = {"x": [3.0, 4.0, 5.0, 6.0], "y": [4.0, 3.0, 2.0, 1.0]}
    found = trace(vectors, planes=[(1, -1, 1, 1), (-1, 1, -1, 1), (1, 1, -1, -1)], threshold=0.9)
    assert rows_of(found) == [[1, 1], [1, 0], [0, 1]]
    (one,) = found.estimates
    assert one.agreement == 1 / 3
    assert one.expected == pytest.approx(1 - np.arccos(one.value) / np.pi)
    assert found.steps is None


@pytest.mark.parametrize(
    ("items", "by_hand", "message"),
    [
        (SETS, {"permutations": [(1, 2, 3)]}, "`permutations` must each hold the numbers 1 to 5"),
        (SETS, {"permutations": [(1, 2, 3, 4, 4)]}, "`permutations` must each hold the numbers 1 to 5"),
        (SETS, {"orders": ["abc"]}, "`orders` must each hold every row once"),
        (SETS, {"hash_functions": ["5 + y"]}, "formulas such as '3x [+] 1 mod 5'"),
        (SETS, {"hash_functions": ["x mod 0"]}, "formulas such as"),
        (SETS, {"hash_functions": [lambda x: x / 2]}, "must return whole numbers"),
        (SETS, {"hash_functions": []}, "`hash_functions` must hold at least one"),
        (SETS, {"hash_functions": ["x mod 5"], "orders": ["abcde"]}, "different ways to make signatures"),
        (SETS, {"hash_functions": ["x mod 5"], "bands": 2, "rows": 2}, "`bands` x `rows` must be the number of"),
        (SETS, {"planes": [(1, 2, 3, 4, 5)]}, "`planes` is for vectors"),
        ([{"a": 1.5}], {"hash_functions": ["x mod 5"]}, "without counts or weights"),
        (["a b"], {"hash_functions": ["x mod 5"], "bag": True}, "Leave it out for bags"),
        ([[1.0, 2.0]], {"hash_functions": ["x mod 5"]}, "`hash_functions` is for sets"),
        ([[1.0, 2.0]], {"planes": [(1, 2, 3)]}, "`planes` must each hold 2 numbers"),
    ],
)
def test_refusals(items: Any, by_hand: Any, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        trace(items, **by_hand)
