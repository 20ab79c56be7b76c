"""Adding to an index: ids, fields, items of files, and only new items."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike import Index, InputError, Recipe
from lookalike.index import screening, snapshot


def test_repeated_ids_are_refused(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i") as index:
        index.add(["a"], ["one"])
        with pytest.raises(InputError, match="'a' is already in the index"):
            index.add(["b", "a"], ["two", "three"])
        with pytest.raises(InputError, match="'c' occurs twice"):
            index.add(["c", "c"], ["two", "three"])
        with pytest.raises(InputError, match="have type large_string"):
            index.add([1], ["two"])
        assert len(index) == 1


@pytest.mark.parametrize(
    ("ids", "items", "problem"),
    [
        ("ab", ["x", "y"], "the single id"),
        (["a"], ["x", "y"], "Pass one per item"),
        (["a", "b", "c"], ["x", "y"], "Pass one per item"),
        (["a", None], ["x", "y"], "every item needs one"),
        ([1.5, 2.5], ["x", "y"], "strings or integers"),
        (["\ud800"], ["x"], "must be strings"),
        ([["a"]], ["x"], "must be strings|strings or integers"),
        (["a"], [["x", "y"]], "must be a string"),
        (["a"], "x", "x: no such file"),
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
        with pytest.raises(InputError, match="has no field url"):
            index.add(["d"], ["x"], {"url": ["u"]})
        with pytest.raises(InputError, match="field title of this index has type large_string"):
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
        with pytest.raises(InputError, match="replaced by id"):
            index.update_source(index.source(["x"]))
        assert index.schema.names == ["id", "text", "n", "more"]
    with Index.open(tmp_path / "i", threads=3) as index:
        assert index._handle.threads.count == 3


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


def test_what_was_skipped_once_is_skipped_again(tmp_path: Path) -> None:
    """As when a file is added every night, or again after a failure: no id is in the way."""
    with Index.create(tmp_path / "i", shingle="words:1") as index:
        texts = ["one two three", "four five six"]
        assert index.add_new(["a", "b"], texts).added == 2
        again = index.add_new(["a", "b"], texts)
        assert (again.added, again.skipped["match"].to_pylist()) == (0, ["a", "b"])
        with pytest.raises(InputError, match="'a' is already in the index"):
            index.add_new(["a"], ["another text altogether"])


def test_numbers_are_never_given_twice(tmp_path: Path) -> None:
    """Neither those of items that were not added, nor those that were given by hand."""
    with Index.create(tmp_path / "i", shingle="words:1") as index:
        assert index.add_new(None, ["a", "a", "b"]).skipped["id"].to_pylist() == [1]
        index.add([7, 5], ["c", "d"])
        index.add(None, ["e"])
        assert [row["id"] for batch in index.rows() for row in batch.to_pylist()] == [0, 2, 7, 5, 8]
        index.add([2**63 - 1], ["f"])
        with pytest.raises(InputError, match="No integers are left"):
            index.add(None, ["g"])


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["jaccard", "dice", "cosine", "overlap", "containment"])
@pytest.mark.parametrize("together", [1, 3, 256])
def test_adding_only_new_items_equals_adding_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: Any, together: int
) -> None:
    """Each is compared with what is there by then; of copies, near-copies and what is between them many are made."""
    monkeypatch.setattr(screening, "BLOCK", together)
    rng = random.Random(f"{measure} {together}")
    for trial in range(12):
        exactly: Any = {"bands": 300, "rows": 1} if measure in ("jaccard", "dice", "cosine") else {}
        threshold = rng.choice([0.5, 0.6, 0.75])
        held: dict[int, set[int]] = {}
        with Index.create(
            tmp_path / str(trial), shingle="elements", measure=measure, threshold=threshold, **exactly
        ) as index:
            for first in range(0, 90, 30):
                items = {first + i: {rng.randrange(9) for _ in range(rng.randint(1, 5))} for i in range(30)}
                added = index.add_new(list(items), list(items.values()))
                expected = one_by_one(held, items, index.recipe)
                assert [tuple(row.values()) for row in added.skipped.to_pylist()] == expected
                for key in rng.sample(sorted(held), len(held) // 4):
                    del held[key]
                    index.delete([key])


def one_by_one(held: dict[int, set[int]], items: dict[int, set[int]], recipe: Recipe) -> list[tuple[int, int, float]]:
    """Add what is new to `held`; return the others with what they resemble most."""
    skipped = []
    for key, item in items.items():
        scores = {
            other: recipe.measure.similarity(len(item & there), len(item), len(there)) for other, there in held.items()
        }
        best = max(scores, key=lambda other: scores[other], default=-1)
        if best >= 0 and scores[best] >= recipe.threshold:
            skipped.append((key, best, scores[best]))
        else:
            held[key] = item
    return skipped


@pytest.mark.slow
@pytest.mark.parametrize("differ", [False, True], ids=["the same", "nearly the same"])
def test_many_similar_items(tmp_path: Path, differ: bool) -> None:
    """Ten times as many take about ten times as long, not a hundred."""
    same = " ".join(f"w{i}" for i in range(60))

    def seconds(name: str, count: int) -> float:
        texts = [f"{same} {i if differ else 0}" for i in range(count)]
        with Index.create(tmp_path / name) as index:
            begin = time.process_time()  # not the time that the disk takes
            assert index.add_new(None, texts).added == 1
            return time.process_time() - begin

    seconds("warm", 500)
    few = min(seconds(f"few{i}", 500) for i in range(3))
    assert min(seconds(f"many{i}", 5000) for i in range(2)) < 35 * few


def test_the_best_of_many_copies(tmp_path: Path) -> None:
    """Of many that are the same as few are looked at as are asked for, the older first, without those deleted."""
    with Index.create(tmp_path / "i", shingle="words:1", threshold=0.5) as index:
        index.add(range(3000), ["one two three"] * 3000)
        index.add(range(3000, 6000), ["one two three four"] * 3000)
        index.delete([0, 1, 3, 3000])
        matches = index.query_many(["one two three", "one two three four"] * 2000, top=3)
        assert [match.id for match in matches[0]] == [2, 4, 5]
        assert [match.id for match in matches[1]] == [3001, 3002, 3003]
        assert len(matches.to_arrow()) == 12_000
        assert len(index.query("one two three", top=None)) == 5996


# Ids


def test_ids_can_be_iterated_in_the_order_of_addition(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i") as index:
        assert list(index) == []
        index.add(["b", "a", "c"], ["one text", "another text", "a third text"])
        index.delete(["a"])
        index.add(["a"], ["once more"])
        ids = iter(index)
        assert next(ids) == "b"
        index.delete(["c"])
        assert list(ids) == ["c", "a"]  # as of the commit when it began
        assert set(index) == {"a", "b"}


def test_iteration_ends_after_all_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "BATCH_IDS", 3)
    with Index.create(tmp_path / "i") as index:
        for begin in range(0, 40, 10):
            index.add(None, [f"text number {i}" for i in range(begin, begin + 10)])
        index.delete(range(0, 40, 7))
        assert list(index) == [i for i in range(40) if i % 7]
        assert len(index) == len(list(index))


def test_uuids_are_ids(tmp_path: Path) -> None:
    one, two, three = (UUID(int=i << 100 | i) for i in (1, 2, 3))
    with Index.create(tmp_path / "i") as index:
        index.add([one, two], ["one text of some words", "another text of some words"])
        index.add(pa.array([three.bytes], pa.uuid()), ["a third text of some words"])
        assert list(index) == [str(one), str(two), str(three)]
        assert one in index
        assert str(one) in index
        assert UUID(int=9) not in index
        assert index.get(three) == "a third text of some words"
        assert index.query("one text of some words", top=1)[0].id == str(one)
        assert index.update([two], ["another text of other words"]) == 1
        assert index.explain("another text of other words", two).value == 1
        assert index.delete([one, str(three)]) == 2
        with pytest.raises(InputError, match="Got the single id UUID"):
            index.delete(two)
    with Index.create(tmp_path / "numbers") as index:
        index.add(None, ["a text"])
        assert one not in index
        with pytest.raises(InputError, match="The ids of this index have type int64"):
            index.add([one], ["another"])
