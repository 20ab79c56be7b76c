"""Write src/lookalike/features/characters.npz: the class and the lower case of every character, of one Unicode version.

The table is shipped rather than taken from the running Python, so that the words of a text, and with them saved
results, do not change when Python does. Run with Python 3.11 (Unicode 14.0) and the `regex` package:

    python tools/make_characters.py
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import numpy as np
import regex

WANTED = "14.0.0"
SPACELESS = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar")
BLANK, WORD, SINGLE, SYMBOL, UNASSIGNED = range(5)


def classify(character: str, spaceless: regex.Pattern[str]) -> int:
    """Return the class of one character."""
    category = unicodedata.category(character)
    if category == "Cn":
        return UNASSIGNED
    if character.isalnum() or character == "_" or category.startswith("M"):
        return SINGLE if spaceless.match(character) else WORD
    return SYMBOL if category[0] in "PS" else BLANK


def main() -> None:
    """Write the table as the places where the class changes, and the pairs of upper and lower case."""
    if unicodedata.unidata_version != WANTED:
        sys.exit(f"needs a Python with Unicode {WANTED}; this one has {unicodedata.unidata_version}")
    own = "|".join(rf"\p{{Script={script}}}" for script in SPACELESS)
    shared = "|".join(rf"\p{{Script_Extensions={script}}}" for script in SPACELESS)
    spaceless = regex.compile(rf"{own}|(?=[\u2E80-\U0010FFFF])(?:{shared})")  # not the accents that others use too
    characters = [chr(code) for code in range(sys.maxunicode + 1)]
    classes = np.array([classify(character, spaceless) for character in characters], np.uint8)
    starts = np.flatnonzero(np.diff(classes, prepend=255))
    changed = [(ord(c), ord(c.lower())) for c in characters if c.lower() != c and len(c.lower()) == 1]
    target = Path(__file__).parent.parent / "src" / "lookalike" / "features" / "characters.npz"
    np.savez_compressed(
        target,
        starts=starts.astype(np.uint32),
        kinds=classes[starts],
        upper=np.array([upper for upper, _ in changed], np.uint32),
        lower=np.array([lower for _, lower in changed], np.uint32),
    )
    print(f"{target.name}: {len(starts)} ranges, {len(changed)} lower cases, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
