"""The worked examples of the textbook, by lookalike where it has the function, and by the references."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import call_kernels, strategies

from lookalike.features.shingling import Shingling
from lookalike.lsh.banding import Banding

DAY = 86_400
LEAST_PRIME = naive.PRIME


def column(bits: str) -> set[int]:
    """Return the rows, from 1, that are set in a column."""
    return {row for row, bit in enumerate(bits, start=1) if bit == "1"}


def columns(*rows: str) -> list[set[int]]:
    """Return the columns of a matrix that is given by its rows."""
    return [column("".join(bits)) for bits in zip(*rows, strict=True)]


def similarity(one: set[int], two: set[int]) -> float:
    """Return the Jaccard similarity, by the kernel and by the definition."""
    by_kernel = call_kernels.similarities([one, two], [(0, 1)], 0.0)[0]
    assert by_kernel == naive.jaccard(one, two)
    return by_kernel


def character_shingles(text: str, k: int, *, bag: bool = False) -> list[int]:
    """Return the elements that lookalike makes of the k-shingles of a text."""
    assert Shingling.parse(f"chars:{k}") == Shingling(kind="chars", size=k)
    return call_kernels.distinct(call_kernels.roll(call_kernels.char_tokens(text), k), bag=bag)


def hash_of(characters: str) -> int:
    return naive.hash_shingle(naive.hash_number(ord(character)) for character in characters)


# Problems


def test_all_pairs_of_a_million_take_days_and_of_ten_million_more_than_a_year() -> None:
    assert math.comb(10**6, 2) == pytest.approx(5e11, rel=1e-5)
    assert 5 <= math.comb(10**6, 2) / 10**6 / DAY < 6
    assert math.comb(10**7, 2) / 10**6 / DAY > 365


@pytest.mark.slow
@given(one=st.sets(st.integers(1, 8), min_size=1), two=st.sets(st.integers(1, 8), min_size=1), data=st.data())
def test_jaccard_distance_is_a_distance(one: set[int], two: set[int], data: st.DataObject) -> None:
    three = data.draw(st.sets(st.integers(1, 8), min_size=1))

    def distance(a: set[int], b: set[int]) -> Fraction:
        return 1 - Fraction(len(a & b), len(a | b))

    assert distance(one, one) == 0
    assert distance(one, two) == distance(two, one) >= 0
    assert (distance(one, two) == 0) == (one == two)
    assert distance(one, three) <= distance(one, two) + distance(two, three)
    assert 1 - similarity(one, two) == pytest.approx(float(distance(one, two)))


# Shingling


@pytest.mark.parametrize(
    ("text", "found"), [("abcab", ["ab", "bc", "ca"]), ("abcdabd", ["ab", "bc", "cd", "da", "bd"])]
)
def test_two_shingles(text: str, found: list[str]) -> None:
    assert naive.shingles(text, 2) == {tuple(shingle) for shingle in found}
    assert sorted(character_shingles(text, 2)) == sorted(map(hash_of, found))


def test_a_bag_counts_ab_twice() -> None:
    grams = naive.ngrams("abcab", 2)
    assert naive.bag(grams) == [(("a", "b"), 0), (("b", "c"), 0), (("c", "a"), 0), (("a", "b"), 1)]
    assert len(character_shingles("abcab", 2, bag=True)) == 4
    assert set(character_shingles("abcab", 2)) < set(character_shingles("abcab", 2, bag=True))


def test_possible_shingles_of_letters_and_blanks() -> None:
    assert 27**5 == 14_348_907


@given(
    text=st.lists(st.sampled_from("abcdefgh"), min_size=12, max_size=40),
    place=st.integers(0, 11),
    k=st.integers(1, 6),
)
def test_changing_a_word_touches_the_shingles_near_it_only(text: list[str], place: int, k: int) -> None:
    changed = [*text[:place], "zebra", *text[place + 1 :]]
    before, after = (call_kernels.word_grams(" ".join(words), k) for words in (text, changed))
    touched = [i for i, (one, two) in enumerate(zip(before, after, strict=True)) if one != two]
    assert touched == list(range(max(0, place - k + 1), min(place, len(text) - k) + 1))


# Jaccard and matrices


def test_three_in_the_intersection_eight_in_the_union() -> None:
    assert similarity({1, 2, 3, 4, 5}, {3, 4, 5, 6, 7, 8}) == 3 / 8


def test_similarity_of_two_columns() -> None:
    assert similarity(column("011010"), column("101011")) == 2 / 5


SETS = {"S": "abcef", "T": "adfgh", "U": "be", "V": "abcfgh", "W": "defg"}


def test_sets_as_a_boolean_matrix() -> None:
    matrix = {row: "".join(str(int(row in members)) for members in SETS.values()) for row in "abcdefgh"}
    assert matrix == {
        "a": "11010", "b": "10110", "c": "10010", "d": "01001", "e": "10101", "f": "11011", "g": "01011", "h": "01010",
    }  # fmt: skip
    back = columns(*matrix.values())
    assert back == [{ord(element) - ord("a") + 1 for element in members} for members in SETS.values()]


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("ST", 2 / 8),
        ("SU", 2 / 5),
        ("SV", 4 / 7),
        ("TV", 4 / 7),
        ("TW", 3 / 6),
        ("UT", 0),
        ("UW", 1 / 5),
        ("VW", 2 / 8),
    ],
)
def test_similarities_of_the_sets(pair: str, expected: float) -> None:
    one, two = ({ord(element) for element in SETS[name]} for name in pair)
    assert similarity(one, two) == expected


def test_four_documents_as_a_matrix() -> None:
    documents = columns("1110", "1101", "0101", "0001", "1001", "1110", "1010")
    assert similarity(documents[0], documents[1]) == 3 / 6


# MinHash


MATRIX = columns("1010", "1001", "0101", "0101", "0101", "1010", "1010")
PERMUTATIONS = [(2, 3, 7, 6, 1, 5, 4), (4, 2, 1, 3, 6, 7, 5), (3, 4, 7, 2, 6, 1, 5)]


def signatures(documents: list[set[int]]) -> list[list[int]]:
    orders = [dict(enumerate(permutation, start=1)) for permutation in PERMUTATIONS]
    return [[naive.minhash(document, order) for order in orders] for document in documents]


def test_signatures_by_permutation() -> None:
    by_permutation = [list(row) for row in zip(*signatures(MATRIX), strict=True)]
    assert by_permutation == [[2, 1, 2, 1], [2, 1, 4, 1], [1, 2, 1, 2]]


def test_one_pass_gives_the_signatures_by_permutation() -> None:
    hashes = [lambda row, order=order: order[row - 1] for order in PERMUTATIONS]
    assert naive.one_pass(MATRIX, range(1, 8), hashes) == signatures(MATRIX)


@pytest.mark.parametrize(
    ("one", "two", "of_columns", "of_signatures"), [(1, 3, 0.75, 2 / 3), (2, 4, 0.75, 1), (1, 2, 0, 0), (3, 4, 0, 0)]
)
def test_similarity_of_columns_and_of_signatures(one: int, two: int, of_columns: float, of_signatures: float) -> None:
    signed = signatures(MATRIX)
    assert similarity(MATRIX[one - 1], MATRIX[two - 1]) == of_columns
    assert naive.agreement(signed[one - 1], signed[two - 1]) == of_signatures


DOCUMENTS = [{1, 4}, {3}, {2, 4, 5}, {1, 3, 4}]


def test_minhash_is_the_first_row_in_a_given_order() -> None:
    order = (2, 5, 1, 4, 3)
    positions = {row: position for position, row in enumerate(order)}
    assert [order[naive.minhash(document, positions)] for document in DOCUMENTS] == [1, 3, 2, 1]
    assert similarity(DOCUMENTS[0], DOCUMENTS[3]) == 2 / 3


def test_two_hash_functions_stand_for_permutations() -> None:
    from_zero = [{row - 1 for row in document} for document in DOCUMENTS]
    hashes = [naive.universal(1, 1, 5, 5), naive.universal(3, 1, 5, 5)]
    assert naive.one_pass(from_zero, range(5), hashes) == [[1, 0], [3, 2], [0, 0], [1, 0]]


def test_one_pass_over_the_rows() -> None:
    hashes = [naive.universal(1, 0, 5, 5), naive.universal(2, 1, 5, 5)]
    assert naive.one_pass([{1, 3, 4}, {2, 3, 5}], range(1, 6), hashes) == [[1, 2], [0, 0]]


@pytest.mark.parametrize(("one", "two"), list(itertools.combinations(range(4), 2)))
def test_the_chance_of_equal_minhashes_is_the_similarity(one: int, two: int) -> None:
    orders = [dict(enumerate(order, start=1)) for order in itertools.permutations(range(5))]
    equal = sum(naive.minhash(DOCUMENTS[one], order) == naive.minhash(DOCUMENTS[two], order) for order in orders)
    assert equal / len(orders) == similarity(DOCUMENTS[one], DOCUMENTS[two])


# Universal hashing


@pytest.mark.parametrize(("p", "n"), [(5, 3), (11, 10), (13, 4)])
def test_universal_hashing_collides_at_most_as_often_as_chance(p: int, n: int) -> None:
    functions = [naive.universal(a, b, p, n) for a in range(1, p) for b in range(p)]
    for x, y in itertools.combinations(range(p), 2):
        assert sum(function(x) == function(y) for function in functions) <= len(functions) / n


def test_the_modulus_of_classic_minhash_is_the_least_prime_above_every_input() -> None:
    def is_prime(n: int) -> bool:
        return all(n % divisor for divisor in range(2, math.isqrt(n) + 1))

    assert next(filter(is_prime, itertools.count(1 << 32))) == LEAST_PRIME


@given(elements=strategies.hash_sets, a=st.integers(1, (1 << 32) - 1), b=st.integers(0, (1 << 32) - 1))
def test_classic_minhash_is_one_pass_universal_hashing(elements: set[int], a: int, b: int) -> None:
    rows = {h >> 32 for h in elements}
    by_one_pass = naive.one_pass([rows], rows, [naive.universal(a, b, LEAST_PRIME, LEAST_PRIME)])
    assert [call_kernels.classic_sketch(elements, [a, b], 1)] == by_one_pass


# Bands


def chance(similarity: float, bands: int, rows: int) -> float:
    """Return the chance of a pair to become a candidate, by lookalike and by the definition."""
    found = Banding(bands, rows).chance(similarity)
    assert found == pytest.approx(naive.chance(similarity, bands, rows), abs=1e-12)
    return found


@pytest.mark.parametrize(
    ("similarity", "expected", "digits"),
    [
        (0.2, 0.006, 3),
        (0.3, 0.047, 3),
        (0.4, 0.186, 3),
        (0.5, 0.470, 3),
        (0.6, 0.802, 3),
        (0.7, 0.975, 3),
        (0.8, 0.9996, 4),
    ],
)
def test_twenty_bands_of_five_rows(similarity: float, expected: float, digits: int) -> None:
    assert round(chance(similarity, 20, 5), digits) == expected


def test_one_band_and_what_all_bands_miss() -> None:
    assert round(chance(0.8, 1, 5), 3) == 0.328
    missed = 1 - chance(0.8, 20, 5)
    assert missed == pytest.approx(0.00035, abs=0.00001)
    assert 2500 < 1 / missed < 3000
    assert round(chance(0.3, 1, 5), 5) == 0.00243
    assert 0.0474 <= chance(0.3, 20, 5) < 0.0475


@pytest.mark.parametrize("banding", [Banding(20, 5), Banding(50, 2), Banding(10, 10), Banding(30, 5), Banding(50, 25)])
def test_the_curve_is_steepest_near_its_threshold(banding: Banding) -> None:
    steps = 1000
    slopes = [banding.chance((i + 1) / steps) - banding.chance(i / steps) for i in range(steps)]
    steepest = (slopes.index(max(slopes)) + 0.5) / steps
    assert banding.threshold == (1 / banding.bands) ** (1 / banding.rows)
    assert abs(steepest - banding.threshold) < 1 / (2 * banding.rows)


def test_thirty_bands_of_five_rows_have_their_threshold_at_a_half() -> None:
    assert round(Banding(bands=30, rows=5).threshold, 2) == 0.51


def test_memory_of_signatures() -> None:
    assert 100_000 * Banding(bands=20, rows=5).slots * 4 == 40_000_000


@pytest.mark.parametrize(("similarity", "expected"), [(1 / 2, 0.99), (1 / 4, 0.87)])
def test_seven_tables_of_one_minhash(similarity: float, expected: float) -> None:
    assert round(chance(similarity, 7, 1), 2) == expected


def test_fifty_tables_of_twenty_five_minhashes() -> None:
    found, false = chance(0.9, 50, 25), chance(0.7, 50, 25)
    assert round(found, 2) == 0.98
    assert round(false, 3) == 0.007
    clips, matches, between = 10_000_000, 10, 10_000
    scanned = matches + found * between + false * (clips - matches - between)
    assert 70_000 < scanned < 80_000


def test_ten_bands_of_ten_rows_trade_false_positives_for_false_negatives() -> None:
    similarities = [step / 100 for step in range(1, 100)]
    assert Banding(10, 10).slots == Banding(20, 5).slots
    assert all(chance(s, 10, 10) < chance(s, 20, 5) for s in similarities)


# SimHash


def test_signs_of_random_projections_agree_by_the_angle() -> None:
    source, trials = random.Random(1), 20_000
    for angle in (0.2, 1.0, math.pi / 2, 2.5):
        equal = 0
        for _ in range(trials):
            x, y = source.gauss(), source.gauss()
            equal += (x > 0) == (math.cos(angle) * x + math.sin(angle) * y > 0)
        p = 1 - angle / math.pi
        assert abs(equal - trials * p) <= 5 * math.sqrt(trials * p * (1 - p))


def test_the_angle_is_near_the_cosine() -> None:
    angles = [step * math.pi / 1000 for step in range(1001)]
    assert max(abs(1 - angle / math.pi - (math.cos(angle) + 1) / 2) for angle in angles) < 0.11
