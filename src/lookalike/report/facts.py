"""The figures and sentences of a report."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lookalike.kinds import kind_of
from lookalike.read.naming import display
from lookalike.read.spool import is_spooled
from lookalike.report.excerpt import name
from lookalike.results import Deduplicated, Pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.kinds import Kind
    from lookalike.measures import Measure
    from lookalike.read import Source
    from lookalike.summary import Summary

Result: TypeAlias = Pairs | Deduplicated

TITLES = 3
"""Maximum number of files named in the title."""

Row = tuple[str, str, str]
"""A table row: name, value and explanation."""


def sources_of(result: Result) -> tuple[Source, ...]:
    """Return the sources of the items."""
    return result.sources if isinstance(result, Pairs) else (result.source,)


@dataclass(frozen=True)
class Facts:
    """A result and its final summary, as presented in a report."""

    result: Result
    summary: Summary

    @property
    def deduplicated(self) -> bool:
        """Whether items were removed."""
        return isinstance(self.result, Deduplicated)

    @property
    def across(self) -> bool:
        """Whether two collections were compared, in which case there are no clusters."""
        return len(sources_of(self.result)) > 1

    @property
    def title(self) -> str:
        """The names of the inputs, or a description of inputs in memory."""
        names = [self._name(source) for source in sources_of(self.result)]
        return " against ".join(names)

    def _name(self, source: Source) -> str:
        if not source.paths:
            return "items in memory" if self.across else f"{self.summary.items:,} items in memory"
        names = [label(path, whole=False) for path in source.paths[:TITLES]]
        more = len(source.paths) - TITLES
        return ", ".join(names) + (f" and {more:,} more" if more > 0 else "")

    @property
    def measure(self) -> Measure:
        """The measure of similarity or distance."""
        return self.result.recipe.measure

    @property
    def kind(self) -> Kind:
        """The kind of items that were compared."""
        return kind_of(self.result.recipe)

    @property
    def made_of(self) -> tuple[str, str]:
        """The nouns for an item and for its parts."""
        return self.kind.noun, self.kind.part

    @property
    def reached(self) -> str:
        """The condition that pairs meet, such as "similarity 0.8 or more"."""
        return f"{self.measure.column} {self.summary.threshold:g} or {'less' if self.measure.is_distance else 'more'}"

    def rule(self) -> str:
        """Return a sentence that says when items count as duplicates."""
        s = self.summary
        if self.measure.is_distance:
            return f"Items count as duplicates if their {self.measure.name} distance is at most {s.threshold:g}."
        if self.result.recipe.shingling.feature.whole:
            return "Items count as duplicates only if they are equal."
        what = self.kind.compared_as(self.result.recipe.shingling)
        name = "" if self.measure.is_default else f"{self.measure.name} "
        return f"Items count as duplicates if the {name}similarity of their {what} is at least {s.threshold:g}."

    @cached_property
    def similarity(self) -> NDArray[np.float64]:
        """The similarity of each pair, or of each removed item to its keeper; NaN if unknown."""
        if isinstance(self.result, Pairs):
            found = self.result.to_arrow()[self.measure.column]
        else:
            table = self.result.clusters.to_arrow()
            found = table[self.measure.column].filter(np.logical_not(table["kept"].to_numpy()))
        return np.asarray(found.to_numpy(), np.float64)

    @cached_property
    def near(self) -> NDArray[np.float64]:
        """The known similarities, except those of copies."""
        found: NDArray[np.float64] = self.similarity[
            ~np.isnan(self.similarity) & (self.similarity != self.measure.best)
        ]
        return found

    @property
    def copies(self) -> int:
        """The number of pairs with the same shingles, or of removed items with the shingles of their keeper."""
        return int(np.count_nonzero(self.similarity == self.measure.best))

    @property
    def unknown(self) -> int:
        """The number of similarities that were not computed."""
        return int(np.count_nonzero(np.isnan(self.similarity)))

    @cached_property
    def sizes(self) -> dict[int, int]:
        """The number of clusters of each size."""
        if self.across:
            return {}
        clusters = self.result.clusters() if isinstance(self.result, Pairs) else self.result.clusters
        return clusters.sizes

    @property
    def seconds(self) -> float:
        """The duration of the run."""
        return self.summary.seconds.get("total", sum(self.summary.seconds.values()))

    def strip(self) -> list[Row]:
        """Return the key figures at the top of the page."""
        s = self.summary
        predicted = "exact search" if s.exact else f"predicted at {self.measure.column} {s.threshold:g}"
        recall = ("recall", percent(s.recall), predicted)
        time = ("time", duration(self.seconds), f"with {s.threads} thread{'s' * (s.threads != 1)}")
        if self.deduplicated:
            return [
                ("items", f"{s.items:,}", "read"),
                ("kept", f"{s.kept:,}", share(s.kept, s.items)),
                ("removed", f"{s.removed:,}", share(s.removed, s.items)),
                ("clusters", f"{s.clusters:,}", "of two or more items"),
                recall,
                time,
            ]
        clusters = [] if self.across else [("clusters", f"{s.clusters:,}", "of connected pairs")]
        return [
            ("items", f"{s.items:,}", "read"),
            ("pairs", f"{s.pairs:,}", f"at {self.reached}"),
            *clusters,
            ("candidates", f"{s.candidates:,}", "compared"),
            recall,
            time,
        ]

    def went_in(self) -> list[Row]:
        """Return the table of the input."""
        s, (whole, part) = self.summary, self.made_of
        empty = ("empty", f"{s.empty:,}", f"without a {part}, including nulls: never compared, always kept")
        short = ("short", f"{s.short:,}", f"with a single {part}: match only as a whole")
        return [
            ("items", f"{s.items:,}", "in both collections" if self.across else "read"),
            ("null", f"{s.nulls:,}", f"no {whole}"),
            *([empty, short] if self.kind.has_parts else []),
            ("exact copies", f"{s.copies:,}", f"same {part}s as an earlier item: compared only once"),
            ("candidates", f"{s.candidates:,}", "pairs of items compared exactly"),
        ]

    def came_out(self) -> list[Row]:
        """Return the table of the output: items kept and removed, or pairs."""
        s, near = self.summary, len(self.near)
        rows = (
            [
                ("kept", f"{s.kept:,}", "in no cluster, or the keeper of one"),
                ("exact copies", f"{self.copies:,}", f"removed: same {self.made_of[1]}s as their keeper"),
                ("near-duplicates", f"{near:,}", "removed: similar to their keeper" + self._chained),
                ("clusters", f"{s.clusters:,}", f"one keeper each, chosen by the rule {self.keep}"),
            ]
            if self.deduplicated
            else [
                ("pairs", f"{s.pairs:,}", f"verified by exact {self.measure.column}"),
                ("exact copies", f"{self.copies:,}", f"pairs with the same {self.made_of[1]}s"),
                ("near-duplicates", f"{near:,}", f"other pairs at {self.reached}"),
            ]
        )
        if not self.deduplicated and not self.across:
            rows.append(("clusters", f"{s.clusters:,}", "groups of items connected by pairs"))
        if self.unknown:
            rows.append(("unknown", f"{self.unknown:,}", "similarity not computed"))
        return rows

    @property
    def _chained(self) -> str:
        """How many near-duplicates are not similar to their keeper, if any are not."""
        below, beyond = self.summary.below_threshold, "beyond" if self.measure.is_distance else "below"
        return f", but {below:,} of them {beyond} the threshold: chains of others connect them" if below else ""

    @property
    def keep(self) -> str:
        """The rule that chose the keepers; empty for pairs."""
        return name(self.result.keep) if isinstance(self.result, Deduplicated) else ""

    def fate(self) -> list[tuple[str, int, str]]:
        """Return the numbers of items kept and removed: name, count, CSS class."""
        shares = [
            ("kept", self.summary.kept, "kept"),
            ("near-duplicates", len(self.near) + self.unknown, "near"),
            ("exact copies", self.copies, "copies"),
        ]
        return shares if self.deduplicated and self.summary.items else []

    def stages(self) -> list[tuple[str, str, float, str]]:
        """Return each stage: name, seconds, time relative to the longest stage, and peak memory up to its end."""
        s = self.summary
        spent = {stage: seconds for stage, seconds in s.seconds.items() if stage != "total"}
        longest = max(spent.values(), default=0) or 1
        return [
            (stage, f"{seconds:,.2f}", max(seconds, 0) / longest, size(s.memory[stage]) if stage in s.memory else "")
            for stage, seconds in spent.items()
        ]

    def settings(self) -> list[tuple[str, str]]:
        """Return all settings that determine the result, by their names in Python."""
        recipe = self.result.recipe
        switches = asdict(recipe.shingling)
        del switches["kind"], switches["size"]
        bands = {"bands": recipe.banding.bands, "rows": recipe.banding.rows} if recipe.banding else {"recall": 1}
        columns = sorted({source.text_column for source in sources_of(self.result)})
        values = {
            "threshold": recipe.threshold,
            "measure": recipe.measure.name,
            **bands,
            "shingle": recipe.shingling,
            **switches,
            "sketch": recipe.sketch,
            "seed": recipe.seed,
            **({"keep": self.keep, "cluster": self.summary.cluster} if self.deduplicated else {}),
            "text": ", ".join(map(name, columns)),
        }
        return [(setting, str(value)) for setting, value in values.items()]


def label(path: Path, *, whole: bool = True) -> str:
    """Return the displayed name or path of a file."""
    if is_spooled(path):
        return "standard input"
    return name(display(path if whole else Path(path.name)))


def percent(chance: float) -> str:
    """Return a probability as a percentage, never rounded up to 100%.

    >>> percent(0.991), percent(0.9999999), percent(1.0)
    ('99.10%', 'over 99.99%', '100%')
    """
    if chance == 1:
        return "100%"
    return f"{chance:.2%}" if chance < 0.99995 else "over 99.99%"  # noqa: PLR2004 - from here it would be rounded up


def share(part: int, whole: int) -> str:
    """Return a share as a percentage."""
    return f"{part / max(whole, 1):.1%}"


def size(count: int) -> str:
    """Return a number of bytes in megabytes."""
    return f"{count / 1e6:,.0f} MB"


def duration(seconds: float) -> str:
    """Return a human-readable duration.

    >>> duration(0.417), duration(75), duration(7265)
    ('0.42 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:  # noqa: PLR2004 - seconds per minute
        return f"{seconds:.2f} s"
    if whole < 3600:  # noqa: PLR2004 - seconds per hour
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
