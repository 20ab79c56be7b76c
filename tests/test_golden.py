"""Hashes, signatures and band keys as they must stay: saved results depend on them.

When one of these must change, so must `lookalike.recipe.FORMAT`.
"""

from __future__ import annotations

from dataclasses import dataclass

import naive
import naive.words
import pytest
from support import call_kernels

from lookalike.lsh.minhash import odd_numbers
from lookalike.recipe import FORMAT

SLOTS, ROWS, SHINGLE = 6, 3, 3


@dataclass(frozen=True)
class Golden:
    """What becomes of a text: words:3, seed 1, two bands of three rows."""

    text: str
    tokens: list[int]
    grams: list[int]
    fast: list[int]
    classic: list[int]
    keys: list[int]
    fingerprint: tuple[int, int]


GOLDEN = {
    "ascii": Golden(
        text="The quick brown fox jumps over the lazy dog",
        tokens=[0x3EDE79543B2E7AFE, 0xBB738746B89F5555, 0x3115A1B82E1603B5],
        grams=[0xB51BEC8463D78868, 0x13F50FF4299810DA, 0x62E8DE220E75B5B2],
        fast=[0x3D01CB43, 0x5E5C72BF, 0x5FC325CB, 0x1145FFE62, 0x8558836A, 0xA605B017],
        classic=[0x0676562B, 0x0EF4A3D4, 0x07032541, 0x2CA1929E, 0x00472956, 0x25445A65],
        keys=[0xE395D335C4CC4F4C, 0xCABC5A974B86A629],
        fingerprint=(0x346EFC8B2A835820, 0xB1FA73BEEC0CFBED),
    ),
    "accents": Golden(
        text="Crème brûlée à la carte, s'il vous plaît",
        tokens=[0xFFF404091041EE37, 0x39D8595ED39B1149, 0x8222498E0F173E6B],
        grams=[0x5EA9A18723C453FA, 0xAFE05F8BD461D61D, 0x0049BB73558131AA],
        fast=[0x38A7D837B, 0x8EF97228, 0x94224ADB, 0x654C4E2B, 0x9B8B8E31, 0x2AFC237D3],
        classic=[0x03548CB8, 0x3D6464FE, 0x391D6357, 0x16CFA1E8, 0x203AECE5, 0x0EDDBD9E],
        keys=[0xA5AA73D68A86A3B4, 0xBE5ED73D41ABB4AD],
        fingerprint=(0xF4C22C03E8064754, 0x8159C19258E86D8E),
    ),
    "chinese": Golden(
        text="我愛北京天安門 Beijing",
        tokens=[0xF546D1E6643BE23A, 0x3CF16CB903557F53, 0x9354D4EBB553653D],
        grams=[0x6A89EF6F862F8AFC, 0x2152D114204110CB, 0x00D1EF5A662D3019],
        fast=[0x7AACFED9, 0x9C3DC9D1, 0x6D32699F, 0x56001CEC, 0x122162526, 0x14B49059D],
        classic=[0x382E5313, 0x00CB9E88, 0x290DEF3D, 0x378AC51C, 0x24962F25, 0x6E8AC401],
        keys=[0x5185D473C05082B9, 0xAF3A40487BEB48C8],
        fingerprint=(0x6FA80E07CEC1047C, 0xC509FB890135A878),
    ),
    "emoji": Golden(
        text="Good 👍 morning 😀 World",
        tokens=[0x9CB11F677A4BBC5C, 0x608ED06FF92CE18C, 0xC92710694BBF3620],
        grams=[0x7EA866CA5D2BF490],
        fast=[0x62459383C, 0x7749B5C53, 0x8566E1768, 0xD1793DA3, 0x21F7607CC, 0x1AE583652],
        classic=[0x563DA9B4, 0xB21DC5C3, 0x6A212991, 0x443B243B, 0x0E798CEC, 0x52466CD8],
        keys=[0x0690965AE6774C22, 0x24525B9DFC84707B],
        fingerprint=(0x7EA866CA5D2BF490, 0x1B86F333E068C2C2),
    ),
}  # fmt: skip

WORDS = {
    "a": 0xDD7AFD88689D7204,
    "the": 0x3EDE79543B2E7AFE,
    "exactly8": 0xE514E7D8B453CD46,
    "nine_char": 0xB5B41FB531DE24CD,
    "中": 0xE9087B58E529F604,
    "é": 0x09D7B8A97F34F0C5,
    "x" * 64: 0x315335B40D8F48FE,
}
SIGNS = {"!": 0x55F903A1CD492024, ".": 0x9C4908C0C675954E, "«": 0x539564F6496D0C7D, "👍": 0x26AED2A0E89F3C92}
NUMBERS = {
    0: 0x1D465A2CDF3E44D5,
    1: 0x9A6C87B888FB6043,
    97: 0xACA95340E2B2B893,
    0x4E2D: 0x4994582CD2883A45,
    1 << 63: 0x3130CFD45F3E44D5,
    (1 << 64) - 1: 0x29EADAAA45BF1D3F,
}
MULTIPLIERS = [0x910A2DEC89025CC1, 0xBEEB8DA1658EEC67, 0xF893A2EEFB32555F]

each_text = pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)


def test_these_are_the_values_of_format_1() -> None:
    assert FORMAT == 1


@pytest.mark.parametrize(("word", "expected"), WORDS.items())
def test_hash_of_a_word(word: str, expected: int) -> None:
    assert naive.hash_word(word) == expected
    assert call_kernels.word_tokens(word) == [expected]


@pytest.mark.parametrize(("sign", "expected"), SIGNS.items())
def test_hash_of_punctuation(sign: str, expected: int) -> None:
    assert naive.hash_word(sign) == expected
    assert call_kernels.word_tokens(sign, punctuation=True) == [expected]


@pytest.mark.parametrize(("number", "expected"), NUMBERS.items())
def test_hash_of_a_number(number: int, expected: int) -> None:
    assert naive.hash_number(number) == expected
    assert call_kernels.number_tokens([number]) == [expected]


def test_hash_of_a_character_is_that_of_its_number() -> None:
    assert call_kernels.char_tokens("a中") == [NUMBERS[97], NUMBERS[0x4E2D]]
    assert call_kernels.byte_tokens(b"a\x01") == [NUMBERS[97], NUMBERS[1]]


def test_repetitions_in_a_bag() -> None:
    expected = [0x0000000000000005, 0x6D061C12EA6C6D11, 0xAE4610250DF2FECE]
    assert naive.hash_bag([5, 5, 5]) == expected
    assert call_kernels.distinct([5, 5, 5], bag=True) == expected


def test_multipliers_of_a_seed() -> None:
    assert naive.odd_numbers(1, 3) == MULTIPLIERS
    assert call_kernels.ints(odd_numbers(1, 3)) == MULTIPLIERS
    assert call_kernels.ints(odd_numbers((1 << 64) - 1, 50)) == naive.odd_numbers((1 << 64) - 1, 50)


@each_text
def test_tokens(golden: Golden) -> None:
    tokens = call_kernels.word_tokens(golden.text)
    assert tokens[:3] == golden.tokens
    assert tokens == [naive.hash_word(word) for word in naive.words.words(golden.text)]


@each_text
def test_shingles(golden: Golden) -> None:
    grams = call_kernels.word_grams(golden.text, SHINGLE)
    assert grams[:3] == golden.grams
    assert grams == naive.hash_grams(call_kernels.word_tokens(golden.text), SHINGLE)


@each_text
def test_signatures(golden: Golden) -> None:
    grams, multipliers = call_kernels.word_grams(golden.text, SHINGLE), naive.odd_numbers(1, 2 * SLOTS)
    assert call_kernels.fast_sketch(grams, multipliers, SLOTS) == golden.fast
    assert naive.fast_sketch(grams, multipliers, SLOTS) == golden.fast
    assert call_kernels.classic_sketch(grams, multipliers, SLOTS) == golden.classic
    assert naive.classic_sketch(grams, multipliers, SLOTS) == golden.classic


@each_text
def test_band_keys(golden: Golden) -> None:
    assert call_kernels.band_keys(golden.fast, ROWS) == golden.keys
    assert naive.band_keys(golden.fast, ROWS) == golden.keys


@each_text
def test_fingerprints(golden: Golden) -> None:
    grams = call_kernels.word_grams(golden.text, SHINGLE)
    assert call_kernels.fingerprint(grams) == golden.fingerprint
    assert naive.fingerprint(grams) == golden.fingerprint
