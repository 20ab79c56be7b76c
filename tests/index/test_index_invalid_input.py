"""Invalid input for an index, and input that is only just valid."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lookalike import Index, InputError, LookalikeError, find_pairs
from lookalike.index.storage import parts_table, temporary


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        (pa.array([["a", "b"], ["c"]], pa.list_view(pa.string())), [["a", "b"], ["c"]]),
        (pa.array([{"x": [1, 2]}] * 2, pa.struct([("x", pa.list_view(pa.int64()))])), [{"x": [1, 2]}] * 2),
        (pa.RunEndEncodedArray.from_arrays([2], ["a"]), ["a", "a"]),
        (pl.Series([[1], [2, 3]]), [[1], [2, 3]]),
        (pl.Series(["a", "b"]), ["a", "b"]),
        (pd.Series(["a", "b"]), ["a", "b"]),
    ],
    ids=["list view", "inside", "runs", "lists of polars", "polars", "pandas"],
)  # fmt: skip
def test_fields_of_any_layout(tmp_path: Path, values: Any, kept: list[Any]) -> None:
    with Index.create(tmp_path / "i", fields=["f"]) as index:
        index.add([1, 2], ["one", "two"], {"f": values})
        index.add([3], ["three"])
        assert [row["f"] for batch in index.rows() for row in batch.to_pylist()] == [*kept, None]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda index: index.add({"a", "b"}, ["one", "two"]), "a set has no order"),
        (lambda index: index.update({"a", "b"}, ["one", "two"]), "a set has no order"),
        (lambda index: index.add(pd.DataFrame({"id": ["a"]}), ["one"]), "`ids` must be"),
        (lambda index: index.add(["a"], ["one"], {"f": [2**64]}), "`fields` must be"),
    ],
)
def test_what_is_refused(tmp_path: Path, wrong: Any, says: str) -> None:
    with Index.create(tmp_path / "i", fields=["f"]) as index:
        with pytest.raises(InputError, match=says):
            wrong(index)
        assert len(index) == 0


@pytest.mark.parametrize(
    ("path", "how"),
    [
        ("i", {"fields": None}),
        ("i", {"fields": ["\ud800"]}),
        ("i", {"fields": iter(["f"])}),
        ("i", {"recipe": "words:5"}),
        ("/", {}),
        ("a\0b", {}),
    ],
)
def test_what_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, how: dict[str, Any]) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LookalikeError):
        Index.create(path, **how)
    assert list(tmp_path.iterdir()) == []


def test_ids_may_be_read_once_only(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="words:1") as index:
        index.add(iter(["a", "b"]), ["one", "two"])
        assert index.update(iter(["a", "c"]), ["three", "four"]) == 1
        assert index.get("a") == "three"
        assert index.delete({"a", "c", "d"}) == 2


def test_numbers_of_numpy(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="words:1", threads=np.int64(2)) as index:  # type: ignore[arg-type]
        index.add(range(5), ["same"] * 5)
        for top in (np.uint64(2), np.int8(2)):
            assert [match.id for match in index.query("same", top=top, threshold=np.float32(0.5))] == [0, 1]  # type: ignore[arg-type]
        assert len(index.query("same", top=2**70)) == 5
        matches = index.query_many(["same", "other", "same"], top=1)
        assert matches[0:2] == [matches[0], []]
        assert matches[::-1] == [*matches][::-1]


def test_tokens_are_whole() -> None:
    with pytest.raises(InputError, match="item 1 is list, but must be a list of integers"):
        find_pairs([[1, 2], [1.5, 2.7]], shingle="tokens:1", threshold=0.5)
    mixed = [[1, 2], np.array([1, 2], np.uint8), np.array([2, 1]), np.array([]), [], None]
    assert find_pairs(mixed, shingle="tokens:1", threshold=0.5).to_arrow().num_rows == 3
    with pytest.raises(InputError, match="item 1 is ndarray"):
        find_pairs([np.array([1], np.uint8), np.array([1.5])], shingle="tokens:1", threshold=0.5)


def test_a_part_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Index.create(tmp_path / "i", shingle="words:1") as index:
        index.add([1], ["one"])
        index.compact()
    (part,) = (tmp_path / "i").glob("*.columns")
    part.rename(tmp_path / "part")
    part.mkdir()
    with Index.open(tmp_path / "i") as index, pytest.raises(InputError, match="cannot be read: is a directory"):
        index.query("one")
    part.rmdir()
    (tmp_path / "part").rename(part)
    monkeypatch.setattr("mmap.mmap", lambda *_, **__: (_ for _ in ()).throw(OSError(24, "Too many open files")))
    with Index.open(tmp_path / "i") as index, pytest.raises(InputError, match="too many open files"):
        index.query("one")


def test_closed_in_the_middle_of_a_change(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "i", shingle="words:1")
    index.add([1], ["one"])
    with pytest.raises(InputError, match="closed during a transaction"), index.transaction():  # noqa: PT012
        index.add([2], ["two"])
        index.close()
    with Index.open(tmp_path / "i") as index:
        assert len(index) == 1
    assert Index.check(tmp_path / "i") == []


def test_what_a_crash_has_left_is_removed(tmp_path: Path) -> None:
    """If it is old, holds nothing else, and nobody is at work on it."""
    old, held, other, young = (tmp_path / f".lookalike-{name * 16}.tmp" for name in "abcd")
    mine, kept = tmp_path / ".lookalike-mine.tmp", tmp_path / f".lookalike-{'e' * 16}.old"
    for folder in (old, held, other, young, mine, kept):
        Index.create(folder).close()
    (other / "thesis.txt").touch()
    past = time.time() - 2 * temporary.MAX_AGE
    for folder in (old, held, other, mine, kept):
        os.utime(folder, (past, past))
    with Index.open(held) as index:
        index.add([1], ["one"])
        os.utime(held, (past, past))
        Index.create(tmp_path / "i").close()
        assert {path.name for path in tmp_path.iterdir()} == {
            one.name for one in (tmp_path / "i", held, other, young, mine, kept)
        }
        index.add([2], ["two"])


@pytest.mark.slow
@pytest.mark.parametrize("block", [8, 64, parts_table.BLOCK])
def test_what_is_deleted_bit_by_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(parts_table, "BLOCK", block)
    rng = np.random.default_rng(3)
    there = set(range(200))
    with Index.create(tmp_path / "i", shingle="words:1") as index:
        index.add(range(200), [f"text{i}" for i in range(200)])
        index.compact()
        for turn in range(30):
            some = rng.choice(200, rng.integers(1, 12)).tolist()
            assert index.delete(some) == len(there & set(some))
            there -= set(some)
            if turn % 10 == 9:
                with pytest.raises(ZeroDivisionError), index.transaction():  # noqa: PT012
                    index.delete(list(there)[:5])
                    raise ZeroDivisionError
            assert [row["id"] for batch in index.rows() for row in batch.to_pylist()] == sorted(there)
            assert Index.check(tmp_path / "i") == []
    with Index.open(tmp_path / "i") as index:
        assert len(index) == len(there)
        assert {i for i in range(200) if i in index} == there
