"""The table of all options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lookalike.resources.progress import Watcher

from .base import Cluster, EncodingErrors, Form, Option, RecipeSource, Sketch

OPTIONS = (
    Option(
        name="threshold",
        group="similarity",
        type=float,
        default=0.8,
        default_help="0.8; required for distances",
        short="-t",
        help="Minimum similarity (or maximum distance) of a pair.",
    ),
    Option(
        name="measure",
        group="similarity",
        type=str,
        names_measure=True,
        default_help="jaccard; cosine for vectors; hamming for bits",
        help="How to compare two items. For texts and sets, the size of the intersection divided by: the size of the "
        "union (jaccard), the mean size (dice), the geometric mean of the sizes (cosine), the smaller size (overlap), "
        "the size of the left set (containment). For vectors: cosine, euclidean, or agreement (the share of features "
        "that are close). For bits: hamming.",
    ),
    Option(
        name="tolerance",
        group="similarity",
        type=float,
        help="Maximum difference between two features that count as close. Only for the measure agreement.",
    ),
    Option(
        name="recall",
        group="similarity",
        type=float,
        default=0.99,
        help="Probability of finding a pair that is exactly at the threshold; closer pairs are found more often. 1 "
        "means an exact search.",
    ),
    Option(
        name="shingle",
        group="shingling",
        type=str,
        default_help="words:5 for texts, elements for sets, weights for weighted sets",
        help="What items consist of: words:n, chars:k, bytes:k, tokens:n, elements or weights.",
    ),
    Option(
        name="bag",
        group="shingling",
        type=bool,
        default=False,
        help="Count each occurrence of a repeated shingle.",
    ),
    Option(
        name="lower",
        group="shingling",
        type=bool,
        default_help="only for words",
        negative="--keep-case",
        help="Convert letters to lower case.",
    ),
    Option(
        name="form",
        group="shingling",
        type=Form,
        help="Unicode normalization form to convert texts to.",
    ),
    Option(
        name="accents",
        group="shingling",
        type=bool,
        default=True,
        negative="--strip-accents",
        help="Keep accents.",
    ),
    Option(
        name="punctuation",
        group="shingling",
        type=bool,
        default_help="only for chars",
        negative="--no-punctuation",
        help="Keep punctuation.",
    ),
    Option(
        name="bands",
        group="banding",
        type=int,
        help="Number of bands, instead of `recall`. Requires `rows`.",
    ),
    Option(
        name="rows",
        group="banding",
        type=int,
        help="Number of rows per band. Requires `bands`.",
    ),
    Option(
        name="sketch",
        group="banding",
        type=Sketch,
        default="fast",
        help="Algorithm for signatures: fast, or classic for the textbook MinHash.",
    ),
    Option(
        name="seed",
        group="banding",
        type=int,
        default=1,
        help="Seed for the hash functions of signatures.",
    ),
    Option(
        name="exact_copies",
        group="copies",
        type=bool,
        default=False,
        help="Find only items that are equal: texts byte for byte, sets with the same elements, vectors with the same "
        "numbers. Nothing is shingled or compared, so this is much faster; no option of similarity applies.",
    ),
    Option(
        name="text",
        group="reading",
        type=str | list[str],
        several=True,
        metavar="COLUMN",
        default_help="text, content, body, or the only string column",
        help="Column to compare. Several columns of texts are joined, with a blank line between them. A field of a "
        "nested column is named by its path, such as meta.title, for this and all other columns.",
        python_help="A list names several columns.",
    ),
    Option(
        name="id",
        group="reading",
        type=str,
        metavar="COLUMN",
        default_help="file and row number",
        help="Item ID column.",
    ),
    Option(
        name="item",
        group="reading",
        type=str,
        metavar="COLUMN",
        help="Item ID column of a long table, which has one row per element of each set. Requires `element`.",
    ),
    Option(
        name="element",
        group="reading",
        type=str,
        metavar="COLUMN",
        help="Element column of a long table. Requires `item`.",
    ),
    Option(
        name="weight",
        group="reading",
        type=str | bool,
        metavar="COLUMN",
        help="Weight column of a long table. The weights of a repeated element are added up.",
        python_help="True: the numbers of a sparse matrix are weights.",
    ),
    Option(
        name="transpose",
        group="reading",
        type=bool,
        default=False,
        help="Compare the elements instead, by the items that contain them.",
    ),
    Option(
        name="format",
        group="reading",
        type=str,
        default_help="from the name, or from the first bytes",
        help="Format of the input: parquet, jsonl, tsv, csv, npy, text (an item per file) or lines (an item per line). "
        "For files whose names do not tell it, and for standard input.",
    ),
    Option(
        name="include",
        group="reading",
        type=list[str] | str,
        metavar="PATTERN",
        help="Read only files that match this pattern, in folders and among the matches of globs: '*.txt' anywhere, "
        "'a/*.txt' from the top of the folder, '**' for folders at any depth, a folder for all that is in it. Several "
        "patterns: files that match any.",
    ),
    Option(
        name="exclude",
        group="reading",
        type=list[str] | str,
        metavar="PATTERN",
        help="Leave out files or folders that match this pattern, even if `include` matches them.",
    ),
    Option(
        name="lines",
        group="reading",
        type=bool,
        default=False,
        help="Treat each line as an item.",
    ),
    Option(
        name="delimiter",
        group="reading",
        type=str,
        metavar="CHARACTER",
        default_help="found in the first rows",
        help="What separates the values of CSV files: a character, such as ; or |, or the word tab.",
    ),
    Option(
        name="encoding",
        group="reading",
        type=str,
        metavar="NAME",
        default_help="utf-8, or what a byte order mark says",
        help="Encoding of text files, CSV and JSON Lines: utf-8, utf-16, latin-1, cp1252, ... Outputs are UTF-8.",
    ),
    Option(
        name="encoding_errors",
        group="reading",
        type=EncodingErrors,
        default="strict",
        help="What to do about text that is not valid in its encoding: stop (strict), or put U+FFFD in its place "
        "(replace).",
    ),
    Option(
        name="batch_bytes",
        group="reading",
        type=int,
        default=4 << 20,
        default_help="4 MiB",
        on_command_line=False,
        help="Approximate number of bytes to read at a time.",
    ),
    *(
        Option(
            name=f"against_{name}",
            group="against",
            type=str | list[str] if name == "text" else str,
            several=name == "text",
            metavar="COLUMN",
            default_help="the same name",
            help=f"{noun} of the collection compared `against`, if its name differs.",
        )
        for name, noun in (
            ("text", "Column to compare"),
            ("id", "Item ID column"),
            ("item", "Item ID column of a long table"),
            ("element", "Element column of a long table"),
            ("weight", "Weight column of a long table"),
        )
    ),
    Option(
        name="threads",
        group="running",
        type=int,
        default_help="one per core",
        help="Number of threads.",
    ),
    Option(
        name="scratch",
        group="running",
        type=Path | str,
        metavar="FOLDER",
        default_help="the system's",
        help="Folder for temporary files.",
    ),
    Option(
        name="watcher",
        group="running",
        type=Watcher,
        on_command_line=False,
        help="Object to notify of progress.",
    ),
    Option(
        name="on_open",
        group="running",
        type=Callable[[Any], None],
        on_command_line=False,
        help="Function to call with the source of items once it is open and nothing has been read. What it raises ends "
        "the run.",
    ),
    Option(
        name="measure_recall",
        group="checking",
        type=int,
        default=0,
        metavar="[N]",
        implied=200,
        help="Measure the recall achieved: search exactly for the pairs (or nearest items) of this many random items, "
        "and report how many of them the run found.",
    ),
    Option(
        name="examples",
        group="checking",
        type=int,
        default=0,
        on_command_line=False,
        help="Number of examples of each kind to keep, with their texts, for `report`.",
    ),
    Option(
        name="recipe",
        group="repeating",
        type=RecipeSource,
        metavar="FILE",
        help="File with options by their names, in TOML or JSON; or the JSON summary of an earlier run, to repeat it. "
        "An option that contradicts it is refused.",
        python_help="Also a `Recipe`, or a dict.",
    ),
)

CLUSTERING = (
    Option(
        name="keep",
        group="clustering",
        type=str,
        default="first",
        metavar="RULE",
        help="Which item of a cluster to keep: first, last, longest, shortest, max:COLUMN or min:COLUMN.",
    ),
    Option(
        name="cluster",
        group="clustering",
        type=Cluster,
        default="star",
        help="What a cluster is: a kept item and items that resemble it (star), or all items that chains of pairs "
        "connect (chain).",
    ),
)
"""Options of `deduplicate` alone: its own keyword arguments, not part of `Settings`."""
