"""The shingler of each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.features.elements import ElementShingler, TokenShingler
from lookalike.features.texts import ByteShingler, CharacterShingler, WordShingler
from lookalike.features.weighted import Weigher

if TYPE_CHECKING:
    from lookalike.features.shingles import Shingler
    from lookalike.features.shingling import Shingling

SHINGLERS: dict[str, type[Shingler]] = {
    "words": WordShingler,
    "chars": CharacterShingler,
    "bytes": ByteShingler,
    "tokens": TokenShingler,
    "elements": ElementShingler,
    "weights": Weigher,
}


def shingler_for(shingling: Shingling) -> Shingler:
    """Return what makes the shingles of items."""
    return SHINGLERS[shingling.kind](shingling)
