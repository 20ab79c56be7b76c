"""Which shingles an item has: words:5, chars:9, ...; and how texts are normalised first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, get_args

from lookalike.errors import RecipeError
from lookalike.features.registry import FEATURES, Feature, spellings
from lookalike.options import Form

LARGEST_SHINGLE = 1000


@dataclass(frozen=True, slots=True)
class Shingling:
    """The features an item is compared by.

    >>> Shingling.parse("chars:9")
    Shingling(kind='chars', size=9, bag=False, lower=False, form=None, accents=True, punctuation=True)

    `lower` and `punctuation` follow the feature unless given: words are lower-cased and separated by punctuation;
    characters and bytes are taken as they are.
    """

    kind: str = "words"
    """The name of the feature."""
    size: int = 5
    bag: bool = False
    lower: bool = None  # type: ignore[assignment]  # filled in from the feature
    form: Form | None = None
    accents: bool = True
    punctuation: bool = None  # type: ignore[assignment]  # filled in from the feature

    def __post_init__(self) -> None:
        if self.kind not in FEATURES:
            raise RecipeError(f"`shingle` must be {spellings()}. Got {self.kind}:{self.size}")
        self._check_size()
        if self.bag and not self.feature.countable:
            raise RecipeError(
                f"`bag` counts repeated elements of sets, which {self.feature.items} do not have. Leave it out"
            )
        if self.form is not None and self.form not in get_args(Form):
            raise RecipeError(f"`form` must be NFC, NFD, NFKC or NFKD. Got {self.form}")
        if self.lower is None:
            object.__setattr__(self, "lower", self.feature.lower)
        if self.punctuation is None:
            object.__setattr__(self, "punctuation", self.feature.punctuation)
        self._refuse_switches_without_text()

    def _check_size(self) -> None:
        if not self.feature.sized and self.size != 1:
            raise RecipeError(f"`shingle` {self.kind} has no size. Got {self.kind}:{self.size}")
        if not isinstance(self.size, int) or not 1 <= self.size <= LARGEST_SHINGLE:
            raise RecipeError(f"The size of a shingle must be in 1..{LARGEST_SHINGLE}. Got {self.kind}:{self.size}")

    def _refuse_switches_without_text(self) -> None:
        changes = {
            "lower": self.lower,
            "form": self.form is not None,
            "accents=False": not self.accents,
            "punctuation=False": not self.punctuation,
        }
        if not self.feature.is_text and any(changes.values()):
            switch = next(name for name, on in changes.items() if on)
            raise RecipeError(f"`{switch}` normalises text, but {self} compares items as they are. Leave it out")

    def __str__(self) -> str:
        return f"{self.kind}:{self.size}" if self.feature.sized else self.kind

    @property
    def feature(self) -> Feature:
        """What is known of the feature."""
        return FEATURES[self.kind]

    @classmethod
    def parse(cls, text: str, **switches: Any) -> Self:  # noqa: ANN401 - the fields of this class
        """Make a shingling from a string such as ``words:5``."""
        if text in FEATURES and not FEATURES[text].sized:
            return cls(kind=text, size=1, **switches)
        name, _, size = str(text).partition(":")
        if not (size.isascii() and size.isdecimal() and len(size) <= len(str(LARGEST_SHINGLE))):
            raise RecipeError(f"`shingle` must be {spellings()}, such as words:5. Got {text!r}")
        return cls(kind=name, size=int(size), **switches)
