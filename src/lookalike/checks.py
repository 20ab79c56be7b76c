"""Checks of values that users give. Each message states the name, the rule and the value."""

from __future__ import annotations

import re
from numbers import Number
from typing import TYPE_CHECKING, Any

from lookalike.errors import InputError, OutputError, RecipeError

if TYPE_CHECKING:
    from pathlib import Path

_URL = re.compile(r"(?P<scheme>[a-zA-Z][a-zA-Z0-9+.-]+):/+(?P<rest>.*)", re.DOTALL)
"""A URL; with one slash of two if it was made a `Path`. A drive has one letter."""
_MAX_SHOWN = 200
"""Characters of a URL in a message."""
_INSTEAD = {
    InputError: "URLs cannot be read; download the file first, and pass its path",
    OutputError: "URLs cannot be written to; write a local file, and upload it",
}


def plain_number(value: Any) -> Any:  # noqa: ANN401 - any setting
    """Return a NumPy number as a Python number, and any other value unchanged."""
    return value.item() if isinstance(value, Number) and hasattr(value, "item") else value


def check_number(name: str, value: object) -> None:
    """Raise unless a setting is a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise RecipeError(f"`{name}` must be a number. Got {value!r}")


def check_threshold(threshold: float) -> None:
    """Raise unless `threshold` is a similarity that some pairs reach and others do not."""
    check_number("threshold", threshold)
    if not 0 < threshold <= 1:
        hint = f"; did you mean {threshold / 100:.2f}?" if 2 <= threshold <= 100 else ""  # noqa: PLR2004 - per cent
        raise RecipeError(f"`threshold` must be in (0, 1]. Got {threshold:.10g}{hint}")


def check_count(name: str, value: object) -> int:
    """Return a setting that counts something; raise unless it is a whole number of at least 1."""
    value = plain_number(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise RecipeError(f"`{name}` must be a whole number, at least 1. Got {value!r}")
    return value


def refuse_url(path: Path | str, error: type[InputError | OutputError]) -> None:
    """Raise if a path that does not exist is a URL: an `InputError` if it was to be read, else an `OutputError`."""
    if (found := _URL.match(str(path))) is None:
        return
    scheme, rest = found["scheme"], found["rest"]
    if scheme.lower() == "file":
        raise error(f"file:///{rest}: URLs are not paths; pass /{rest}")
    raise error(f"{scheme}://{rest}"[:_MAX_SHOWN] + f": {_INSTEAD[error]}")
