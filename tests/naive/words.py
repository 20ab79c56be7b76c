"""What words are, from the definition, character by character."""

from __future__ import annotations

import re
import unicodedata

SPACELESS = [
    (0x0E00, 0x0E7F),  # Thai
    (0x0E80, 0x0EFF),  # Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark, zero
    (0x3021, 0x302D),  # Hangzhou numerals, ideographic tone marks
    (0x3031, 0x3035),  # Kana repeat marks
    (0x3038, 0x303C),  # Hangzhou numerals, iteration marks
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3190, 0x319F),  # Kanbun
    (0x31F0, 0x31FF),  # Katakana for Ainu
    (0x3220, 0x3229),  # parenthesised ideographs that are numbers
    (0x3280, 0x3289),  # circled ideographs that are numbers
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),  # Han
    (0xA9E0, 0xA9FF),  # Myanmar
    (0xAA60, 0xAA7F),  # Myanmar
    (0xF900, 0xFAFF),  # Han
    (0xFF66, 0xFF9F),  # half-width Katakana
    (0x16FE2, 0x16FE3),  # old Chinese marks
    (0x16FF0, 0x16FF1),  # Vietnamese reading marks, for Han
    (0x1AFF0, 0x1B16F),  # Kana
    (0x1D360, 0x1D371),  # counting rods
    (0x20000, 0x3FFFF),  # Han
]
"""Blocks of the scripts written without spaces: Han, Kana, Thai, Lao, Khmer, Myanmar."""


def is_word_character(character: str) -> bool:
    r"""Return whether a character is one of Python's \w or a combining mark."""
    return re.fullmatch(r"\w", character) is not None or unicodedata.category(character).startswith("M")


def stands_alone(character: str) -> bool:
    """Return whether a character belongs to a script that is written without spaces."""
    return any(first <= ord(character) <= last for first, last in SPACELESS)


def words(text: str, *, lower: bool = True, punctuation: bool = False) -> list[str]:
    """List the words of a text."""
    found: list[str] = []
    inside = False
    for character in text.lower() if lower else text:
        alone = False
        if is_word_character(character):
            alone = stands_alone(character)
            if inside and not alone:
                found[-1] += character
            else:
                found.append(character)
            inside = not alone
        else:
            inside = False
            if punctuation and unicodedata.category(character)[0] in "PS":
                found.append(character)
    return found
