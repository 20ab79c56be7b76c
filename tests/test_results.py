"""Arguments and results of the public functions, and the public names."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.run_cli import quiet_environment

import lookalike
from lookalike import InputError, LookalikeError, OutputError, RecipeError, deduplicate, find_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

CAT = "the cat sat on the mat"
TEXTS = [f"{CAT} today", "a dog", None, "The cat sat on the mat, today!", f"{CAT} now", ""]
KEPT = [text for i, text in enumerate(TEXTS) if i != 3]
TABLE = pa.table({"text": pa.array(TEXTS), "n": range(6)})


# Public names


def test_public_names() -> None:
    assert sorted(lookalike.__all__) == [
        "Added", "Banding", "Clusters", "Comparison", "Deduplicated", "Estimate", "Index",
        "IndexLockedError", "InputError",
        "Items", "LookalikeError", "Match", "Matches", "Measure", "Measured", "MissingExtraError", "Nearest",
        "OutputError", "Pairs", "Recipe", "RecipeError", "SetComparison", "Shingling", "Summary", "TextComparison",
        "Trace", "balance", "compare", "deduplicate", "estimate_costs", "find_pairs", "nearest", "read_items",
        "trace", "tune",
    ]  # fmt: skip
    assert dir(lookalike) == sorted([*lookalike.__all__, "__version__"])
    for name in lookalike.__all__:
        assert getattr(lookalike, name).__doc__


@pytest.mark.slow
def test_functions_are_not_hidden_by_modules_of_their_name() -> None:
    """A run loads the module `tune`, and `Comparison` the module `compare`, which Python then binds in the package."""
    uses = "find_pairs(['a'])", "tune()", "Comparison", "compare('', '')"
    code = "import lookalike; " + "; ".join(f"lookalike.{use}" for use in uses)
    subprocess.run([sys.executable, "-c", code], env=quiet_environment(), check=True)


def test_there_are_no_other_names() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'find_duplicates'"):
        lookalike.find_duplicates  # noqa: B018


# What goes in


def files(folder: Path) -> list[Path]:
    pq.write_table(TABLE.slice(0, 2), folder / "a.parquet")
    pq.write_table(TABLE.slice(2), folder / "b.parquet")
    return [folder / "b.parquet", folder / "a.parquet"]


INPUTS: dict[str, Callable[[Path], Any]] = {
    "list": lambda _: TEXTS,
    "tuple": lambda _: tuple(TEXTS),
    "generator": lambda _: (text for text in TEXTS),
    "dict": lambda _: dict(enumerate(TEXTS)),
    "array": lambda _: pa.array(TEXTS),
    "string view": lambda _: pa.array(TEXTS, pa.string_view()),
    "dictionary": lambda _: pa.array(TEXTS).dictionary_encode(),
    "chunked array": lambda _: pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
    "table": lambda _: TABLE,
    "batch": lambda _: TABLE.to_batches()[0],
    "reader": lambda _: TABLE.to_reader(),
    "polars frame": lambda _: pl.DataFrame(TABLE),
    "polars series": lambda _: pl.Series(TEXTS),
    "pandas frame": lambda _: TABLE.to_pandas(),
    "pandas series": lambda _: pd.Series(TEXTS),
    "duckdb": lambda _: duckdb.connect().from_arrow(TABLE),
    "path": lambda folder: [pq.write_table(TABLE, folder / "t.parquet"), folder / "t.parquet"][1],
    "paths": files,
    "folder": lambda folder: files(folder)[0].parent,
}


@pytest.mark.parametrize("kind", INPUTS)
def test_kinds_of_input(kind: str, tmp_path: Path) -> None:
    """All give the same pairs, by index or by file and row, and the same items back."""
    found = find_pairs(INPUTS[kind](tmp_path))
    ids = {"path": ("t.parquet:1", "t.parquet:4"), "paths": ("a.parquet:1", "b.parquet:2")}
    ids["folder"] = ids["paths"]
    expected = [str(tmp_path / name) for name in ids[kind]] if kind in ids else [0, 3]
    assert list(found) == [(*expected, 1.0)]
    result = deduplicate(INPUTS[kind](tmp_path), scratch=tmp_path)
    assert (result.summary.items, result.summary.kept, result.summary.nulls) == (6, 5, 1)
    column = result.to_arrow().column("text").to_pylist()
    assert column == KEPT


@pytest.mark.parametrize(
    ("kind", "returned"),
    [("list", list), ("tuple", list), ("dict", dict), ("table", pa.Table), ("path", pa.Table), ("generator", pa.Table),
     ("polars frame", pl.DataFrame), ("pandas frame", pd.DataFrame), ("duckdb", pa.Table)],
)  # fmt: skip
def test_what_is_kept_is_what_was_given(kind: str, returned: type, tmp_path: Path) -> None:
    result = deduplicate(INPUTS[kind](tmp_path), scratch=tmp_path)
    kept: Any = result.kept
    removed: Any = result.removed
    assert (len(kept), len(removed)) == (5, 1)
    assert {type(kept), type(removed)} == {returned}
    if isinstance(kept, list):
        assert (kept, removed) == (KEPT, [TEXTS[3]])
    if isinstance(kept, dict):
        assert removed == {3: TEXTS[3]}
    if isinstance(kept, pa.Table) and kind != "generator":
        assert kept.equals(TABLE.filter(pa.array(result.mask)))


@pytest.mark.parametrize("tokens", [[[1, 2, 3], [1, 2, 3, 4], None, [1, 2, 3]], [[], [7], [7], None]])
def test_kinds_of_token_lists(tokens: list[list[int] | None], tmp_path: Path) -> None:
    column = pa.array(tokens, pa.list_(pa.int32()))
    pq.write_table(pa.table({"input_ids": column}), tmp_path / "t.parquet")
    frame = pl.DataFrame({"tokens": pl.Series(tokens, dtype=pl.List(pl.Int64))})
    given: list[Any] = [tokens, column, pa.table({"tokens": column}), frame, dict(enumerate(tokens))]
    rows = {tuple(pair) for one in given for pair in find_pairs(one, shingle="tokens:2")}
    assert len(rows) == 1
    assert len(find_pairs(tmp_path / "t.parquet", shingle="tokens:2")) == 1


@pytest.mark.parametrize(
    "given",
    [[], (), {}, iter(()), pa.array([], pa.string()), TABLE.slice(0, 0), pd.DataFrame({"text": []}, dtype="str")],
)
def test_nothing_at_all(given: Any) -> None:
    assert len(find_pairs(given)) == 0
    assert find_pairs(given, against=["a b"]).to_arrow().column_names == ["left", "right", "similarity"]
    result = deduplicate(given)
    assert (result.summary.items, result.summary.kept, len(result.clusters)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("corpus.parquet", "corpus.parquet: no such file"),
        (b"corpus.parquet", "a single text is not a collection"),
        (5, "type int cannot be read"),
        (["a", 5], "item 1 is int"),
        (["a\ud800"], "unpaired surrogate"),
        (pa.table({"n": [1]}), "no column of strings"),
        (pa.table({"a": ["x"], "b": ["y"]}), "several columns of strings"),
        (Path("nowhere.jsonl"), "no such file"),
        ({"a": "x", 1: "y"}, "keys of a dict"),
        ({1 << 63: "x"}, "64-bit"),
    ],
)
def test_what_cannot_go_in(given: Any, message: str) -> None:
    for run in (find_pairs, deduplicate):
        with pytest.raises(InputError, match=message):
            run(given)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threshold": 80}, r"did you mean 0\.80"),
        ({"threshold": float("nan")}, "threshold"),
        ({"recall": 99}, "did you mean"),
        ({"shingle": "words"}, "words:n"),
        ({"shingle": "bytes:4", "lower": True}, "as they are"),
        ({"bands": 3}, "go together"),
        ({"threads": 0}, "at least 1"),
        ({"batch_bytes": 0}, "at least 1"),
        ({"encoding_errors": "ignore"}, "strict or replace"),
        ({"form": "nfc"}, "NFC"),
        ({"sketch": "best"}, "fast or classic"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], message: str) -> None:
    for run in (find_pairs, deduplicate):
        with pytest.raises(RecipeError, match=message):
            run(TEXTS, **settings)
    with pytest.raises(ValueError, match=message):
        find_pairs(TEXTS, **settings)


def test_a_setting_that_does_not_exist_and_a_keep_rule_that_does_not() -> None:
    with pytest.raises(TypeError, match="unknown option 'treshold'; the options are threshold"):
        find_pairs(TEXTS, treshold=0.8)  # type: ignore[call-arg]
    with pytest.raises(LookalikeError, match="`keep` must be first"):
        deduplicate(TEXTS, keep="best")


# What comes out


def test_pairs_are_a_table() -> None:
    found = find_pairs(TEXTS, threshold=0.3)
    assert len(found) == 3
    arrow = found.to_arrow()
    assert arrow.schema == pa.schema([("left", pa.int64()), ("right", pa.int64()), ("similarity", pa.float64())])
    assert list(found) == [(0, 3, 1.0), (0, 4, 0.5), (3, 4, 0.5)]
    assert found.to_pandas().to_dict("list") == arrow.to_pydict()
    assert found.to_polars().to_arrow().to_pydict() == arrow.to_pydict()
    assert pa.table(found).equals(arrow)
    assert pl.DataFrame(found).shape == (3, 3)


def test_clusters_are_a_table() -> None:
    clusters = deduplicate(TEXTS, threshold=0.3, keep="last").clusters
    types = {
        "id": pa.int64(),
        "cluster": pa.int64(),
        "keeper": pa.int64(),
        "similarity": pa.float64(),
        "kept": pa.bool_(),
    }
    assert clusters.to_arrow().schema == pa.schema(types)
    assert list(clusters) == [(0, 0, 4, 0.5, False), (3, 0, 4, 0.5, False), (4, 0, 4, 1.0, True)]
    assert (clusters.count, clusters.sizes) == (1, {3: 1})
    assert clusters.to_pandas()["kept"].tolist() == clusters.to_polars()["kept"].to_list() == [False, False, True]


def test_ids_keep_their_type() -> None:
    large, days = pa.array([1, 2, 1 << 63], pa.uint64()), pa.array([1, 2, 3], pa.date32())
    for ids in (["x", "y", "z"], [10, 20, 30], large, days):
        table = pa.table({"text": ["same words here", "same words here", "no"], "key": ids})
        found = find_pairs(table, id="key", text="text").to_arrow()
        assert found.column("left").to_pylist() == table.column("key").to_pylist()[:1]
        assert found.column("right").to_pylist() == table.column("key").to_pylist()[1:2]


def test_deduplicated_writes_what_it_keeps(tmp_path: Path) -> None:
    result = deduplicate(TABLE)
    result.write(tmp_path / "kept.parquet", removed=tmp_path / "removed.parquet")
    assert pq.read_table(tmp_path / "kept.parquet").equals(TABLE.filter(pa.array(result.mask)))
    assert pq.read_table(tmp_path / "removed.parquet").equals(TABLE.slice(3, 1))
    assert result.to_pandas()["n"].tolist() == result.to_polars()["n"].to_list() == [0, 1, 2, 4, 5]


def test_results_do_not_change() -> None:
    found, result = find_pairs(TEXTS), deduplicate(TEXTS)
    for thing in (found, found.summary, result, result.clusters, result.summary):
        for field in dataclasses.fields(thing):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(thing, field.name, None)


def test_results_print_themselves() -> None:
    assert repr(find_pairs(TEXTS, threshold=0.3)).splitlines() == [
        "Pairs: 3 among 6 items, similarity at least 0.3",
        "  left  right  similarity",
        "  0     3      1.0000",
        "  0     4      0.5000",
        "  3     4      0.5000",
    ]
    result = deduplicate(TEXTS)
    assert repr(result) == "Deduplicated: 6 items, 5 kept, 1 removed in 1 clusters"
    assert repr(result.clusters).splitlines()[:2] == [
        "Clusters: 1, with 2 items in all",
        "  id  cluster  keeper  similarity  kept",
    ]
    long = repr(find_pairs(dict.fromkeys(("x" * 300, "y\ny", *"abcdefg"), "same")))
    assert long.endswith("…")
    assert all(len(line) < 150 for line in long.splitlines())


def test_summary_is_plain_and_consistent() -> None:
    summary = deduplicate(TEXTS, threshold=0.5, recall=0.9).summary
    plain = summary.to_dict()
    assert set(plain) == {field.name for field in dataclasses.fields(summary)}
    assert plain["recall"] == plain["chance"]["0.5"] >= 0.9
    assert plain["chance"]["0.7"] < plain["chance"]["0.8"] < plain["chance"]["0.9"]
    assert plain["nulls"] == 1
    assert plain["empty"] == 2
    assert plain["short"] == 1
    assert plain["copies"] == 1
    assert plain["peak_memory_bytes"] > 1 << 20
    assert {"read", "sign", "band", "cluster"} <= set(plain["seconds"])
    assert any("2 items have no shingle, 1 of them null" in note for note in plain["notes"])


@pytest.mark.parametrize(
    ("shingle", "advice"),
    [("words:5", "words:2"), ("words:2", "chars:5"), ("chars:9", "chars:4"), ("bytes:8", "bytes:4")],
)
def test_advice_where_texts_are_too_short_for_the_shingle(shingle: str, advice: str) -> None:
    short = [f"item {i} of many" for i in range(9)]
    long = [" ".join(str(draw) for draw in np.random.default_rng(i).integers(0, 99, 200)) for i in range(9)]
    assert any(advice in note for note in find_pairs(short, shingle=shingle).summary.notes)
    assert not find_pairs(long, shingle=shingle).summary.notes


def test_large_whole_numbers_keep_their_order() -> None:
    table = pa.table({"text": ["one two three four five six"] * 2, "n": [2**53, 2**53 + 1]})
    assert deduplicate(table, keep="max:n").kept["n"].to_pylist() == [2**53 + 1]


def test_fractions_after_whole_numbers_in_json(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"text": "one two three four five six", "n": {n}}}\n' for n in (1, 1.5, 1.25)))
    assert deduplicate(path, keep="max:n").mask.tolist() == [False, True, False]


def test_results_do_not_change_and_can_be_keys() -> None:
    result = deduplicate(["a b c", "a b c"])
    assert {result, result.clusters, find_pairs(["a", "b"])}
    with pytest.raises(ValueError, match="read-only"):
        result.mask[0] = False


def test_writing_spares_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"text": "a b"}\n{"text": "a b"}\n')
    result = deduplicate(path)
    with pytest.raises(OutputError):
        result.write(path, force=True)
    result.write(tmp_path / "out.jsonl", removed=tmp_path / "gone.jsonl")
    with pytest.raises(OutputError):
        result.write(tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == '{"text": "a b"}\n' == (tmp_path / "gone.jsonl").read_text()


@pytest.mark.parametrize(
    "setting", [{"threshold": "0.8"}, {"threshold": None}, {"shingle": 5}, {"seed": 1.0}, {"threads": 1.5}]
)
def test_a_setting_of_the_wrong_type_is_named(setting: dict[str, Any]) -> None:
    with pytest.raises(RecipeError, match=next(iter(setting))):
        find_pairs(["a", "b"], **setting)
