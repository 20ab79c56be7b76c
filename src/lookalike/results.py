"""Results of a run: small immutable objects that act as tables and print themselves."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import as_arrow, nan_as_null
from lookalike.arrays.pair_codes import lookup_scores
from lookalike.engines.local.cluster import Keep, clusters_of_pairs
from lookalike.errors import MissingExtraError, RecipeError
from lookalike.read.columns import filter_rows
from lookalike.summary import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray

    from lookalike.engines.local.cluster import Members
    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.expand import IndexedPairs
    from lookalike.examples import Example
    from lookalike.measures import Measure
    from lookalike.read import Source
    from lookalike.recipe import Recipe
    from lookalike.summary import Summary

SHOWN_ROWS = 5
"""Rows shown of a printed table."""

MAX_WIDTH = 40
"""The maximum number of characters shown of a value."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows with named columns, in Arrow."""

    _table: pa.Table
    summary: Summary

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for batch in self._table.to_batches():
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pa.Table:
        """Return the rows as a pyarrow table."""
        return self._table

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas data frame."""
        try:
            import pandas as pd  # noqa: PLC0415, F401 - loaded on demand
        except ImportError as error:
            raise MissingExtraError("pandas", "to_pandas()") from error
        frame: pd.DataFrame = self._table.to_pandas()
        return frame

    def to_polars(self) -> pl.DataFrame:
        """Return the rows as a polars data frame."""
        try:
            import polars as pl  # noqa: PLC0415 - loaded on demand
        except ImportError as error:
            raise MissingExtraError("polars", "to_polars()") from error
        frame = pl.from_arrow(self._table)
        assert isinstance(frame, pl.DataFrame)  # noqa: S101 - for the type checker
        return frame

    @property
    def _headline(self) -> str:
        return f"{type(self).__name__}: {len(self):,} rows"

    def __repr__(self) -> str:
        return "\n".join((self._headline, *printed(self._table)))


@dataclass(frozen=True, repr=False, eq=False)
class Clusters(Table):
    """Clusters of similar items: columns id, cluster, keeper, similarity (to the keeper), kept.

    Items without a similar item are not listed. The similarity is null where it was not computed.
    """

    @property
    def _headline(self) -> str:
        return f"Clusters: {self.count:,}, with {len(self):,} items in all"

    @cached_property
    def count(self) -> int:
        """The number of clusters."""
        return len(pc.unique(self._table["cluster"]))

    @cached_property
    def sizes(self) -> dict[int, int]:
        """The number of clusters of each size."""
        counts = self._table["cluster"].value_counts().field("counts").to_pylist()
        return dict(sorted(Counter(counts).items()))


@dataclass(frozen=True, repr=False, eq=False)
class Pairs(Table):
    """Verified pairs: columns left, right and similarity, or distance, depending on the measure.

    With the measure containment, the similarity is the share of the left item that is in the right one, and two items
    that contain each other are two pairs.
    """

    _left: NDArray[np.int64]
    _right: NDArray[np.int64]
    """Indices of the items, for `clusters`."""
    sources: tuple[Source, ...]
    """The source of the items: one collection, or two that were compared."""
    recipe: Recipe
    """The recipe by which pairs were found."""
    examples: tuple[Example, ...] = ()
    """Examples for the report, if requested."""

    @property
    def _headline(self) -> str:
        return (
            f"Pairs: {len(self):,} among {self.summary.items:,} items, {self.recipe.measure.column} at "
            f"{'most' if self.recipe.measure.is_distance else 'least'} {self.summary.threshold:g}"
        )

    def report(self, path: Path | str, *, force: bool = False) -> None:
        """Write a report of the run, with plots and, if requested, examples; see `Deduplicated`."""
        from lookalike.report import report  # noqa: PLC0415 - loaded on demand

        report(self, Path(path), force=force)

    def clusters(self, keep: str = "first") -> Clusters:
        """Return the connected components, as `deduplicate` does with `cluster="chain"`.

        `keep` is first or last. A similarity is null if the pair was not found.
        """
        if len(self.sources) > 1:
            raise RecipeError("clusters() needs the pairs of one collection; these were found `against` another one")
        rule = Keep.parse(keep)
        if rule.rule not in ("first", "last"):
            raise RecipeError(
                f"`keep` must be first or last for clusters of pairs; deduplicate() has more rules. Got {keep!r}"
            )
        found = clusters_of_pairs(self._left, self._right, rule)
        measure = self.recipe.measure
        scores = measure.values(self._table[measure.column].to_numpy())
        first = np.argsort(-scores, kind="stable") if measure.one_way else slice(None)
        known = lookup_scores(
            self._left[first], self._right[first], scores[first], found.item, found.keeper, measure.best
        )
        indices, first = np.unique(np.concatenate((self._left, self._right)), return_index=True)
        names = pa.chunked_array([*self._table["left"].chunks, *self._table["right"].chunks])
        ids = names.take(as_arrow(first[np.searchsorted(indices, found.item)]))
        return Clusters(cluster_table(ids, found, known, measure), self.summary)


@dataclass(frozen=True, repr=False, eq=False)
class Nearest(Table):
    """The items most similar to each item: columns left, right, rank (from 1), similarity or distance."""

    k: int
    """The number of items requested per item."""
    recipe: Recipe
    """The recipe by which items were compared."""

    @property
    def _headline(self) -> str:
        return f"Nearest: {self.k:,} per item, for {plural(len(pc.unique(self._table['left'])), 'item')}"


def nearest_table(
    collected: Collected,
    queries: NDArray[np.int32],
    items: NDArray[np.int32],
    scores: NDArray[np.float64],
    measure: Measure,
) -> tuple[pa.Table, int]:
    """Build the table of nearest items, and count its rows."""
    row, rank = np.nonzero(items >= 0)
    found = {
        "left": collected.names(queries[row].astype(np.int64)),
        "right": collected.names_against(items[row, rank].astype(np.int64)),
        "rank": as_arrow(rank + 1),
        measure.column: as_arrow(measure.values(scores[row, rank])),
    }
    return pa.table(found), len(row)


def pair_table(collected: Collected, pairs: IndexedPairs, measure: Measure) -> pa.Table:
    """Build the table of pairs."""
    return pa.table(
        {
            "left": collected.names(pairs.left),
            "right": collected.names_against(pairs.right),
            measure.column: as_arrow(measure.values(pairs.similarity)),
        }
    )


def cluster_table(ids: pa.Array, found: Members, scores: NDArray[np.float64], measure: Measure) -> pa.Table:
    """Build the table of clusters. A score that is NaN becomes null."""
    return pa.table(
        {
            "id": ids,
            "cluster": as_arrow(found.cluster),
            "keeper": ids.take(as_arrow(found.position)),
            measure.column: nan_as_null(measure.values(scores)),
            "kept": as_arrow(found.kept),
        }
    )


@dataclass(frozen=True, repr=False, eq=False)
class Deduplicated:
    """A collection after removing all but one item of each cluster."""

    clusters: Clusters
    summary: Summary
    mask: NDArray[np.bool_]
    """Whether each item is kept, in order."""
    source: Source
    _inputs: Any
    recipe: Recipe
    """The recipe by which pairs were found."""
    keep: str
    """The rule that chose the keepers."""
    examples: tuple[Example, ...] = ()
    """Examples for the report, if requested."""

    @cached_property
    def kept(self) -> Any:  # noqa: ANN401 - the type of what was passed
        """The kept items: a list for a list, a dict for a dict, a data frame for a data frame, else an Arrow table."""
        return self._pick(self.mask)

    @cached_property
    def removed(self) -> Any:  # noqa: ANN401 - the type of what was passed
        """The removed items, likewise."""
        return self._pick(~self.mask)

    def to_arrow(self) -> pa.Table:
        """Return the kept rows, with all their columns, as a pyarrow table."""
        return pick_rows(self.source, self.mask)

    def to_pandas(self) -> pd.DataFrame:
        """Return the kept rows as a pandas data frame."""
        return Table(self.to_arrow(), self.summary).to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return the kept rows as a polars data frame."""
        return Table(self.to_arrow(), self.summary).to_polars()

    def write(
        self, path: Path, *, removed: Path | None = None, force: bool = False, output_format: str | None = None
    ) -> None:
        """Write the kept rows to `path`, and the removed rows to `removed` if given, with all columns unchanged.

        An existing file is replaced only with `force`; an input file is never replaced. ``-`` is standard output; it,
        pipes and devices are written into, as `output_format` (such as "jsonl" or "csv.gz") if their name tells no
        format; without it, in the format of the input.
        """
        from lookalike.write.checks import check_outputs, check_rows  # noqa: PLC0415 - loaded on demand
        from lookalike.write.outputs import write_rows  # noqa: PLC0415

        outputs = {"path": Path(path), **({"removed": Path(removed)} if removed else {})}
        check_outputs(outputs, self.source.paths, force=force, rows=outputs, output_format=output_format)
        check_rows(self.source, outputs, output_format)
        picks = {"path": self.mask, "removed": ~self.mask}
        write_rows(self.source, {place: picks[name] for name, place in outputs.items()}, output_format=output_format)

    def report(self, path: Path | str, *, force: bool = False) -> None:
        """Write a report of the run: what was removed and why, plots, examples.

        Examples are included if they were requested: `deduplicate(items, examples=3)`. An existing file is replaced
        only with `force`; an input file is never replaced. Needs the extra `lookalike[report]`.
        """
        from lookalike.report import report  # noqa: PLC0415 - loaded on demand

        report(self, Path(path), force=force)

    def _pick(self, mask: NDArray[np.bool_]) -> Any:  # noqa: ANN401 - the type of what was passed
        if isinstance(self._inputs, dict):
            return {key: text for (key, text), take in zip(self._inputs.items(), mask, strict=True) if take}
        if isinstance(self._inputs, (list, tuple)) and not self.source.paths:
            return [text for text, take in zip(self._inputs, mask, strict=True) if take]
        kind = type(self._inputs).__module__.partition(".")[0]
        if kind == "pandas":
            return self._inputs[mask]
        if kind == "polars":
            return self._inputs.filter(mask)
        return pick_rows(self.source, mask)

    def __repr__(self) -> str:
        s = self.summary
        return f"Deduplicated: {s.items:,} items, {s.kept:,} kept, {s.removed:,} removed in {s.clusters:,} clusters"


def pick_rows(source: Source, mask: NDArray[np.bool_]) -> pa.Table:
    """Return the rows of a source where the mask is true."""
    batches = []
    at = 0
    for rows in source.rows():
        batches.append(filter_rows(rows, as_arrow(mask[at : at + len(rows)])))
        at += len(rows)
    return pa.Table.from_batches(batches, source.schema)


def printed(table: pa.Table) -> Iterator[str]:
    """Yield the first rows of a table as aligned lines."""
    head = table.slice(0, SHOWN_ROWS)
    columns = [[name, *map(cell, head[name].to_pylist())] for name in table.column_names]
    widths = [max(map(len, column)) for column in columns]
    for row in zip(*columns, strict=True):
        yield "  " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
    if table.num_rows > SHOWN_ROWS:
        yield "  …"


def cell(value: object) -> str:
    """Format a value as a cell of a printed table."""
    text = f"{value:.4f}" if isinstance(value, float) else str(value)
    return text if len(text) <= MAX_WIDTH else text[: MAX_WIDTH - 1] + "…"
