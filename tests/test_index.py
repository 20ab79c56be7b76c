"""An index on disk: what it answers, what it keeps, what it refuses."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lookalike import Index, InputError, Match, OutputError, Recipe, RecipeError, find_pairs
from lookalike.index import change

WORDS = [f"w{i}" for i in range(40)]


def made_texts(count: int, seed: int = 5) -> list[str]:
    """Return texts of which a third are others with a few words replaced."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, 30)) for _ in range(count)]
    for i in range(0, count - 1, 3):
        words = texts[i].split()
        for place in rng.integers(0, 30, rng.integers(0, 4)):
            words[place] = "new"
        texts[i + 1] = " ".join(words)
    return texts


def by_pairs(held: list[str], asked: list[str], threshold: float, **kinds: Any) -> set[tuple[int, int, float]]:
    """Return (asked, held, similarity) as an exact run finds them."""
    pairs = find_pairs(asked, against=held, threshold=threshold, recall=1, **kinds)
    table = pairs.to_arrow()
    return set(zip(table["left"].to_pylist(), table["right"].to_pylist(), table["similarity"].to_pylist(), strict=True))


def answers(index: Index, asked: Any, **how: Any) -> set[tuple[int, Any, float]]:
    """Return the same as an index answers it."""
    matches = index.query_many(asked, top=None, **how)
    return {(i, match.id, match.similarity) for i, found in enumerate(matches) for match in found}


@pytest.mark.parametrize("steps", [1, 7, 40])
def test_an_index_answers_what_an_exact_run_finds(tmp_path: Path, steps: int) -> None:
    """However its items came in: in one part, or in many that were joined on the way."""
    held, asked = made_texts(600), made_texts(300)
    with Index.create(tmp_path / "i", shingle="words:2", threshold=0.5, recall=0.99999) as index:
        for some in np.array_split(np.arange(600), steps):
            index.add(some.tolist(), [held[i] for i in some])
        expected = by_pairs(held, asked, 0.5, shingle="words:2")
        assert len(expected) > 300
        assert answers(index, asked) == expected
        assert answers(index, asked, threshold=0.8) == {one for one in expected if one[2] >= 0.8}
    with Index.open(tmp_path / "i") as index:
        assert answers(index, asked) == expected
        index.compact()
        assert answers(index, asked) == expected
        index.compact(rebuild=True)
        assert answers(index, asked) == expected
    assert Index.check(tmp_path / "i") == []


def test_the_best_come_first_and_the_older_of_equals(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="words:1", threshold=0.1, fields=["n"]) as index:
        index.add(["d", "b"], ["a b c d x", "a b c d"], {"n": [1, 2]})
        index.add(["c", "a"], ["a b c d", "a b"], {"n": [3, None]})
        found = index.query("a b c d")
        assert [(match.id, match.similarity, match.fields) for match in found] == [
            ("b", 1.0, {"n": 2}), ("c", 1.0, {"n": 3}), ("d", 0.8, {"n": 1}), ("a", 0.5, {"n": None}),
        ]  # fmt: skip
        assert index.query("a b c d", top=1) == [Match("b", 1.0, {"n": 2})]
        assert index.query("a b c d", threshold=0.9) == found[:2]
        assert index.query("") == index.query("zzz") == []


def test_copies_are_all_found_and_deleted_one_by_one(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="words:2") as index:
        index.add([1, 2, 3, 4], ["to be or not to be", "other words entirely", *["to be or not to be"] * 2])
        assert [match.id for match in index.query("to be or not to be")] == [1, 3, 4]
        index.delete([1])
        assert [match.id for match in index.query("to be or not to be")] == [3, 4]
        index.compact()
        assert [match.id for match in index.query("to be or not to be")] == [3, 4]
        index.delete([3, 4])
        index.compact()
        assert index.query("to be or not to be") == []
        assert len(index) == 1
        assert 2 in index


def test_what_was_added_deleted_and_updated(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i") as index:
        assert (len(index), "a" in index, index.query("anything")) == (0, False, [])
        assert index.delete(["a"]) == 0
        assert index.add(["a", "b"], ["one text of words", "another text"]) == 2
        assert (len(index), "a" in index, 5 in index, object() in index) == (2, True, False, False)
        assert index.get("b") == "another text"
        assert index.update(["b", "c"], ["changed text", "third"]) == 1
        assert (len(index), index.get("b"), index.get("c")) == (3, "changed text", "third")
        assert index.delete(["c", "c", "nobody"]) == 1
        with pytest.raises(KeyError):
            index.get("c")
        index.add(["c"], ["again"])
        assert index.get("c") == "again"


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i") as index, Index.open(tmp_path / "i") as reader:
        index.add(["a"], ["one"])
        with pytest.raises(ZeroDivisionError), index.transaction():  # noqa: PT012 - it is all of it
            index.add([f"x{i}" for i in range(3000)], [f"text number {i}" for i in range(3000)])
            index.delete(["a"])
            assert ("x7" in index, "a" in index, len(index)) == (True, False, 3000)
            assert len(reader) == 1
            raise ZeroDivisionError
        assert (len(index), len(reader), "a" in index) == (1, 1, True)
        assert not list((tmp_path / "i").glob("*.columns"))
        with index.transaction():
            index.add(["b"], ["two"])
            index.delete(["a"])
            assert len(reader) == 1
        assert ("a" in reader, "b" in reader) == (False, True)


def test_a_view_stays_as_it_was(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i") as index, Index.open(tmp_path / "i") as reader:
        index.add(range(2000), [f"text number {i} of the first ones" for i in range(2000)])
        view = reader.view()
        index.delete(range(1000))
        index.compact()
        assert (len(view), len(reader)) == (2000, 1000)
        assert view.items(0, np.array([5]))[0].as_py() == "text number 5 of the first ones"


def test_repeated_ids_are_refused(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i") as index:
        index.add(["a"], ["one"])
        with pytest.raises(InputError, match="'a' is in the index already"):
            index.add(["b", "a"], ["two", "three"])
        with pytest.raises(InputError, match="'c' occurs twice"):
            index.add(["c", "c"], ["two", "three"])
        with pytest.raises(InputError, match="of large_string"):
            index.add([1], ["two"])
        assert len(index) == 1


@pytest.mark.parametrize(
    ("ids", "items", "problem"),
    [
        ("ab", ["x", "y"], "single one"),
        (["a"], ["x", "y"], "Give one for each"),
        (["a", "b", "c"], ["x", "y"], "Give one for each"),
        (["a", None], ["x", "y"], "every item needs one"),
        ([1.5, 2.5], ["x", "y"], "strings or integers"),
        (["\ud800"], ["x"], "must be strings"),
        ([["a"]], ["x"], "must be strings|strings or integers"),
        (["a"], [["x", "y"]], "must be a string"),
        (["a"], "x", "single string"),
    ],
)
def test_what_cannot_be_added(tmp_path: Path, ids: Any, items: Any, problem: str) -> None:
    with Index.create(tmp_path / "i") as index:
        with pytest.raises(InputError, match=problem):
            index.add(ids, items)
        assert len(index) == 0


ODD = [
    "",
    " ",
    "a\0b",
    "\n",
    "é",
    "e\u0301",
    "\u202e",
    "\U0001d518",
    "\ufeff",
    "\u0131",
    "İ",
    "ß",
    "SS",
    "a" * 10_000,
    "'; --",
    "\U0010ffff",
]


def test_ids_of_every_kind_are_kept_apart(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i") as index:
        index.add(ODD, [f"text number {i} about nothing" for i in range(len(ODD))])
        assert [index.get(one) for one in ODD] == [f"text number {i} about nothing" for i in range(len(ODD))]
        index.delete(ODD[::2])
        assert [one in index for one in ODD] == [False, True] * (len(ODD) // 2)
    with Index.open(tmp_path / "i") as index:
        assert [row["id"] for batch in index.rows() for row in batch.to_pylist()] == ODD[1::2]


def test_fields(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", fields=["title", "tags"]) as index:
        index.add(["a"], ["one two three"], pa.table({"title": ["A"], "tags": [["x", "y"]]}))
        index.add(["b"], ["four five six"], {"title": ["B"]})
        index.add(["c"], ["seven eight nine"])
        index.compact()
        assert [index.query(text)[0].fields for text in ("one two three", "four five six", "seven eight nine")] == [
            {"title": "A", "tags": ["x", "y"]}, {"title": "B", "tags": None}, {"title": None, "tags": None},
        ]  # fmt: skip
        with pytest.raises(InputError, match="and not url"):
            index.add(["d"], ["x"], {"url": ["u"]})
        with pytest.raises(InputError, match="do not fit"):
            index.add(["d"], ["x"], {"title": [[1.5]]})
        with pytest.raises(InputError, match="2 rows of fields"):
            index.add(["d"], ["x"], {"title": ["A", "B"]})
        assert len(index) == 3


def test_only_what_is_new_is_added(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="words:1", threshold=0.6) as index:
        index.add(["a"], ["one two three four"])
        added = index.add_new(
            ["p", "q", "r", "s"],
            ["one two three five", "six seven eight", "six seven eight nine", "seven eight nine ten"],
        )
        assert added.added == len(added) == 2
        assert added.skipped.to_pylist() == [
            {"id": "p", "match": "a", "similarity": 0.6}, {"id": "r", "match": "q", "similarity": 0.75},
        ]  # fmt: skip
        assert ("q" in index, "s" in index, "r" in index) == (True, True, False)
        assert index.add_new(["t"], ["six seven eight"]).skipped["match"].to_pylist() == ["q"]
        assert index.add_new([], []).skipped.num_rows == 0


def test_items_without_ids_are_numbered_on(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i") as index:
        index.add(None, ["a", "b"])
        index.delete([0])
        index.add(None, ["c"])
        assert (index.get(1), index.get(2)) == ("b", "c")


@pytest.mark.parametrize(
    ("how", "items", "asked"),
    [
        ({"shingle": "elements"}, [{"a", "b", "c"}, {"d"}, {"b", "c"}], {"b", "c", "a"}),
        ({"shingle": "elements", "measure": "dice"}, [[1, 2, 3], [4], [2, 3]], [3, 2, 1]),
        ({"shingle": "elements", "measure": "containment"}, [[1, 2, 3, 4, 5, 6], [4], [2, 3]], [2, 3]),
        ({"shingle": "elements", "measure": "overlap"}, [[1, 2, 3, 4, 5, 6], [4], [2, 3]], [2, 3, 4, 7]),
        ({"shingle": "tokens:2"}, [[1, 2, 3, 4], [4], [9, 2, 3, 4]], [1, 2, 3, 4]),
        ({"shingle": "weights"}, [{"a": 1.0, "b": 0.5}, {"c": 2.0}, {"a": 1.0}], {"a": 0.5, "b": 0.5}),
        ({"shingle": "chars:3", "bag": True}, ["abcabcabc", "xyz", "abcabc"], "abcabcabcabc"),
        ({"recall": 1, "shingle": "chars:3"}, ["abcabcabc", "xyz", "abcdef"], "abcabd"),
    ],
)
def test_other_kinds_and_measures(tmp_path: Path, how: dict[str, Any], items: list[Any], asked: Any) -> None:
    with Index.create(tmp_path / "i", threshold=0.3, **how) as index:
        index.add(None, items)
        found = answers(index, [asked])
        assert found == by_pairs(items, [asked], 0.3, **{key: how[key] for key in how if key != "recall"})
        assert found
        index.compact(rebuild=True)
        assert answers(index, [asked]) == found
        kind = type(items[0])
        assert kind(index.get(0)) == items[0]


def test_sets_are_the_same_however_they_were_read(tmp_path: Path) -> None:
    """Numbers as they are, or as a dictionary, which is what a long table makes of them."""
    path = tmp_path / "long.parquet"
    pq.write_table(pa.table({"who": [7, 7, 8, 7], "what": [5, 4, 9, 6]}), path)
    encoded = pa.array([[4, 5, 6], None, [9]], pa.large_list(pa.dictionary(pa.int32(), pa.int64())))
    with Index.create(tmp_path / "i", shingle="elements", threshold=0.5) as index:
        index.add([1], [[6, 5, 4]])
        index.add([2, 3], pa.table({"elements": encoded})[1:])
        index.add([5], pa.table({"elements": encoded})[:1])
        index.add_source(index.source(path, item="who", element="what"))
        assert [index.get(i) for i in (1, 2, 3, 5, 7, 8)] == [[6, 5, 4], [], [9], [4, 5, 6], [5, 4, 6], [9]]
        assert {match.id for match in index.query([4, 5, 6])} == {1, 5, 7}


def test_what_a_source_has_goes_in_with_its_items(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(
        pa.table({"text": ["one two", "three four"], "n": [1, 2], "key": ["a", "b"]}), path, row_group_size=1
    )
    with Index.create(tmp_path / "i", fields=["n", "more"], threads=1) as index:
        assert index.add_source(index.source(path, id="key")) == 2
        assert index.add_new_source(index.source({"x": "three four", "c": "five"})).skipped["match"].to_pylist() == [
            "b"
        ]
        assert index.update_source(index.source({"a": "six", "d": "seven"})) == 1
        held = [tuple(row.values()) for batch in index.rows() for row in batch.to_pylist()]
        assert held[0] == ("b", "three four", 2, None)
        assert held[1:] == [("c", "five", None, None), ("a", "six", None, None), ("d", "seven", None, None)]
        index.add(["e"], ["eight"], {"n": [3], "more": ["what was null at first is a string"]})
        assert index.query("eight")[0].fields["more"] == "what was null at first is a string"
        with pytest.raises(InputError, match="by their ids"):
            index.update_source(index.source(["x"]))
        assert index.schema.names == ["id", "text", "n", "more"]
    with Index.open(tmp_path / "i", threads=3) as index:
        assert index.threads.count == 3


def test_a_file_is_added_in_bounded_memory(tmp_path: Path) -> None:
    """Neither its items nor what is stored with them is held as a whole."""
    rng = np.random.default_rng(1)
    path = tmp_path / "a.jsonl"
    lines = (json.dumps({"n": n, "text": rng.bytes(4000).hex()}) for n in range(2500))
    path.write_text("\n".join(lines))
    held = []
    with Index.create(tmp_path / "i", fields=["n"], shingle="chars:9", threads=1) as index:
        before = pa.total_allocated_bytes()
        index.add_source(
            index.source(path, batch_bytes=1 << 19), lambda _: held.append(pa.total_allocated_bytes() - before)
        )
        assert index.get(2000) == json.loads(path.read_text().splitlines()[2000])["text"]
    assert len(held) > 30
    assert max(held) < 8 << 20 < path.stat().st_size / 2


def test_compacting_gives_room_back(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i") as index:
        for i in range(10):
            index.add(range(100 * i, 100 * i + 100), made_texts(100, i))
        index.compact()
    assert (tmp_path / "i" / "index.sqlite").stat().st_size < 100_000
    assert Index.check(tmp_path / "i") == []


def test_what_was_skipped_once_is_skipped_again(tmp_path: Path) -> None:
    """As when a file is added every night, or again after a failure: no id is in the way."""
    with Index.create(tmp_path / "i", shingle="words:1") as index:
        texts = ["one two three", "four five six"]
        assert index.add_new(["a", "b"], texts).added == 2
        again = index.add_new(["a", "b"], texts)
        assert (again.added, again.skipped["match"].to_pylist()) == (0, ["a", "b"])
        with pytest.raises(InputError, match="'a' is in the index already"):
            index.add_new(["a"], ["another text altogether"])


def test_numbers_are_never_given_twice(tmp_path: Path) -> None:
    """Neither those of items that were not added, nor those that were given by hand."""
    with Index.create(tmp_path / "i", shingle="words:1") as index:
        assert index.add_new(None, ["a", "a", "b"]).skipped["id"].to_pylist() == [1]
        index.add([7, 5], ["c", "d"])
        index.add(None, ["e"])
        assert [row["id"] for batch in index.rows() for row in batch.to_pylist()] == [0, 2, 7, 5, 8]
        index.add([2**63 - 1], ["f"])
        with pytest.raises(InputError, match="below 2"):
            index.add(None, ["g"])


def test_elements_of_two_types_are_refused(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="elements") as index:
        index.add(None, [{"a", "b"}])
        with pytest.raises(InputError, match="Got int64"):
            index.add(None, [{1, 2}])
        with pytest.raises(InputError, match="Got int64"):
            index.query({1, 2})
        with pytest.raises(InputError):
            index.query("a")


def test_the_recall_below_the_threshold_is_told(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", threshold=0.8) as index:
        recipe = index.recipe
        assert index.query_many(["a"]).recall == recipe.recall >= 0.99
        assert index.query_many(["a"], threshold=0.5).recall == recipe.chance(0.5) < 0.9
        for wrong in ({"top": 0}, {"top": 1.5}, {"threshold": 0}, {"threshold": 80}):
            with pytest.raises(RecipeError):
                index.query("a", **wrong)


def test_matches_as_a_table(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="words:1", threshold=0.5, fields=["t"]) as index:
        index.add(["a", "b"], ["one two", "two three"], {"t": ["A", "B"]})
        matches = index.query_many(["two three", "zzz", "one two three"])
        assert matches.to_arrow().to_pylist() == [
            {"query": 0, "id": "b", "similarity": 1.0, "t": "B"},
            {"query": 2, "id": "a", "similarity": 2 / 3, "t": "A"},
            {"query": 2, "id": "b", "similarity": 2 / 3, "t": "B"},
        ]
        assert [len(one) for one in matches] == [1, 0, 2]
        assert matches[-1] == matches[2]
        with pytest.raises(IndexError):
            matches[3]


def test_a_match_is_explained(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="words:2", threshold=0.5) as index:
        index.add(["a"], ["the cat sat on the mat"])
        comparison = index.explain("the cat sat on the rug", "a")
        assert (comparison.similarity, comparison.shared) == (index.query("the cat sat on the rug")[0].similarity, 4)


def test_a_recipe_or_settings(tmp_path: Path) -> None:
    recipe = Recipe(threshold=0.7, seed=9)
    with Index.create(tmp_path / "i", recipe) as index:
        assert index.recipe == recipe
    with Index.open(tmp_path / "i") as index:
        assert index.recipe == recipe
    with pytest.raises(RecipeError, match="not both"):
        Index.create(tmp_path / "j", recipe, threshold=0.5)
    with pytest.raises(OutputError, match="is there already"):
        Index.create(tmp_path / "i", recipe)
    with pytest.raises(RecipeError, match="threshold"):
        Index.create(tmp_path / "j", measure="euclidean")
    for name in ("id", "text", "query", "similarity"):
        with pytest.raises(RecipeError, match="fields"):
            Index.create(tmp_path / "j", fields=["title", name])
    wrong: Any
    for wrong in ({"thresold": 0.5}, {"text": "body"}, {"scratch": "x"}):
        with pytest.raises(TypeError, match="no setting of an index"):
            Index.create(tmp_path / "j", **wrong)
    assert not (tmp_path / "j").exists()


def test_a_closed_index_says_so(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "i")
    index.close()
    index.close()
    with pytest.raises(InputError, match="was closed"):
        index.query("a")
    with pytest.raises(InputError, match="was closed"):
        index.add(["a"], ["b"])


def test_parts_are_joined_as_they_become_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change, "FEW", 3)
    monkeypatch.setattr(change, "GROWTH", 2)
    monkeypatch.setattr(change, "SMALL_ITEMS", 4)
    with Index.create(tmp_path / "i") as index:
        for i in range(200):
            index.add([i], [f"text number {i} about something else {i * i}"])
        assert index.info()["parts"] <= 20
        assert [row["id"] for batch in index.rows() for row in batch.to_pylist()] == list(range(200))
        assert all(index.get(i).startswith(f"text number {i} ") for i in range(0, 200, 17))
    assert Index.check(tmp_path / "i") == []


STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "delete", "update", "compact", "open"]), st.sets(st.integers(0, 12), min_size=1)),
    max_size=12,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, seed=st.integers(0, 5))
def test_an_index_is_a_dict_that_can_be_searched(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, set[int]]], seed: int
) -> None:
    """Whatever is done to it, it holds what a dict would, and finds what is similar among that."""
    folder = tmp_path_factory.mktemp("index") / "i"
    texts = iter(itertools.cycle(made_texts(60, seed)))
    held: dict[int, str] = {}
    index = Index.create(folder, shingle="words:2", threshold=0.4, recall=0.999999)
    for step, ids in steps:
        some = sorted(ids)
        if step == "open":
            index.close()
            index = Index.open(folder)
        elif step == "compact":
            index.compact()
        elif step == "delete":
            assert index.delete(some) == len(ids & held.keys())
            held = {key: text for key, text in held.items() if key not in ids}
        else:
            new = {key: next(texts) for key in (some if step == "update" else [k for k in some if k not in held])}
            (index.update if step == "update" else index.add)(list(new), list(new.values()))
            held = {key: text for key, text in held.items() if key not in new} | new
        assert len(index) == len(held)
    asked = made_texts(20, seed)
    keys = list(held)
    expected = (
        {(a, keys[b], s) for a, b, s in by_pairs(list(held.values()), asked, 0.4, shingle="words:2")} if held else set()
    )
    assert answers(index, asked) == expected
    assert {row["id"]: row["text"] for batch in index.rows() for row in batch.to_pylist()} == held
    index.close()
    assert Index.check(folder) == []


def made_vectors(count: int) -> Any:
    """Return vectors, half of which are the others with noise."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(count, 16)).astype(np.float32)
    rows[count // 2 :] = rows[: count // 2] + 0.1 * rng.normal(size=(count // 2, 16))
    return rows


def made_bits(count: int) -> Any:
    """Return bits, half of which are the others with two of them changed."""
    rows = np.random.default_rng(3).integers(0, 256, (count, 9)).astype(np.uint8)
    rows[count // 2 :] = rows[: count // 2]
    rows[count // 2 :, 0] ^= 3
    return rows


@pytest.mark.parametrize("bands", [{}, {"bands": 60, "rows": 8}], ids=["exactly", "by bands"])
@pytest.mark.parametrize(
    ("how", "rows"),
    [
        ({"shingle": "vectors", "measure": "cosine", "threshold": 0.97}, made_vectors(2600)),
        ({"shingle": "vectors", "measure": "euclidean", "threshold": 0.5}, made_vectors(2600)),
        ({"shingle": "vectors", "measure": "agreement", "tolerance": 0.2, "threshold": 0.8}, made_vectors(2600)),
        ({"shingle": "bits", "measure": "hamming", "threshold": 3}, made_bits(2600)),
    ],
    ids=["cosine", "euclidean", "agreement", "hamming"],
)
def test_vectors_and_bits(tmp_path: Path, how: dict[str, Any], rows: Any, bands: dict[str, Any]) -> None:
    asked, held = rows[:200], rows[200:]
    pairs = find_pairs(asked, against=held, recall=1, **how).to_arrow()
    expected = set(zip(*(column.to_pylist() for column in pairs.columns), strict=True))
    with Index.create(tmp_path / "i", **how, **bands) as index:
        index.add(range(2000), held[:2000])
        index.add(range(2000, 2400), held[2000:])
        found = {(i, match.id, match.value) for i, one in enumerate(index.query_many(asked)) for match in one}
        assert len(expected) > 100
        assert len(found & expected) >= (0.9 if bands else 1) * len(expected)
        assert found <= expected
        assert index.get(3) == held[3].tolist()
        match = index.query(held[7])[0]
        assert (match.id, match.value) == (7, index.recipe.measure.best)
        wrong = "similarity" if index.recipe.measure.is_distance else "distance"
        with pytest.raises(AttributeError, match=f"no {wrong}"):
            getattr(match, wrong)
        with pytest.raises(InputError, match="length"):
            index.query(held[0][:8])
        if how["shingle"] == "vectors":
            with pytest.raises(InputError, match="item 1: the vector holds NaN"):
                index.add(None, np.array([held[0], held[0] * np.nan]))
