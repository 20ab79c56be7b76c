"""Items -> pairs: candidates by bands, or by prefixes in an exact search; each verified."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from lookalike.examples import Rejected
from lookalike.lsh import buckets as band

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.run import Run
    from lookalike.engines.local.verify import Verified
    from lookalike.kinds.space import Proposer
    from lookalike.resources.progress import Advance


ENOUGH = 1 << 15
"""Candidates that are worth a round of their own."""


class Search:
    """A search for the pairs among all items, and what it has seen on the way."""

    def __init__(self, run: Run, collected: Collected) -> None:
        self._run = run
        self._collected = collected
        self._exact = collected.space.exact(collected)
        self.verifier = collected.space.verifier()
        self.seen = band.Seen(band.REMEMBERED if run.recipe.banding else band.REMEMBERED_EXACTLY)
        self.rejected = Rejected(run.examples)

    def pairs(self, roots: NDArray[np.int32], width: int) -> Iterator[Verified]:
        """Yield the pairs among items of different roots, bucket by bucket; the caller may unite roots meanwhile.

        `width` is how many pivots are taken of a bucket at first.
        """
        stages, threshold = self._run.stages, self._run.recipe.least_score
        rounds, buckets = self._buckets(width)
        with stages.stage("compare", rounds) as advance:
            for candidates in stages.timed_each("band", self._candidates(buckets, roots, width, advance)):
                with stages.timed("verify"):
                    pairs = self.verifier.verify(candidates, threshold)
                self.rejected.see(candidates, pairs)
                yield pairs

    def _candidates(
        self, buckets: Iterator[Proposer], roots: NDArray[np.int32], width: int, advance: Advance
    ) -> Iterator[band.Candidates]:
        """Yield the candidates of all buckets, those of several rounds together where they are few.

        Each time it waits for what comes of the ones before, threads have nothing to do; and what is known by then
        spares comparisons within large clusters only.
        """
        sides = self._collected.sides
        waiting: list[Iterator[band.Candidates]] = []
        few: list[band.Candidates] = []
        for found in buckets:
            waiting.append(
                found.proposals(roots, sides, self.seen, lambda some: self._exact.among(some).buckets(width))
            )
            few += islice(waiting[-1], 1)
            advance(1)
            if sum(map(len, few)) >= ENOUGH:
                yield from finish(few, waiting)
        yield from finish(few, waiting)

    def _buckets(self, width: int) -> tuple[int, Iterator[Proposer]]:
        """Return the buckets, a round after the other, and how many rounds there are."""
        run, banding = self._run, self._run.recipe.banding
        if banding is None:
            with run.stages.stage("filter"), run.stages.timed("filter"):
                found = self._exact.everywhere()
                self._collected.space.settle(self._collected, found)
            banding = run.recipe.banding
            if banding is None:
                return found.shares, found.buckets(width)
            self.seen = band.Seen(band.REMEMBERED)
        compared = self._collected.copies.originals
        return banding.bands, band.buckets(self._collected.items, compared, banding.bands, run.threads, width=width)


def finish(few: list[band.Candidates], waiting: list[Iterator[band.Candidates]]) -> Iterator[band.Candidates]:
    """Yield the first candidates, and then what else those who wait propose, until nothing is left of either."""
    while few:
        yield band.together(few)
        few[:] = [candidates for proposals in waiting for candidates in islice(proposals, 1)]
    waiting.clear()
