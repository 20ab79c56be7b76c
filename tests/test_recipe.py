from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import strategies

from lookalike.errors import LookalikeError, RecipeError
from lookalike.features.shingling import LARGEST_SHINGLE, Shingling
from lookalike.lsh.banding import LARGEST_SIGNATURE, Banding
from lookalike.recipe import Recipe


@st.composite
def shinglings(draw: st.DrawFn) -> Shingling:
    kind = draw(st.sampled_from(["words", "chars", "bytes", "tokens"]))
    switches: dict[str, Any] = {"bag": draw(st.booleans())}
    if kind in ("words", "chars"):
        switches |= {name: draw(st.booleans()) for name in ("lower", "accents", "punctuation")}
        switches["form"] = draw(st.sampled_from([None, "NFC", "NFD", "NFKC", "NFKD"]))
    return Shingling(kind=kind, size=draw(st.integers(1, LARGEST_SHINGLE)), **switches)


recipes = st.builds(
    Recipe,
    shingling=shinglings(),
    banding=st.builds(Banding, bands=st.integers(1, 250), rows=st.integers(1, 250)),
    threshold=strategies.thresholds,
    sketch=st.sampled_from(["fast", "classic"]),
    seed=st.integers(0, (1 << 64) - 1),
)


# Shingling


@pytest.mark.parametrize("text", ["words:5", "words:1", "chars:9", "bytes:4", "tokens:3", f"chars:{LARGEST_SHINGLE}"])
def test_a_shingling_reads_as_it_is_written(text: str) -> None:
    assert str(Shingling.parse(text)) == text


@pytest.mark.parametrize(
    ("kind", "lower", "punctuation"),
    [("words", True, False), ("chars", False, True), ("bytes", False, True), ("tokens", False, True)],
)
def test_switches_follow_the_kind(kind: str, lower: bool, punctuation: bool) -> None:
    shingling = Shingling.parse(f"{kind}:5")
    assert (shingling.lower, shingling.punctuation) == (lower, punctuation)


def test_switches_given_win() -> None:
    shingling = Shingling.parse("words:3", lower=False, punctuation=True, bag=True)
    assert (shingling.lower, shingling.punctuation, shingling.bag) == (False, True, True)


def test_default_shingling() -> None:
    assert Shingling() == Shingling.parse("words:5")


@pytest.mark.parametrize(
    "text", ["words", "words:", "words:five", "words:-1", "words:1.5", "words: 5", "5", "", "words:²"]
)
def test_a_shingling_without_a_size_is_refused(text: str) -> None:
    with pytest.raises(RecipeError) as caught:
        Shingling.parse(text)
    assert str(caught.value) == (
        f"`shingle` must be words:n, chars:k, bytes:k, tokens:n, elements or weights, such as words:5. Got {text!r}"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("letters:5", "`shingle` must be words:n, chars:k, bytes:k, tokens:n, elements or weights. Got letters:5"),
        ("words:0", "The size of a shingle must be in 1..1000. Got words:0"),
        ("chars:1001", "The size of a shingle must be in 1..1000. Got chars:1001"),
    ],
)
def test_a_shingling_that_cannot_be(text: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        Shingling.parse(text)
    assert str(caught.value) == message


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"^`form` must be NFC, NFD, NFKC or NFKD\. Got NFX$"):
        Shingling(form="NFX")  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["bytes", "tokens"])
@pytest.mark.parametrize(
    ("switch", "value"), [("lower", True), ("form", "NFC"), ("accents", False), ("punctuation", False)]
)
def test_what_is_no_text_is_not_normalised(kind: str, switch: str, value: Any) -> None:
    with pytest.raises(RecipeError) as caught:
        Shingling.parse(f"{kind}:4", **{switch: value})
    name = f"{switch}=False" if value is False else switch
    assert str(caught.value) == f"`{name}` normalises text, but {kind}:4 compares items as they are. Leave it out"


# Banding


@given(bands=st.integers(1, 100), rows=st.integers(1, 20), similarity=st.floats(0, 1))
def test_chance_is_the_s_curve(bands: int, rows: int, similarity: float) -> None:
    assert Banding(bands, rows).chance(similarity) == pytest.approx(naive.chance(similarity, bands, rows), abs=1e-12)


@given(bands=st.integers(1, 100), rows=st.integers(1, 20), one=st.floats(0, 1), two=st.floats(0, 1))
def test_chance_grows_with_similarity(bands: int, rows: int, one: float, two: float) -> None:
    banding = Banding(bands, rows)
    assert banding.chance(min(one, two)) <= banding.chance(max(one, two)) + 1e-15


@pytest.mark.parametrize("banding", [Banding(1, 1), Banding(20, 7), Banding(256, 256)], ids=str)
def test_nothing_in_common_never_meets_and_copies_always_do(banding: Banding) -> None:
    assert banding.chance(0) == 0
    assert banding.chance(1) == 1


def test_slots_are_derived() -> None:
    assert Banding(20, 7).slots == 140


@pytest.mark.parametrize(
    ("bands", "rows", "message"),
    [
        (0, 5, "`bands` must be a whole number, at least 1. Got 0"),
        (5, -1, "`rows` must be a whole number, at least 1. Got -1"),
        (65_537, 1, "bands x rows must be at most 65536. Got 65537 x 1"),
    ],
)
def test_a_banding_that_cannot_be(bands: int, rows: int, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        Banding(bands, rows)
    assert str(caught.value) == message


def test_the_longest_signature() -> None:
    assert Banding(LARGEST_SIGNATURE, 1).slots == Banding(1, LARGEST_SIGNATURE).slots == LARGEST_SIGNATURE


# Recipe


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"threshold": 80}, "`threshold` must be in (0, 1]. Got 80; did you mean 0.80?"),
        ({"threshold": 100}, "`threshold` must be in (0, 1]. Got 100; did you mean 1.00?"),
        ({"threshold": 101}, "`threshold` must be in (0, 1]. Got 101"),
        ({"threshold": 0}, "`threshold` must be in (0, 1]. Got 0"),
        ({"threshold": -1}, "`threshold` must be in (0, 1]. Got -1"),
        ({"threshold": math.nan}, "`threshold` must be in (0, 1]. Got nan"),
        ({"threshold": math.inf}, "`threshold` must be in (0, 1]. Got inf"),
        ({"sketch": "slow"}, "`sketch` must be fast or classic. Got slow"),
        ({"seed": -1}, "`seed` must be a whole number in 0..2^64-1. Got -1"),
        ({"seed": 1 << 64}, "`seed` must be a whole number in 0..2^64-1. Got 18446744073709551616"),
    ],
)
def test_a_recipe_that_cannot_be(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        Recipe(**fields)
    assert str(caught.value) == message


def test_a_recipe_error_is_a_value_error_too() -> None:
    assert issubclass(RecipeError, ValueError)
    assert issubclass(RecipeError, LookalikeError)


@pytest.mark.parametrize("value", [Shingling(), Banding(2, 2), Recipe()], ids=lambda value: type(value).__name__)
def test_values_are_frozen_and_hashable(value: Any) -> None:
    name = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, 1)
    assert hash(value) == hash(dataclasses.replace(value))


def test_recall_is_the_chance_at_the_threshold() -> None:
    recipe = Recipe(banding=Banding(20, 5), threshold=0.8)
    assert recipe.recall == Banding(20, 5).chance(0.8)


@given(recipe=recipes)
def test_a_recipe_survives_json(recipe: Recipe) -> None:
    assert Recipe.from_json(recipe.to_json()) == recipe


GOLDEN = """\
{
  "format": 1,
  "shingling": {
    "kind": "words",
    "size": 5,
    "bag": false,
    "lower": true,
    "form": null,
    "accents": true,
    "punctuation": false
  },
  "banding": {
    "bands": 20,
    "rows": 7
  },
  "threshold": 0.8,
  "sketch": "fast",
  "seed": 1,
  "measure": {
    "name": "jaccard",
    "of": "sets",
    "tolerance": null,
    "bits": 0
  }
}"""


def test_golden_json() -> None:
    assert Recipe().to_json() == GOLDEN
    assert Recipe.from_json(GOLDEN) == Recipe()


@pytest.mark.parametrize("found", [None, 0, 2, "1"])
def test_another_format_is_refused(found: object) -> None:
    fields = json.loads(GOLDEN) | {"format": found}
    with pytest.raises(RecipeError) as caught:
        Recipe.from_json(json.dumps(fields))
    assert str(caught.value) == f"This version reads recipes of format 1. Got format {found}"


def test_json_is_checked_as_arguments_are() -> None:
    with pytest.raises(RecipeError, match="did you mean"):
        Recipe.from_json(GOLDEN.replace("0.8", "80"))


@pytest.mark.parametrize("make", [lambda: Shingling(size=2.5), lambda: Banding(2.5, 3)])  # type: ignore[arg-type]
def test_a_broken_number_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(RecipeError, match=r"2\.5"):
        make()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', '{"format": 1, "shingling": 3, "banding": {}}'])
def test_what_is_no_recipe_is_refused(text: str) -> None:
    with pytest.raises(RecipeError, match="recipe"):
        Recipe.from_json(text)


def test_a_size_of_many_digits_is_refused() -> None:
    with pytest.raises(RecipeError, match="words:5"):
        Shingling.parse("words:" + "9" * 5000)
