"""Streams, signals and the system: what ends a command, and what it is called."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support.run_cli import LOOKALIKE, process, quiet_environment, run

from lookalike import OutputError
from lookalike.cli import doing, failures

LINE = b'{"text": "a b c", "n": 1}\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_bytes(2 * LINE)
    return tmp_path


def without(stream: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command with one of its standard streams closed."""
    command = [*LOOKALIKE, *arguments]
    closed = f'exec "$@" {stream}{"<" if stream == 0 else ">"}&-'
    return subprocess.run(
        ["sh", "-c", closed, "sh", *command], env=quiet_environment(), capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("command", ["pairs a.jsonl -q", "dedup a.jsonl --json", "--help", "--version"])
def test_results_need_standard_output(command: str) -> None:
    ended = without(1, *command.split())
    assert ended.returncode == 2
    assert ended.stderr == "lookalike: standard output cannot be written: Bad file descriptor; check where it goes\n"


@pytest.mark.slow
@pytest.mark.parametrize("stream", [0, 1, 2])
def test_what_is_not_needed_may_be_closed(stream: int) -> None:
    ended = without(stream, "dedup", "a.jsonl", "-o", "o.jsonl")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ("kept" in ended.stderr) == (stream != 2)
    assert Path("o.jsonl").read_bytes() == LINE


@pytest.mark.slow
@pytest.mark.parametrize("command", ["dedup -", "compare - a.jsonl", "index delete i --from -"])
def test_standard_input_that_is_closed(command: str) -> None:
    ended = without(0, *command.split())
    assert ended.returncode == 2
    assert ended.stderr == "lookalike: standard input is closed; send something, or name a file\n"


@pytest.mark.slow
def test_a_message_that_cannot_be_written_is_lost() -> None:
    with Path("/dev/full").open("w") as full:
        ended = process("dedup", "a.jsonl", "-o", "o.jsonl", stderr=full)
        assert (ended.returncode, Path("o.jsonl").read_bytes()) == (0, LINE)
        assert process("dedup", "nope.jsonl", stderr=full).returncode == 2


@pytest.mark.slow
def test_a_reader_that_leaves() -> None:
    Path("many.jsonl").write_bytes(400 * LINE)
    command = [*LOOKALIKE, "pairs", "many.jsonl", "-q"]
    with subprocess.Popen(command, env=quiet_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline() == b"left\tright\tsimilarity\n"
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == failures.READER_GONE


@pytest.mark.slow
def test_a_slow_reader_that_does_not_block() -> None:
    """As a pipe of Node.js."""
    Path("many.jsonl").write_bytes(500 * LINE)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with subprocess.Popen([*LOOKALIKE, "pairs", "many.jsonl", "-q"], env=quiet_environment(), stdout=writer) as child:
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            time.sleep(0.1)
            assert pipe.read().count(b"\n") == 1 + 500 * 499 // 2
    assert child.returncode == 0


# Signals


def stopped(after: float, number: signal.Signals, *arguments: str) -> tuple[int, str]:
    """Send a signal to a command after a while; return how it ended."""
    command = [*LOOKALIKE, *arguments]
    with subprocess.Popen(command, env=quiet_environment(), stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        time.sleep(after)
        child.send_signal(number)
        said = child.stderr.read()
    return child.returncode, said


def until_main() -> float:
    """Return a time after which a command has begun: Python itself answers signals before that."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import signal"], env=quiet_environment(), check=True)
    return 3 * (time.perf_counter() - begin)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_at_any_moment(name: str) -> None:
    number, begin = signal.Signals[name], until_main()
    for step in range(12):
        code, said = stopped(begin + 0.08 * step, number, "dedup", "a.jsonl", "-q", "-o", "o.jsonl", "-f")
        interrupted = (128 + number, "lookalike: interrupted; nothing was written\n")
        assert (code, said) in (interrupted, (0, ""))
        assert not [path for path in Path().iterdir() if path.name.startswith(".")]


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code that ends in the command line."""
    command = [sys.executable, "-c", f"{code}; from lookalike.cli import main; main()", *arguments]
    return subprocess.run(command, env=quiet_environment(), capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("module", ["lookalike.cli.app", "numpy", "pyarrow", "numba", "lookalike.pipeline"])
def test_ctrl_c_during_an_import(module: str) -> None:
    """At its very beginning, where C code expects no exception."""
    finder = (
        "import sys, os, signal; find = type('Finder', (), {'find_spec': staticmethod(lambda name, *_: name == "
        f"{module!r} and os.kill(os.getpid(), signal.SIGINT) or None)}}); sys.meta_path.insert(0, find)"
    )
    ended = python(finder, "dedup", "a.jsonl", "-o", "o.jsonl")
    assert (ended.returncode, ended.stderr) == (130, "lookalike: interrupted; nothing was written\n")


@pytest.mark.slow
def test_a_signal_where_python_ignores_exceptions() -> None:
    """In a destructor: it would be printed, and the run would go on."""
    code = """\
import os, signal
import lookalike.pipeline as pipeline
class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        sum(range(1000))
def deduplicate(*_, **__):
    Dying()
    while True:
        sum(range(1000))
pipeline.deduplicate = deduplicate
from lookalike.cli import main
main()
"""
    command = [sys.executable, "-c", code, "dedup", "a.jsonl"]
    ended = subprocess.run(command, env=quiet_environment(), capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stderr) == (143, "lookalike: interrupted; nothing was written\n")


# The system


def failing(error: BaseException) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        doing.append("sign")
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/cache/x.nbi"),
         "/cache/x.nbi cannot be used: No space left on device; the disk is full: free some space, or choose another"),
        (OSError(errno.EMFILE, "Too many open files"),
         "the system reports an error while signing items: Too many open files; raise the limit of open files"),
        (OSError("lost"), "the system reports an error while signing items: lost; try again"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), "x cannot be used: Permission denied; check that"),
        (MemoryError(), "out of memory while signing items; use fewer --threads"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "out of memory while signing items"),
        (pa.ArrowMemoryError("malloc of size 64 failed"), "out of memory while signing items"),
        (ImportError("x.so: failed to map segment from shared object"), "out of memory while signing items"),
        (RuntimeError("can't start new thread"), "no thread could be started while signing items; use fewer --threads"),
    ],
)  # fmt: skip
def test_errors_of_the_system(error: Exception, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.pipeline.deduplicate", failing(error))
    outcome = run("dedup", "a.jsonl")
    assert outcome.code == 2
    assert outcome.err.startswith(f"lookalike: {says}")
    assert outcome.err.count("\n") == 1
    assert "standard output" not in outcome.err


def test_an_error_for_lack_of_memory_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    error = OutputError("column 'text' cannot be read")
    error.__cause__ = pa.ArrowMemoryError("malloc of size 64 failed")
    monkeypatch.setattr("lookalike.pipeline.deduplicate", failing(error))
    assert run("dedup", "a.jsonl").err.startswith("lookalike: out of memory")


def test_an_error_that_nobody_expects_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.pipeline.deduplicate", failing(ZeroDivisionError("a bug")))
    with pytest.raises(ZeroDivisionError):
        run("dedup", "a.jsonl")


@pytest.mark.slow
def test_a_limit_on_memory() -> None:
    limit = 250 << 20

    def restrict() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    ended = process("dedup", "a.jsonl", preexec_fn=restrict, env=quiet_environment(OPENBLAS_NUM_THREADS="1"))
    assert ended.returncode == 2
    assert ended.stderr.startswith("lookalike: out of memory")
    assert "the limit, ulimit -v, is 262 MB" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.slow
def test_memory_is_that_of_the_command_alone() -> None:
    """Linux counts the memory of a process before it became this command."""
    size = 600 << 20
    code = f"import os, sys; bytearray({size}).count(1); os.execv(sys.executable, sys.argv[1:])"
    command = [sys.executable, "-c", code, *LOOKALIKE, "dedup", "a.jsonl", "--json"]
    ended = subprocess.run(command, env=quiet_environment(), capture_output=True, text=True, check=True)
    found = json.loads(ended.stdout)
    assert 1 << 20 < max(found["memory"].values()) <= found["peak_memory_bytes"] < size
