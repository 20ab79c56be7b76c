"""lookalike index: one against many, on disk."""

from __future__ import annotations

import typer

from . import add, build, compact, delete, info, query, update

app = typer.Typer(
    name="index",
    help="Keep items in an index on disk, and ask which of them resemble another.",
    epilog="lookalike index COMMAND --help has examples.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("build")(build.build)
app.command("add")(add.add)
app.command("query")(query.query)
app.command("update")(update.update)
app.command("delete")(delete.delete)
app.command("info")(info.info)
app.command("check")(info.check)
app.command("compact")(compact.compact)
app.command("export")(compact.export)
