"""A corpus of any size with planted near-duplicates, the same for everybody: fixed seed, no data needed.

Lengths are log-normal, words follow Zipf's law, and every fifth document is an edited copy of an earlier one: words
replaced, from one in a thousand to one in five.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

VOCABULARY = 60_000
EDITS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
AT_A_TIME = 20_000


def vocabulary(rng: np.random.Generator) -> pa.Array:
    """Make words of two to twelve letters, each once, the frequent ones shorter: five letters on average in a text."""
    lengths = np.clip(rng.poisson(5, 2 * VOCABULARY) + 1, 2, 12)
    letters = rng.integers(97, 123, (2 * VOCABULARY, 12), dtype=np.uint8)
    words = sorted({bytes(row[:length]).decode() for row, length in zip(letters, lengths, strict=True)})
    order = np.argsort([len(word) for word in words] + rng.normal(0, 4, len(words)), kind="stable")
    return pa.array(words).take(pa.array(order[:VOCABULARY]))


def documents(count: int, words: int, rng: np.random.Generator) -> list[NDArray[np.int32]]:
    """Draw documents as arrays of word numbers; every fifth is a copy of an earlier one with words replaced."""
    lengths = np.maximum(rng.lognormal(np.log(words) - 0.2, 0.63, count), 5).astype(np.int64)
    drawn = (np.minimum(rng.zipf(1.35, int(lengths.sum())), VOCABULARY) - 1).astype(np.int32)
    found = np.split(drawn, np.cumsum(lengths)[:-1])
    for i in range(5, count, 5):
        copy = found[rng.integers(0, i)].copy()
        edited = rng.random(len(copy)) < rng.choice(EDITS)
        copy[edited] = rng.integers(0, VOCABULARY, int(edited.sum()))
        found[i] = copy
    return found


def write_corpus(path: Path, count: int, words: int = 480, seed: int = 20261115) -> Path:
    """Write a parquet file of that many documents, unless it is there already; row groups of 10,000."""
    if path.exists():
        return path
    rng = np.random.default_rng(seed)
    names = vocabulary(rng)
    schema = pa.schema([("id", pa.int64()), ("text", pa.string())])
    temporary = path.with_suffix(".part")
    with pq.ParquetWriter(temporary, schema, use_dictionary=False) as writer:
        for first in range(0, count, AT_A_TIME):
            some = documents(min(AT_A_TIME, count - first), words, rng)
            offsets = np.cumsum([0, *map(len, some)]).astype(np.int32)
            listed = pa.ListArray.from_arrays(offsets, names.take(pa.array(np.concatenate(some))))
            texts = pc.binary_join(listed, " ")
            ids = pa.array(np.arange(first, first + len(some)))
            writer.write_table(pa.table([ids, texts], schema=schema), row_group_size=10_000)
    temporary.rename(path)
    return path
