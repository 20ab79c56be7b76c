from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from support.paths import ARTICLES

from lookalike.arrays.arrow import as_arrow, nan_as_null, null_as_empty, null_as_zero, text_value

NUMBERS = st.sampled_from([np.int32, np.int64, np.uint64, np.float64, np.bool_])


@pytest.mark.slow
@given(NUMBERS.flatmap(lambda kind: hnp.arrays(kind, st.integers(0, 40))), st.integers(1, 3))
def test_the_same_as_arrow_makes(values: NDArray[Any], step: int) -> None:
    some = values[::step]
    made, expected = as_arrow(some), pa.array(some)
    assert made.type == expected.type
    assert np.array_equal(made.to_numpy(zero_copy_only=False), some, equal_nan=values.dtype == np.float64)


@given(hnp.arrays(np.float64, st.integers(0, 40)))
def test_not_a_number_is_null(values: NDArray[np.float64]) -> None:
    assert nan_as_null(values).to_pylist() == [None if value != value else value for value in values.tolist()]  # noqa: PLR0124


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_texts(kind: pa.DataType) -> None:
    assert text_value("Ü:", kind).equals(pa.scalar("Ü:", kind))
    assert null_as_empty(pa.array(["a", None, ""], kind)).equals(pa.array(["a", "", ""], kind))


@pytest.mark.parametrize("values", [[3, None], [0.5, None], [True, None], [None], []])
def test_zero_for_null(values: list[Any]) -> None:
    kind = pa.array(values).type if any(value is not None for value in values) else pa.int64()
    assert null_as_zero(pa.array(values, kind)).to_pylist() == [value or 0 for value in values]


@pytest.mark.slow
@pytest.mark.parametrize("settings", ["", "id='id'"])
def test_a_run_leaves_pandas_alone(settings: str) -> None:
    """It is installed here, so Arrow would import it at the first chance."""
    code = (
        f"import lookalike, pathlib, sys; found = lookalike.deduplicate(pathlib.Path({str(ARTICLES)!r}), {settings}); "
        "assert found.summary.removed; found.to_arrow(); sys.exit('pandas' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
