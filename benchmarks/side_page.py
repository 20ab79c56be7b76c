"""The parts of the page on sets, on vectors and on an index: the rows of all tools in one form, and tables of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cells import as_share, seconds, times, why
from figures import OURS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rows import Row, Sides

NONE = "\N{EN DASH}"


def rows_of(found: Sides) -> list[Row]:
    """Return all rows with the name and version of their tool; lookalike's exact search goes by its own name."""
    every = [
        {**row, "tool": tool, "version": about["version"]}
        for tool, about in found.tools.items()
        for row in about["rows"]
    ]
    exact = f"{OURS}-exact"
    return [{**row, "tool": exact} if row["tool"] == OURS and row.get("exact") else row for row in every]


def pairs_of(found: Sides, of: str) -> list[Row]:
    """Return the rows of pairs, the fastest first, with the share of all pairs that was found.

    No tool of these reports a pair that is none. So there are as many as an exact search finds.
    """
    rows = [row for row in rows_of(found) if "pairs" in row]
    true = {row[of]: row["pairs"] for row in rows if row["exact"]}
    shares = [{**row, "recall": row["pairs"] / true[row[of]] if true.get(row[of]) else None} for row in rows]
    return sorted(shares, key=lambda row: (row["seconds"], row["tool"]))


def nearest_of(found: Sides) -> list[Row]:
    """Return the rows of nearest items, by the name of tool and index; those that answer most a second first."""
    rows = [{**row, "tool": f"{row['tool']}, {row['what']}"} for row in rows_of(found) if "queries_a_second" in row]
    return sorted(rows, key=lambda row: (-row["queries_a_second"], row["tool"]))


def failed_of(found: Sides) -> list[Row]:
    """Return the rows that say why a tool did not do all."""
    return [row for row in rows_of(found) if "failed" in row]


def table_of_sets(found: Sides) -> str:
    """Write the table of pairs of sets: by threshold from the highest, the fastest first."""
    rows = pairs_of(found, "threshold")
    lines = ["| threshold | tool | version | seconds | times lookalike | pairs | recall |"]
    lines.append("| --: | --- | --- | --: | --: | --: | --: |")
    for threshold in sorted({row["threshold"] for row in rows}, reverse=True):
        here = [row for row in rows if row["threshold"] == threshold]
        lines += [f"| {threshold} {line}" for line in lines_of_pairs(here)]
        there = {row["tool"] for row in here}
        without = (row for row in failed_of(found) if row["tool"] not in there)
        lines += [f"| {threshold} | {row['tool']} | {row['version']} | {why(row)} | | | |" for row in without]
    return "\n".join(lines)


def table_of_pairs(found: Sides) -> str:
    """Write the table of pairs of vectors, the fastest first."""
    lines = ["| tool | version | seconds | times lookalike | pairs | recall |", "| --- | --- | --: | --: | --: | --: |"]
    return "\n".join([*lines, *lines_of_pairs(pairs_of(found, "what"))])


def lines_of_pairs(rows: Sequence[Row]) -> list[str]:
    """Write lines of a table of pairs that were found for the same threshold."""
    ours = next((row["seconds"] for row in rows if row["tool"] == OURS), None)
    return [
        f"| {row['tool']} | {row['version']} | {seconds(row['seconds'])} | {times(row['seconds'], ours)} "
        f"| {row['pairs']:,} | {as_share(row['recall'])} |"
        for row in rows
    ]


def table_of_nearest(found: Sides) -> str:
    """Write the table of nearest items: the one that answers most a second first, those without a result last."""
    lines = ["| tool, index | version | queries a second | seconds to build | recall | index |"]
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
    """Write the table of indexes: the one that answers most a second first, those without a result last."""
    lines = ["| tool, index | version | queries a second | seconds to build | recall | precision | bytes an item |"]
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
    """Say what only lookalike's index was asked: of these documents, and of many more."""
    row, more = (next((row for row in rows_of(sides) if "adds_a_second" in row), None) for sides in (found, large))
    if row is None:
        return ""
    words = (
        f"lookalike's index was opened in {row['open_milliseconds']:g} ms. A single question took "
        f"{row['single_milliseconds']:g} ms, the median of 1,000. Ten at a time, each time durably, documents went "
        f"in at {row['adds_a_second']:,} a second. To read and sign the same documents, which every run does, took "
        f"{seconds(row['sign'])} seconds; the index was built in {times(row['build'], row['sign'])} times that."
    )
    if more is None:
        return words
    return (
        f"{words}\n\nOf {large.count:,} documents it was built in {seconds(more['build'])} seconds, with "
        f"{more['bytes'] / large.count:,.0f} bytes for each, and opened in {more['open_milliseconds']:g} ms. A single "
        f"question took {more['single_milliseconds']:g} ms, the median of 1,000; all at once, "
        f"{more['queries_a_second']:,} were answered a second."
    )
