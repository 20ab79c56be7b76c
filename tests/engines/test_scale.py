"""Collections that break naive designs: all similar, all empty, one huge; and what a run leaves behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.run_cli import LOOKALIKE, process, quiet_environment

from lookalike import deduplicate, find_pairs

both_ways = pytest.mark.parametrize("recall", [0.99, 1])
"""By bands, and by exact search."""

TEMPLATE = " ".join(f"clause{i}" for i in range(150))


def words(count: int, seed: int = 0, of: int = 1 << 40) -> list[str]:
    return [f"{n:x}" for n in np.random.default_rng(seed).integers(0, of, count).tolist()]


# Many alike


@pytest.mark.slow
@both_ways
def test_a_great_many_identical_texts(recall: float) -> None:
    """Copies are one item until the end: nothing is compared, and pairs are as many as copies."""
    count = 200_000
    texts = pa.chunked_array([[TEMPLATE] * count, ["something else"]])
    result = deduplicate(texts, recall=recall)
    assert (result.summary.kept, result.summary.clusters, result.summary.candidates) == (2, 1, 0)
    assert result.summary.copies == count - 1
    found = find_pairs(texts, recall=recall)
    assert (len(found), found.summary.candidates) == (count - 1, 0)
    assert found.to_arrow().column("left").unique().to_pylist() == [0]
    assert any(note.startswith(f"{count:,} items are in groups of more than 1,000") for note in found.summary.notes)
    assert deduplicate(texts, keep="last").mask.nonzero()[0].tolist() == [count - 1, count]


def test_groups_of_copies_are_paired_whole_up_to_a_size() -> None:
    similar = [TEMPLATE] * 1000 + [TEMPLATE + " more"] * 2
    found = find_pairs(similar)
    assert len(found) == 1002 * 1001 // 2
    assert not found.summary.notes
    condensed = find_pairs([*similar, TEMPLATE])
    assert len(condensed) == 1000 + 1 + 2
    assert condensed.summary.notes


@pytest.mark.slow
@both_ways
@pytest.mark.parametrize("keep", ["first", "longest"])
def test_texts_that_share_a_template(keep: str, recall: float) -> None:
    """All are similar to all: once a few are united, the others are not compared with each other."""
    count = 5000
    result = deduplicate([f"{TEMPLATE} {word}" for word in words(count)], keep=keep, recall=recall)
    assert (result.summary.kept, result.summary.clusters) == (1, 1)
    assert result.summary.candidates < 20 * count


@both_ways
def test_texts_that_share_a_template_but_not_enough_of_it(recall: float) -> None:
    """All meet in a bucket now and then, none is a pair: no cluster makes it quick, yet it ends."""
    count = 3000
    half = " ".join(TEMPLATE.split()[:75])
    own = words(75 * count)
    texts = [f"{half} {' '.join(own[75 * i : 75 * i + 75])}" for i in range(count)]
    result = deduplicate(texts, recall=recall)
    assert (result.summary.kept, result.summary.pairs) == (count, 0)


@pytest.mark.slow
@both_ways
def test_the_same_shingles_in_other_numbers(recall: float) -> None:
    """Sets are equal, counts are not: no copies, but one cluster, in few comparisons."""
    texts = ["a b " * repeats for repeats in range(2, 2002)]
    result = deduplicate(texts, shingle="words:2", recall=recall)
    assert (result.summary.kept, result.summary.copies) == (1, 0)
    assert result.summary.candidates < 20 * len(texts)
    assert set(result.clusters.to_arrow().column("similarity").to_pylist()) == {1.0}
    assert deduplicate(texts[:100], shingle="words:2", bag=True).summary.kept > 1


# Long and short


@pytest.mark.slow
@both_ways
def test_one_huge_text_among_small_ones(recall: float) -> None:
    huge = " ".join(words(2_000_000))
    assert len(huge) > 20 << 20
    texts = ["small", huge, "", huge + " end", "small", None]
    result = deduplicate(texts, batch_bytes=1 << 20, recall=recall)
    assert result.mask.tolist() == [True, True, True, False, False, True]
    similarity = 1_999_996 / 1_999_997
    assert result.clusters.to_arrow().column("similarity").to_pylist() == [1.0, 1.0, 1.0, similarity]


@pytest.mark.parametrize("blank", [None, "", " \n\t", "!!! ???"])
def test_many_empty_texts(blank: str | None) -> None:
    """They have nothing in common, so none is removed."""
    texts = pa.array([blank] * 50_000 + ["one word", "one word"], pa.string())
    result = deduplicate(texts)
    assert (result.summary.items, result.summary.kept, result.summary.empty) == (50_002, 50_001, 50_000)
    assert result.summary.nulls == (50_000 if blank is None else 0)
    assert len(find_pairs(texts)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("length", [3, 30, 3_000, 100_000])
def test_recall_at_every_length(length: int) -> None:
    """Pairs just above the threshold, from three words to a hundred thousand: few of a thousand, or ten, are missed."""
    families = max(10, min(500, 1_000_000 // length))
    changed = 0 if length == 3 else round(length * 0.08)
    texts = []
    for seed in range(families):
        text = words(length, seed)
        texts += [" ".join(text), " ".join([*text[: length - changed], *words(changed, seed + (1 << 20))])]
    found = find_pairs(texts, shingle="words:2", threshold=0.8)
    assert {(left, right) for left, right, _ in found} <= {(2 * i, 2 * i + 1) for i in range(families)}
    chance = 1 - found.summary.chance["0.8"]
    assert families - len(found) <= families * chance + 4 * (families * chance) ** 0.5


# Memory


def peak(count: int, folder: Path, recall: float) -> int:
    """Return the peak memory of a process that deduplicates so many short texts."""
    path = folder / f"{count}.parquet"
    draw = np.random.default_rng(count)
    columns = [pa.array(draw.integers(0, 1 << 30, count)).cast(pa.string()) for _ in range(10)]
    pq.write_table(pa.table({"text": pc.binary_join_element_wise(*columns, " ")}), path, row_group_size=50_000)
    ended = process(
        "dedup", path, "--json", "--scratch", folder, "--recall", recall, "-o", folder / f"out{count}.parquet"
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["items"] == found["kept"] == count
    return int(found["peak_memory_bytes"])


@pytest.mark.slow
@both_ways
def test_memory_grows_by_tens_of_bytes_a_document(tmp_path: Path, recall: float) -> None:
    few, many = 200_000, 800_000  # the fewer have filled every buffer of a fixed size already
    assert (peak(many, tmp_path, recall) - peak(few, tmp_path, recall)) / (many - few) < 150


# What a run leaves behind


def started(folder: Path, source: str, **options: Any) -> subprocess.Popen[str]:
    """Start a run that takes some seconds, with its own scratch folder; return when it has something there."""
    (folder / "scratch").mkdir(exist_ok=True)
    command = f"dedup {source} -o out.parquet --clusters out.csv --scratch scratch --bands 2000 --rows 9"
    child = subprocess.Popen(
        [*LOOKALIKE, *command.split()],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        env=quiet_environment(),
        **options,
    )
    deadline = time.monotonic() + 60
    while child.poll() is None and time.monotonic() < deadline and not open_files(child.pid, folder / "scratch"):
        time.sleep(0.02)
    assert child.poll() is None, child.communicate()
    return child


def open_files(process_id: int, folder: Path) -> list[str]:
    """List the files of a folder that a process has open; they have no names."""
    descriptors = Path(f"/proc/{process_id}/fd")
    try:
        return [target for link in descriptors.iterdir() if (target := str(link.readlink())).startswith(str(folder))]
    except OSError:
        return []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("source", ["texts.jsonl", "-"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_signals_leave_nothing(tmp_path: Path, number: signal.Signals, source: str) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text("".join(json.dumps({"text": " ".join(words(100, seed))}) + "\n" for seed in range(3000)))
    with texts.open() as stream:
        child = started(tmp_path, source, stdin=stream)
        child.send_signal(number)
        _, said = child.communicate(timeout=60)
    if number == signal.SIGKILL:
        assert child.returncode == -number
    else:
        assert child.returncode == 128 + number
        assert said.endswith("lookalike: interrupted; nothing was written\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scratch", "texts.jsonl"]
    assert not list((tmp_path / "scratch").iterdir())
