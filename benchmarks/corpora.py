"""The corpora of the comparison, by name: `made-N` and `short-N` of any size, and real text from your folder.

Real text is in parquet files with a column `text`, in the folder that the environment variable LOOKALIKE_DATA names, or
below it. It becomes lower-case words with one space between, so that every tool splits it alike.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from corpus import SHAPES, write_corpus

DATA = Path(__file__).parent / "data"
VARIABLE = "LOOKALIKE_DATA"
REAL = {"django": "django_docs", "mdn": "mdn_content", "bible": "bible_verses"}
"""Real corpora with a short name: documentation in four versions, reference pages, verses in seven translations."""

MADE = re.compile(rf"({'|'.join(SHAPES)})-([1-9]\d*)")
WORD = re.compile(r"\w+", re.ASCII)
"""Letters of other alphabets are left out: tools disagree which of them make a word."""


class UnknownCorpusError(ValueError):
    """There is no corpus of that name."""


@dataclass(frozen=True)
class Corpus:
    """A corpus as a file: its columns are `id` (0, 1, 2...) and `text`."""

    name: str
    path: Path

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return int(pq.read_metadata(self.path).num_rows)

    def facts(self) -> dict[str, int]:
        """Return how much there is."""
        texts = pq.read_table(self.path, columns=["text"])["text"]
        return {"documents": len(texts), "bytes": pc.sum(pc.binary_length(texts)).as_py() or 0}


def real_corpora() -> list[str]:
    """Name the real corpora that are there."""
    return [name for name in REAL if source_of(name)]


def source_of(name: str) -> Path | None:
    """Return the file of a real corpus, if there is one."""
    folder = os.environ.get(VARIABLE)
    return next(iter(sorted(Path(folder).rglob(f"{REAL.get(name, name)}.parquet"))), None) if folder else None


def tenth_of(name: str) -> str | None:
    """Return the corpus of a tenth of the size, where there is one.

    >>> tenth_of("made-100000")
    'made-10000'
    """
    made = MADE.fullmatch(name)
    return f"{made[1]}-{int(made[2]) // 10}" if made and int(made[2]) >= 10 else None


def corpus(name: str, data: Path = DATA) -> Corpus:
    """Return a corpus; write its file first unless it is there."""
    data.mkdir(parents=True, exist_ok=True)
    path = data / f"{name}.parquet"
    if made := MADE.fullmatch(name):
        return Corpus(name, write_corpus(path, int(made[2]), made[1]))
    source = source_of(name)
    if source is None:
        raise UnknownCorpusError(
            f"There is no corpus {name!r}: choose made-N or short-N, N being a number of documents, or the name of a "
            f"parquet file with a column `text` in the folder of {VARIABLE}, which is {os.environ.get(VARIABLE)!r}."
        )
    if not path.exists() or path.stat().st_mtime < source.stat().st_mtime:
        write_real(source, path)
    return Corpus(name, path)


def write_real(source: Path, path: Path) -> None:
    """Write real text as lower-case words; a document without words is left out."""
    texts = pq.read_table(source, columns=["text"])["text"]
    written = [" ".join(WORD.findall(text.lower())) for text in texts.to_pylist() if text]
    written = [text for text in written if text]
    temporary = path.with_suffix(".part")
    table = pa.table({"id": np.arange(len(written)), "text": pa.array(written, pa.string())})
    pq.write_table(table, temporary, use_dictionary=False, row_group_size=10_000)
    temporary.rename(path)
