"""The options of a run, as callers pass them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, cast

from lookalike.checks import plain_number
from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from pathlib import Path

    from lookalike.features.shingling import Form
    from lookalike.measures import Name
    from lookalike.recipe import Sketch
    from lookalike.resources.progress import Watcher


class Settings(TypedDict, total=False):
    """Keyword arguments of `find_pairs` and `deduplicate`; each has a default.

    threshold        0.8: the least similarity of a pair, or the most distance, which has no default
    measure          of texts and sets jaccard, dice, cosine, overlap or containment; of vectors cosine, euclidean or
                     agreement; of bits hamming. By default the first of them
    tolerance        by how much a feature may differ to be close, for the measure agreement
    recall           0.99: the chance of a pair exactly at the threshold to be found; more similar ones have more.
                     1 is an exact search: it misses none
    shingle          words:n, chars:k, bytes:k, tokens:n, elements or weights; by default words:5 for texts, elements
                     for sets, weights for weighted sets
    bag              False: whether the second occurrence of a shingle counts as another one
    lower            lower-case letters; by default for words, not for characters
    form             None: a Unicode form to bring texts to (NFC, NFD, NFKC, NFKD)
    accents          True: keep accents
    punctuation      keep punctuation; by default for characters, not for words
    bands, rows      the banding, instead of the one that `recall` asks for
    sketch           "fast", or "classic" for the textbook's MinHash
    seed             1
    text, id         names of columns; by default text, content, body or the only column of strings; and none
    item, element    the columns of a table that has a row for each element of each set
    weight           None: the column of such a table that has the weights of elements; or True, if the numbers of a
                     sparse matrix are weights
    transpose        False: whether to turn sets round, and find similar elements by the sets that have them
    lines            False: whether text files have an item a line
    encoding_errors  "strict", or "replace" to go on after text that is not UTF-8
    threads          as many as there are cores
    scratch          a folder for temporary columns; by default the system's
    measure_recall   0: how many items to sample, to measure which of their pairs were found, by an exact scan;
                     of `nearest`, which of the nearest
    examples         0: how many examples of each kind to keep, with their texts, for `report`
    batch_bytes      4 MiB: about how much text is read at a time
    watcher          somebody to tell about progress
    """

    threshold: float
    measure: Name | None
    tolerance: float | None
    recall: float
    shingle: str
    bag: bool
    lower: bool | None
    form: Form | None
    accents: bool
    punctuation: bool | None
    bands: int | None
    rows: int | None
    sketch: Sketch
    seed: int
    text: str | None
    id: str | None
    item: str | None
    element: str | None
    weight: str | bool | None
    transpose: bool
    lines: bool
    encoding_errors: Literal["strict", "replace"]
    threads: int | None
    scratch: Path | str | None
    measure_recall: int
    examples: int
    batch_bytes: int
    watcher: Watcher | None


SWITCHES = ("bag", "lower", "form", "accents", "punctuation")
READING = ("text", "id", "item", "element", "weight", "transpose", "lines", "encoding_errors", "batch_bytes")


def plain(settings: Settings) -> Settings:
    """Return settings with the numbers of NumPy as those of Python."""
    return cast("Settings", {name: plain_number(value) for name, value in settings.items()})


def whole_number(name: Literal["measure_recall", "examples"], settings: Settings) -> int:
    """Return a setting that counts something; 0 if it is not given."""
    value = settings.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RecipeError(f"`{name}` must be a whole number, at least 0. Got {value!r}")
    return value


def check_names(settings: Settings) -> None:
    """Raise where there is no setting of a name."""
    if unknown := set(settings) - set(Settings.__annotations__):
        raise TypeError(f"unknown setting {min(unknown)!r}; there are {', '.join(Settings.__annotations__)}")
