"""What an option is: its name, type, default, help and group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

Group = Literal[
    "similarity",
    "shingling",
    "banding",
    "copies",
    "reading",
    "against",
    "running",
    "checking",
    "repeating",
    "clustering",
]
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
Sketch = Literal["fast", "classic"]
EncodingErrors = Literal["strict", "replace"]
Cluster = Literal["star", "chain"]


class HasSettings(Protocol):
    """An object that can be used as a recipe: a `Recipe`."""

    def settings(self) -> dict[str, Any]:
        """Return the settings by their names."""


RecipeSource = Path | str | Mapping[str, Any] | HasSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option: a keyword argument of the Python API and, unless it has no flag, of the commands."""

    name: str
    type: Any
    """Type of a value. The command line takes the first type of a union."""
    default: Any = None
    """Value used if the option is not given; None if the value then depends on the items or the machine."""
    help: str
    """What it does. Other options are named in backticks, which the command line turns into flags."""
    group: Group
    default_help: str = ""
    """Description of a default that the value alone does not show. The command line passes such an option on only if it
    is given."""
    python_help: str = ""
    """What only users of the Python API need to know."""
    names_measure: bool = False
    """Whether a value is the name of a measure. The command line offers those that are registered."""
    metavar: str | None = None
    short: str = ""
    """Short flag, such as -t."""
    negative: str = ""
    """Flag that turns a switch off, such as --keep-case."""
    implied: int | None = None
    """Value of a flag that is given without one."""
    several: bool = False
    """Whether its flag may be repeated, to give several values. All other flags may be given once."""
    on_command_line: bool = True

    @property
    def flag(self) -> str:
        """Name of the option on the command line."""
        return f"--{self.name.replace('_', '-')}"
