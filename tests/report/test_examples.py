"""Examples for the report: which are chosen, and where their texts differ."""

from __future__ import annotations

import random
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import Pairs, compare, deduplicate, find_pairs
from lookalike.arrays.random import scramble
from lookalike.engines.local import examples
from lookalike.engines.local.examples import Rejected
from lookalike.engines.local.verify import Verified
from lookalike.examples import Example, Side
from lookalike.kinds import texts as text_kind
from lookalike.lsh.buckets import Candidates

WORDS = [f"{first}{second}" for first in "bdfghklmnprstvz" for second in ("at", "en", "or", "im", "us")]
THRESHOLD = 0.6


def family(seed: int, changes: list[int]) -> list[str]:
    """Return versions of a text of 100 words, each with some words changed, evenly spread."""
    chance = random.Random(seed)
    words = [f"{chance.choice(WORDS)}{seed}" for _ in range(100)]
    versions = []
    for changed in changes:
        version = list(words)
        for k in range(changed):
            version[k * 100 // changed] = f"new{seed}x{changed}x{k}"
        versions.append(" ".join(version))
    return versions


FAMILIES = [[0, 1, 2, 3], [0, 4], [0, 5, 6], [0, 1], [0, 7, 8, 9, 10], [0, 2, 0], [0, 3, 3, 4, 5, 6]]
TEXTS = [text for seed, changes in enumerate(FAMILIES) for text in family(seed, changes)]


@cache
def similarities() -> dict[tuple[int, int], float]:
    """Compare every two texts."""
    return {(i, j): compare(TEXTS[i], TEXTS[j]).similarity for i, j in combinations(range(len(TEXTS)), 2)}


def of_kind(found: tuple[Example, ...], kind: str) -> list[Example]:
    return [example for example in found if example.kind == kind]


def indices(example: Example) -> tuple[int, int]:
    return int(example.left.id), int(example.right.id)


def contents(left: int, right: int) -> frozenset[str]:
    return frozenset((TEXTS[left], TEXTS[right]))


def marked(side: Side) -> list[str]:
    return [side.text[begin:end] for begin, end in side.differs]


# which are chosen


def test_examples_are_kept_only_on_request() -> None:
    assert deduplicate(TEXTS, threshold=THRESHOLD).examples == ()
    assert find_pairs(TEXTS, threshold=THRESHOLD).examples == ()
    assert "examples" not in find_pairs(TEXTS, threshold=THRESHOLD).summary.seconds


@pytest.mark.parametrize("function", [deduplicate, find_pairs])
def test_the_similarity_and_the_texts_are_true(function: Any) -> None:
    found = function(TEXTS, threshold=THRESHOLD, examples=3).examples
    assert {example.kind for example in found} == {"largest", "typical", "above", "below"}
    for example in found:
        left, right = indices(example)
        assert left != right
        assert example.similarity == similarities()[min(left, right), max(left, right)]
        assert (example.left.text, example.right.text) == (TEXTS[left], TEXTS[right])
        assert example.left.more == example.right.more == 0


@pytest.mark.parametrize("function", [deduplicate, find_pairs])
@pytest.mark.parametrize("wanted", [1, 3, 100])
def test_the_largest_clusters_come_with_their_least_similar_member(function: Any, wanted: int) -> None:
    result = function(TEXTS, threshold=THRESHOLD, examples=wanted)
    clusters = result.clusters() if isinstance(result, Pairs) else result.clusters
    groups: dict[int, list[int]] = {}
    for item, _, keeper, _, _ in clusters:
        groups.setdefault(keeper, []).append(item)
    order = sorted(groups, key=lambda keeper: (-len(groups[keeper]), keeper))
    shown = {contents(*indices(example)) for example in result.examples if example.kind in ("above", "below")}
    expected = []
    for keeper in order[:wanted]:
        others = [item for item in groups[keeper] if item != keeper and contents(keeper, item) not in shown]
        scores = [similarities()[min(keeper, item), max(keeper, item)] for item in others]
        expected += [(keeper, len(groups[keeper]), min(scores))] if scores else []
    found = of_kind(result.examples, "largest")
    assert [(indices(example)[0], example.size, example.similarity) for example in found] == expected


@pytest.mark.parametrize("function", [deduplicate, find_pairs])
@pytest.mark.parametrize("wanted", [1, 2, 3, 100])
def test_no_pair_is_shown_twice(function: Any, wanted: int) -> None:
    found = function(TEXTS, threshold=THRESHOLD, examples=wanted).examples
    assert [example.kind for example in found] == sorted(
        (example.kind for example in found), key=["above", "below", "largest", "typical"].index
    )
    pairs = [contents(*indices(example)) for example in found]
    assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize("function", [deduplicate, find_pairs])
def test_typical_clusters_have_the_median_size_and_are_not_among_the_largest(function: Any) -> None:
    texts = [text for seed in range(9) for text in family(seed, [0, 1, 2][: 2 + (seed == 4)])]
    found = function(texts, threshold=THRESHOLD, examples=2, seed=5).examples
    assert found == function(texts, threshold=THRESHOLD, examples=2, seed=5, batch_bytes=300, threads=1).examples
    typical = of_kind(found, "typical")
    assert [example.size for example in typical] == [2, 2]
    keepers = [example.left.id for example in found if example.size]
    assert len(set(keepers)) == len(keepers) >= 3
    runs = [function(texts, threshold=THRESHOLD, examples=2, seed=seed).examples for seed in range(9)]
    others = {of_kind(run, "typical")[0].left.id for run in runs}
    assert len(others) > 1


@pytest.mark.parametrize("sizes", [[4, 2], [2]])
def test_few_clusters_are_all_among_the_largest(sizes: list[int]) -> None:
    texts = [text for seed, size in enumerate(sizes) for text in family(seed, list(range(size)))]
    texts += texts[:1] * 2 + texts[-2:-1] * 2
    found = deduplicate(texts, threshold=THRESHOLD, examples=3).examples
    assert [example.size for example in of_kind(found, "largest")] == [
        size + 2 + 2 * (len(sizes) == 1) for size in sizes
    ]
    assert not of_kind(found, "typical")


def test_pairs_just_above_and_below_the_threshold_are_the_closest_ones() -> None:
    result = find_pairs(TEXTS, threshold=THRESHOLD, examples=3, recall=0.999999)
    distinct = {frozenset((TEXTS[i], TEXTS[j])): score for (i, j), score in similarities().items()}.values()
    within = sorted(score for score in distinct if THRESHOLD <= score < 1)
    assert [example.similarity for example in of_kind(result.examples, "above")] == within[:3]
    below = sorted((score for score in distinct if score < THRESHOLD), reverse=True)
    assert [example.similarity for example in of_kind(result.examples, "below")] == below[:3]


def test_members_just_above_the_threshold_are_those_of_keepers() -> None:
    result = deduplicate(TEXTS, threshold=THRESHOLD, examples=2, recall=0.999999)
    scores = [(score, item, keeper) for item, _, keeper, score, kept in result.clusters if not kept and score < 1]
    expected = sorted(score for score in scores if score[0] >= THRESHOLD)[:2]
    found = of_kind(result.examples, "above")
    assert [(e.similarity, indices(e)[1], indices(e)[0]) for e in found] == expected


def test_members_of_chains_below_the_threshold_are_shown() -> None:
    chain = [" ".join(f"w{word}" for word in range(start, start + 20)) for start in range(0, 12, 2)]
    settings: Any = {"shingle": "words:1", "threshold": 0.8, "recall": 1, "examples": 2}
    chained = deduplicate(chain, cluster="chain", **settings)
    assert [indices(example) for example in of_kind(chained.examples, "chained")] == [(0, 5), (0, 4)]
    assert [example.similarity for example in of_kind(chained.examples, "chained")] == [10 / 30, 12 / 28]
    assert not of_kind(deduplicate(chain, **settings).examples, "chained")


def test_copies_are_no_examples_of_what_is_close_to_the_threshold() -> None:
    text = family(1, [0])[0]
    found = find_pairs([text] * 4, examples=2)
    assert [example.kind for example in found.examples] == ["largest"]
    assert found.examples[0].similarity == 1
    one, other = family(2, [0, 2])
    once = find_pairs([one, other, one, other], threshold=THRESHOLD, examples=5)
    assert len(of_kind(once.examples, "above")) == 1


def test_examples_across_two_collections_are_on_their_sides() -> None:
    """Originals may stand on either side, or on both; every example is an item of each."""
    left = [family(1, [5])[0], family(2, [0])[0], family(3, [0])[0], family(3, [0])[0], *family(4, [8, 0])]
    right = [family(1, [0])[0], family(1, [5])[0], family(2, [9])[0], *family(3, [1, 8]), *family(4, [0, 7])]
    found = find_pairs(
        {f"left {i}": text for i, text in enumerate(left)},
        against={f"right {i}": text for i, text in enumerate(right)},
        threshold=THRESHOLD, examples=20, recall=0.999999,
    ).examples  # fmt: skip
    assert {example.kind for example in found} == {"above", "below"}
    for example in found:
        assert example.left.text == left[int(example.left.id.removeprefix("left "))]
        assert example.right.text == right[int(example.right.id.removeprefix("right "))]
        assert example.similarity == compare(example.left.text, example.right.text).similarity
    true = {compare(one, two).similarity for one, two in product(left, right)}
    assert {e.similarity for e in of_kind(found, "above")} == {s for s in true if THRESHOLD <= s < 1}
    assert {e.similarity for e in of_kind(found, "below")} <= {s for s in true if 0 < s < THRESHOLD}
    assert of_kind(found, "below")[0].similarity == max(s for s in true if s < THRESHOLD)


@pytest.mark.parametrize("items", [[], ["one"], ["", None, "a b c"], ["a b", "c d"]])
@pytest.mark.parametrize("function", [deduplicate, find_pairs])
def test_nothing_to_show_is_no_trouble(function: Any, items: list[Any]) -> None:
    assert function(items, examples=3).examples == ()


# candidates that fell short


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.booleans()), max_size=200),
    st.lists(st.integers(1, 30), min_size=1),
)
def test_the_same_candidates_are_remembered_in_whatever_order_they_come(
    seen: list[tuple[int, int, bool]], cuts: list[int]
) -> None:
    room = examples.REJECTED_PER_EXAMPLE
    examples.REJECTED_PER_EXAMPLE = 8
    try:
        fate = {(min(i, j), max(i, j)): pair for i, j, pair in seen if i != j}
        rejected = [code for code, pair in fate.items() if not pair]
        codes = np.array([i << 32 | j for i, j in rejected], np.uint64)
        expected = {rejected[at] for at in np.argsort(scramble(codes))[:8]}
        for order in (list(fate), list(fate)[::-1]):
            memory = Rejected(1)
            for batch in batches(order, cuts):
                memory.see(Candidates(*columns(batch)), Verified(*columns([p for p in batch if fate[p]]), np.ones(0)))
            left, right = memory.items()
            assert set(zip(left.tolist(), right.tolist(), strict=True)) == expected
    finally:
        examples.REJECTED_PER_EXAMPLE = room


def batches(values: list[Any], cuts: list[int]) -> list[list[Any]]:
    found: list[list[Any]] = []
    at = 0
    while at < len(values):
        size = cuts[len(found) % len(cuts)]
        found.append(values[at : at + size])
        at += size
    return found


def columns(pairs: list[tuple[int, int]]) -> tuple[Any, Any]:
    """Return pairs as arrays, each as often the other way round."""
    turned = [pair if sum(pair) % 2 else pair[::-1] for pair in pairs]
    array = np.array(turned, np.int32).reshape(-1, 2)
    return array[:, 0], array[:, 1]


# where they differ


def test_words_that_differ_are_marked() -> None:
    one = "The first day of the week was long, and everybody was tired in the evening when it rained on us"
    two = one.replace("long", "rather short").replace("The first", "the FIRST") + " all"
    example = deduplicate([one, two], threshold=0.3, examples=1).examples[0]
    assert marked(example.left) == ["long"]
    assert marked(example.right) == ["rather short", "all"]


@pytest.mark.parametrize("shingle", ["words:3", "chars:4", "bytes:4"])
def test_what_is_marked_is_what_compare_leaves_unmarked(shingle: str) -> None:
    one = "¿Qué? día—and  niño, \U0001f600 smiled; über alles 漢字かな and more of the same text to share with it"
    two = one.replace("smiled", "süß").replace("漢", "汉")
    found = find_pairs([one, two], shingle=shingle, threshold=0.2, examples=1).examples[0]
    told = compare(one, two, shingle=shingle)
    for side, spans in ((found.left, told.left_spans), (found.right, told.right_spans)):
        shared = {at for begin, end in spans for at in range(begin, end)}
        differs = {at for begin, end in side.differs for at in range(begin, end)}
        assert differs
        left_out = set(range(len(side.text))) - shared - differs
        assert not any(side.text[at].isalnum() for at in left_out)
        if shingle != "bytes:4":  # where a part of a character's bytes may be shared
            assert not shared & differs


def test_token_ids_are_shown_as_numbers() -> None:
    one = list(range(-3, 60))
    two = [*one[:30], 1 << 60, *one[31:]]
    example = deduplicate([one, two], shingle="tokens:3", threshold=0.5, examples=1).examples[0]
    assert example.left.text == " ".join(map(str, one))
    assert (marked(example.left), marked(example.right)) == (["27"], [str(1 << 60)])


def test_a_very_long_text_is_held_in_part_but_compared_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_kind, "LONGEST", 400)
    chance = random.Random(3)
    words = [chance.choice(["größe", "naïve", "日本", "plain", "word"]) + str(i) for i in range(300)]
    moved = [*words[250:], *words[:20], "new", *words[21:250]]
    texts = [" ".join(words), " ".join(moved)]
    example = find_pairs(texts, threshold=0.7, examples=1).examples[0]
    for side, text in ((example.left, texts[0]), (example.right, texts[1])):
        assert text.startswith(side.text)
        assert 396 < len(side.text.encode()) <= 400
        assert len(side.text) + side.more == len(text)
    assert marked(example.left) == [words[20]]
    assert not marked(example.right)[:-1]  # what moved here from far behind is shared; a last word may be cut


def test_many_token_ids_are_held_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_kind, "LONGEST", 80)
    lists = [list(range(50)), list(range(51))]
    example = find_pairs(lists, shingle="tokens:2", examples=1).examples[0]
    assert example.left.text == " ".join(map(str, range(10)))
    assert (example.left.more, example.right.more) == (40, 41)
