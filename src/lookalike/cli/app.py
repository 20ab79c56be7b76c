"""The application: all subcommands together."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike import __version__
from lookalike.cli import compare, dedup, index, nearest, options, pairs, trace, tune, warm_up

HELP = "Find similar items among many: documents, sets, vectors. Every pair is verified, and you choose the recall."

app = typer.Typer(
    name="lookalike",
    help=HELP,
    epilog="Run lookalike COMMAND --help for examples.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("dedup", cls=options.Subcommand)(dedup.dedup)
app.command("pairs", cls=options.Subcommand)(pairs.pairs)
app.command("nearest", cls=options.Subcommand)(nearest.nearest)
app.command("compare", cls=options.Command)(compare.compare)
app.command("tune", cls=options.Command)(tune.tune)
app.command("trace", cls=options.Command)(trace.trace)
app.add_typer(index.app)
app.command("warm-up")(warm_up.warm_up)


def show_version(wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        typer.echo(f"lookalike {__version__}")
        raise typer.Exit


@app.callback(help=HELP)
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Declare the options of `lookalike` itself."""
