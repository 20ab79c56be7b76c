"""Hashes of tokens, shingles and sets: ints below 2^64."""

from __future__ import annotations

from typing import TYPE_CHECKING

from naive.grams import bag, ngrams
from naive.words import is_word_character

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDTH = 64
MODULUS = 1 << WIDTH
FIRST = 0x9E3779B97F4A7C15
SECOND = 0xC2B2AE3D27D4EB4F
BASE = 0xD6E8FEB86659FD93


def absorb(h: int, chunk: int) -> int:
    """Take eight bytes, as a number, into a hash."""
    h = (h ^ chunk) * FIRST % MODULUS
    return h ^ h >> 32


def hash_bytes(data: bytes) -> int:
    """Hash a token that is bytes."""
    h = 0
    for i in range(0, len(data), 8):
        h = absorb(h, int.from_bytes(data[i : i + 8], "little"))
    return h * SECOND % MODULUS


def hash_text(text: str) -> int:
    """Hash a whole text as one token: zeros at its end count, by its length and a byte that no UTF-8 has."""
    data = text.encode()
    more = (255 << 56 | len(data)).to_bytes(8, "little") if text.endswith("\0") else b""
    return hash_bytes(data + bytes(-len(data) % 8 if more else 0) + more)


def hash_word(word: str) -> int:
    """Hash a word; a sign of ASCII punctuation, which no word can hold, is the byte 128 above its own."""
    if len(word) == 1 and word.isascii() and not is_word_character(word):
        return hash_bytes(bytes([ord(word) + 128]))
    return hash_bytes(word.encode())


def hash_number(number: int) -> int:
    """Hash a token that is a number; the start is not 0, so that 0 is a token like any other."""
    return absorb(FIRST, number % MODULUS) * SECOND % MODULUS


def finish(p: int) -> int:
    """Mix a polynomial; 0 marks an empty place elsewhere, so it becomes 1."""
    p = (p ^ p >> 32) * FIRST % MODULUS
    return (p ^ p >> 29) or 1


def hash_shingle(tokens: Iterable[int]) -> int:
    """Hash the token hashes of one shingle: a polynomial, mixed."""
    p = 0
    for token in tokens:
        p = (p * BASE + token) % MODULUS
    return finish(p)


def hash_grams(tokens: Sequence[int], n: int) -> list[int]:
    """Hash every n-gram of token hashes."""
    return [hash_shingle(gram) for gram in ngrams(tokens, n)]


def hash_bag(hashes: Iterable[int]) -> list[int]:
    """Make another element of the second, third... of equal hashes."""
    return [finish((h + again * SECOND) % MODULUS) if again else h for h, again in bag(hashes)]


def fingerprint(hashes: Iterable[int]) -> tuple[int, int]:
    """Return two sums over the hashes, repetitions included."""
    first = second = 0
    for h in hashes:
        first += h
        second += h ^ h >> 29 ^ (h << 23) % MODULUS
    return first % MODULUS, second % MODULUS


def odd_numbers(seed: int, count: int) -> list[int]:
    """Return the odd numbers that SplitMix64 draws from a seed."""
    numbers = []
    for i in range(1, count + 1):
        z = (seed + i * FIRST) % MODULUS
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % MODULUS
        z = (z ^ z >> 27) * 0x94D049BB133111EB % MODULUS
        numbers.append((z ^ z >> 31) | 1)
    return numbers
