"""An index on disk: its results, what it stores, and what it refuses."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.index_queries import answers, by_pairs, made_texts

from lookalike import Index, InputError, Match, OutputError, Recipe, RecipeError
from lookalike.index import limits


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
        view = reader._handle.snapshot()
        index.delete(range(1000))
        index.compact()
        assert (len(view), len(reader)) == (2000, 1000)
        assert view.items(0, np.array([5]))[0].as_py() == "text number 5 of the first ones"


def test_compacting_gives_room_back(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i") as index:
        for i in range(10):
            index.add(range(100 * i, 100 * i + 100), made_texts(100, i))
        index.compact()
    assert (tmp_path / "i" / "index.sqlite").stat().st_size < 100_000
    assert Index.check(tmp_path / "i") == []


def test_the_recall_below_the_threshold_is_reported(tmp_path: Path) -> None:
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
    with pytest.raises(OutputError, match="already exists"):
        Index.create(tmp_path / "i", recipe)
    with pytest.raises(RecipeError, match="threshold"):
        Index.create(tmp_path / "j", measure="euclidean")
    for name in ("id", "text", "query", "similarity"):
        with pytest.raises(RecipeError, match="fields"):
            Index.create(tmp_path / "j", fields=["title", name])
    wrong: Any
    for wrong in ({"thresold": 0.5}, {"text": "body"}, {"scratch": "x"}):
        with pytest.raises(TypeError, match="is not a setting of an index"):
            Index.create(tmp_path / "j", **wrong)
    assert not (tmp_path / "j").exists()


def test_an_index_is_built_completely_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "i"

    def build(text: str, **how: Any) -> None:
        with Index.build(path, threshold=0.7, fields=["n"], **how) as index:
            index.add(["a"], [text], {"n": [1]})
            assert path.exists() == bool(how)
            if not text:
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        build("")
    assert list(tmp_path.iterdir()) == []
    build("one")
    with pytest.raises(OutputError, match=r"already exists.*with `force`"):
        build("two")
    with Index.open(path) as reader:
        with pytest.raises(ZeroDivisionError):
            build("", force=True)
        assert reader.get("a") == "one"
        build("two", force=True)
        assert (reader.get("a"), reader.fields, reader.recipe.threshold) == ("two", ("n",), 0.7)
    assert [one.name for one in tmp_path.iterdir()] == ["i"]
    assert Index.check(path) == []


def test_a_closed_index_says_so(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "i")
    index.close()
    index.close()
    with pytest.raises(InputError, match="was closed"):
        index.query("a")
    with pytest.raises(InputError, match="was closed"):
        index.add(["a"], ["b"])


@pytest.mark.slow
def test_parts_are_joined_as_they_become_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_SMALL_PARTS", 3)
    monkeypatch.setattr(limits, "MERGE_FACTOR", 2)
    monkeypatch.setattr(limits, "MAX_SMALL_ITEMS", 4)
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


@pytest.mark.slow
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
