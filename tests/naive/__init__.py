"""Slow references, written from the definitions in plain Python. Nothing here imports lookalike.

A hash is an `int` below 2^64, a set a Python `set`, a signature a `list`. Each function does the obvious thing.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict, deque
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, TypeVar

from naive.words import is_word_character

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

T = TypeVar("T")

WIDTH = 64
MODULUS = 1 << WIDTH
FIRST = 0x9E3779B97F4A7C15
SECOND = 0xC2B2AE3D27D4EB4F
BASE = 0xD6E8FEB86659FD93
PRIME = (1 << 32) + 15
EMPTY = MODULUS - 1


# Shingles


def ngrams(tokens: Sequence[T], n: int) -> list[tuple[T, ...]]:
    """List the n-grams of tokens; fewer than n tokens are one shingle, all of them."""
    if not tokens:
        return []
    return [tuple(tokens[i : i + n]) for i in range(max(1, len(tokens) - n + 1))]


def shingles(tokens: Sequence[T], n: int) -> set[tuple[T, ...]]:
    """Return the set of n-grams."""
    return set(ngrams(tokens, n))


def bag(grams: Iterable[T]) -> list[tuple[T, int]]:
    """Number the occurrences of each shingle: the second one is another element than the first."""
    seen: Counter[T] = Counter()
    numbered = []
    for gram in grams:
        numbered.append((gram, seen[gram]))
        seen[gram] += 1
    return numbered


def jaccard(one: Collection[T], two: Collection[T]) -> float:
    """Return the size of the intersection over that of the union."""
    return len(set(one) & set(two)) / len(set(one) | set(two))


def dice(one: Collection[T], two: Collection[T]) -> float:
    """Return twice the size of the intersection over the sum of both sizes."""
    return 2 * len(set(one) & set(two)) / (len(set(one)) + len(set(two)))


def cosine(one: Collection[T], two: Collection[T]) -> float:
    """Return the cosine of the angle between two sets, as vectors of zeros and ones."""
    return len(set(one) & set(two)) / math.sqrt(len(set(one)) * len(set(two)))


def containment(one: Collection[T], two: Collection[T]) -> float:
    """Return the share of the first set that the second has too."""
    return len(set(one) & set(two)) / len(set(one))


def overlap(one: Collection[T], two: Collection[T]) -> float:
    """Return the share of the smaller set that the larger has too."""
    return max(containment(one, two), containment(two, one))


MEASURES = (jaccard, dice, cosine, overlap)
"""In the order of their codes."""


def measured(measure: int, shared: int, one: int, two: int) -> float:
    """Return the similarity of sets of two sizes that share so much."""
    return MEASURES[measure](range(one), range(one - shared, one - shared + two))


# Hashes


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


# MinHash


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


# Bands, buckets, candidates, pairs, clusters


def band_key(signature: Sequence[int], rows: int, band: int) -> int:
    """Hash the slots of one band."""
    key = (band + 1) * SECOND % MODULUS
    for value in signature[band * rows : (band + 1) * rows]:
        key = (key ^ value) * FIRST % MODULUS
        key ^= key >> 32
    return key * SECOND % MODULUS


def band_keys(signature: Sequence[int], rows: int) -> list[int]:
    """Hash every band of a signature."""
    return [band_key(signature, rows, band) for band in range(len(signature) // rows)]


def buckets(keys: Iterable[int]) -> dict[int, list[int]]:
    """Map each key that more than one item has to those items."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for item, key in enumerate(keys):
        found[key].append(item)
    return {key: items for key, items in found.items() if len(items) > 1}


def pairs_within(group: Iterable[int]) -> set[tuple[int, int]]:
    """Return all pairs of a group of items, the lesser first."""
    return set(itertools.combinations(sorted(group), 2))


def candidates(signatures: Sequence[Sequence[int]], rows: int) -> set[tuple[int, int]]:
    """Return the pairs of items that agree in all rows of at least one band."""
    return {
        (i, j)
        for (i, one), (j, two) in itertools.combinations(enumerate(signatures), 2)
        if any(one[k : k + rows] == two[k : k + rows] for k in range(0, len(one), rows))
    }


def all_pairs(
    sets: Sequence[Collection[T]],
    threshold: float,
    measure: Callable[[Collection[T], Collection[T]], float] = jaccard,
) -> dict[tuple[int, int], float]:
    """Compare every two sets and return the pairs that reach the threshold; an empty set resembles nothing."""
    found = {}
    for (i, one), (j, two) in itertools.combinations(enumerate(sets), 2):
        if one and two and (similarity := measure(one, two)) >= threshold:
            found[i, j] = similarity
    return found


def least_overlap(one: int, two: int, goal: tuple[int, float]) -> int:
    """Return the least overlap with which sets of two sizes reach the threshold; one too many if none does."""
    measure, threshold = goal
    most = min(one, two)
    return next((shared for shared in range(most + 1) if measured(measure, shared, one, two) >= threshold), most + 1)


def components(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return, for each item, the least item that pairs connect it to, by breadth-first search."""
    neighbours: defaultdict[int, set[int]] = defaultdict(set)
    for one, two in pairs:
        neighbours[one].add(two)
        neighbours[two].add(one)
    roots = [-1] * count
    for start in range(count):
        if roots[start] >= 0:
            continue
        roots[start] = start
        queue = deque([start])
        while queue:
            for item in neighbours[queue.popleft()]:
                if roots[item] < 0:
                    roots[item] = start
                    queue.append(item)
    return roots


# The S-curve


def chance(similarity: float, bands: int, rows: int) -> float:
    """Return the probability that a pair agrees in all rows of at least one band."""
    missed = 1.0
    for _ in range(bands):
        missed *= 1 - similarity**rows
    return 1 - missed


def keeps_promise(threshold: float, recall: float, bands: int, rows: int) -> bool:
    """Tell, with 60 digits, whether a pair at the threshold is found with at least the chance asked for."""
    with localcontext() as context:
        context.prec = 60
        return 1 - (1 - Decimal(threshold) ** rows) ** bands >= Decimal(recall)


def least_bands(threshold: float, recall: float, rows: int) -> int:
    """Return the least number of bands that keeps the promise, by trying one after the other."""
    return next(bands for bands in itertools.count(1) if keeps_promise(threshold, recall, bands, rows))


# Measured recall


def shared_with(few: Sequence[Collection[T]], items: Sequence[Iterable[T]], least: float) -> set[tuple[int, int, int]]:
    """Count what each item shares with each of the few; keep what is at least that share of the latter, and not 0."""
    found = set()
    for (i, item), (j, one) in itertools.product(enumerate(items), enumerate(few)):
        shared = len(set(item) & set(one))
        if shared and shared / len(one) >= least:
            found.add((i, j, shared))
    return found


def found_of(
    sample: Iterable[int],
    truth: Mapping[tuple[int, int], float],
    found: Collection[tuple[int, int]],
    within: Callable[[float], bool],
) -> tuple[int, int]:
    """Count the true pairs of each sampled item whose similarity is within a range, and how many were found."""
    pairs = [pair for item in sample for pair, s in truth.items() if item in pair and within(s)]
    return len(pairs), sum(pair in found for pair in pairs)


def nearest_found(best: list[float], listed: list[float]) -> int:
    """Count how many of the best scores were listed; of equals any one will do."""
    left = list(best)
    for score in listed:
        if score in left:
            left.remove(score)
    return len(best) - len(left)


def wilson(share: float, count: float, z: float) -> tuple[float, float]:
    """Return the least and the greatest share of all that z deviations explain, by halving."""

    def explained(p: float) -> bool:
        return (share - p) ** 2 <= z * z * p * (1 - p) / count

    def end(outside: float) -> float:
        inside = share
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if explained(middle) else (inside, middle)
        return inside

    return end(0.0), end(1.0)


def shared_cells(one: Sequence[float], two: Sequence[float], widths: Sequence[float]) -> float:
    """Return in how many features two are in one cell on average, if cells of a width begin anywhere."""
    return sum(max(0.0, 1 - abs(a - b) / width) for a, b, width in zip(one, two, widths, strict=True))
