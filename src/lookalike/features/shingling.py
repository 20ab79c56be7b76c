"""Which shingles an item has: words:5, chars:9, ...; and how texts are normalised first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from lookalike.errors import RecipeError

Kind = Literal["words", "chars", "bytes", "tokens", "elements", "weights", "vectors", "bits"]
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

KINDS = "words:n, chars:k, bytes:k, tokens:n, elements or weights"
WHOLE = ("elements", "weights", "vectors", "bits")
"""Kinds of items that are taken as they are."""

LARGEST_SHINGLE = 1000


@dataclass(frozen=True, slots=True)
class Shingling:
    """Which shingles an item has.

    >>> Shingling.parse("chars:9")
    Shingling(kind='chars', size=9, bag=False, lower=False, form=None, accents=True, punctuation=True)

    `lower` and `punctuation` follow the kind unless given: words are lower-cased and punctuation separates them;
    characters and bytes are taken as they are.
    """

    kind: Kind = "words"
    size: int = 5
    bag: bool = False
    lower: bool = None  # type: ignore[assignment]  # filled in from the kind
    form: Form | None = None
    accents: bool = True
    punctuation: bool = None  # type: ignore[assignment]  # filled in from the kind

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise RecipeError(f"`shingle` must be {KINDS}. Got {self.kind}:{self.size}")
        if self.kind in WHOLE and self.size != 1:
            raise RecipeError(
                f"`shingle` {self.kind} takes items as they are, and has no size. Got {self.kind}:{self.size}"
            )
        if self.kind == "weights" and self.bag:
            raise RecipeError("`bag` counts repeated elements, and weights do so by themselves. Leave it out")
        if self.kind in ("vectors", "bits") and self.bag:
            raise RecipeError(f"`bag` counts repeated elements of sets, and {self.kind} have none. Leave it out")
        if not isinstance(self.size, int) or not 1 <= self.size <= LARGEST_SHINGLE:
            raise RecipeError(f"The size of a shingle must be in 1..{LARGEST_SHINGLE}. Got {self.kind}:{self.size}")
        if self.form is not None and self.form not in get_args(Form):
            raise RecipeError(f"`form` must be NFC, NFD, NFKC or NFKD. Got {self.form}")
        words = self.kind == "words"
        if self.lower is None:
            object.__setattr__(self, "lower", words)
        if self.punctuation is None:
            object.__setattr__(self, "punctuation", not words)
        self._refuse_switches_without_text()

    def _refuse_switches_without_text(self) -> None:
        changes = {
            "lower": self.lower,
            "form": self.form is not None,
            "accents": not self.accents,
            "punctuation": not self.punctuation,
        }
        if self.kind in ("bytes", "tokens", *WHOLE) and any(changes.values()):
            switch = next(name for name, on in changes.items() if on)
            raise RecipeError(f"`{switch}` normalises text, and {self} takes {self.kind} as they are. Leave it out")

    def __str__(self) -> str:
        return self.kind if self.kind in WHOLE else f"{self.kind}:{self.size}"

    @classmethod
    def parse(cls, text: str, **switches: Any) -> Self:  # noqa: ANN401 - the fields of this class
        """Make a shingling of words like ``words:5``."""
        if text in WHOLE:
            return cls(kind=text, size=1, **switches)  # type: ignore[arg-type]  # one of them
        kind, _, size = str(text).partition(":")
        if not (size.isascii() and size.isdecimal() and len(size) <= len(str(LARGEST_SHINGLE))):
            raise RecipeError(f"`shingle` must be {KINDS}, such as words:5. Got {text!r}")
        return cls(kind=kind, size=int(size), **switches)  # type: ignore[arg-type]  # checked on construction
