"""MinHash signatures: by permutations, in one pass over a matrix, and as lookalike makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from naive.hashing import MODULUS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

PRIME = (1 << 32) + 15
EMPTY = MODULUS - 1


def minhash(rows: Collection[int], order: Mapping[int, int]) -> int:
    """Return the least position that a permutation gives one of the rows of a column."""
    return min(order[row] for row in rows)


def one_pass(
    columns: Sequence[Collection[int]], rows: Iterable[int], hashes: Sequence[Callable[[int], int]]
) -> list[list[float]]:
    """Sign every column in one pass over the rows of the matrix."""
    signatures = [[float("inf")] * len(hashes) for _ in columns]
    for row in rows:
        values = [function(row) for function in hashes]
        for column, signature in zip(columns, signatures, strict=True):
            if row in column:
                signature[:] = map(min, signature, values)
    return signatures


def universal(a: int, b: int, p: int, n: int) -> Callable[[int], int]:
    """Return the hash function ((a x + b) mod p) mod n."""
    return lambda x: (a * x + b) % p % n


def agreement(one: Sequence[object], two: Sequence[object]) -> float:
    """Return the share of equal slots."""
    return sum(a == b for a, b in zip(one, two, strict=True)) / len(one)


def throw(h: int, multiplier: int, slots: int) -> tuple[int, int]:
    """Return the slot and the fraction of an element in one round."""
    p = (h ^ h >> 32) * multiplier % MODULUS
    high = p >> 32
    return high * slots >> 32, (p ^ high) % (1 << 32)


def fast_sketch(elements: Iterable[int], multipliers: Sequence[int], slots: int) -> list[int]:
    """Throw all elements in all rounds; a slot keeps its least (round, fraction), written as one number."""
    signature = [EMPTY] * slots
    for h in elements:
        for i in range(2 * slots):
            slot, fraction = throw(h, multipliers[i], slots)
            if i >= slots:
                slot = i - slots
            signature[slot] = min(signature[slot], i << 32 | fraction)
    return signature


def classic_sketch(elements: Collection[int], multipliers: Sequence[int], slots: int) -> list[int]:
    """Take the least (a x + b) mod p of the upper halves of the elements, for each slot's own a and b."""
    low = (1 << 32) - 1
    return [
        min(((multipliers[2 * i] & low) * (h >> 32) + (multipliers[2 * i + 1] & low)) % PRIME for h in elements)
        for i in range(slots)
    ]
