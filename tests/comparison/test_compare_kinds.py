"""Two sets, weighted sets, token lists, vectors or rows of bits, compared and explained; alone, and in an index."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import Index, InputError, SetComparison, TextComparison, compare, find_pairs
from lookalike.measures import NAMES

elements = st.integers(0, 8) | st.sampled_from([-1, 2**63 - 1, -(2**63)])
sets = st.sets(elements, min_size=1)
lists = st.lists(elements, min_size=1, max_size=12)
weights = st.dictionaries(elements, st.floats(0.125, 8), min_size=1)


@given(sets, sets, st.sampled_from(NAMES["sets"]))
def test_what_sets_share(left: set[int], right: set[int], measure: Any) -> None:
    found = compare(left, right, measure=measure, threshold=0.5)
    assert found.similarity == getattr(naive, measure)(left, right)
    assert set(found.shared_elements) == left & right
    assert set(found.left_elements) == left - right
    assert set(found.right_elements) == right - left
    assert (found.shared, found.only_left, found.only_right) == (
        len(left & right), len(left - right), len(right - left)
    )  # fmt: skip
    assert found.is_pair == (found.similarity >= 0.5)


@given(lists, lists)
def test_what_bags_share(left: list[int], right: list[int]) -> None:
    found = compare(left, right, bag=True, threshold=0.5)
    assert isinstance(found, SetComparison)
    one, two = Counter(left), Counter(right)
    assert (found.left, found.right) == (one, two)
    assert found.similarity == (one & two).total() / (one | two).total()
    assert (found.shared, found.only_left, found.only_right) == (
        (one & two).total(), (one - two).total(), (two - one).total()
    )  # fmt: skip


@given(weights, weights)
def test_what_weighted_sets_share(left: dict[int, float], right: dict[int, float]) -> None:
    found = compare(left, right, threshold=0.5, recall=0.9)
    shared = sum(min(left[e], right[e]) for e in left.keys() & right.keys())
    largest = sum(max(left.get(e, 0), right.get(e, 0)) for e in left.keys() | right.keys())
    assert found.similarity == pytest.approx(shared / largest)
    assert found.shared == pytest.approx(shared)
    assert found.shared + found.only_left + found.only_right == pytest.approx(largest)
    assert (found.left, found.right) == (left, right)


@pytest.mark.slow
@given(lists, lists, st.sampled_from(["elements", "tokens:2"]))
def test_it_says_what_a_run_does(left: list[int], right: list[int], shingle: str) -> None:
    settings: dict[str, Any] = {"threshold": 0.4, "bands": 5, "rows": 2, "shingle": shingle}
    found = compare(left, right, **settings)
    assert (found.bands_met > 0 and found.is_pair) == (len(find_pairs([left, right], **settings)) == 1)


def test_the_largest_shares_come_first() -> None:
    found = compare({"rare": 0.1, "same": 2, "more": 5, "own": 1}, {"same": 2, "more": 3, "rare": 9, "z": 0.5})
    assert found.shared_elements == ["more", "same", "rare"]
    assert (found.left_elements, found.right_elements) == (["own"], ["z"])
    assert found.reason == "Not a pair: 5.1 of 17.5 of the weight is shared, 0.2914 < 0.8."


def test_token_ids_are_marked_where_they_stand() -> None:
    found = compare([7, 1, 2, 30, 4], [1, 2, 30, 5], shingle="tokens:2", threshold=0.3)
    assert isinstance(found, TextComparison)
    assert (found.left, found.right) == ("7 1 2 30 4", "1 2 30 5")
    assert [found.left[i:j] for i, j in found.left_spans] == ["1 2 30"]
    assert found.reason == "A pair: 2 of 5 shingles are shared, 0.4000 >= 0.3."
    assert compare([1], [1, 2, 3], shingle="tokens:3", bag=True).similarity == 0.0


vectors = st.lists(st.floats(-9, 9).map(lambda x: round(x, 3)), min_size=3, max_size=3).filter(any)


@pytest.mark.slow
@given(vectors, vectors, st.sampled_from(NAMES["vectors"]))
def test_vectors(left: list[float], right: list[float], measure: Any) -> None:
    how: dict[str, Any] = {"tolerance": 0.5} if measure == "agreement" else {}
    found = compare(left, right, measure=measure, threshold=0.5, **how)
    pairs = find_pairs([left, right], measure=measure, threshold=0.5, recall=1, **how)
    assert found.is_pair == (len(pairs) == 1)
    if found.is_pair:
        assert pairs.to_arrow()[found.column].to_pylist() == [found.value]
    if measure == "euclidean":
        assert found.distance == pytest.approx(float(np.linalg.norm(np.subtract(left, right))))


@pytest.mark.parametrize(
    ("left", "right", "settings", "reason"),
    [
        ({"a", "b"}, {"b", "c"}, {"threshold": 0.5}, "Not a pair: 1 of 3 elements are shared, 0.3333 < 0.5."),
        ([3.0, 4.0], [4.0, 3.0], {}, "A pair: similarity 0.9600 >= 0.8."),
        ([3.0, 4.0], [4.0, 3.0], {"measure": "euclidean", "threshold": 1.0}, "Not a pair: distance 1.4142 > 1."),
        (b"\x00\x01", b"\x00\x06", {"measure": "hamming", "threshold": 3}, "A pair: distance 3 <= 3."),
        (5, 2**64 - 1, {"measure": "hamming", "threshold": 3}, "Not a pair: distance 62 > 3."),
        (None, {"b"}, {}, "Not a pair: a set without elements matches nothing."),
        ([], [1, 2], {"shingle": "tokens:2"}, "Not a pair: a list without tokens:2 shingles matches nothing."),
    ],
)
def test_reasons(left: Any, right: Any, settings: dict[str, Any], reason: str) -> None:
    found = compare(left, right, **settings)
    assert str(found) == found.reason == reason
    assert json.loads(json.dumps(found.to_dict()))["reason"] == reason


@pytest.mark.parametrize(
    ("left", "right", "settings", "message"),
    [
        ("a", {"b"}, {}, "item 1 is set, but must be a string"),
        ({"a"}, {1}, {}, "item 1 holds int, but elements must be all strings"),
        ([1.0, 2.0], [1.0], {}, "item 1: the vector has 1 numbers"),
        ([0.0, 0.0], [1.0, 0.0], {}, "item 0: the vector has only zeros"),
        ([1.0, 2.0], None, {}, "Cannot compare a null vector"),
        (Path("a"), Path("b"), {}, "not files of them"),
        (1 << 70, 1, {"measure": "hamming", "threshold": 1}, "does not fit in 64 bits"),
        (b"a", "a", {"measure": "hamming", "threshold": 1}, "item 1 is str, but must be bytes"),
    ],
)
def test_what_cannot_be_compared(left: Any, right: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(left, right, **settings)


def test_there_is_a_similarity_or_a_distance() -> None:
    with pytest.raises(AttributeError, match="has a distance, not a similarity"):
        _ = compare([1.0], [2.0], measure="euclidean", threshold=3).similarity
    with pytest.raises(AttributeError, match="has a similarity, not a distance"):
        _ = compare("a", "b").distance
    with pytest.raises(TypeError, match="unknown option 'thresold'"):
        compare("a", "b", thresold=0.5)  # type: ignore[call-overload]


def test_bits_as_bytes_or_numbers() -> None:
    """The same whichever way they are given, 64 of them."""
    numbers = [5, 7, -1, 2**64 - 1, None]
    rows = [None if n is None else (n % 2**64).to_bytes(8) for n in numbers]
    found = find_pairs(numbers, measure="hamming", threshold=1)
    assert found.to_arrow().equals(find_pairs(rows, measure="hamming", threshold=1).to_arrow())
    assert found.to_arrow().to_pydict() == {"left": [0, 2], "right": [1, 3], "distance": [1.0, 0.0]}


# In an index


@pytest.mark.parametrize(
    ("how", "items", "asked"),
    [
        ({"shingle": "words:2"}, ["the cat sat on the mat", "a dog barked"], "the cat sat on the rug"),
        ({"shingle": "elements"}, [{"a", "b", "c"}, {"d"}], {"b", "c", "a", "z"}),
        ({"shingle": "elements", "bag": True}, [[1, 2, 2, 3], [4]], [3, 2, 2, 2, 1]),
        ({"shingle": "elements", "measure": "containment"}, [[1, 2, 3, 4, 5, 6], [4]], [2, 3, 9]),
        ({"shingle": "tokens:2"}, [[1, 2, 3, 4], [4]], [1, 2, 3, 9]),
        ({"shingle": "weights"}, [{"a": 1.0, "b": 0.3}, {"c": 2.0}], {"a": 0.7, "b": 0.5}),
        ({"shingle": "vectors", "measure": "cosine"}, [[1.0, 2.0], [-1.0, 0.5]], [1.1, 2.0]),
        ({"measure": "euclidean"}, np.array([[1, 2], [9, 9]], np.float32), [1.1, 2.0]),
        ({"measure": "agreement", "tolerance": 0.2}, [[1.0, 2.0], [9.0, 9.0]], [1.1, 5.0]),
        ({"measure": "hamming", "threshold": 3}, [b"\x00\x01", b"\xff\xf0"], b"\x00\x06"),
    ],
)
def test_a_match_is_explained(tmp_path: Path, how: dict[str, Any], items: Any, asked: Any) -> None:
    with Index.create(tmp_path / "i", **{"threshold": 0.4, **how}) as index:
        index.add(["x", "y"], items)
        (match,) = index.query(asked, threshold=0.3 if index.recipe.measure.name != "hamming" else 3)
        found = index.explain(asked, "x")
        assert (match.id, match.value) == ("x", found.value)
        assert found.column == match.column
        assert found.is_pair
        assert not index.explain(asked, "y").is_pair
        other = compare(
            asked,
            items[0].tolist() if isinstance(items, np.ndarray) else items[0],
            **how | ({"threshold": 0.4} if "threshold" not in how else {}),
        )
        assert type(found) is type(other)
        if not isinstance(items, np.ndarray):
            assert found.to_dict() == other.to_dict()
        with pytest.raises(KeyError):
            index.explain(asked, "z")


def test_explanations_follow_the_rows_of_matches(tmp_path: Path) -> None:
    baskets = [{"a", "b", "c"}, {"x"}, {"a", "b"}]
    with Index.create(tmp_path / "i", shingle="elements", threshold=0.6) as index:
        index.add(["abc", "x", "ab"], baskets)
        source = index.source([{"q"}, {"a", "b", "c"}, None, {"x"}])
        matches = index.query_source(source, threshold=0.1)
        index.delete(["ab"])
        found = list(index.explain_source(source, matches))
    rows = matches.to_arrow().to_pylist()
    assert [(row["query"], row["id"]) for row in rows] == [(1, "abc"), (1, "ab"), (3, "x")]
    assert [one and one.value for one in found] == [1.0, None, 1.0]
    assert [one.threshold for one in found if one] == [0.1, 0.1]


def test_queries_that_fit_no_index_of_this_kind(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="elements", threshold=0.6) as index:
        index.add(["abc"], [{"a", "b", "c"}])
        for wrong, message in (("abc", "item 0 is str"), ({1, 2}, "Got int64")):
            with pytest.raises(InputError, match=message):
                index.explain(wrong, "abc")
        assert index.explain(None, "abc").value == 0.0


@pytest.mark.parametrize(
    ("left", "right", "how", "told"),
    [
        ([1e-6, 0.0], [0.0, 1e-6], {"measure": "euclidean", "threshold": 1e-6}, "distance 0.0000014 > 1e-06."),
        ([1.0, 1e-4], [1.0, 0.0], {"threshold": 0.999999999}, "similarity 0.999999995 < 0.999999999."),
        ([1.0, 1e-4], [1.0, 0.0], {"threshold": 0.99999999}, "similarity 1.0000 >= 0.99999999."),
        (set(range(79998)), set(range(100_000)), {"threshold": 0.8}, "shared, 0.79998 < 0.8."),
        (set(range(4)), set(range(5)), {"threshold": 0.8}, "shared, 0.8000 >= 0.8."),
    ],
)
def test_explanations_are_consistent(left: Any, right: Any, how: dict[str, Any], told: str) -> None:
    assert compare(left, right, **how).reason.endswith(told)


def test_large_weights_are_distinguished() -> None:
    many = {f"e{i}": 1000.0 for i in range(1300)}
    assert "1,300,000 of 1,300,003 of the weight" in compare(many, {**many, "x": 3.0}).reason


def test_elements_have_an_order_of_their_own() -> None:
    """A set of strings has another one in each process."""
    left = dict.fromkeys("dcba", 1.0) | {"much": 2.0}
    assert compare(set("dcba"), set("abcx")).shared_elements == ["a", "b", "c"]
    assert compare(left, left).shared_elements == ["much", "a", "b", "c", "d"]
    assert compare(left, {"x": 1.0}).left_elements == ["much", "a", "b", "c", "d"]


def test_settings_may_be_of_numpy() -> None:
    how: dict[str, Any] = {"threshold": np.float32(0.5), "bands": np.int64(4), "rows": np.int64(2)}
    assert compare("a b c", "a b c", **how).similarity == 1


def test_two_items_cannot_be_turned_round() -> None:
    with pytest.raises(InputError, match="transpose"):
        compare({1}, {2}, transpose=True)


@pytest.mark.parametrize(
    "items",
    [
        [1, 3, *[None] * 131_072],
        [*[None] * 65_536, 1, 3],
        [*[None] * 65_536, b"12345678", b"12345679"],
        [*[None] * 65_536, [1, 2], [1, 3]],
    ],
    ids=["integers first", "integers last", "bytes", "lists"],
)
def test_bits_among_many_nulls(items: list[Any]) -> None:
    assert len(find_pairs(items, measure="hamming", threshold=2)) == 1


@pytest.mark.parametrize("items", [[*[1] * 65_536, [1]], [*[[1]] * 65_536, 1]])
def test_bits_are_all_of_one_kind(items: list[Any]) -> None:
    with pytest.raises(InputError, match="item 65536 is"):
        find_pairs(items, measure="hamming", threshold=2)


def test_a_match_that_was_replaced_is_not_explained(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="words:1", threshold=0.5) as index:
        index.add(["a", "b", "c"], ["one two", "one two", "one two"])
        source = index.source(["one two"])
        matches = index.query_source(source)
        index.delete(["a"])
        index.update(["b"], ["something else"])
        assert [found and found.value for found in index.explain_source(source, matches)] == [None, None, 1]
        with pytest.raises(InputError, match="than the 1 queries of these matches"):
            list(index.explain_source(index.source(["one two", "three"]), matches))
