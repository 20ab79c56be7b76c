"""The exceptions that lookalike raises, as one tree.

    LookalikeError                 base class of all errors that lookalike raises on purpose
    ├── RecipeError (ValueError)   invalid setting: threshold 80, shingle "words:0"
    ├── InputError (ValueError)    missing or malformed input; says where
    ├── OutputError (OSError)      output that cannot be written; says what to do
    │   └── IndexLockedError       an index that another writer has open
    └── MissingExtraError (ImportError)  an optional library is not installed; says how to install it

Each message is one or two sentences: what is wrong, where, and what to do. The command line prints the message and
exits with code 2.
"""

from __future__ import annotations


class LookalikeError(Exception):
    """Base class of all errors that lookalike raises on purpose."""


class RecipeError(LookalikeError, ValueError):
    """A setting is invalid."""


class InputError(LookalikeError, ValueError):
    """Input is missing or malformed."""


class OutputError(LookalikeError, OSError):
    """Output cannot be written."""


class IndexLockedError(OutputError):
    """Another writer has the index open. It can be read meanwhile; `timeout` of `Index.open` waits for it."""


class MissingExtraError(LookalikeError, ImportError):
    """An optional library is not installed."""

    def __init__(self, library: str, purpose: str, extra: str | None = None) -> None:
        wanted = f"'lookalike[{extra}]'" if extra else library
        super().__init__(f"{purpose} needs {library}. Install it with: pip install {wanted}")
