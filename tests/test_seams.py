"""Nothing outside of kinds, measures, features and readers asks for a kind or a measure by its name."""

from __future__ import annotations

import ast

from support.paths import ROOT

from lookalike.features.registry import FEATURES
from lookalike.measures import NAMES

SOURCE = ROOT / "src" / "lookalike"
SEAMS = ("kinds", "measures", "features", "read/item_types", "kernels")
"""Where names of kinds and measures are declared."""

MODULES = [path for path in sorted(SOURCE.rglob("*.py")) if not path.relative_to(SOURCE).as_posix().startswith(SEAMS)]


def names() -> set[str]:
    """Return the names of kinds, features and measures, but for words that also mean something else."""
    found = {name for names in NAMES.values() for name in names} | set(NAMES)
    return found | {one for feature in FEATURES.values() for one in (feature.name, feature.kind)} - {"bytes"}


def test_no_name_is_compared() -> None:
    compared = [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node)}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
        for one in ast.walk(side)
        if isinstance(one, ast.Constant) and one.value in names() and not isinstance(side, ast.Call)
    ]
    assert not compared


def test_messages_below_the_command_line_name_no_flags() -> None:
    flags = [
        f"{path.relative_to(SOURCE)}: {node.value}"
        for path in MODULES
        if not path.relative_to(SOURCE).as_posix().startswith(("cli/", "options/"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " --" in f" {node.value}"
    ]
    assert not flags
