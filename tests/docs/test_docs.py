"""The documentation: links resolve, examples run and print what is shown, the reference is up to date."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.command_server import command_server
from support.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)#\s]*)(?:#(?P<anchor>[^)\s]*))?\)")
RUN = ["README.md", "docs/tutorial.md", "docs/how-to.md", "docs/concurrency.md", "docs/explanation/how-it-works.md"]
"""Pages whose examples are run."""

ANYTHING = "..."
MARK = "-- block --"


@dataclass(frozen=True)
class Example:
    """A block of code, and the output shown below it."""

    code: str
    output: str


def examples(page: Path, language: str) -> list[Example]:
    """Return the blocks of one language, each with the block of text that follows it, if one does."""
    blocks = [(match["language"], match["code"]) for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]
    following = [*blocks[1:], ("", "")]
    return [
        Example(code, after if kind == "text" else "")
        for (one, code), (kind, after) in zip(blocks, following, strict=True)
        if one == language
    ]


def check_output(example: Example, printed: str) -> None:
    """Check that the lines shown are among those printed, in order; `...` stands for anything."""
    lines = iter(printed.splitlines())
    for shown in filter(None, map(str.strip, example.output.splitlines())):
        pattern = ".*".join(map(re.escape, shown.split(ANYTHING)))
        assert any(re.fullmatch(pattern, line.strip()) for line in lines), f"not printed: {shown}\nbut:\n{printed}"


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the command, ready to run."""
    with command_server(tmp_path_factory.mktemp("bin")) as command:
        yield command


@pytest.fixture
def folder(tmp_path: Path, program: Path) -> Path:
    """Return a folder that looks like the repository to the examples, with the command in `bin`."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "lookalike").symlink_to(program)
    return tmp_path


def run(arguments: list[str], folder: Path) -> str:
    """Run a program as a reader would, in the folder of the examples; return what it prints, errors included."""
    places = (str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"])
    environment = {**os.environ, "PATH": os.pathsep.join(places), "COLUMNS": "80", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        arguments, cwd=folder, env=environment, text=True, stdout=-1, stderr=subprocess.STDOUT, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_resolve(page: Path) -> None:
    for match in LINK.finditer(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        if "://" in match["target"]:
            continue
        target = (page.parent / match["target"]) if match["target"] else page
        assert target.exists(), match[0]
        if match["anchor"]:
            assert match["anchor"] in anchors(target), match[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_python_examples_run(name: str, folder: Path) -> None:
    found = examples(ROOT / name, "python")
    program = "".join(f"{example.code}\nprint({MARK!r}, flush=True)\n" for example in found)
    for example, printed in zip(found, run([sys.executable, "-c", program], folder).split(MARK), strict=False):
        check_output(example, printed)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_shell_examples_run(name: str, folder: Path) -> None:
    for example in examples(ROOT / name, "shell"):
        check_output(example, run(["bash", "-e", "-c", example.code], folder))


@pytest.mark.slow
def test_reference_is_fresh() -> None:
    subprocess.run([sys.executable, ROOT / "docs" / "make_reference.py", "--check"], check=True)


def examples_that_run() -> Iterator[Example]:
    for name in ("README.md", "docs/tutorial.md"):
        yield from examples(ROOT / name, "python")
        yield from examples(ROOT / name, "shell")


def test_there_are_examples() -> None:
    assert sum(bool(example.output) for example in examples_that_run()) > 10
