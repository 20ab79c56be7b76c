"""Compiled kernels: where they are kept, and what happens where they cannot be kept or are damaged."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from numba.core import config
from support.call_kernels import compiled
from support.kernel_processes import environment, go, installed, outcome_of, read_only, start, use_kernels

from lookalike.kernels.compiled import files as kept_files
from lookalike.kernels.compiled import folders
from lookalike.kernels.compiled.files import Files, read, write
from lookalike.kernels.compiled.folders import Folder, belongs_to_user_alone, candidates, is_trusted

BOTH = ["gather", "is_ascii"]

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut in the head": lambda content: content[:20],
    "cut": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "longer": lambda content: content + b"\0",
    "one bit": lambda content: content[:-100] + bytes([content[-100] ^ 1]) + content[-99:],
    "other bytes": lambda _: os.urandom(5000),
    "a pickle": lambda _: b"\x80\x04N.",
}


def made(*paths: Path) -> list[Folder]:
    return [Folder(path, path / "inner") for path in paths]


# Files


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_no_file(damage: str, tmp_path: Path) -> None:
    file = tmp_path / "kernel.nbc"
    write(file, b"code" * 1000)
    assert read(file) == b"code" * 1000
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    assert read(file) is None


def test_files_that_others_can_write_are_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "kernel.nbc"
    write(file, b"code")
    assert stat.S_IMODE(file.stat().st_mode) & 0o022 == 0
    file.chmod(0o666)
    assert read(file) is None
    file.chmod(0o644)
    assert read(file) == b"code"
    owner = file.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    package = folders.PACKAGE.stat().st_uid
    assert is_trusted(file.stat()) == (owner in {0, package})
    monkeypatch.setattr(os, "fstat", lambda _: os.stat_result((0o100644, 1, 1, 1, 12345, 0, 4, 0, 0, 0)))
    assert read(file) is None


def test_a_full_disk_passes_on_to_the_next_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full, other = made(tmp_path / "full", tmp_path / "other")
    monkeypatch.setattr(kept_files, "candidates", lambda _: iter([full, other]))

    def write_some(path: Path, content: bytes) -> None:
        if full.path in path.parents:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(path, content)

    monkeypatch.setattr(kept_files, "write", write_some)
    files = Files("")
    assert files.folder == full
    assert files.save("kernel.nbc", b"code")
    assert (files.folder, files.load("kernel.nbc")) == (other, b"code")
    assert "No space left" in files.trouble[0]


def test_no_folder_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(kept_files, "candidates", lambda _: iter(made(tmp_path / "file")))
    files = Files("")
    assert (files.folder, files.save("kernel.nbc", b"code"), files.load("kernel.nbc")) == (None, False, None)
    files.claim("kernel.nbc", lambda: False)  # does not wait


def test_nothing_is_left_of_a_file_that_could_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "kernel.nbc").mkdir()
    with pytest.raises(OSError, match="directory"):
        write(tmp_path / "kernel.nbc", b"code")
    assert [path.name for path in tmp_path.iterdir()] == ["kernel.nbc"]


# Folders


def test_the_order_of_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "set"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    roots = [folder.root for folder in candidates("digest")]
    private = tmp_path / f"lookalike-{os.geteuid()}"
    assert roots == [tmp_path / "set", folders.PACKAGE / "__pycache__", tmp_path / "home" / "numba", private]


def test_no_folder_is_made_where_there_is_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a home, `~` stays as it is, and would be a folder of that name in the current one."""
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert all(folder.root.is_absolute() for folder in candidates("digest"))


def test_the_current_folder_is_not_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it is named: it is Python's last resort."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert not any(folder.private for folder in candidates("digest"))
    monkeypatch.setenv("TMPDIR", ".")
    assert [folder.root.parent for folder in candidates("digest") if folder.private] == [tmp_path.resolve()]


def test_a_private_folder_belongs_to_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private = Folder(tmp_path / "mine", tmp_path / "mine" / "inner", private=True)
    assert private.usable
    assert stat.S_IMODE(private.root.stat().st_mode) == 0o700
    for mode in (0o701, 0o770, 0o777):
        private.root.chmod(mode)
        assert not private.usable
        assert not private.readable
    private.root.chmod(0o700)
    assert private.readable
    (tmp_path / "link").symlink_to(private.root)
    assert not belongs_to_user_alone(tmp_path / "link")
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert not belongs_to_user_alone(private.root)


def test_the_package_keeps_only_what_its_sources_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "PACKAGE", tmp_path)
    old = tmp_path / "__pycache__" / "lookalike-old"
    old.mkdir(parents=True)
    Folder(old.parent, old.with_name("lookalike-new")).create()
    assert [path.name for path in old.parent.iterdir()] == ["lookalike-new"]


# Processes


@compiled
@pytest.mark.slow
def test_a_read_only_installation_without_a_home(tmp_path: Path) -> None:
    """As in most containers: what is compiled is kept in a private folder, and found again."""
    package, temporary = installed(tmp_path / "package"), tmp_path / "temporary"
    temporary.mkdir()
    variables = environment(package, TMPDIR=temporary)
    with read_only(package):
        first, second = use_kernels(variables), use_kernels(variables)
    private = temporary / f"lookalike-{os.geteuid()}"
    assert first.compiled == BOTH
    assert (second.compiled, first.warnings, second.warnings) == ([], [], [])
    assert first.kept is not None
    assert private in Path(first.kept).parents
    assert stat.S_IMODE(private.stat().st_mode) == 0o700


@compiled
@pytest.mark.slow
def test_no_folder_can_be_written(tmp_path: Path) -> None:
    package, temporary = installed(tmp_path / "package"), tmp_path / "temporary"
    temporary.mkdir()
    with read_only(package, temporary):
        outcome = use_kernels(environment(package, TMPDIR=temporary, NUMBA_CACHE_DIR="/proc/none"))
    assert (outcome.compiled, outcome.kept, len(outcome.warnings)) == (BOTH, None, 1)
    assert "cannot be kept" in outcome.warnings[0]
    assert "NUMBA_CACHE_DIR" in outcome.warnings[0]
    assert "lookalike warm-up" in outcome.warnings[0]


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("shipped", ["package", "set"])
def test_what_an_image_ships_is_used_read_only(shipped: str, tmp_path: Path) -> None:
    package, temporary = installed(tmp_path / "package"), tmp_path / "temporary"
    temporary.mkdir()
    own = {"NUMBA_CACHE_DIR": tmp_path / "set"} if shipped == "set" else {}
    variables = environment(package, TMPDIR=temporary, **own)
    assert use_kernels(variables).compiled == BOTH
    assert not list(temporary.iterdir())
    with read_only(package, temporary, *own.values()):
        later = use_kernels(variables)
    assert (later.compiled, later.warnings) == ([], [])


@compiled
@pytest.mark.slow
def test_damaged_files_are_replaced(tmp_path: Path) -> None:
    variables = environment(NUMBA_CACHE_DIR=tmp_path)
    assert use_kernels(variables).compiled == BOTH
    whole = {path: path.read_bytes() for path in tmp_path.rglob("*.nbc")}
    assert len(whole) == len(BOTH)
    for path, damage in zip(whole, (b"", b"garbage" * 100), strict=True):
        path.write_bytes(damage)
    damaged = use_kernels(variables)
    assert (damaged.compiled, damaged.warnings) == (BOTH, [])
    assert use_kernels(variables).compiled == []


@compiled
@pytest.mark.slow
def test_other_versions_and_processors_have_their_own_files(tmp_path: Path) -> None:
    variables = environment(NUMBA_CACHE_DIR=tmp_path)
    other = variables | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    assert use_kernels(variables).compiled == BOTH
    assert use_kernels(other).compiled == BOTH
    assert use_kernels(variables).compiled == []
    assert use_kernels(other).compiled == []


@compiled
@pytest.mark.slow
def test_two_processes_share_the_work(tmp_path: Path) -> None:
    """Neither compiles what the other has compiled or is compiling."""
    variables = environment(NUMBA_CACHE_DIR=tmp_path)
    running = [start(variables, wait=True) for _ in range(3)]
    for process in running:
        go(process)
    outcomes = [outcome_of(process) for process in running]
    assert sorted(name for outcome in outcomes for name in outcome.compiled) == sorted(BOTH)
