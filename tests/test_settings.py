"""Recipes as settings: of a file, of a dict, of an earlier run; nothing in them is ignored."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.run_cli import done, run

from lookalike import Index, InputError, Recipe, RecipeError, Shingling, compare, deduplicate, find_pairs, nearest
from lookalike.lsh.banding import Banding

TEXTS = ["the cat sat on the mat", "a dog barked", "The cat sat on a mat!", "the cat sat on the mat today"]
OTHER = {"shingle": "chars:3", "threshold": 0.5, "seed": 7, "lower": True, "bag": True, "bands": 9, "rows": 3}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"body": text, "note": "x", "n": i}) for i, text in enumerate(TEXTS)]
    Path("a.jsonl").write_text("\n".join(lines))
    return tmp_path


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(),
        Recipe(Shingling.parse("chars:3", lower=True, form="NFC", bag=True), Banding(3, 2), 0.4, seed=9),
        Recipe(Shingling.parse("bytes:4"), None, 0.6),
        Recipe(Shingling.parse("words:2", accents=False, punctuation=True), Banding(30, 2), 0.5, "classic"),
    ],
)
def test_a_recipe_is_its_settings(recipe: Recipe) -> None:
    Path("r.json").write_text(recipe.to_json())
    for form in (recipe, recipe.settings(), json.loads(recipe.to_json()), Path("r.json"), "r.json"):
        assert find_pairs(TEXTS, recipe=form).recipe == recipe
        assert compare(TEXTS[0], TEXTS[2], recipe=form).recipe == recipe


def test_every_function_takes_a_recipe(tmp_path: Path) -> None:
    Path("r.toml").write_text('shingle = "words:1"\nthreshold = 0.5\nkeep = "last"\n')
    assert deduplicate(TEXTS, recipe="r.toml").kept == [TEXTS[1], TEXTS[3]]
    assert deduplicate(TEXTS, recipe="r.toml", threshold=0.5, keep="last").kept == [TEXTS[1], TEXTS[3]]
    settings = {"shingle": "words:1", "threshold": 0.5}
    assert len(nearest(TEXTS, recipe={**settings, "k": 2})) == 6
    assert len(nearest(TEXTS, recipe=settings, k=1)) == 3
    with Index.build(tmp_path / "i", recipe=settings) as index:
        assert (str(index.recipe.shingling), index.recipe.threshold) == ("words:1", 0.5)


def test_the_recipe_of_vectors_is_its_settings() -> None:
    vectors = np.random.default_rng(1).normal(size=(40, 8)).astype(np.float32)
    found = find_pairs(vectors, threshold=0.3)
    again = find_pairs(vectors, recipe=found.recipe)
    assert again.recipe == found.recipe
    assert again.to_arrow().equals(found.to_arrow())


@pytest.mark.parametrize(
    ("recipe", "given", "says"),
    [
        ({"treshold": 0.7}, {}, "The recipe has 'treshold', which is not an option here; did you mean 'threshold'?"),
        ({"encoding-erors": "replace"}, {}, "did you mean 'encoding_errors'?"),
        ({"strip-acents": True}, {}, "did you mean 'strip_accents'?"),
        ({"strip-accents": "yes"}, {}, "'strip-accents' in the recipe must be true or false. Got 'yes'"),
        ({"lower": True, "keep-case": True}, {}, "The recipe has `lower` twice: 'keep-case' means it too"),
        ({"exact-copies": True, "exact_copies": True}, {}, "The recipe has `exact_copies` twice"),
        ({1: True}, {}, "The recipe has 1, which is not an option here"),
        ({"keep": "last"}, {}, "'keep', which is not an option here. The options are threshold, measure,"),
        ({"zzz": 1}, {}, "'zzz', which is not an option here. The options are threshold, measure,"),
        ({"threshold": "0.7"}, {}, "`threshold` in the recipe must be a number. Got '0.7'"),
        ({"bands": 2.5}, {}, "`bands` in the recipe must be a whole number. Got 2.5"),
        ({"lower": 1}, {}, "`lower` in the recipe must be true or false. Got 1"),
        ({"id": 1}, {}, "`id` in the recipe must be text. Got 1"),
        ({"text": [1]}, {}, "`text` in the recipe must be text or a list of texts. Got [1]"),
        ({"weight": 1}, {}, "`weight` in the recipe must be text, true or false. Got 1"),
        ({"path": "i", "bytes": 3, "recall": 0.9}, {}, "This JSON holds results, such as 'bytes', but no recipe of a"),
        ({"bag": True}, {"bag": False}, "`bag=False` contradicts the recipe, which has bag = true. Leave one"),
        ({"threshold": 80}, {}, "did you mean 0.80?"),
        ({"format": 2}, {}, "This version reads recipes of format 1. Got format 2"),
        ({"threshold": 0.7}, {"threshold": 0.8}, "`threshold` is 0.8, but the recipe has 0.7. Leave one of them out"),
        ({"bands": 3, "rows": 2}, {"recall": 0.9}, "`recall` contradicts the recipe, which has `bands`"),
        ({"recall": 0.9}, {"bands": 3, "rows": 2}, "`bands` contradicts the recipe, which has `recall`"),
        (Recipe(), {"seed": 5}, "`seed` is 5, but the recipe has 1"),
        (7, {}, "`recipe` must be a Recipe, a dict, or the path of a JSON or TOML file. Got 7"),
    ],
)
def test_what_is_refused(recipe: Any, given: Any, says: str) -> None:
    with pytest.raises(RecipeError) as caught:
        find_pairs(TEXTS, recipe=recipe, **given)
    assert says in str(caught.value)


@pytest.mark.parametrize("text", ["threshold == 1", "{", "[1]", '"x"', "\udcff"])
def test_files_that_are_no_recipes(text: str) -> None:
    Path("r").write_bytes(os.fsencode(text))
    with pytest.raises(RecipeError, match="r is not a recipe"):
        find_pairs(TEXTS, recipe="r")
    with pytest.raises(InputError, match="nope cannot be read: no such file"):
        find_pairs(TEXTS, recipe="nope")


def test_names_may_be_those_of_flags() -> None:
    found = find_pairs(TEXTS, recipe={"strip-accents": True, "keep_case": False, "no-punctuation": False}).recipe
    assert (found.shingling.accents, found.shingling.lower, found.shingling.punctuation) == (False, True, True)
    again = find_pairs([*TEXTS, TEXTS[0]], recipe={"exact-copies": True, "encoding-errors": "replace"})
    assert len(again) == 1


def test_a_key_of_json_is_there_once() -> None:
    Path("r.json").write_text('{"threshold": 0.5, "threshold": 0.7}')
    with pytest.raises(RecipeError, match=r"r\.json is not a recipe in JSON or TOML: it has the key 'threshold' twice"):
        find_pairs(TEXTS, recipe="r.json")


# The command line


def repeated(command: str, *arguments: str) -> tuple[dict[str, Any], bytes, bytes]:
    """Run a command, and again from what --json printed; return that, and both results."""
    output = "--clusters" if command == "dedup" else "--output"
    first = done(command, "a.jsonl", *arguments, "--json", output, "one.jsonl", "-f").out
    Path("run.json").write_text(first)
    second = done(command, "a.jsonl", "--recipe", "run.json", "--json", output, "two.jsonl", "-f").out
    found, again = json.loads(first), json.loads(second)
    for measured in ("seconds", "memory", "peak_memory_bytes"):
        found.pop(measured)
        again.pop(measured)
    assert again == found
    return found, Path("one.jsonl").read_bytes(), Path("two.jsonl").read_bytes()


@pytest.mark.parametrize("command", ["dedup", "pairs", "nearest"])
def test_a_run_is_repeated_from_its_json(command: str) -> None:
    settings = [f"--{name}={value}" for name, value in OTHER.items() if name not in ("lower", "bag")]
    own = {"dedup": ["--keep", "max:n"], "pairs": [], "nearest": ["-k", "2"]}[command]
    if command == "nearest":
        settings = [one for one in settings if not one.startswith(("--bands", "--rows"))]
    found, one, two = repeated(command, *settings, *own, "--lower", "--bag", "--strip-accents", "--text=body", "--id=n")
    assert one == two
    assert one
    assert found["version"]
    assert found["inputs"] == ["a.jsonl"]
    assert found["options"]["text"] == "body"
    assert found["recipe"].items() >= {"seed": 7, "lower": True, "bag": True, "accents": False}.items()
    assert found["options"].get({"dedup": "keep", "nearest": "k"}.get(command, "")) in ("max:n", 2, None)


@pytest.mark.parametrize("command", ["dedup", "pairs"])
def test_a_search_for_copies_is_repeated_from_its_json(command: str) -> None:
    Path("a.jsonl").write_text('{"body": "a b"}\n{"body": "a c"}\n{"body": "a b"}\n')
    found, one, two = repeated(command, "--exact-copies", "--text=body")
    assert one == two
    assert one
    assert found["recipe"] == {"format": 1, "exact_copies": True}


def test_a_search_for_copies_is_repeated_from_its_recipe() -> None:
    for items in ([*TEXTS, TEXTS[0]], [{1, 2}, {3}, {1, 2}]):
        found = find_pairs(items, exact_copies=True)
        again = find_pairs(items, recipe=found.recipe)
        assert len(found) == 1
        assert again.recipe == found.recipe
        assert again.to_arrow().equals(found.to_arrow())


def test_the_json_of_a_run_repeats_it_in_python() -> None:
    Path("run.json").write_text(
        done("pairs", "a.jsonl", "--text", "body", "--shingle", "words:1", "-t.5", "--json").out
    )
    printed = find_pairs(Path("a.jsonl"), text="body", shingle="words:1", threshold=0.5)
    assert find_pairs(Path("a.jsonl"), recipe="run.json").to_arrow().equals(printed.to_arrow())


def test_a_recipe_and_flags() -> None:
    Path("r.toml").write_text('shingle = "words:1"\nthreshold = 0.5\ntext = "body"\n')
    found = json.loads(
        done("pairs", "a.jsonl", "--recipe", "r.toml", "--seed", "3", "--threshold", "0.5", "--json").out
    )
    assert found["recipe"].items() >= {"shingle": "words:1", "threshold": 0.5, "seed": 3}.items()
    assert json.loads(done("pairs", "a.jsonl", "--recipe", "r.toml", "--recall", "1", "--json").out)["exact"]
    for flags, says in (
        (["--recipe", "r.toml", "-t", "0.8"], "--threshold is 0.8, but the recipe has 0.5. Leave one of them out"),
        (["--recipe", "r.toml", "--text", "note"], "--text is 'note', but the recipe has 'body'"),
        (["--recipe", "nope.toml"], "nope.toml cannot be read"),
    ):
        outcome = run("pairs", "a.jsonl", *flags)
        assert (outcome.code, outcome.err.count("\n")) == (2, 1)
        assert says in outcome.err
    Path("r.toml").write_text('keep = "last"')
    assert "'keep', which is not an option here" in run("pairs", "a.jsonl", "--recipe", "r.toml").err


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (
            ["--strip-accents"],
            "--strip-accents contradicts the recipe, which has accents = true. Leave one of them out",
        ),
        (["--bag"], "--bag contradicts the recipe, which has bag = false. Leave one of them out"),
    ],
)
def test_a_switch_that_contradicts_a_recipe_is_named_as_typed(flags: list[str], says: str) -> None:
    Path("r.toml").write_text("accents = true\nbag = false\n")
    assert says in run("pairs", "a.jsonl", "--recipe", "r.toml", *flags).err


@pytest.mark.parametrize(
    ("command", "absent"),
    [
        (["trace", "a.jsonl"], ("exact_copies", "measure_recall", "against_text", "keep")),
        (["nearest", "a.jsonl"], ("exact_copies", "keep")),
        (["compare", "a.jsonl", "a.jsonl"], ("exact_copies", "text", "lines", "threads")),
    ],
)
@pytest.mark.parametrize("name", ["zzz", "exact-copies"])
def test_the_options_listed_are_those_of_the_command(command: list[str], absent: tuple[str, ...], name: str) -> None:
    Path("r.toml").write_text(f"{name} = true")
    said, _, listed = run(*command, "--recipe", "r.toml").err.partition(". The options are ")
    assert said == f"lookalike: The recipe has {name!r}, which is not an option here"
    assert {"threshold", "encoding"} <= set(listed.strip().split(", "))
    assert not set(absent) & set(listed.strip().split(", "))


def test_the_json_of_a_trace_is_a_recipe() -> None:
    Path("run.json").write_text(done("trace", "a.jsonl", "--text=body", "--shingle=words:1", "-t.5", "--json").out)
    found = find_pairs(Path("a.jsonl"), text="body", recipe="run.json").recipe
    assert (str(found.shingling), found.threshold) == ("words:1", 0.5)


def test_the_json_of_tune_is_no_recipe() -> None:
    Path("run.json").write_text(done("tune", "--json").out)
    said = run("pairs", "a.jsonl", "--recipe", "run.json").err
    assert "This JSON holds results, such as 'slots', but no recipe of a run. Give what --json prints of" in said


def test_help_of_nearest_has_its_own_threshold() -> None:
    assert "0.8" not in done("nearest", "--help").out.partition("--threshold")[2][:150]
