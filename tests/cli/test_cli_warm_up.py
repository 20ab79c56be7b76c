"""`lookalike warm-up`, and what commands say about kernels that they compile."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from numba.core import config
from rich.console import Console
from support.paths import ARTICLES, ROOT
from support.run_cli import done, process, quiet_environment, run

from lookalike.cli import compilation
from lookalike.cli.compilation import Compilation
from lookalike.kernels.compiled import needed
from lookalike.kernels.compiled.cache import Observed, Warner, files
from lookalike.kernels.compiled.needed import Variant, everything, needed_with, runs
from lookalike.kernels.compiled.signatures import to_spec, to_types

SMALL = ("tokens.is_ascii", "lists.gather", "scan.index_keys")


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Use an empty folder for compiled kernels, in this process and others."""
    folder = tmp_path / "kernels"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    monkeypatch.setattr(config, "CACHE_DIR", str(folder))
    monkeypatch.setattr(Observed, "told", False)
    files.cache_clear()
    yield folder
    files.cache_clear()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> tuple[Variant, ...]:
    """Pretend that there are only a few kernels, which are compiled quickly."""
    some = tuple(variant for variant in everything() if variant.kernel in SMALL)
    monkeypatch.setattr(needed, "everything", lambda: some)
    return some


def missing(variants: tuple[Variant, ...]) -> list[str]:
    return [variant.kernel for variant in variants if files().load(variant.file) is None]


# The command


@pytest.mark.slow
def test_all_kernels_are_compiled(empty: Path, few: tuple[Variant, ...]) -> None:
    assert len(missing(few)) == len(few)
    outcome = done("warm-up")
    assert missing(few) == []
    assert re.search(rf"compiled +{len(few)} of {len(few)} kernels in [\d.]+ seconds; none is missing", outcome.err)
    assert str(empty) in outcome.err.replace("\n", "").replace(" ", "")
    assert re.search(rf"compiled +0 of {len(few)} kernels; none is missing", done("warm-up").err)
    assert (done("warm-up", "-q").err, outcome.out) == ("", "")


@pytest.mark.slow
def test_damaged_kernels_are_compiled_again(empty: Path, few: tuple[Variant, ...]) -> None:
    done("warm-up", "-q")
    (path,) = empty.rglob("tokens.is_ascii*.nbc")
    path.write_bytes(path.read_bytes()[:-1])
    assert re.search(rf"compiled +1 of {len(few)} kernels", done("warm-up").err)
    assert missing(few) == []


def test_kernels_that_cannot_be_kept_are_an_error(few: tuple[Variant, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", "/proc/none")
    files.cache_clear()
    monkeypatch.setattr(files(), "folder", None)
    monkeypatch.setattr(files(), "load", lambda _: None)
    monkeypatch.setattr(Variant, "compile", lambda _: None)
    outcome = run("warm-up")
    files.cache_clear()
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("lookalike: Compiled kernels cannot be kept")
    assert few


def test_without_the_jit_there_is_nothing_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(config), "DISABLE_JIT", 1)
    assert "NUMBA_DISABLE_JIT" in run("warm-up").err


# What is recorded


def test_the_record_names_kernels_that_are_there() -> None:
    for variant in everything():
        module, name = variant.kernel.split(".")
        assert f"def {name}(" in (ROOT / "src" / "lookalike" / "kernels" / f"{module}.py").read_text()
        assert to_types([to_spec(kind) for kind in variant.arguments]) == variant.arguments


def test_no_kernel_is_compiled_for_both_kinds_of_arrays() -> None:
    """Writable and read-only arrays would be two variants of one kernel."""
    plain = [
        (one.kernel, re.sub("const ", "", json.dumps([to_spec(kind) for kind in one.arguments])))
        for one in everything()
    ]
    assert len(set(plain)) == len(plain)


def test_a_telling_kernel_tells_what_comes_next() -> None:
    words = runs()["dedup: words"]
    (grams,) = (variant for variant in words if variant.kernel == "shingles.word_grams")
    (group,) = (variant for variant in words if variant.kernel == "buckets.group")
    next_ones = needed_with(grams.file, "dedup")
    assert next_ones is not None
    assert {"overlap.similarities", "sketch.sign_batch"} <= {variant.kernel for variant in next_ones}
    assert needed_with(group.file, "dedup") is None
    assert needed_with("unknown.nbc", "dedup") == ()


@pytest.mark.slow
def test_the_record_is_fresh() -> None:
    command = [sys.executable, str(ROOT / "tools" / "record_kernels.py"), "--check"]
    ended = subprocess.run(command, env=quiet_environment(), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


# What commands say


def shown(file: str, monkeypatch: pytest.MonkeyPatch, count: int = 1) -> str:
    """Return what a command says when it compiles a kernel and one that is part of it."""
    out = io.StringIO()
    monkeypatch.setattr(compilation, "helper", lambda _: None)
    observer = Compilation("dedup", Console(file=out, width=40))
    observer.start()
    assert Observed.observer is observer
    for _ in range(count):
        observer.compiling(file)
        observer.compiling("inner.nbc")
        observer.compiled("inner.nbc")
        observer.compiled(file)
    observer.stop()
    assert isinstance(Observed.observer, Warner)
    return out.getvalue()


def test_compilation_is_announced_once(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (grams,) = (variant for variant in everything() if variant.kernel == "shingles.word_grams")
    said = shown(grams.file, monkeypatch, count=2)
    assert re.fullmatch(
        rf"Compiling 1\d of {len(everything())} kernels, once for this installation\. .*warm-up\n", said
    )
    assert shown("unknown.nbc", monkeypatch).startswith("Compiling 1 of ")
    assert not empty.exists()


def test_a_command_says_why_kernels_are_not_kept() -> None:
    out = io.StringIO()
    Compilation("dedup", Console(file=out, width=40)).not_kept("The disk is full")
    Compilation("dedup").not_kept("This is not printed")
    assert out.getvalue() == "Note: The disk is full.\n"


@pytest.mark.slow
def test_a_first_run_says_once_what_it_compiles(tmp_path: Path) -> None:
    def dedup(folder: Path) -> subprocess.CompletedProcess[str]:
        variables = quiet_environment(NUMBA_CACHE_DIR=str(folder))
        return process("dedup", ARTICLES, "--id", "id", "-o", "o.jsonl", "-f", env=variables, cwd=tmp_path)

    first, second = dedup(tmp_path / "kernels"), dedup(tmp_path / "kernels")
    assert (first.returncode, second.returncode) == (0, 0)
    assert first.stderr.count("Compiling") == 1
    assert "Compiling" not in second.stderr
