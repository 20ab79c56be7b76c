"""The nearest vectors: by comparing with all of them in blocks, or only with those that short codes of bits let by.

How many codes must let through is found out on a sample of the questions, which is answered both ways; and whether it
is worth it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.best import Best
from lookalike.family import Cosine
from lookalike.kernels import codes as kernels
from lookalike.settle import NUMBER, PAIR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.band import Seen
    from lookalike.family import Family
    from lookalike.settings import Run
    from lookalike.threads import Threads

QUESTIONS = 16
"""Vectors whose codes are compared with all others in one task."""

TOGETHER = 256
"""Vectors that are compared with others in one block."""

BASE = 1 << 12
"""Vectors they are compared with at a time."""

PARTS = (kernels.FIRST, kernels.SECOND, kernels.THIRD)
LOST = (0.25, 0.25, 0.5)
"""How much each part loses of what may be lost."""

SAMPLED = 128
"""Questions that are answered both ways, to see how many vectors codes must let through."""

FEW = 1 << 12
"""Vectors up to which codes are not worth it."""

PAY = 4.0
"""How much longer comparing with all must take than to make codes."""

MOST_HELD = 1 << 30
"""Bytes of vectors that are held ready to be compared."""

NANO = 1e-9
SIFT, ON = 2.2 * NANO, 7 * NANO
"""Seconds that the first part of a code took, and each that is looked at on."""

SPARE = 1.3
"""How many more are let through than the sample needed, since the others are not the sample."""


class Everything:
    """Answers questions by comparing with all vectors, in blocks; they are held ready, if that is not too much."""

    def __init__(self, family: Family, among: NDArray[np.int32]) -> None:
        self._family = family
        self._among = among
        self._blocks = [among[begin : begin + BASE] for begin in range(0, len(among), BASE)]
        self._holds = among.size * family.length * 8 <= MOST_HELD
        self._ready = [family.ready(block) for block in self._blocks] if self._holds else []

    @property
    def exact(self) -> Everything:
        """What misses nothing: this."""
        return self

    def answer(self, questions: NDArray[np.int32], k: int, seen: Seen) -> Iterator[tuple[slice, Best]]:
        """Yield the nearest of some questions at a time."""
        for part in (slice(begin, begin + TOGETHER) for begin in range(0, len(questions), TOGETHER)):
            yield part, self.nearest(questions[part], k)
            seen.proposed += len(questions[part]) * len(self._among)

    def nearest(self, questions: NDArray[np.int32], k: int) -> Best:
        """Return the nearest of some vectors."""
        family, best = self._family, Best.of(len(questions), k)
        asked = family.ready(questions)
        rows, columns = (np.empty(max(2 * BASE, 1 << 16), np.int32) for _ in range(2))
        for at, some in enumerate(self._blocks):
            products = family.about(asked, self._ready[at] if self._holds else family.ready(some))
            bounds = bounds_of(products, best, k, family.margin)
            row = 0
            while row < len(products):
                filled, row = kernels.gather_above_bounds(products, bounds, row, rows, columns)
                one, two = rows[:filled], some[columns[:filled]]
                kernels.keep_best(one, two, family.scores(questions[one], two), questions, best.items, best.scores)
        return best


def bounds_of(products: NDArray[np.float32], best: Best, k: int, margin: float) -> NDArray[np.float32]:
    """Return the score from which on a vector may be among the best of each row."""
    bounds = np.where(best.items[:, -1] >= 0, best.scores[:, -1], -np.inf)
    if products.shape[1] > k + 1 and not np.isfinite(bounds).all():
        there = np.partition(products, products.shape[1] - k - 1, axis=1)[:, products.shape[1] - k - 1]
        bounds = np.maximum(bounds, there)  # one more than k, since an item itself may be among them
    with np.errstate(over="ignore"):
        return np.nextafter((bounds - 2 * margin).astype(np.float32), np.float32(-np.inf))


def find_vectors(
    run: Run, family: Family, questions: NDArray[np.int32], among: NDArray[np.int32], k: int, recall: float
) -> Everything | Coded:
    """Return what answers questions about vectors: by codes, if some may be missed and that is worth it."""
    everything = Everything(family, among)
    if recall < 1 and isinstance(family, Cosine) and codes_pay(family, len(questions), len(among)):
        with run.stages.timed("code"):
            codes = Codes(family, among, run.threads)
            enough = codes.enough(questions, everything, k, recall)
        if enough is not None:
            return Coded(codes, everything, enough)
    return everything


def codes_pay(family: Family, questions: int, among: int) -> bool:
    """Tell whether there are so many questions that it is worth while to make codes, and to answer some twice."""
    made = among * (64 * kernels.WORDS * family.signs * family.length + 2 * SAMPLED * family.exactly())
    return questions > SAMPLED and among > FEW and questions * among * family.exactly() > PAY * made


@dataclass(frozen=True, slots=True)
class Enough:
    """What codes let through."""

    most: NDArray[np.int64]
    """By how many bits a code may differ in the first part, and in the first two."""
    vectors: int
    """How many vectors are compared in the end, for each question."""


def at_most(numbers: NDArray[np.int64], lost: float) -> int:
    """Return the number that all but a share do not exceed."""
    ordered = np.sort(numbers)
    return int(ordered[min(int(np.ceil((1 - lost) * len(ordered))), len(ordered)) - 1]) if len(ordered) else 0


class Codes:
    """Vectors as bits: on which sides of random planes each is. They are in parts, so that not all must be read."""

    def __init__(self, family: Cosine, among: NDArray[np.int32], threads: Threads) -> None:
        self._family = family
        self._among = among
        self._threads = threads
        self._local = threading.local()
        self._parts = tuple(np.empty((len(among), words), np.uint64) for words in PARTS)
        tasks = (slice(begin, begin + BASE) for begin in range(0, len(among), BASE))
        for task, made in threads.map(lambda task: (task, self.make(among[task])), tasks):
            for part, words in zip(self._parts, np.split(made, np.cumsum(PARTS)[:-1], axis=1), strict=True):
                part[task] = words

    def make(self, items: NDArray[np.int32]) -> NDArray[np.uint64]:
        """Return the codes of some vectors."""
        directions = self._family.directions(64 * kernels.WORDS)
        made = np.empty((len(items), kernels.WORDS), np.uint64)
        for part in (slice(begin, begin + BASE) for begin in range(0, len(items), BASE)):
            products = self._family.matrix[items[part]].astype(np.float32, copy=False) @ directions
            kernels.pack_codes(products, made[part])
        return made

    def enough(self, questions: NDArray[np.int32], everything: Everything, k: int, recall: float) -> Enough | None:
        """Return what each part of the codes must let through, for a share of the nearest to be among it.

        A sample of the questions is answered exactly. Where in the order of codes are the answers? None is returned if
        looking at so much would take longer than comparing with all.
        """
        source = np.random.default_rng(self._family.recipe.seed)
        sample = np.sort(source.choice(questions, SAMPLED, replace=False))
        truth = everything.nearest(sample, k)
        places = np.full(len(self._family.matrix) + 1, -1, np.int64)
        places[self._among] = np.arange(len(self._among))
        apart, ranks = np.empty((2, *truth.items.shape), np.int64), np.empty(truth.items.shape, np.int64)
        work = np.empty(len(self._among), np.uint16), np.empty(64 * kernels.WORDS + 1, np.int32)
        asked = self.make(sample)
        kernels.code_ranks(asked, self._parts, places[truth.items], work, apart, ranks)
        there = truth.items >= 0
        lost = [(1 - recall) * share for share in LOST]
        most = np.array([at_most(apart[part][there], lost[part]) for part in range(2)])
        enough = Enough(most, min(max(int(SPARE * at_most(ranks[there], lost[2])), 2 * k), len(self._among)))
        passed = kernels.count_passing(asked, self._parts, most)
        return enough if self._cost(passed[0] / SAMPLED, passed[1] / SAMPLED, enough.vectors) < 1 else None

    def _cost(self, first: float, second: float, vectors: int) -> float:
        """Return what a question costs, over comparing with all: so many codes pass the first part, and the second."""
        count, length = len(self._among), self._family.length
        codes = count * SIFT + first * ON + second * ON + vectors * (PAIR + NUMBER * length)
        return codes / (count * self._family.exactly())

    def _work(self, questions: int) -> tuple[NDArray[np.uint16], NDArray[np.int32], NDArray[np.int32]]:
        """Return what one thread needs to look for so many questions; it serves again."""
        if not hasattr(self._local, "work"):
            shape = (QUESTIONS, len(self._among) + 1)
            counts = np.empty(64 * kernels.WORDS + 1, np.int32)
            self._local.work = np.empty(shape, np.uint16), np.empty(shape, np.int32), counts
        distances, kept, counts = self._local.work
        return distances[:questions], kept[:questions], counts

    def answer(
        self, questions: NDArray[np.int32], everything: Everything, k: int, enough: Enough, seen: Seen
    ) -> Iterator[tuple[slice, Best]]:
        """Yield the nearest of some questions at a time."""
        coded = self.make(questions)  # all at once: threads of a matrix product and of ours get in each other's way

        def look(part: slice) -> tuple[slice, Best, int]:
            asked = questions[part]
            best = Best.of(len(asked), k)
            rows, places = (np.empty(len(asked) * enough.vectors, np.int32) for _ in range(2))
            work = self._work(len(asked))
            filled = kernels.near_codes(coded[part], self._parts, enough.most, enough.vectors, work, rows, places)
            one, two = rows[:filled], self._among[places[:filled]]
            kernels.keep_best(one, two, self._family.scores(asked[one], two), asked, best.items, best.scores)
            return part, best, filled

        parts = (slice(begin, begin + QUESTIONS) for begin in range(0, len(questions), QUESTIONS))
        for part, best, filled in self._threads.map(look, parts):
            seen.proposed += filled
            short = np.flatnonzero(best.items[:, -1] < 0)
            if len(short):  # what is far from all others is compared with all
                again = everything.nearest(questions[part][short], k)
                best.items[short], best.scores[short] = again.items, again.scores
            yield part, best


@dataclass(frozen=True, slots=True)
class Coded:
    """Answers questions by codes that let enough through."""

    codes: Codes
    exact: Everything
    """What misses nothing."""
    enough: Enough

    def answer(self, questions: NDArray[np.int32], k: int, seen: Seen) -> Iterator[tuple[slice, Best]]:
        """Yield the nearest of some questions at a time."""
        return self.codes.answer(questions, self.exact, k, self.enough, seen)
