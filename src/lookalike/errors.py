"""What can go wrong, as one tree.

    LookalikeError                 everything lookalike raises on purpose
    ├── RecipeError (ValueError)   a setting that cannot be: threshold 80, shingle "words:0"
    ├── InputError (ValueError)    something read is missing or broken; says where
    ├── OutputError (OSError)      something cannot be written; says what to do
    └── MissingExtraError (ImportError)  an optional library is not installed; says how to install it

Each message is one sentence or two: what, where, what to do. The command line prints it and exits with code 2.
"""

from __future__ import annotations


class LookalikeError(Exception):
    """Base of all errors that lookalike raises on purpose."""


class RecipeError(LookalikeError, ValueError):
    """A setting that cannot be."""


class InputError(LookalikeError, ValueError):
    """Something read is missing or broken."""


class OutputError(LookalikeError, OSError):
    """Something cannot be written."""


class MissingExtraError(LookalikeError, ImportError):
    """An optional library is not installed."""

    def __init__(self, library: str, purpose: str, extra: str | None = None) -> None:
        wanted = f"'lookalike[{extra}]'" if extra else library
        super().__init__(f"{purpose} needs {library}. Install it with: pip install {wanted}")
