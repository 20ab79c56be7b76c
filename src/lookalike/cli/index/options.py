"""Arguments that the commands on an index share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

IndexPath = Annotated[Path, typer.Argument(metavar="INDEX", help="Folder of the index.")]
Timeout = Annotated[
    float,
    typer.Option("--timeout", metavar="SECONDS", help="How long to wait while another writer has the index open."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output.")]
