"""Items -> pairs: candidates by bands, or by an exact search; each verified."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from lookalike.engines.local.examples import Rejected
from lookalike.engines.local.verify import Verifier
from lookalike.lsh import buckets
from lookalike.plan import plan_again, plan_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.run import Run
    from lookalike.engines.local.verify import Verified
    from lookalike.exact.base import Exact, Rounds
    from lookalike.lsh.buckets import Candidates, Join, Proposer
    from lookalike.plan import Plan
    from lookalike.resources.progress import Advance

ENOUGH = 1 << 15
"""Candidates that are worth a round of their own."""

LONG = 20.0
"""Seconds of one core that a search must be expected to take, to be announced."""


def prepare(run: Run, collected: Collected, *, united: bool = False) -> Search:
    """Choose bands or an exact search, unless that was done before, and prepare it.

    `united` is whether the caller unites the items of pairs, which then need no further comparison.
    """
    items, compared, plan = collected.items, collected.compared, collected.plan
    exact, rounds = items.exact(compared), None
    if plan is None or plan.exact:
        with run.stages.stage("filter"), run.stages.timed("filter"):
            rounds = exact.among_all()
            plan = plan or plan_for(run.asked, items.recipe, items.estimates(compared, rounds))
    elif plan.is_open:
        plan, rounds = reconsider(run, collected, plan, united=united)
    if collected.plan is None and plan.recipe.banding is not None and rounds is not None:
        with run.stages.timed("sign"):
            rounds.close()
            items.sign(plan.recipe.banding)
            rounds = None
    return Search(run, collected, plan, exact, rounds)


def reconsider(run: Run, collected: Collected, plan: Plan, *, united: bool) -> tuple[Plan, Rounds | None]:
    """Return the plan, or another one if that is faster for these items, with the exact search if it has no bands."""
    items = collected.items
    with run.stages.timed("plan"):
        estimates = items.signed_estimates(collected.compared, united=united)
        chosen = plan_again(run.asked, plan, estimates) if estimates else replace(plan, is_open=False)
    if chosen.reason:
        run.notes.append(chosen.reason)
    if estimates is not None and chosen.seconds >= LONG:
        run.stages.hint(
            f"About {estimates.candidates:,.2g} candidates share a bucket: the search will take about "
            f"{chosen.seconds / 60:,.1f} minutes of one core"
        )
    if estimates is not None and chosen.exact:
        with run.stages.stage("filter"), run.stages.timed("filter"):
            return chosen, estimates.rounds
    if chosen.recipe.banding is not None and chosen.recipe != plan.recipe:
        with run.stages.stage("sign"), run.stages.timed("sign"):
            items.sign(chosen.recipe.banding)
    return chosen, None


class Search:
    """A search for the pairs among all items, and what it has met on the way."""

    def __init__(self, run: Run, collected: Collected, plan: Plan, exact: Exact, rounds: Rounds | None) -> None:
        self._run = run
        self._collected = collected
        self._exact = exact
        self._rounds = rounds
        self.plan = plan
        self.verifier = Verifier(collected.items)
        self.seen = buckets.Seen(buckets.MAX_SEEN_EXACT if plan.exact else buckets.MAX_SEEN)
        self.rejected = Rejected(run.examples)

    def pairs(self, roots: NDArray[np.int32], width: int) -> Iterator[Verified]:
        """Yield the pairs among items of different roots, bucket by bucket; the caller may unite roots meanwhile.

        `width` is the number of pivots taken of a bucket at first.
        """
        stages = self._run.stages
        rounds, found = self._buckets(width)
        with stages.stage("compare", rounds) as advance:
            for candidates in stages.timed_each("band", self._candidates(found, roots, width, advance)):
                yield self.verify(candidates)

    def verify(self, candidates: Candidates) -> Verified:
        """Return the candidates that are pairs."""
        with self._run.stages.timed("verify"):
            pairs = self.verifier.verify(candidates, self.plan.recipe.min_score)
        self.rejected.see(candidates, pairs)
        return pairs

    def _candidates(
        self, found: Iterator[Proposer], roots: NDArray[np.int32], width: int, advance: Advance
    ) -> Iterator[Candidates]:
        """Yield the candidates of all buckets, those of several rounds together where they are few.

        While it waits for the outcome of earlier candidates, threads are idle; and what is known by then only spares
        comparisons within large clusters.
        """
        sides = self._collected.compared.sides
        waiting: list[Iterator[Candidates]] = []
        few: list[Candidates] = []
        for some in found:
            waiting.append(some.proposals(roots, sides, self.seen, self._join(width)))
            few += islice(waiting[-1], 1)
            advance(1)
            if sum(map(len, few)) >= ENOUGH:
                yield from finish(few, waiting)
        yield from finish(few, waiting)

    def pairs_among(self, items: NDArray[np.int32]) -> Iterator[Verified]:
        """Yield all pairs among some items, by an exact search, except those seen before."""
        roots, sides = np.arange(self._collected.items.count, dtype=np.int32), np.empty(0, np.uint8)
        for found in self._join(buckets.ALL)(items):
            for candidates in found.proposals(roots, sides, self.seen, self._join(buckets.ALL)):
                yield self.verify(candidates)

    def _join(self, width: int) -> Join:
        """Return what splits a large bucket by an exact search among its items."""
        return lambda items: self._exact.among(items).buckets(width)

    def _buckets(self, width: int) -> tuple[int, Iterator[Proposer]]:
        """Return the number of rounds, and the buckets of each."""
        if self._rounds is not None:
            return self._rounds.shares, self._rounds.buckets(width)
        banding = self.plan.recipe.banding
        assert banding is not None  # noqa: S101 - what is not exact is by bands
        compared, items = self._collected.compared.originals, self._collected.items
        return banding.bands, buckets.buckets(items, compared, banding.bands, self._run.threads, width=width)


def finish(few: list[Candidates], waiting: list[Iterator[Candidates]]) -> Iterator[Candidates]:
    """Yield the first candidates, then what else the waiting buckets propose, until nothing is left of either."""
    while few:
        yield buckets.concatenate(few)
        few[:] = [candidates for proposals in waiting for candidates in islice(proposals, 1)]
    waiting.clear()
