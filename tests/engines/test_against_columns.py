"""Columns of `against` that have names of their own."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from support.run_cli import done, run

from lookalike import InputError, RecipeError, deduplicate, find_pairs, nearest
from lookalike.options import Settings

CAT = "the cat sat on the mat"
LEFT = pa.table({"key": ["a", "b"], "answer": [CAT, "a dog"]})
RIGHT = pa.table({"id": [7, 8], "question": ["else", CAT], "answer": ["x", "y"]})


def test_columns_of_against() -> None:
    names: Settings = {"text": "answer", "id": "key", "against_text": "question", "against_id": "id"}
    assert list(find_pairs(LEFT, against=RIGHT, **names)) == [("a", 8, 1.0)]
    assert list(nearest(LEFT, 1, against=RIGHT, **names)) == [("a", 8, 1, 1.0)]
    assert list(find_pairs(LEFT, against=RIGHT, text="answer", against_text="question")) == [(0, 1, 1.0)]


def test_several_texts_and_long_tables_of_against() -> None:
    other = pa.table({"one": ["the cat"], "two": ["sat on the mat"]})
    assert list(find_pairs(LEFT, against=other, text="answer", against_text=["one", "two"])) == [(0, 0, 1.0)]
    left = pa.table({"who": ["a", "a"], "what": ["x", "y"], "n": [1.0, 2.0]})
    right = left.rename_columns(["customer", "product", "amount"])
    own = {"against_item": "customer", "against_element": "product", "against_weight": "amount"}
    names: Settings = {"item": "who", "element": "what", "weight": "n", **own}  # type: ignore[typeddict-item]
    assert list(find_pairs(left, against=right, **names)) == [("a", "a", 1.0)]


def test_columns_of_nothing_are_refused() -> None:
    for call in (find_pairs, nearest, deduplicate):
        with pytest.raises(RecipeError, match="`against_text` is a column of `against`, which is not given"):
            call(LEFT, text="answer", against_text="question")


def test_columns_of_against_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"key,answer\na,{CAT}\nb,a dog\n")
    (tmp_path / "b.jsonl").write_text(f'{{"id": 8, "question": "{CAT}"}}\n')
    files = [tmp_path / "a.csv", "--against", tmp_path / "b.jsonl"]
    names = ["--text", "answer", "--id", "key", "--against-text", "question", "--against-id", "id"]
    assert done("pairs", *files, *names).out.splitlines()[1:] == ["a\t8\t1.0"]
    assert done("nearest", *files, *names).out.splitlines()[1:] == ["a\t8\t1\t1.0"]
    outcome = run("pairs", tmp_path / "a.csv", "--text", "answer", "--against-text", "question")
    assert "--against-text is a column of --against, which is not given" in outcome.err


def test_a_message_names_the_option_that_was_given() -> None:
    with pytest.raises(InputError, match=r"no column 'nope' \(`against_text`\)"):
        find_pairs(LEFT, against=RIGHT, text="answer", against_text="nope")
    with pytest.raises(InputError, match=r"no column 'nope' \(`text`\)"):
        find_pairs(LEFT, against=RIGHT, text="nope", against_text="question")
