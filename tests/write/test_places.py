"""Places: files appear complete, with the permissions they had; what is not a regular file is written into."""

from __future__ import annotations

import io
import json
import os
import socket
import stat
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.run_cli import LOOKALIKE, done, process, quiet_environment, run

import lookalike
from lookalike.errors import OutputError
from lookalike.write.checks import check_outputs
from lookalike.write.outputs import write_batches, write_file, write_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TABLE = pa.table({"text": ["one", "two"], "n": [1, 2]})
JSONL = b'{"text": "one", "n": 1}\n{"text": "two", "n": 2}\n'
NULL_DEVICE = os.makedev(1, 3)
FULL_DEVICE = os.makedev(1, 7)

is_root = pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="only root makes devices")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = ["the cat sat on the mat", "a dog lay in the sun", "The cat sat on the mat!"]
    Path("in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return tmp_path


def read_from_fifo(name: str, write: Callable[[], object]) -> bytes:
    """Return what arrives at the other end of a FIFO."""
    os.mkfifo(name)
    arrived: list[bytes] = []
    reader = threading.Thread(target=lambda: arrived.append(Path(name).read_bytes()), daemon=True)
    reader.start()
    write()
    reader.join(timeout=30)
    assert Path(name).is_fifo()
    return arrived[0]


def make_device(name: str, device: int) -> None:
    try:
        os.mknod(name, 0o666 | stat.S_IFCHR, device)
        Path(name).open("wb").close()
    except OSError as error:
        pytest.skip(f"devices cannot be used here: {error.strerror}")


# Pipes and devices


def test_a_fifo_gets_the_rows() -> None:
    assert read_from_fifo("o.jsonl", lambda: write_table(TABLE, Path("o.jsonl"))) == JSONL


def test_a_fifo_gets_parquet() -> None:
    data = read_from_fifo("o.parquet", lambda: write_table(TABLE, Path("o.parquet")))
    assert pq.read_table(pa.BufferReader(data)).equals(TABLE)


@pytest.mark.parametrize("options", [["-o", "pipe.jsonl"], ["-o", "pipe.jsonl", "--force"], ["-o", "pipe"]])
def test_a_fifo_as_the_output_of_a_command(options: list[str]) -> None:
    data = read_from_fifo(options[1], lambda: done("dedup", "in.jsonl", *options))
    assert data.splitlines() == Path("in.jsonl").read_bytes().splitlines()[:2]


@pytest.mark.slow
def test_pages_and_plots_go_to_a_fifo() -> None:
    assert read_from_fifo("page.html", lambda: write_file(b"<html>", Path("page.html"))) == b"<html>"
    assert b"<svg" in read_from_fifo("s.svg", lambda: done("tune", "--threshold", "0.8", "--plot", "s.svg"))
    page = read_from_fifo("r.html", lambda: done("dedup", "in.jsonl", "--report", "r.html"))
    assert page.startswith(b"<!doctype html>")


def test_a_reader_that_leaves() -> None:
    os.mkfifo("o.jsonl")
    reader = threading.Thread(target=lambda: Path("o.jsonl").open("rb").close(), daemon=True)
    reader.start()
    with pytest.raises(OutputError, match=r"o\.jsonl cannot be written: its reader has closed it"):
        write_table(pa.table({"text": ["x" * 1000] * 10_000}), Path("o.jsonl"))


@is_root
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_device_stays_a_device(force: list[str]) -> None:
    make_device("null", NULL_DEVICE)
    Path("o.jsonl").symlink_to("null")
    done("dedup", "in.jsonl", "-o", "o.jsonl", "--clusters", "null", *force)
    assert Path("null").is_char_device()
    assert Path("o.jsonl").is_symlink()


@is_root
def test_a_full_device() -> None:
    make_device("full.csv", FULL_DEVICE)
    failed = run("dedup", "in.jsonl", "-o", "full.csv")
    assert failed.code == 2
    assert failed.err == (
        "lookalike: full.csv cannot be written: the disk is full; free some space, or choose another place\n"
    )
    assert Path("full.csv").is_char_device()


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs /dev/null")
def test_any_number_of_outputs_are_discarded() -> None:
    done("dedup", "in.jsonl", "-o", "/dev/null", "--removed", "/dev/null", "--clusters", "/dev/null")
    assert Path("/dev/null").is_char_device()


@is_root
def test_block_devices_are_refused() -> None:
    os.mknod("disk.jsonl", 0o600 | stat.S_IFBLK, os.makedev(7, 250))
    for force in (True, False):
        with pytest.raises(OutputError, match="is a block device, which is never written to"):
            check_outputs({"output": Path("disk.jsonl")}, [], force=force)
    with pytest.raises(OutputError, match="not a regular file"):
        write_table(TABLE, Path("disk.jsonl"))
    assert Path("disk.jsonl").is_block_device()


def test_sockets_are_refused() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.jsonl")
        refused = run("dedup", "in.jsonl", "-o", "s.jsonl", "--force")
        assert (refused.code, refused.err) == (
            2,
            "lookalike: s.jsonl is a socket, which has no rows; choose another place\n",
        )
        with pytest.raises(OutputError, match="not a regular file"):
            write_table(TABLE, Path("s.jsonl"))
        assert Path("s.jsonl").is_socket()


def test_arrays_need_a_file() -> None:
    os.mkfifo("o.npy")
    np.save("v.npy", np.eye(3))
    refused = run("dedup", "v.npy", "-o", "o.npy", "-t", "0.9")
    assert (refused.code, refused.err) == (
        2,
        "lookalike: o.npy cannot take npy, whose beginning is written last; write a file\n",
    )


# Open files


def test_an_open_file_is_written_from_where_it_stands() -> None:
    with Path("o.txt").open("wb") as file:
        file.write(b"before\n")
        file.flush()
        write_table(TABLE, Path(f"/dev/fd/{file.fileno()}"))
        file.write(b"after\n")
    assert Path("o.txt").read_bytes() == b"before\n" + JSONL + b"after\n"


def test_open_files_that_cannot_be_written() -> None:
    with Path("in.jsonl").open("rb") as file, pytest.raises(OutputError, match="is open for reading only"):
        check_outputs({"output": Path(f"/dev/fd/{file.fileno()}")}, [], force=True)
    with pytest.raises(OutputError, match="no file is open under this number"):
        check_outputs({"output": Path("/dev/fd/987")}, [], force=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_by_its_other_names(name: str) -> None:
    with Path("o.txt").open("ab") as file:
        file.write(b"before\n")
        file.flush()
        ended = process("dedup", "in.jsonl", "-o", name, stdout=file)
    assert ended.returncode == 0, ended.stderr
    lines = Path("in.jsonl").read_bytes().splitlines(keepends=True)
    assert Path("o.txt").read_bytes() == b"before\n" + b"".join(lines[:2])


@pytest.mark.slow
@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="needs bash")
def test_process_substitution() -> None:
    command = " ".join(f"'{part}'" for part in LOOKALIKE[:1]) + " -m lookalike dedup in.jsonl"
    script = f"{command} -o >(cat > kept.jsonl) --removed >(cat > removed.jsonl); wait"
    ended = subprocess.run(["/bin/bash", "-c", script], env=quiet_environment(), capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    lines = Path("in.jsonl").read_bytes().splitlines(keepends=True)
    assert Path("kept.jsonl").read_bytes() == b"".join(lines[:2])
    assert Path("removed.jsonl").read_bytes() == lines[2]


def test_standard_output_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(OutputError, match="standard output takes only text here"):
        lookalike.deduplicate(["a b c"]).write(Path("-"))


def test_standard_output_from_python(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    lookalike.deduplicate(["a b c"]).write(Path("-"))
    lookalike.deduplicate(["a b c"]).write(Path("-"), output_format="csv")
    assert capfdbinary.readouterr().out == b'{"text": "a b c"}\n"text"\n"a b c"\n'


# Regular files


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_a_replaced_file_keeps_its_permissions(mode: int) -> None:
    Path("o.csv").touch()
    Path("o.csv").chmod(mode)
    write_table(TABLE, Path("o.csv"))
    assert stat.S_IMODE(Path("o.csv").stat().st_mode) == mode
    assert Path("o.csv").read_text() == '"text","n"\n"one",1\n"two",2\n'


@is_root
def test_a_replaced_file_keeps_its_owner() -> None:
    Path("o.csv").touch()
    with suppress(PermissionError):
        os.chown("o.csv", 1234, 2345)
    before = Path("o.csv").stat()
    write_table(TABLE, Path("o.csv"))
    after = Path("o.csv").stat()
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)


def test_a_new_file_has_the_usual_permissions() -> None:
    before = os.umask(0o027)
    try:
        write_table(TABLE, Path("o.csv"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(Path("o.csv").stat().st_mode) == 0o640


def test_nobody_else_reads_a_private_file_while_it_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("o.csv").touch()
    Path("o.csv").chmod(0o600)
    seen = []
    monkeypatch.setattr(os, "fchmod", lambda handle, _: seen.append(stat.S_IMODE(os.fstat(handle).st_mode)))
    write_table(TABLE, Path("o.csv"))
    assert seen == [0o600]


def test_links() -> None:
    Path("sub").mkdir()
    Path("sub/real.csv").write_text("old")
    Path("o.csv").symlink_to("link.csv")
    Path("link.csv").symlink_to("sub/real.csv")
    with pytest.raises(OutputError, match="exists already"):
        check_outputs({"output": Path("o.csv")}, [], force=False)
    write_table(TABLE, Path("o.csv"))
    assert Path("o.csv").is_symlink()
    assert Path("link.csv").is_symlink()
    assert Path("sub/real.csv").read_text().startswith('"text"')


def test_links_to_nothing() -> None:
    Path("o.csv").symlink_to("sub/real.csv")
    with pytest.raises(OutputError, match=r"there is no directory .*sub; create it first"):
        check_outputs({"output": Path("o.csv")}, [], force=True)
    Path("sub").mkdir()
    with pytest.raises(OutputError, match=r"o\.csv is a link to nothing; `force` creates .*/sub/real\.csv"):
        check_outputs({"output": Path("o.csv")}, [], force=False)
    check_outputs({"output": Path("o.csv")}, [], force=True)
    write_table(TABLE, Path("o.csv"))
    assert Path("sub/real.csv").exists()
    Path("loop.csv").symlink_to("loop.csv")
    with pytest.raises(OutputError):
        check_outputs({"output": Path("loop.csv")}, [], force=False)


def test_what_comes_meanwhile_is_not_destroyed() -> None:
    os.mkfifo("pipe")

    def batches() -> Iterator[pa.RecordBatch]:
        Path("o.csv").symlink_to("pipe")
        yield from TABLE.to_batches()

    with pytest.raises(OutputError, match=r"o\.csv cannot be written: it is not a regular file"):
        write_batches(batches(), TABLE.schema, Path("o.csv"))
    assert Path("pipe").is_fifo()
