"""The error for what a format cannot hold, raised where the name of the output is not known."""

from __future__ import annotations

from lookalike.errors import OutputError


class UnwritableError(OutputError):
    """A column or a value that a format cannot hold. `writing` puts the name of the output in front of the reason."""
