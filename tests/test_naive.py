"""The references: independent of lookalike, and right on cases small enough to check by hand."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import naive
import naive.words
import pytest

REFERENCES = sorted(Path(naive.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("path", REFERENCES, ids=[path.stem for path in REFERENCES])
def test_references_import_the_standard_library_and_each_other_only(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(str(node.module).partition(".")[0])
    assert imported <= sys.stdlib_module_names | {"naive"}
    assert not any(isinstance(node, ast.Name) and node.id == "__import__" for node in ast.walk(tree))


def test_words() -> None:
    assert naive.words.words("Ab_1 c.D é中文d") == ["ab_1", "c", "d", "é", "中", "文", "d"]
    assert naive.words.words("a.b!", punctuation=True) == ["a", ".", "b", "!"]
    assert naive.words.words("ΟΔΟΣ Σ") == ["οδος", "\u03c3"]
    assert naive.words.words("İ") == ["i\u0307"]


def test_ngrams() -> None:
    assert naive.ngrams("abcd", 2) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert naive.ngrams("ab", 3) == [("a", "b")]
    assert naive.ngrams("", 3) == []


def test_bag() -> None:
    assert naive.bag("aba") == [("a", 0), ("b", 0), ("a", 1)]


def test_components() -> None:
    assert naive.components(6, [(1, 3), (5, 3), (2, 2)]) == [0, 1, 2, 1, 4, 1]


def test_all_pairs() -> None:
    assert naive.all_pairs([{1, 2}, {1, 2, 3}, {9}, set(), set()], 0.5) == {(0, 1): 2 / 3}


def test_least_bands() -> None:
    assert naive.least_bands(0.5, 0.75, 1) == 2
    assert naive.least_bands(1.0, 0.99, 9) == 1
