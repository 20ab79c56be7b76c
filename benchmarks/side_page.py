"""The tables for sets, vectors and an index on the benchmarks page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cells import as_share, seconds, times, why
from figures import OURS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rows import Row, Sides

NONE = "\N{EN DASH}"


def rows_of(found: Sides) -> list[Row]:
    """Return all rows with the name and version of their tool; lookalike's exact search has a name of its own."""
    every = [
        {**row, "tool": tool, "version": entry["version"]}
        for tool, entry in found.tools.items()
        for row in entry["rows"]
    ]
    exact = f"{OURS}-exact"
    return [{**row, "tool": exact} if row["tool"] == OURS and row.get("exact") else row for row in every]


def pairs_of(found: Sides, of: str) -> list[Row]:
    """Return the rows of pairs, the fastest first, with their recall.

    None of these tools reports a false pair, so recall is the number of pairs over that of an exact search.
    """
    rows = [row for row in rows_of(found) if "pairs" in row]
    true = {row[of]: row["pairs"] for row in rows if row["exact"]}
    shares = [{**row, "recall": row["pairs"] / true[row[of]] if true.get(row[of]) else None} for row in rows]
    return sorted(shares, key=lambda row: (row["seconds"], row["tool"]))


def nearest_of(found: Sides) -> list[Row]:
    """Return the rows of nearest items, named by tool and index, the most queries per second first."""
    rows = [{**row, "tool": f"{row['tool']}, {row['what']}"} for row in rows_of(found) if "queries_a_second" in row]
    return sorted(rows, key=lambda row: (-row["queries_a_second"], row["tool"]))


def failed_of(found: Sides) -> list[Row]:
    """Return the rows of tools that failed."""
    return [row for row in rows_of(found) if "failed" in row]


def table_of_sets(found: Sides) -> str:
    """Return the table of pairs of sets: the highest threshold first, then the fastest tool."""
    rows = pairs_of(found, "threshold")
    lines = ["| threshold | tool | version | seconds | times lookalike | pairs | recall |"]
    lines.append("| --: | --- | --- | --: | --: | --: | --: |")
    for threshold in sorted({row["threshold"] for row in rows}, reverse=True):
        here = [row for row in rows if row["threshold"] == threshold]
        lines += [f"| {threshold} {line}" for line in lines_of_pairs(here)]
        present = {row["tool"] for row in here}
        without = (row for row in failed_of(found) if row["tool"] not in present)
        lines += [f"| {threshold} | {row['tool']} | {row['version']} | {why(row)} | | | |" for row in without]
    return "\n".join(lines)


def table_of_pairs(found: Sides) -> str:
    """Return the table of pairs of vectors, the fastest tool first."""
    lines = ["| tool | version | seconds | times lookalike | pairs | recall |", "| --- | --- | --: | --: | --: | --: |"]
    return "\n".join([*lines, *lines_of_pairs(pairs_of(found, "what"))])


def lines_of_pairs(rows: Sequence[Row]) -> list[str]:
    """Return the table rows of pairs found at one threshold."""
    ours = next((row["seconds"] for row in rows if row["tool"] == OURS), None)
    return [
        f"| {row['tool']} | {row['version']} | {seconds(row['seconds'])} | {times(row['seconds'], ours)} "
        f"| {row['pairs']:,} | {as_share(row['recall'])} |"
        for row in rows
    ]


def table_of_nearest(found: Sides) -> str:
    """Return the table of nearest items: the most queries per second first, tools without a result last."""
    lines = ["| tool, index | version | queries per second | seconds to build | recall | index |"]
    lines.append("| --- | --- | --: | --: | --: | --: |")
    for row in nearest_of(found):
        size = f"{row['bytes'] / 1e6:,.0f} MB" if "bytes" in row else NONE
        lines.append(
            f"| {row['tool']} | {row['version']} | {row['queries_a_second']:,} | {seconds(row['build'])} "
            f"| {as_share(row['recall'])} | {size} |"
        )
    lines += [f"| {row['tool']} | {row['version']} | {why(row)} | | | |" for row in failed_of(found)]
    return "\n".join(lines)


def table_of_index(found: Sides) -> str:
    """Return the table of indexes: the most queries per second first, tools without a result last."""
    lines = ["| tool, index | version | queries per second | seconds to build | recall | precision | bytes per item |"]
    lines.append("| --- | --- | --: | --: | --: | --: | --: |")
    for row in nearest_of(found):
        size = f"{row['bytes'] / found.count:,.0f}" if row["bytes"] else NONE
        lines.append(
            f"| {row['tool']} | {row['version']} | {row['queries_a_second']:,} | {seconds(row['build'])} "
            f"| {as_share(row['recall'])} | {as_share(row['precision'])} | {size} |"
        )
    lines += [f"| {row['tool']} | {row['version']} | {why(row)} | | | | |" for row in failed_of(found)]
    return "\n".join(lines)


def words_on_index(found: Sides, large: Sides) -> str:
    """Return what was measured only for lookalike's index: for these documents, and for many more."""
    row, more = (next((row for row in rows_of(sides) if "adds_a_second" in row), None) for sides in (found, large))
    if row is None:
        return ""
    words = (
        f"lookalike's index opened in {row['open_milliseconds']:g} ms. A single query took "
        f"{row['single_milliseconds']:g} ms (the median of 1,000). Documents were added at {row['adds_a_second']:,} "
        f"per second, in durable commits of ten. Reading and signing the same documents, which every run does, took "
        f"{seconds(row['sign'])} seconds; building the index took {times(row['build'], row['sign'])} times as long."
    )
    if more is None:
        return words
    return (
        f"{words}\n\nWith {large.count:,} documents, the index was built in {seconds(more['build'])} seconds, took "
        f"{more['bytes'] / large.count:,.0f} bytes per document, and opened in {more['open_milliseconds']:g} ms. A "
        f"single query took {more['single_milliseconds']:g} ms (the median of 1,000); submitted all at once, "
        f"{more['queries_a_second']:,} queries were answered per second."
    )
