"""Helpers for tests of reading: a table, ways to write it, and views of what was read."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, settings

from lookalike.errors import InputError
from lookalike.read import Source, open_paths

TEXTS = ["one", "zwei é", "", None, "x\ny \U0001f600"]
TABLE = pa.table({"id": [10, 11, 12, 13, 14], "text": TEXTS, "score": [1.5, 2.0, None, 4.0, 5.0]})
AS_IS = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def texts_of(source: Source) -> list[Any]:
    return [text for batch in source.batches() for text in batch.items.to_pylist()]


def ids_of(source: Source) -> list[Any]:
    return [one for batch in source.batches() if batch.ids is not None for one in batch.ids.to_pylist()]


def ranks_of(source: Source) -> list[Any]:
    return [one for batch in source.batches() if batch.ranks is not None for one in batch.ranks.to_pylist()]


def rows_of(source: Source) -> list[dict[str, Any]]:
    batches = list(source.rows())
    assert all(batch.schema.equals(source.schema, check_metadata=True) for batch in batches)
    return [row for batch in batches for row in batch.to_pylist()]


def names_of(source: Source) -> list[Any]:
    count = sum(len(batch) for batch in source.batches())
    names: list[Any] = source.default_ids(np.arange(count)).to_pylist()
    backwards = source.default_ids(np.arange(count)[::-1].copy()).to_pylist()
    assert backwards == names[::-1]
    return names


def jsonl(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def refused(path: object, **options: Any) -> str:
    """Read a source that must raise an InputError; return its message, which is one line."""
    paths: list[Any] = path if isinstance(path, list) else [path]
    with pytest.raises(InputError) as caught:
        texts_of(open_paths(paths, **options))
    message = str(caught.value)
    assert "\n" not in message
    return message


def compress(data: bytes, ending: str) -> bytes:
    if ending in (".zst", ".lz4"):
        packed: bytes = pa.Codec({".zst": "zstd", ".lz4": "lz4"}[ending]).compress(data, asbytes=True)
        return packed
    codecs: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    return codecs[ending](data) if ending in codecs else data


def parquet_bytes() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"text": ["a", "b"]}), sink)
    return sink.getvalue()
