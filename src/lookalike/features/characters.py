"""What each character is to a word: the shipped table of one Unicode version, as arrays for the kernels."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from lookalike.kernels.tokens import BLANK, SINGLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNICODE_VERSION = "14.0.0"
SYMBOL, UNASSIGNED = 3, 4
"""Classes of the table beyond those the kernels know."""

CODE_POINTS = 0x110000
AWKWARD_CAPITALS = ("\u0130", "\u03a3")
"""Capitals whose lower case is two characters, or depends on what follows: Python lower-cases texts with them."""


@cache
def raw_classes() -> NDArray[np.uint8]:
    """Return the class of every code point, as the table has it."""
    with (files("lookalike.features") / "characters.npz").open("rb") as file:
        table = np.load(file)
        ends = np.append(table["starts"][1:], CODE_POINTS)
        return np.repeat(table["kinds"], ends - table["starts"])


@cache
def classes(*, punctuation: bool) -> NDArray[np.uint8]:
    """Return the class of every code point for the kernels; punctuation is blank, or each sign a word of its own."""
    kinds = raw_classes().copy()
    kinds[kinds == SYMBOL] = SINGLE if punctuation else BLANK
    kinds[kinds == UNASSIGNED] = BLANK
    return kinds


@cache
def lower_case(*, lower: bool) -> NDArray[np.uint32]:
    """Return the lower case of every code point, or the code point itself where case is to be kept."""
    mapping = np.arange(CODE_POINTS, dtype=np.uint32)
    if lower:
        with (files("lookalike.features") / "characters.npz").open("rb") as file:
            table = np.load(file)
            mapping[table["upper"]] = table["lower"]
    return mapping
