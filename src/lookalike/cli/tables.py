"""Tables on standard output: short and framed on a terminal, complete and separated by tabs elsewhere."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from lookalike.write.values import csv_batch, csv_schema

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_SHOWN = 20
"""Number of rows shown on a terminal."""


def print_table(table: pa.Table) -> None:
    """Print a table: its first rows on a terminal, all of them elsewhere."""
    if sys.stdout.isatty():
        print_first_rows(table)
        return
    writer = csv.writer(LineWriter(), delimiter="\t", lineterminator="\r\n")
    writer.writerow(table.column_names)
    schema = csv_schema(table.schema)
    for batch in table.to_batches():
        writer.writerows(zip(*(column.to_pylist() for column in csv_batch(batch, schema).columns), strict=True))
    sys.stdout.flush()


def print_first_rows(table: pa.Table) -> None:
    """Print the first rows of a table in a frame, and the number of the others."""
    framed = Table(*(Column(escape(name), overflow="fold") for name in table.column_names))
    for row in table.slice(0, ROWS_SHOWN).to_pylist():
        framed.add_row(*map(shown_cell, row.values()))
    console = Console()
    console.print(framed)
    if len(table) > ROWS_SHOWN:
        console.print(f"… and {len(table) - ROWS_SHOWN:,} more; use -o FILE to write all of them")


class LineWriter:
    """Writes CSV lines to standard output, each ending in a newline.

    `csv` gives them with the line ends of Windows, which make it quote a carriage return in a cell.
    """

    def write(self, line: str) -> None:
        """Write a line."""
        sys.stdout.write(line.removesuffix("\r\n") + "\n")


def shown_cell(cell: Any) -> str:  # noqa: ANN401 - any value of a table
    """Return the text of a cell on a terminal."""
    if cell is None:
        return ""
    return f"{cell:.4f}" if isinstance(cell, float) else escape(str(cell))
