"""lookalike index: the commands on a persistent index."""

from __future__ import annotations

import typer

from lookalike.cli.options import Command

from . import add, build, check, compact, delete, export, info, query, update

app = typer.Typer(
    name="index",
    help="Keep items in an index on disk, and find those that resemble a query.",
    epilog="lookalike index COMMAND --help has examples.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("build", cls=Command)(build.build)
app.command("add", cls=Command)(add.add)
app.command("query", cls=Command)(query.query)
app.command("update", cls=Command)(update.update)
app.command("delete", cls=Command)(delete.delete)
app.command("info", cls=Command)(info.info)
app.command("check", cls=Command)(check.check)
app.command("compact", cls=Command)(compact.compact)
app.command("export", cls=Command)(export.export)
