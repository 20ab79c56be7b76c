"""Exact copies: items that are equal, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.run_cli import done, run

import lookalike
from lookalike import RecipeError, deduplicate, find_pairs
from lookalike.recipe import Recipe


def kept(items: Any, **options: Any) -> list[bool]:
    return list(map(bool, deduplicate(items, exact_copies=True, **options).mask))


def test_texts_are_compared_byte_for_byte() -> None:
    texts = ["a b c", "A b c", "a b c", "a b c ", "a b c\n", "e\u0301", "\u00e9", "a\0", "a", "a\0\0", "a\0", "a b c"]
    assert kept(texts) == [text not in texts[:i] for i, text in enumerate(texts)]


def test_empty_texts_are_equal_but_nulls_are_not() -> None:
    assert kept(["", None, "", None]) == [True, True, False, True]
    notes = deduplicate(["", None, "", None], exact_copies=True).summary.notes
    assert notes == ("2 items have no value, 2 of them null: they are kept and match nothing",)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(alphabet="ab\0\u00e9\U0001f600", max_size=17), max_size=40), st.integers(1, 60))
def test_any_texts(texts: list[str], batch_bytes: int) -> None:
    assert kept(texts, batch_bytes=batch_bytes) == [text not in texts[:i] for i, text in enumerate(texts)]


def test_sets_are_equal_whatever_their_order() -> None:
    table = pa.table({"set": [["x", "y"], ["y", "x", "x"], ["x"], None, None, ["x", "z"]]})
    assert kept(table, text="set") == [True, False, True, True, True, True]


def test_vectors_are_equal_number_by_number() -> None:
    """Neither a multiple, which cosine takes for the same, nor a close vector is equal; -0 is 0."""
    rows = np.array([[1.0, 2.0], [2.0, 4.0], [1.0, 2.0], [1.0, np.nextafter(2.0, 3)], [0.0, -0.0], [-0.0, 0.0]])
    assert kept(rows) == [True, True, False, True, True, False]


def test_vectors_of_other_types_and_lengths(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.eye(2, dtype=np.float32))
    np.save(tmp_path / "b.npy", np.eye(2))
    np.save(tmp_path / "c.npy", np.array([[1.0, 0.0, 0.0]]))
    assert kept(tmp_path) == [True, True, False, False, True]


def test_the_kind_can_be_named() -> None:
    lists = [[1, 2], [2, 1], [1, 2]]
    assert kept(lists) == [True, False, False]  # as sets
    assert kept(lists, shingle="whole-tokens") == [True, True, False]
    assert kept([b"\xff\x00", b"\xff\x01", b"\xff\x00"], shingle="whole-bits") == [True, True, False]


def test_two_collections() -> None:
    found = find_pairs(["a", "b", "b"], against=["b", "c", "B"], exact_copies=True)
    assert list(found) == [(1, 0, 1.0), (2, 0, 1.0)]


def test_keep_rules_and_clusters() -> None:
    result = deduplicate({"x": "a", "y": "b", "z": "a"}, exact_copies=True, keep="last")
    assert result.kept == {"y": "b", "z": "a"}
    assert result.clusters.to_arrow().to_pylist() == [
        {"id": "x", "cluster": 0, "keeper": "z", "similarity": 1.0, "kept": False},
        {"id": "z", "cluster": 0, "keeper": "z", "similarity": 1.0, "kept": True},
    ]


def test_the_recipe_says_so_and_does_it_again() -> None:
    result = deduplicate(["a b", "a  b", "a b"], exact_copies=True)
    assert Recipe.from_json(result.recipe.to_json()) == result.recipe
    assert result.summary.shingle == "whole-texts"
    assert deduplicate(["a b", "a  b", "a b"], shingle=result.summary.shingle).mask.tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ({"threshold": 0.9}, "`exact_copies` finds items that are equal, so `threshold` does not apply. Leave it out"),
        ({"shingle": "words:3"}, "`exact_copies` finds items that are equal, so `shingle` does not apply"),
        ({"measure": "dice"}, "so `measure` does not apply"),
        ({"bands": 3, "rows": 4}, "so `bands` does not apply"),
        ({"recall": 0.9}, "so `recall` does not apply"),
        ({"lower": True}, "`lower` normalises text, but whole-texts compares items as they are"),
        ({"bag": True}, "`bag` counts repeated elements of sets, which whole-texts do not have"),
    ],
)
def test_options_that_do_not_apply(option: dict[str, Any], says: str) -> None:
    with pytest.raises(RecipeError, match=says):
        deduplicate(["a", "b"], exact_copies=True, **option)


@pytest.mark.parametrize("function", [lookalike.nearest, lookalike.estimate_costs, lookalike.compare])
def test_where_there_are_no_copies(function: Any) -> None:
    items = [["a", "b"]] if function is not lookalike.compare else ["a", "b"]
    with pytest.raises(RecipeError, match=r"`exact_copies` is for deduplicate and find_pairs\. Leave it out"):
        function(*items, exact_copies=True)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in ["A b", "a b", "A b"]))
    ended = done("dedup", "in.jsonl", "-o", "o.jsonl", "--exact-copies", "--report", "r.html")
    assert Path("o.jsonl").read_text() == '{"text": "A b"}\n{"text": "a b"}\n'
    assert "jaccard 1 on whole-texts, exact search" in ended.err
    assert "Items count as duplicates only if they are equal." in Path("r.html").read_text()
    refused = run("dedup", "in.jsonl", "--exact-copies", "-t", "0.7")
    assert refused.err == (
        "lookalike: --exact-copies finds items that are equal, so --threshold does not apply. Leave it out\n"
    )
    assert done("pairs", "in.jsonl", "--exact-copies", "--quiet").out.splitlines()[1:] == [
        "in.jsonl:1\tin.jsonl:3\t1.0"
    ]
