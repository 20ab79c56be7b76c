"""An index after a crash, on a full disk, with damaged files.

Each test tries some of what can happen. `make test-crash`, or LOOKALIKE_CRASH=20, tries twenty times as much: thousands
of kills, every byte of every file.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from support import crashing_writers, damage_index, power_loss

from lookalike import Index, InputError, OutputError
from lookalike.index import limits
from lookalike.index.storage.files import DATABASE, LATEST

MUCH = int(os.environ.get("LOOKALIKE_CRASH", "1"))

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="what is tested is how other systems do it")


# Killed


class Server:
    """Has children killed, see support/crashing_writers.py."""

    def __init__(self) -> None:
        command = [sys.executable, crashing_writers.__file__]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def kill(self, *what: object) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(" ".join(map(str, what)) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    made = Server()
    with made.process:
        yield made
        made.process.stdin.close()  # type: ignore[union-attr]


def survived(folder: Path, seed: int, held: crashing_writers.Held, acknowledged: int) -> crashing_writers.Held:
    """Look at an index after a crash: what was acknowledged is there, of the next step all or nothing."""
    if not folder.exists():
        assert acknowledged < 0
        return {}
    assert Index.check(folder) == []
    states = [held]
    for (_, after), _ in zip(crashing_writers.steps(seed, held), range(acknowledged + 1)):  # noqa: B905 - it does not end
        states.append(after)
    with Index.open(folder) as index:
        found = crashing_writers.contents(index)
        assert found in states[max(acknowledged, 0) :][:2], f"seed {seed}, {acknowledged} steps were acknowledged"
        assert len(index) == len(found)
        for key in list(found)[:3]:
            assert key in {match.id for match in index.query(found[key], top=None) if match.similarity == 1}
    return found


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path, server: Server) -> None:
    """Again and again, the same index."""
    rng = random.Random(3)
    held: crashing_writers.Held = {}
    for seed in range(20 * MUCH):
        acknowledged = server.kill(tmp_path / "i", seed, rng.random() * 0.5, "-", 0)
        held = survived(tmp_path / "i", seed, held, acknowledged)
    with Index.open(tmp_path / "i") as index:
        index.add([10**9], ["it goes on"])
        assert len(index) == len(held) + 1
    assert Index.check(tmp_path / "i") == []


@pytest.mark.slow
@pytest.mark.parametrize("point", crashing_writers.POINTS)
def test_killed_at_a_certain_moment(tmp_path: Path, server: Server, point: str) -> None:
    """Before and after each thing on which it depends that nothing is lost."""
    rng = random.Random(point)
    held: crashing_writers.Held = {}
    for seed in range(4 * MUCH):
        once = point == "rename"  # when the index is made
        folder = tmp_path / (f"{seed}" if once else "i")
        count = (1 if once else rng.randint(1, 12)) * (-1) ** seed
        acknowledged = server.kill(folder, seed, 3, point, count)
        held = survived(folder, seed, {} if once else held, acknowledged)
        assert not once or (acknowledged, folder.exists()) == (-1, count < 0)


# Without power


class Recorder:
    """Records what was written since it was last synced: names of files and of folders."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.synced: dict[str, int] = {}
        self.names: set[str] = set()
        self.commits = 0
        fsync, connect, recorder = os.fsync, sqlite3.connect, self

        def noted(handle: int) -> None:
            fsync(handle)
            path = Path(f"/proc/self/fd/{handle}").readlink()
            if path == folder:
                self.names = {one.name for one in folder.iterdir()}
            else:
                self.synced[path.name] = path.stat().st_size

        class Connection(sqlite3.Connection):
            def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
                if sql == "COMMIT":
                    recorder.before_commit(self)
                return super().execute(sql, *arguments)

        monkeypatch.setattr(os, "fsync", noted)
        monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Connection, **k))

    def before_commit(self, connection: sqlite3.Connection) -> None:
        """Look whether all files that a commit speaks of are on disk, with their names, and the seal is not."""
        (level,), (mode,) = (
            connection.execute(f"PRAGMA {name}").fetchone() for name in ("synchronous", "journal_mode")
        )
        assert (level, mode) == (2, "wal")
        for number, size in connection.execute("SELECT number, bytes FROM parts WHERE data IS NULL").fetchall():
            name = f"{number:08}.columns"
            assert (self.synced[name], name in self.names) == (size, True)
        assert "seal.json" not in self.names
        self.commits += 1


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="it is there that open files have names")
def test_files_are_on_disk_before_a_commit_speaks_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "i"
    Index.create(folder, shingle="words:1", threshold=0.5).close()
    for name, value in (("MAX_SMALL_PARTS", 3), ("MERGE_FACTOR", 2), ("MAX_SMALL_ITEMS", 8)):
        monkeypatch.setattr(limits, name, value)
    recorder = Recorder(folder, monkeypatch)
    index = Index.open(folder)
    held: crashing_writers.Held = {}
    for kind, after in islice(crashing_writers.steps(3, held), 60):
        index = crashing_writers.do(index, kind, held, after)
        held = after
    index.close()
    assert recorder.commits > 40
    assert len(recorder.synced) > 20


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("strace") is None and not os.environ.get("CI"), reason="takes strace to see what SQLite does"
)
def test_without_power(tmp_path: Path) -> None:
    """Trace every write, sync and rename, and try states that the disk may be in at many moments."""
    code = (
        "import os, sys; from pathlib import Path; from support import crashing_writers as crash; crash.small_parts();"
        "crash.work(Path(sys.argv[1]), 5, lambda n: (os.write(1, b'acknowledged %d' % n), n < 30 or sys.exit()))"
    )
    log = tmp_path / "log"
    command = ["strace", "-f", "-xx", "-s", "9999999", "-o", str(log), "-e", power_loss.CALLS]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(Path(crashing_writers.__file__).parents[1]), *sys.path])
    }
    subprocess.run(
        [*command, sys.executable, "-c", code, str(tmp_path / "i")], check=True, env=environment, capture_output=True
    )
    disk = power_loss.Disk(tmp_path)
    rng = random.Random(6)
    acknowledged = -1
    tried = 0
    for event in power_loss.events(log):
        if event.name == "write" and event.data.startswith(b"acknowledged"):
            acknowledged = int(event.data.split()[1])
        disk.do(event)
        if rng.random() < 0.03 * MUCH:
            tried += 1
            disk.make(tmp_path / f"after{tried}", rng)
            survived(tmp_path / f"after{tried}" / "i", 5, {}, acknowledged)
            shutil.rmtree(tmp_path / f"after{tried}")
    assert acknowledged == 30
    assert tried > 10


# Without room


FILL = """
import resource, signal, sys
from lookalike import Index, LookalikeError
from support import crashing_writers
crashing_writers.small_parts()
folder, step, most = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
texts = {i: f"common text number{i} " + "and more of it " * 9 for i in range(12, 400)}
refused = 0
for limit in range(0, most, step):
    with Index.open(folder) as index:
        held = crashing_writers.contents(index)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        for what in (lambda: index.add(list(texts), list(texts.values())), lambda: index.compact(rebuild=True),
                     lambda: index.update([1, 2], ["one", "two"]), lambda: index.delete([3])):
            try:
                with index.transaction():
                    what()
                    raise ZeroDivisionError
            except LookalikeError as error:
                assert "cannot be changed" in str(error) and "No changes were made" in str(error), error
                refused += 1
            except ZeroDivisionError:
                pass
            assert crashing_writers.contents(index) == held
            try:
                what()
            except LookalikeError as error:
                assert "cannot be changed" in str(error), error
                refused += 1
                assert crashing_writers.contents(index) == held
            else:
                resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                now = crashing_writers.contents(index)
                index.delete([key for key in now if key not in held])
                index.update([key for key in held], list(held.values()))
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
                assert crashing_writers.contents(index) == held
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert Index.check(folder) == [], Index.check(folder)
with Index.open(folder) as index:
    index.add(list(texts), list(texts.values()))
    index.compact()
    assert len(index) == len(held) + len(texts)
assert Index.check(folder) == []
print(refused)
"""


@pytest.mark.slow
def test_files_that_may_not_grow(tmp_path: Path) -> None:
    """At whatever size that begins: what fails leaves all as it was, and once there is room it goes on."""
    with Index.create(tmp_path / "i", shingle="words:1", threshold=0.5) as index:
        index.add(range(12), [f"text number{i}" for i in range(12)])
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(Path(crashing_writers.__file__).parents[1]), *sys.path])
    }
    command = [sys.executable, "-c", FILL, str(tmp_path / "i"), str(16_384 if MUCH == 1 else 1024), "200000"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert int(ended.stdout) > 10


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder with room for a million bytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1000k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small disk")
    yield folder
    gc.collect()  # what an error that was raised still holds
    subprocess.run(["umount", folder], check=True)


@pytest.mark.slow
def test_a_full_disk(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Filled by something else up to some place, which then goes."""
    for name, value in (("MAX_SMALL_PARTS", 3), ("MERGE_FACTOR", 2), ("MAX_SMALL_ITEMS", 8)):
        monkeypatch.setattr(limits, name, value)
    folder, other = small_disk / "i", small_disk / "other"
    rng = random.Random(2)
    index = Index.create(folder, shingle="words:1", threshold=0.5)
    held: crashing_writers.Held = {}
    refused = 0
    steps = crashing_writers.steps(9, held)
    for turn in range(60 * MUCH):
        kind, after = next(steps)
        free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
        other.write_bytes(bytes(max(free - rng.choice([0, 4096, 10_000, 20_000, 60_000]), 0)))
        try:
            index = crashing_writers.do(index, kind, held, after)
        except OutputError as error:
            refused += 1
            assert "full" in str(error) or "no space" in str(error) or "disk I/O" in str(error)  # noqa: PT017
            assert crashing_writers.contents(index) == held
            other.unlink()
            index = crashing_writers.do(index, kind, held, after)
        other.unlink(missing_ok=True)
        held = after
        assert crashing_writers.contents(index) == held
        if len(held) > 300:
            index.delete(list(held)[:250])
            held = dict(list(held.items())[250:])
            index.compact()
            steps = crashing_writers.steps(turn, held)
    index.close()
    assert refused > 10
    assert Index.check(folder) == []


def test_a_full_disk_can_be_read(small_disk: Path) -> None:
    """Where there is no room for a log there is none, and what is closed needs none."""
    with Index.create(small_disk / "i", shingle="words:1", threshold=0.5) as index:
        index.add(range(50), [f"text number{i}" for i in range(50)])
    other = small_disk / "other"
    with suppress(OSError), other.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    with Index.open(small_disk / "i") as index:
        assert [match.id for match in index.query("text number7", top=1)] == [7]
        assert Index.check(small_disk / "i") == []
        with pytest.raises(OutputError, match="no space left on device"):
            index.add([100], ["one more"])
        other.unlink()
        index.add([100], ["one more"])
        assert len(index) == 51
    assert Index.check(small_disk / "i") == []


# Damaged


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    """Return other processes: one that crashes is seen."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as made:
        yield made


@pytest.fixture(scope="module")
def memory() -> Iterator[Path]:
    """Return a folder where files are quickly written, if there is one."""
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=where) as name:
        yield Path(name)


def tried_places(size: int, rng: random.Random, most: int = 1 << 20) -> list[tuple[int, int]]:
    """Return places of a file to be changed, with the bits: in the long run all, or most, else some, and both ends."""
    step = max(1, size // (60 if MUCH == 1 else most))
    chosen = {*range(rng.randrange(step), size, step), *range(min(size, 3)), *range(max(size - 33, 0), size, 4)}
    return [(place, rng.choice([1 << rng.randrange(8), 255])) for place in sorted(chosen)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["texts", "elements", "vectors"])
def test_a_changed_byte_is_noticed(memory: Path, pool: ProcessPoolExecutor, kind: str) -> None:
    """A check finds it, and no query gives a wrong answer, not even after the parts were joined."""
    whole = memory / kind
    damage_index.make(whole, kind)
    assert damage_index.ask(whole, kind)["length"] == 58
    assert Index.check(whole) == []
    rng = random.Random(4)
    tasks = []
    for file in sorted(whole.iterdir()):
        places = tried_places(file.stat().st_size, rng)
        for i in range(0, len(places), 50):
            some = places[i : i + 50]
            tasks.append(pool.submit(damage_index.try_places, whole, kind, file.name, some, joining=i % 400 == 0))
    problems = [one for task in tasks for one in task.result()]
    assert problems == []
    assert Index.check(whole) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [DATABASE, f"{DATABASE}-wal", LATEST])
def test_a_changed_byte_of_an_index_that_was_not_closed(memory: Path, pool: ProcessPoolExecutor, name: str) -> None:
    """There is no checksum of the whole database then; whatever it holds, results are right, or an error is raised."""
    whole = memory / f"open {name}"
    damage_index.abandon(whole, "texts")
    places = tried_places((whole / name).stat().st_size, random.Random(8), 3000)
    tasks = [pool.submit(damage_index.try_open, whole, "texts", name, places[i::20]) for i in range(20)]
    assert [one for task in tasks for one in task.result()] == []


@pytest.mark.parametrize("cut", [0, 32, 4096, -1])
def test_a_log_that_was_cut_off(memory: Path, cut: int) -> None:
    """SQLite continues without the commits that were in it; that is reported."""
    whole = memory / f"log {cut}"
    damage_index.abandon(whole, "texts")
    log = whole / f"{DATABASE}-wal"
    log.write_bytes(log.read_bytes()[:cut])
    with pytest.raises(InputError, match=r"has lost its last [1-3] commits"):
        Index.open(whole)
    assert any("has lost" in one for one in Index.check(whole))
    (whole / LATEST).unlink()
    with Index.open(whole) as index:
        assert "id 40" in index
        assert "later" not in index
    assert Index.check(whole) == []


@pytest.mark.slow
def test_a_cut_file_is_noticed(memory: Path, pool: ProcessPoolExecutor) -> None:
    whole = memory / "cut"
    damage_index.make(whole, "texts")
    rng = random.Random(5)
    tasks = []
    for file in sorted(whole.iterdir()):
        if size := file.stat().st_size:
            gone = [] if file.name == "seal.json" else [-1]  # an index that was not closed has none
            lengths = [
                *gone,
                0,
                1,
                size // 2,
                size - 1,
                size + 1,
                *(rng.randrange(size) for _ in range(10 * (MUCH - 1))),
            ]
            tasks.append(pool.submit(damage_index.try_lengths, whole, "texts", file.name, lengths))
    assert [one for task in tasks for one in task.result()] == []
