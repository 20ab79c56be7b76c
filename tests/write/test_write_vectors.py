"""Writing arrays: rows of .npy files go to .npy files unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.run_cli import run

from lookalike import OutputError, deduplicate
from lookalike.write.formats.npy import NpyWriter

TYPES = ["float16", "float32", "float64", "int8", "uint8", "int64", "uint64", "bool"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rows_of(dtype: str, count: int = 500, length: int = 7) -> np.ndarray[Any, Any]:
    """Make vectors, the second half copies of the first; none has only zeros."""
    numbers = np.random.default_rng(3).normal(size=(count, length)) * 3
    rows = (np.abs(numbers) if dtype.startswith("u") else numbers).astype(dtype)
    rows[:, 0] = 1
    rows[count // 2 :] = rows[: count // 2]
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_vectors_keep_type_shape_and_order(dtype: str, order: Any) -> None:
    rows = np.asarray(rows_of(dtype), order=order)
    np.save("in.npy", rows)
    result = deduplicate(Path("in.npy"), measure="euclidean", threshold=0, batch_bytes=100)
    result.write(Path("out.npy"), removed=Path("rest.npy"))
    kept, rest = np.load("out.npy"), np.load("rest.npy")
    assert 0 < result.summary.kept <= 250
    assert kept.dtype == rest.dtype == rows.dtype
    assert (kept == rows[result.mask]).all()
    assert (rest == rows[~result.mask]).all()
    assert len(kept) + len(rest) == 500


@pytest.mark.parametrize("length", [8, 13])
def test_bits_are_not_packed(length: int) -> None:
    rows = rows_of("bool", 60, length)
    np.save("in.npy", rows)
    result = deduplicate(Path("in.npy"), measure="hamming", threshold=0)
    result.write(Path("out.npy"))
    kept = np.load("out.npy")
    assert kept.dtype == np.bool_
    assert (kept == rows[result.mask]).all()


def test_numbers_whose_bits_are_compared_stay_a_row() -> None:
    rows = np.array([5, 9, 5, 1 << 40], np.uint64)
    np.save("in.npy", rows)
    deduplicate(Path("in.npy"), measure="hamming", threshold=0).write(Path("out.npy"))
    kept = np.load("out.npy")
    assert kept.dtype == np.uint64
    assert kept.tolist() == [5, 9, 1 << 40]


def test_the_header_is_as_long_for_any_shape() -> None:
    """So that it can be written again, and a map of the file is aligned."""
    rows = rows_of("float32")
    np.save("in.npy", rows)
    deduplicate(Path("in.npy"), measure="euclidean", threshold=0).write(Path("out.npy"))
    kept = np.load("out.npy", mmap_mode="r")
    assert kept.offset == 128
    assert Path("out.npy").stat().st_size == 128 + kept.nbytes


def test_several_files_and_the_command_line() -> None:
    rows = rows_of("float32", 40)
    np.save("a.npy", rows[:20])
    np.save("b.npy", rows[20:])
    outputs = ["-o", "out.npy", "--removed", "rest.npy", "--clusters", "clusters.csv"]
    assert run("dedup", "a.npy", "b.npy", "--threshold", "0.9999", *outputs).code == 0
    assert (np.load("out.npy") == rows[:20]).all()
    assert (np.load("rest.npy") == rows[20:]).all()


def test_no_vector_is_left() -> None:
    np.save("in.npy", rows_of("float32", 6)[:3])
    deduplicate(Path("in.npy")).write(Path("out.npy"), removed=Path("rest.npy"))
    assert np.load("rest.npy").shape == (0, 7)
    assert np.load("rest.npy").dtype == np.float32


def test_a_matrix_in_memory() -> None:
    rows = rows_of("float32", 40)
    deduplicate(rows, threshold=0.9999).write(Path("out.npy"))
    assert (np.load("out.npy") == rows[:20]).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["dedup", "v.parquet", "-o", "out.npy"], "out.npy can only hold rows of .npy files"),
        (["dedup", "v.npy", "--clusters", "out.npy"], "--clusters has no such rows"),
        (["pairs", "v.npy", "-o", "out.npy"], "out.npy can only hold rows of .npy files"),
        (["nearest", "v.npy", "-o", "out.npy"], "out.npy can only hold rows of .npy files"),
        (["dedup", "v.npy", "-o", "out.npy.gz"], "out.npy.gz has no suffix that lookalike can write"),
        (["dedup", "v.npy", "-o", "v.npy", "--force"], "v.npy is an input, which is never written to"),
    ],
)
def test_what_no_array_can_hold_is_refused_before_any_work(command: list[str], message: str) -> None:
    rows = rows_of("float32", 10)
    np.save("v.npy", rows)
    pq.write_table(pa.table({"vector": rows.tolist()}), "v.parquet")
    done = run(*command)
    assert done.code != 0
    assert message in done.err
    assert sorted(path.name for path in Path().iterdir()) == ["v.npy", "v.parquet"]


@pytest.mark.parametrize(
    "items",
    [
        ["one text", "another text"],
        pa.table({"id": ["a", "b"], "vector": [[1.0, 2.0], [2.0, 1.0]]}),
        [[1.0, 2.0], None],
    ],
    ids=["texts", "two columns", "null"],
)
def test_other_items_in_memory_are_refused(items: Any) -> None:
    with pytest.raises(OutputError, match=r"out\.npy cannot be written: an array holds .*; write parquet"):
        deduplicate(items).write(Path("out.npy"))
    assert list(Path().iterdir()) == []


def test_vectors_of_several_lengths_are_refused() -> None:
    batches = [pa.record_batch({"v": pa.array(rows)}) for rows in ([[1.0, 2.0]], [[1.0], [1.0, 2.0, 3.0]])]
    with Path("out.npy").open("wb") as file:
        writer = NpyWriter(Path("out.npy"), file, batches[0].schema)
        writer.write(batches[0])
        with pytest.raises(OutputError, match="vectors of one length"):
            writer.write(batches[1])


def test_arrays_are_for_files_that_are_named_so() -> None:
    np.save("v.npy", rows_of("float32", 10))
    packed = "all but parquet also as .gz or .zst"
    assert run("dedup", "v.npy", "-t", "0.9", "-o", "-", "--output-format", "npy").err == (
        f"lookalike: --output-format must be one of parquet, jsonl, csv, tsv, txt ({packed}). Got 'npy'; give the name "
        "of a file that ends in .npy instead\n"
    )
    helped = " ".join(run("dedup", "--help").out.partition("--output-format")[2].split())
    assert f"jsonl, csv, tsv, parquet or txt; {packed}." in helped
