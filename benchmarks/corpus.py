"""A corpus of any size with planted near-duplicates, the same for everybody: fixed seed, no data needed.

Lengths are log-normal and words follow Zipf's law. Some documents are copies of earlier ones, and copies of copies:
word for word, or with words replaced, sentences moved, a passage of boilerplate added, or all of that. How much is
edited is drawn so that the similarities of copies (Jaccard, five words a shingle) spread over 0.3 to 1. Passages are
added to unrelated documents as well, so that documents share some text far below any threshold.

A corpus does not depend on its size: the first 10,000 documents of a million are the corpus of 10,000.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

VERSION = b"2"
"""Of the generator: a file that another version wrote is written again."""

SEED = 20261115
VOCABULARY = 60_000
COMMONEST, EXPONENT = 3, 1.1
"""Zipf's law as Mandelbrot has it: of 100 words 5 are the commonest, as in English."""

FINENESS = 1 << 20
"""Words are drawn from a table of that many, where each is as often as it is common."""

PASSAGES = 300
SHINGLE = 5
SENTENCE = (8, 25)
LEAST_SIMILAR = 0.3
LEAST_OF_ALL_EDITS = 0.6

BLOCK = 2_000
POOL = 32
AT_A_TIME = 4
ROW_GROUP = 10_000


@dataclass(frozen=True)
class Shape:
    """What the documents of a corpus are like; shares are of all documents."""

    words: int
    copied: float
    """Share of copies of earlier documents."""
    exact: float
    """Share of copies that are not edited."""
    passage: tuple[int, int]
    """Least and most words of a passage of boilerplate."""
    boilerplate: float = 0.1
    """Share of the documents that are no copies and have a passage."""
    templates: int = 0
    """Texts of which many copies are made, Zipf-like: of the n-th, n^-0.8 times as many as of the first."""
    templated: float = 0.0
    """Share of copies of templates."""


SHAPES = {
    "made": Shape(words=480, copied=0.2, exact=0.1, passage=(20, 150)),
    "short": Shape(words=83, copied=0.23, exact=0.4, passage=(5, 25), templates=20_000, templated=0.1),
}
"""By name: documents of about 2.9 KB, and short texts of about 500 bytes with many natural duplicates."""


@dataclass(frozen=True)
class Texts:
    """Texts as word numbers, one after the other."""

    words: NDArray[np.uint16]
    lengths: NDArray[np.int64]

    @property
    def begins(self) -> NDArray[np.int64]:
        """Where each text begins."""
        return np.asarray(np.cumsum(self.lengths) - self.lengths)

    def take(self, rows: NDArray[np.int64]) -> Texts:
        """Return some of the texts, in this order."""
        lengths = self.lengths[rows]
        moved = self.begins[rows] - (np.cumsum(lengths) - lengths)
        return Texts(self.words[np.arange(lengths.sum()) + np.repeat(moved, lengths)], lengths)

    @staticmethod
    def together(some: Sequence[Texts]) -> Texts:
        """Return the texts of several as one."""
        return Texts(np.concatenate([one.words for one in some]), np.concatenate([one.lengths for one in some]))


class Maker:
    """Draws documents of a shape, block after block."""

    def __init__(self, shape: Shape, seed: int) -> None:
        self.shape = shape
        self.rng = np.random.default_rng(seed)
        self.names = vocabulary(self.rng)
        chance = np.cumsum((np.arange(VOCABULARY) + COMMONEST) ** -EXPONENT)
        steps = (np.arange(FINENESS) + self.rng.random(FINENESS)) / FINENESS
        self.quantiles = np.searchsorted(chance / chance[-1], steps).astype(np.uint16)
        self.passages = self.draw(self.rng.integers(*shape.passage, PASSAGES, endpoint=True))
        self.templates = self.draw(self.some_lengths(shape.templates))
        popularity = np.cumsum(np.arange(1, shape.templates + 1) ** -0.8)
        self.popularity = popularity / popularity[-1] if shape.templates else popularity

    def draw(self, lengths: NDArray[np.int64]) -> Texts:
        """Draw texts of these lengths by Zipf's law."""
        places = self.rng.integers(0, FINENESS, int(lengths.sum()), dtype=np.uint32)
        return Texts(self.quantiles[places], lengths)

    def some_lengths(self, count: int) -> NDArray[np.int64]:
        """Draw lengths, with the shape's number of words as their mean."""
        drawn = self.rng.lognormal(np.log(self.shape.words) - 0.2, 0.63, count)
        return np.asarray(np.maximum(drawn, SHINGLE).astype(np.int64))

    def blocks(self) -> Iterator[Texts]:
        """Draw documents without end. A block is a quarter of what was before: copies are of earlier blocks."""
        pool = [self.draw(self.some_lengths(16))]
        done = 16
        yield pool[0]
        while True:
            sizes = np.array([len(texts.lengths) for texts in pool])
            chosen = self.rng.choice(len(pool), AT_A_TIME, p=sizes / sizes.sum())
            block = self.block(min(done // 4, BLOCK), Texts.together([pool[i] for i in chosen]))
            yield block
            done += len(block.lengths)
            if len(pool) < POOL:
                pool.append(block)
            else:
                pool[self.rng.integers(POOL)] = block

    def block(self, count: int, earlier: Texts) -> Texts:
        """Draw some documents: new ones, copies of earlier ones, copies of templates, in any order."""
        kind = self.rng.random(count)
        templated = kind < self.shape.templated
        copied = (kind < self.shape.templated + self.shape.copied) & ~templated
        popular = np.searchsorted(self.popularity, self.rng.random(int(templated.sum())))
        sources = [
            earlier.take(self.rng.integers(0, len(earlier.lengths), int(copied.sum()))),
            self.templates.take(popular),
        ]
        copies, adorned = self.edit(Texts.together(sources))
        fresh = self.draw(self.some_lengths(count - len(copies.lengths)))
        adorned = np.append(adorned, self.rng.random(len(fresh.lengths)) < self.shape.boilerplate)
        texts = self.adorn(Texts.together([copies, fresh]), adorned)
        order = np.argsort(np.where(copied, 0, np.where(templated, 1, 2)), kind="stable")
        return texts.take(np.argsort(order))

    def edit(self, copies: Texts) -> tuple[Texts, NDArray[np.bool_]]:
        """Edit copies, all but some; also say which are to get a passage of boilerplate."""
        count = len(copies.lengths)
        kind = np.where(self.rng.random(count) < self.shape.exact, -1, self.rng.integers(0, 7, count))
        replaces, moves, adorned, all_edits = kind <= 3, (kind == 4) | (kind == 6), kind >= 5, kind == 6
        least = np.where(all_edits, LEAST_OF_ALL_EDITS, LEAST_SIMILAR)
        similarity = np.where(kind < 0, 1, least + (1 - least) * self.rng.random(count))
        kept = 2 * similarity / (1 + similarity)  # of the shingles of either
        pieces = np.where(moves, (1 - kept) * sum(SENTENCE) / 2 / (3 * (SHINGLE - 1)), 0)
        words = np.where(replaces | all_edits, 1 - kept ** (1 / SHINGLE), 0)
        return self.replace(self.move(copies, pieces), words), adorned

    def replace(self, texts: Texts, shares: NDArray[np.float64]) -> Texts:
        """Replace a share of the words of each text by any others."""
        words = texts.words.copy()
        edited = np.flatnonzero(self.rng.random(len(words), np.float32) < np.repeat(shares, texts.lengths))
        words[edited] = self.rng.integers(0, VOCABULARY, len(edited))
        return Texts(words, texts.lengths)

    def move(self, texts: Texts, shares: NDArray[np.float64]) -> Texts:
        """Move a share of the sentences of each text; a sentence is a run of 8 to 25 words."""
        total = len(texts.words)
        cuts = np.cumsum(self.rng.integers(*SENTENCE, total // SENTENCE[0] + 1, endpoint=True))
        begins = np.union1d(texts.begins, cuts[cuts < total])
        text = np.searchsorted(texts.begins, begins, side="right") - 1
        anywhere = texts.begins[text] + self.rng.random(len(begins)) * texts.lengths[text]
        moved = self.rng.random(len(begins)) < shares[text]
        order = np.lexsort((np.where(moved, anywhere, begins), text))
        sentences = Texts(texts.words, np.diff(begins, append=total))
        return Texts(sentences.take(order).words, texts.lengths)

    def adorn(self, texts: Texts, adorned: NDArray[np.bool_]) -> Texts:
        """Put a passage of boilerplate at the begin or end of some texts."""
        count = len(texts.lengths)
        nothing = Texts(np.empty(0, np.uint16), np.zeros(1, np.int64))
        passages = count + self.rng.integers(0, PASSAGES, count)
        first = self.rng.random(count) < 0.5
        no_passage = count + PASSAGES
        rows = np.full((count, 3), no_passage)
        rows[:, 0] = np.where(adorned & first, passages, no_passage)
        rows[:, 1] = np.arange(count)
        rows[:, 2] = np.where(adorned & ~first, passages, no_passage)
        parts = Texts.together([texts, self.passages, nothing]).take(rows.ravel())
        return Texts(parts.words, parts.lengths.reshape(-1, 3).sum(1))

    def write(self, texts: Texts) -> pa.Array:
        """Return the texts as strings: words with one space between."""
        offsets = np.append(0, np.cumsum(texts.lengths)).astype(np.int32)
        return pc.binary_join(pa.ListArray.from_arrays(offsets, self.names.take(pa.array(texts.words))), " ")


def vocabulary(rng: np.random.Generator) -> pa.Array:
    """Make words of two to twelve letters, each once, the frequent ones shorter: five letters on average in a text."""
    lengths = np.clip(rng.poisson(5, 2 * VOCABULARY) + 1, 2, 12)
    letters = rng.integers(97, 123, (2 * VOCABULARY, 12), dtype=np.uint8)
    words = sorted({bytes(row[:length]).decode() for row, length in zip(letters, lengths, strict=True)})
    order = np.argsort([len(word) for word in words] + rng.normal(0, 6, len(words)), kind="stable")
    return pa.array(words).take(pa.array(order[:VOCABULARY]))


def groups(maker: Maker, count: int) -> Iterator[pa.Array]:
    """Draw that many documents, as arrays of the size of a row group; the last is shorter."""
    left = count
    some: list[pa.Array] = []
    for block in maker.blocks():
        some.append(maker.write(block))
        while sum(map(len, some)) >= min(left, ROW_GROUP):
            every = pa.concat_arrays(some)
            yield every[: min(left, ROW_GROUP)]
            some = [every[ROW_GROUP:]]
            left -= ROW_GROUP
            if left <= 0:
                return


def write_corpus(path: Path, count: int, shape: str = "made", seed: int = SEED) -> Path:
    """Write a parquet file of that many documents, unless it is there already; row groups of 10,000."""
    mark = {b"lookalike.corpus": b"%s %s %d" % (shape.encode(), VERSION, seed)}
    if path.exists() and (pq.read_schema(path).metadata or {}).items() >= mark.items():
        return path
    schema = pa.schema([("id", pa.int64()), ("text", pa.string())], metadata=mark)
    temporary = path.with_suffix(".part")
    with pq.ParquetWriter(temporary, schema, use_dictionary=False) as writer:
        for first, texts in zip(itertools.count(0, ROW_GROUP), groups(Maker(SHAPES[shape], seed), count), strict=False):
            ids = pa.array(np.arange(first, first + len(texts)))
            writer.write_table(pa.table([ids, texts], schema=schema), row_group_size=ROW_GROUP)
    temporary.rename(path)
    return path
