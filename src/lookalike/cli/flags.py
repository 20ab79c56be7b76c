"""Flags: how the command line names options, in messages and in help.

Messages below the command line name options as Python does, in backticks: `encoding_errors`. A reader who has typed
--encoding-errors wants to see that.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAMED = re.compile(r"`(?P<name>\w+)(?:=(?P<value>[^`]+))?`")
"""A name in backticks, or a name and a value as Python writes a keyword argument."""

QUOTES = "'\""

BARE = re.compile(r"`(--[a-z][a-z-]*)`")


def with_flags(text: str, flags: Mapping[str, str]) -> str:
    """Replace the names of options in backticks by their flags; anything else in backticks stays.

    >>> with_flags("`rows` needs `bands`; see `to_json`", {"rows": "--rows", "bands": "--bands"})
    '--rows needs --bands; see `to_json`'
    >>> with_flags("leave it out with `exclude='*.csv'`", {"exclude": "--exclude"})
    "leave it out with --exclude '*.csv'"
    >>> with_flags("give `form='NFC'`, or `lines=True`", {"form": "--form", "lines": "--lines"})
    'give --form NFC, or --lines'
    >>> with_flags("leave out `accents=False`", {"accents": "--accents", "accents=False": "--strip-accents"})
    'leave out --strip-accents'
    """

    def flag(match: re.Match[str]) -> str:
        name, value = match["name"], match["value"]
        if (turned_off := flags.get(f"{name}={value}")) is not None:
            return turned_off
        if name not in flags:
            return match[0]
        return flags[name] if value in (None, "True") else f"{flags[name]} {shlex.quote(value.strip(QUOTES))}"

    return BARE.sub(r"\1", NAMED.sub(flag, text))


def flags_of(command: Any) -> dict[str, str]:  # noqa: ANN401 - Click's own class, which Typer does not export
    """Return the flag of each option of a command by the option's Python name: the first flag that is not short.

    The flag that turns a switch off has the name `accents=False`.
    """
    options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    return {
        **{option.name: max(option.opts, key=lambda flag: flag.startswith("--")) for option in options},
        **{f"{option.name}=False": option.secondary_opts[0] for option in options if option.secondary_opts},
    }


def command_of(command: Any, arguments: Sequence[str]) -> Any:  # noqa: ANN401 - see `flags_of`
    """Return the subcommand that arguments call, as far as they name one."""
    for word in arguments:
        command = getattr(command, "commands", {}).get(word, command)
    return command
