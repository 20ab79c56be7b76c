"""lookalike index: the commands on a persistent index."""

from __future__ import annotations

import typer

from . import add, build, check, compact, delete, export, info, query, update

app = typer.Typer(
    name="index",
    help="Keep items in an index on disk, and find those that resemble a query.",
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
app.command("check")(check.check)
app.command("compact")(compact.compact)
app.command("export")(export.export)
