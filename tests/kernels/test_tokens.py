from __future__ import annotations

import random
import sys
import unicodedata

import naive
import naive.words
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import call_kernels, strategies

from lookalike.features import characters
from lookalike.kernels.tokens import BLANK, SINGLE, WORD, hash_texts

switches = {"lower": st.booleans(), "punctuation": st.booleans()}


def expected(text: str, *, lower: bool = True, punctuation: bool = False) -> list[int]:
    return [naive.hash_word(word) for word in naive.words.words(text, lower=lower, punctuation=punctuation)]


@given(text=strategies.texts, **switches)
def test_words_of_any_text_are_those_of_the_definition(text: str, lower: bool, punctuation: bool) -> None:
    text = strategies.settled(text) if lower else text
    assert call_kernels.word_tokens(text, lower=lower, punctuation=punctuation) == expected(
        text, lower=lower, punctuation=punctuation
    )


@given(text=strategies.ascii_texts, lower=st.booleans())
def test_fast_path_equals_general_path_on_ascii(text: str, lower: bool) -> None:
    assert call_kernels.word_tokens(text, lower=lower, always=False) == call_kernels.word_tokens(
        text, lower=lower, always=True
    )


@given(text=strategies.ascii_texts)
def test_words_of_ascii_do_not_change_beside_another_script(text: str) -> None:
    assert call_kernels.word_tokens(text + " é") == [*call_kernels.word_tokens(text), naive.hash_word("é")]


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["a", "é", "あ", "\U0001d51e"])
@call_kernels.compiled
def test_one_word_of_every_length(letter: str) -> None:
    for length in range(201):
        assert call_kernels.word_tokens(letter * length) == expected(letter * length)


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200])
@call_kernels.compiled
def test_one_gap_at_every_place(size: int) -> None:
    for gap in range(size):
        text = "b" * gap + " " + "c" * (size - gap - 1)
        assert call_kernels.word_tokens(text) == expected(text)
        assert call_kernels.word_tokens(text, always=True) == expected(text)


@pytest.mark.parametrize("size", [7, 8, 9, 63, 64, 65, 128, 129])
@call_kernels.compiled
def test_one_letter_at_every_place(size: int) -> None:
    for place in range(size):
        text = " " * place + "q" + " " * (size - place - 1)
        assert call_kernels.word_tokens(text) == [naive.hash_word("q")]


@pytest.mark.parametrize("word_size", [1, 7, 8, 9, 16, 64])
@call_kernels.compiled
def test_words_of_one_length_at_every_offset(word_size: int) -> None:
    for offset in range(66):
        text = " " * offset + " ".join(["w" * word_size] * 5)
        assert call_kernels.word_tokens(text) == [naive.hash_word("w" * word_size)] * 5


@pytest.mark.parametrize("alphabet", ["ab \n", "aé中 !", "ก\u0e34 ab\u0303"])
@call_kernels.compiled
def test_big_texts(alphabet: str) -> None:
    text = "".join(random.Random(1).choices(alphabet, k=20_000))
    assert call_kernels.first_difference(call_kernels.word_tokens(text), expected(text)) is None
    kept = call_kernels.word_tokens(text, punctuation=True)
    assert call_kernels.first_difference(kept, expected(text, punctuation=True)) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Don't stop", ["don", "t", "stop"]),
        ("snake_case 3.14", ["snake_case", "3", "14"]),
        ("Cafe\u0301 CAFÉ", ["cafe\u0301", "café"]),
        ("man\u0303ana", ["man\u0303ana"]),
        ("Vie\u0323\u0302t", ["vie\u0323\u0302t"]),
        ("我愛NY", ["我", "愛", "ny"]),
        ("ภาษาไทย", list("ภาษาไทย")),
        ("カード", ["カ", "ー", "ド"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("\u212aelvin", ["kelvin"]),
        ("ȺB", ["\u2c65b"]),
        ("😀 ok", ["ok"]),
        ("\0\x01", []),
        ("", []),
    ],
)
def test_words_of_known_texts(text: str, found: list[str]) -> None:
    assert naive.words.words(text) == found
    assert call_kernels.word_tokens(text) == [naive.hash_word(word) for word in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a+b", ["a", "+", "b"]),
        ("wait...", ["wait", ".", ".", "."]),
        ("«Oui», 5 €", ["«", "oui", "»", ",", "5", "€"]),
        ("x_y", ["x_y"]),
        ("\ta\n", ["a"]),
        ("😀😀", ["😀", "😀"]),
    ],
)
def test_punctuation_is_kept_when_wanted(text: str, found: list[str]) -> None:
    assert naive.words.words(text, punctuation=True) == found
    assert call_kernels.word_tokens(text, punctuation=True) == [naive.hash_word(word) for word in found]


def test_case_is_kept_when_wanted() -> None:
    assert call_kernels.word_tokens("Éa Ab", lower=False) == [naive.hash_word("Éa"), naive.hash_word("Ab")]


def test_kept_punctuation_is_no_other_token() -> None:
    signs = [sign for sign in strategies.ASCII if unicodedata.category(sign)[0] in "PS" and sign != "_"]
    singles = [chr(code) for code in range(128, 0x800)]
    hashes = [naive.hash_word(token) for token in signs + singles]
    assert len(set(hashes)) == len(hashes)


@given(text=strategies.texts)
def test_characters_are_code_points(text: str) -> None:
    assert call_kernels.char_tokens(text) == [naive.hash_number(ord(character)) for character in text]


@given(data=st.binary(max_size=300))
def test_bytes_are_numbers(data: bytes) -> None:
    assert call_kernels.byte_tokens(data) == [naive.hash_number(byte) for byte in data]


@given(numbers=st.lists(strategies.numbers, max_size=50))
def test_token_ids_are_numbers(numbers: list[int]) -> None:
    assert call_kernels.number_tokens(numbers) == [naive.hash_number(number) for number in numbers]


def test_negative_token_ids_wrap_around() -> None:
    assert call_kernels.number_tokens([-1 % (1 << 64)]) == [naive.hash_number(-1)]


@given(word=st.text("abcxyz019_", min_size=1, max_size=40))
def test_hash_of_a_word_is_the_documented_one(word: str) -> None:
    assert call_kernels.word_tokens(word) == [naive.hash_bytes(word.encode())]


@pytest.mark.slow
@pytest.mark.skipif(unicodedata.unidata_version != characters.UNICODE_VERSION, reason="this Python has another Unicode")
def test_the_table_classes_every_character_as_the_definition_does() -> None:
    wrong = []
    for code, kind in enumerate(characters.classes(punctuation=False)):
        character = chr(code)
        word = naive.words.is_word_character(character)
        single = word and naive.words.stands_alone(character)
        if kind != (SINGLE if single else WORD if word else BLANK):
            wrong.append(f"U+{code:04X} {unicodedata.name(character, '?')}")
    assert wrong == []


@pytest.mark.slow
@pytest.mark.skipif(unicodedata.unidata_version != characters.UNICODE_VERSION, reason="this Python has another Unicode")
def test_the_table_lower_cases_every_character_as_python_does() -> None:
    lower = characters.lower_case(lower=True)
    for code in range(sys.maxunicode + 1):
        if chr(code) != "\u0130":
            assert chr(lower[code]) == chr(code).lower()


@pytest.mark.parametrize("character", ["\u0430", "\u4e2d", "é", "."])
def test_case_table_is_the_identity_when_case_is_kept(character: str) -> None:
    assert characters.lower_case(lower=False)[ord(character)] == ord(character)


def test_only_the_awkward_capitals_are_awkward() -> None:
    """Everything else lower-cases to one character, whatever stands beside it."""
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if len(character.lower()) != 1:
            assert character in characters.AWKWARD_CAPITALS


@given(st.lists(st.text(st.sampled_from("a\0é\x02"), max_size=20)))
def test_whole_texts(texts: list[str]) -> None:
    data = [text.encode() for text in texts]
    out = np.empty(len(texts), np.uint64)
    offsets = np.append(0, np.cumsum([len(one) for one in data])).astype(np.int64)
    hash_texts(np.frombuffer(b"".join(data) + b"!", np.uint8), offsets, out)
    assert out.tolist() == [naive.hash_text(text) for text in texts]
    assert len(set(out.tolist())) == len(set(texts))
