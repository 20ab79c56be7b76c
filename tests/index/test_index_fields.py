"""Stored fields and ids of an index: types that the first values determine, and values that fit them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lookalike import Index, InputError, RecipeError


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ([None], [5], [None, 5]),
        ([5], [7.0], [5, 7]),
        ([5.5], [7], [5.5, 7.0]),
        (["a"], [None], ["a", None]),
        (pa.array(["a"], pa.string_view()), pa.array(["b"]).dictionary_encode(), ["a", "b"]),
        ([b"a"], [b"b"], [b"a", b"b"]),
        ([[]], [["a"]], [[], ["a"]]),
        ([{"a": None}], [{"a": "b"}], [{"a": None}, {"a": "b"}]),
        ([datetime(2020, 1, 1, 3)], [date(2020, 1, 2)], [datetime(2020, 1, 1, 3), datetime(2020, 1, 2)]),  # noqa: DTZ001
        ([True], [5], None),
        ([date(2020, 1, 2)], [datetime(2020, 1, 1, 3)], None),  # noqa: DTZ001
        ([datetime(2020, 1, 1)], [datetime(2020, 1, 1, tzinfo=UTC)], None),  # noqa: DTZ001
        (pa.array([1.5], pa.float32()), [1e300], None),
        ([{"a": 1}], [{"a": 1, "b": 2}], None),
        ([5], ["12"], None),
        ([5], [7.5], None),
        ([[]], [[1]], None),
    ],
)
def test_fields_are_turned_into_their_type_unchanged(tmp_path: Path, first: Any, then: Any, kept: Any) -> None:
    with Index.create(tmp_path / "i", shingle="words:1", threshold=0.5, fields=["f"]) as index:
        index.add(["a"], ["one two"], {"f": first})
        if kept is None:
            with pytest.raises(InputError, match="The field f of this index has type"):
                index.add(["b"], ["one two"], {"f": then})
            return
        index.add(["b"], ["one two"], {"f": then})
        for _ in range(2):
            assert [match.fields["f"] for match in index.query("one two")] == kept
            assert [row["f"] for batch in index.rows() for row in batch.to_pylist()] == kept
            index.compact()


def test_fields_of_frames(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="words:1", fields=["f", "g"]) as index:
        index.add(["a"], ["one"], pl.DataFrame({"f": ["A"]}))
        index.add(["b"], ["two"], pd.DataFrame({"g": [1]}, index=[7]))
        index.add(["c"], ["three"], {})
        rows = [tuple(row.values()) for batch in index.rows() for row in batch.to_pylist()]
        assert rows == [("a", "one", "A", None), ("b", "two", None, 1), ("c", "three", None, None)]
        wrong: list[Any] = [{"f": [1, 2], "g": [1]}, {"f": 1}, [{"f": 1}], {"f": [object()]}, {"f": ["\ud800"]}]
        for fields in wrong:
            with pytest.raises(InputError, match="`fields` must be"):
                index.add(["d"], ["four"], fields)
    for names in ("by", [1], [""]):
        with pytest.raises(RecipeError, match="list of names"):
            Index.create(tmp_path / "j", fields=names)  # type: ignore[arg-type]


def test_ids_of_other_types(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="words:1") as index:
        index.add(pa.array([1, 2]).dictionary_encode(), ["one", "two"])
        assert [one in index for one in (1, np.int64(2), 3, np.uint64(2**63), 2**63)] == [
            True,
            True,
            False,
            False,
            False,
        ]
        with pytest.raises(InputError, match="below 2\\^63"):
            index.add(np.array([2**63], np.uint64), ["three"])
        with pytest.raises(InputError, match="the single id 1"):
            index.delete(1)
