"""The types of columns: what comes out has the type of what went in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from lookalike import InputError, deduplicate, find_pairs

TEXTS = ["the cat sat on the mat", "a dog", "the cat sat on the mat", None]
VIEWS = {
    "string_view": pa.array(TEXTS, pa.string_view()),
    "binary_view": pa.array([b"x" * 20, b"", None, b"y"], pa.binary_view()),
    "list": pa.array([["a"], [], None, ["b" * 20]], pa.list_(pa.string_view())),
    "fixed_list": pa.array([["a"], ["b"], None, ["c"]], pa.list_(pa.string_view(), 1)),
    "struct": pa.array([{"a": "x"}, None, {"a": None}, {"a": "y" * 20}], pa.struct([("a", pa.string_view())])),
    "large_string": pa.array(TEXTS, pa.large_string()),
    "string": pa.array(TEXTS, pa.string()),
    "dictionary": pa.array(TEXTS).dictionary_encode(),
}
CODED = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, None], pa.int32()), pa.array(["x", "y"], pa.string_view()))


@pytest.mark.parametrize("name", VIEWS)
def test_types_are_kept(name: str, tmp_path: Path) -> None:
    table = pa.table({"text": TEXTS, "other": VIEWS[name]})
    pq.write_table(table, tmp_path / "a.parquet")
    stored = pq.read_schema(tmp_path / "a.parquet").types
    for source, given in ((table, table.schema.types), (tmp_path / "a.parquet", stored)):
        result = deduplicate(source, text="text")
        for kept in (result.kept, result.to_arrow()):
            assert kept.schema.types == given
            assert kept["other"].to_pylist() == [VIEWS[name][i].as_py() for i in (0, 1, 3)]
        result.write(tmp_path / "b.parquet", force=True)
        written = pq.read_table(tmp_path / "b.parquet")
        assert written.schema.types == stored
        assert written["other"].to_pylist() == [VIEWS[name][i].as_py() for i in (0, 1, 3)]


@pytest.mark.parametrize("name", ["string_view", "binary_view", "large_string", "dictionary"])
def test_texts_of_any_type_are_kept_in_it(name: str) -> None:
    column = VIEWS[name] if name != "binary_view" else VIEWS["string_view"].cast(pa.binary_view())
    table = pa.table({"text": column})
    result = deduplicate(table, text="text")
    assert result.to_arrow().schema == table.schema
    assert result.summary.removed == 1


def test_dictionaries_of_views(tmp_path: Path) -> None:
    table = pa.table({"text": TEXTS, "other": CODED})
    result = deduplicate(table, text="text")
    assert result.to_arrow().schema == table.schema
    for suffix in ("parquet", "csv", "jsonl"):
        result.write(tmp_path / f"a.{suffix}")
    assert pq.read_table(tmp_path / "a.parquet")["other"].to_pylist() == ["x", "y", None]
    assert pa.csv.read_csv(tmp_path / "a.csv")["other"].to_pylist() == ["x", "y", ""]


@pytest.mark.parametrize(
    ("items", "settings", "message"),
    [
        (np.array("a text"), {}, "an array without dimensions holds a single value"),
        (np.array(3.0), {}, "an array without dimensions holds a single value"),
        (
            [{"a"}, {"b"}],
            {"measure": "hamming", "threshold": 1},
            "the input holds values of type large_list.*, but bits",
        ),
        ({"k": {"a"}}, {"measure": "hamming", "threshold": 1}, "the input holds values of type large_list.*, but bits"),
        (
            pa.array([1, 2]),
            {"shingle": "words:2"},
            "the input holds values of type int64, but the text must be a string",
        ),
    ],
)
def test_values_that_cannot_be_items(items: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_pairs(items, **settings)
