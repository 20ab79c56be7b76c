"""Commands that succeed: every example, every format, output for people and for programs."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import pty
import re
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.run_cli import LOOKALIKE, done, process, quiet_environment, run, state

from lookalike import deduplicate, find_pairs

STORY = "once upon a time there was a fox who lived in a wood near the sea and ate well"
TABLE = pa.table(
    {
        "n": pa.array(range(6), pa.int16()),
        "text": [STORY, "something else entirely, and quite short", None, f"{STORY.upper()}!", f"{STORY} always", ""],
        "tags": [["a"], [], None, ["b", "c"], ["d"], []],
        "day": pa.array([1] * 6, pa.date32()),
    }
).replace_schema_metadata({"made": "by hand"})
KEYS = {
    "items", "kept", "removed", "pairs", "clusters", "candidates",
    "bands", "rows", "threshold", "recall", "seconds", "peak_memory_bytes",
}  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(TABLE, "corpus.parquet")
    return tmp_path


def rows_of(path: str) -> list[dict[str, Any]]:
    data = Path(path).read_bytes()
    if path.endswith((".gz", ".zst")):
        codec = "gzip" if path.endswith(".gz") else "zstd"
        data = pa.CompressedInputStream(pa.BufferReader(data), codec).read()
    if ".csv" in path or ".tsv" in path:
        return list(csv.DictReader(io.StringIO(data.decode(), newline=""), delimiter="\t" if ".tsv" in path else ","))
    if ".jsonl" in path:
        return [json.loads(line) for line in data.decode().splitlines()]
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


def jsonl(*texts: str | None) -> bytes:
    return b"".join(json.dumps({"text": text}).encode() + b"\n" for text in texts)


# The examples of the issue, as processes


@pytest.mark.slow
def test_dedup_from_parquet_to_parquet() -> None:
    before = state()
    command = "dedup corpus.parquet -o clean.parquet --clusters c.parquet --removed r.parquet --keep longest"
    ended = process(*command.split())
    assert (ended.returncode, ended.stdout) == (0, "")
    clusters = pq.read_table("c.parquet")
    assert clusters.column_names == ["id", "cluster", "keeper", "similarity", "kept"]
    assert [(row["id"], row["kept"]) for row in clusters.to_pylist()] == [
        ("corpus.parquet:1", False), ("corpus.parquet:4", False), ("corpus.parquet:5", True),
    ]  # fmt: skip
    kept, removed = pq.read_table("clean.parquet"), pq.read_table("r.parquet")
    assert kept.equals(TABLE.take([1, 2, 4, 5]))
    assert removed.equals(TABLE.take([0, 3]))
    assert kept.schema.equals(pq.read_schema("corpus.parquet"), check_metadata=True)
    assert state() == before | {name: Path(name).read_bytes() for name in ("clean.parquet", "c.parquet", "r.parquet")}
    for words in ("items", "2 (33.3%)", "chance", "memory", "clean.parquet", "2 items have no shingle"):
        assert words in ended.stderr
    assert "\x1b" not in ended.stderr


@pytest.mark.slow
def test_pairs_of_two_compressed_files() -> None:
    Path("a.jsonl.gz").write_bytes(gzip.compress(jsonl(STORY, "nothing")))
    Path("b.jsonl.gz").write_bytes(gzip.compress(jsonl("other", STORY + "!")))
    command = "pairs a.jsonl.gz b.jsonl.gz -o pairs.parquet --threshold 0.7 --shingle chars:9"
    ended = process(*command.split())
    assert (ended.returncode, ended.stdout) == (0, "")
    found = pq.read_table("pairs.parquet").to_pylist()
    grams = len(STORY) - 8
    assert found == [{"left": "a.jsonl.gz:1", "right": "b.jsonl.gz:2", "similarity": grams / (grams + 1)}]


@pytest.mark.slow
def test_pairs_across_two_files() -> None:
    pq.write_table(pa.table({"text": ["unseen", STORY, STORY]}), "train.parquet")
    pq.write_table(pa.table({"text": [STORY.title(), "unheard of"]}), "test.parquet")
    ended = process("pairs", "train.parquet", "--against", "test.parquet")
    assert ended.returncode == 0
    assert ended.stdout == (
        "left\tright\tsimilarity\ntrain.parquet:2\ttest.parquet:1\t1.0\ntrain.parquet:3\ttest.parquet:1\t1.0\n"
    )


@pytest.mark.slow
def test_compare_two_files() -> None:
    Path("one.txt").write_text(f"Yes. {STORY}")
    Path("two.txt").write_text(f"No: {STORY}")
    ended = process("compare", "one.txt", "two.txt")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("A pair: 15 of 17 shingles are shared, 0.8824 >= 0.8.")
    assert f"Yes. [{STORY}]" in ended.stdout
    found = json.loads(done("compare", "one.txt", "two.txt", "--json").out)
    assert (found["similarity"], found["is_pair"], found["shared"]) == (15 / 17, True, 15)
    assert found["left_spans"] == [[5, 5 + len(STORY)]]
    Path("long.txt").write_text("na " * 2000)
    assert "4,000 more characters; use --full to show them" in done("compare", "long.txt", "one.txt").out
    assert "more characters" not in done("compare", "long.txt", "one.txt", "--full").out


# Summary


def test_json_summary() -> None:
    found = json.loads(done("dedup", "corpus.parquet", "--json", "-o", "o.parquet").out)
    assert set(found) >= KEYS
    assert (found["items"], found["kept"], found["removed"], found["clusters"]) == (6, 4, 2, 1)
    assert found["kept"] == pq.read_metadata("o.parquet").num_rows
    assert (found["nulls"], found["empty"], found["short"], found["copies"]) == (1, 2, 0, 1)
    assert found["recall"] == found["chance"]["0.8"] >= 0.99
    assert found["recall"] == 1 - (1 - 0.8 ** found["rows"]) ** found["bands"]
    assert {"read", "sign", "band", "verify", "cluster", "write", "total"} <= set(found["seconds"])
    assert 0 <= max(found["seconds"].values()) == found["seconds"]["total"]
    assert found["peak_memory_bytes"] > 1 << 20
    pairs = json.loads(done("pairs", "corpus.parquet", "--json", "--bands", "3", "--rows", "2", "-t", "0.5").out)
    assert set(pairs) == set(found)
    assert (pairs["bands"], pairs["rows"], pairs["threshold"], pairs["recall"]) == (3, 2, 0.5, 1 - 0.75**3)


def test_python_and_the_command_line_agree() -> None:
    done("pairs", "corpus.parquet", "-o", "p.parquet", "-t", "0.6", "--shingle", "words:3", "--id", "n")
    found = find_pairs(Path("corpus.parquet"), threshold=0.6, shingle="words:3", id="n")
    assert pq.read_table("p.parquet").equals(found.to_arrow())
    done("dedup", "corpus.parquet", "--clusters", "c.parquet", "--keep", "max:n")
    assert pq.read_table("c.parquet").equals(deduplicate(Path("corpus.parquet"), keep="max:n").clusters.to_arrow())


def test_quiet_says_nothing() -> None:
    for command in ("dedup", "pairs"):
        outcome = done(command, "corpus.parquet", "--quiet", "-o", f"{command}.csv")
        assert (outcome.out, outcome.err) == ("", "")
    assert done("pairs", "corpus.parquet", "--quiet").out.startswith("left\tright\tsimilarity\n")


# Formats


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["o.parquet", "o.pq", "o.jsonl", "o.jsonl.gz", "o.jsonl.zst", "o.csv", "o.tsv", "o.csv.gz"]
)
def test_outputs_by_their_ending(name: str) -> None:
    done("dedup", "corpus.parquet", "-o", name, "--removed", f"r-{name}", "--clusters", f"c-{name}")
    kept, removed, clusters = (rows_of(prefix + name) for prefix in ("", "r-", "c-"))
    assert [str(row["n"]) for row in kept] == ["0", "1", "2", "5"]
    assert [str(row["n"]) for row in removed] == ["3", "4"]
    assert list(kept[0]) == TABLE.column_names
    assert list(clusters[0]) == ["id", "cluster", "keeper", "similarity", "kept"]
    assert kept[0]["text"] == STORY
    assert [float(row["similarity"]) for row in clusters] == [1.0, 1.0, 15 / 16]
    if name.endswith((".parquet", ".pq")):
        assert pq.read_schema(name).equals(pq.read_schema("corpus.parquet"), check_metadata=True)
        assert pq.read_table(name).equals(TABLE.take([0, 1, 2, 5]))


def test_chains_are_said_to_remove_what_is_below_the_threshold() -> None:
    chain = [" ".join(f"w{word}" for word in range(start, start + 20)) for start in range(0, 12, 2)]
    Path("chain.jsonl").write_bytes(jsonl(*chain))
    asked = ("dedup", "chain.jsonl", "--shingle", "words:1", "--recall", "1", "--json")
    star, chained = (json.loads(done(*asked, *more).out) for more in ((), ("--cluster", "chain")))
    assert (star["kept"], star["cluster"], star["below_threshold"], star["notes"]) == (3, "star", 0, [])
    assert (chained["kept"], chained["cluster"], chained["below_threshold"]) == (1, "chain", 4)
    shown = " ".join(done(*asked[:-1], "--cluster", "chain").err.split())
    assert "4 removed items are less similar to their keeper than the threshold" in shown
    assert "--cluster star" in shown


def test_json_lines_are_copied_as_they_stand() -> None:
    lines = ['{"text":"b  a", "x" : 1e2}', '{ "text": "b a","y":[NaN]}', '{"x":"\\u00e9", "text":"other"}\r']
    Path("in.jsonl").write_bytes("\n".join(["", *lines]).encode())
    done("dedup", "in.jsonl", "-o", "out.jsonl", "--removed", "r.jsonl")
    assert Path("out.jsonl").read_bytes() == f"{lines[0]}\n{lines[2]}\n".encode()
    assert Path("r.jsonl").read_bytes() == f"{lines[1]}\n".encode()


def test_force_replaces_and_links_are_followed() -> None:
    Path("real.csv").write_text("old")
    Path("link.csv").symlink_to("real.csv")
    done("dedup", "corpus.parquet", "-o", "link.csv", "--force")
    assert Path("link.csv").is_symlink()
    assert len(rows_of("real.csv")) == 4


# Inputs


@pytest.mark.parametrize(
    ("data", "options"),
    [(jsonl(STORY, STORY), []), (gzip.compress(jsonl(STORY, STORY), mtime=0), []),
     (f"text\n{STORY}\n{STORY}\n".encode(), []), (f"{STORY}\n{STORY}".encode(), ["--lines"])],
)  # fmt: skip
def test_standard_input(data: bytes, options: list[str]) -> None:
    Path("scratch").mkdir()
    outcome = done("dedup", "-", *options, "-o", "o.jsonl", "--clusters", "c.csv", "--scratch", "scratch", stdin=data)
    assert outcome.out == ""
    assert [row["text"] for row in rows_of("o.jsonl")] == [STORY]
    assert [row["id"] for row in rows_of("c.csv")] == ["stdin:1", "stdin:2"]
    assert not os.listdir("scratch")  # noqa: PTH208


def test_folders_globs_and_many_files() -> None:
    for name in ("x/a.jsonl", "x/deep/b.jsonl", "y/c.jsonl", "y/.hidden.jsonl"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(jsonl(STORY))
    for given in (["x", "y"], ["**/*.jsonl"], ["./y/*.jsonl", "x"], ["y/c.jsonl", "x/a.jsonl", "x/deep"]):
        assert json.loads(done("dedup", *given, "--json").out)["items"] == 3
    assert [row["id"] for row in clusters_of("y", "x")] == ["x/a.jsonl:1", "x/deep/b.jsonl:1", "y/c.jsonl:1"]


def clusters_of(*arguments: str) -> list[dict[str, Any]]:
    done("dedup", *arguments, "--clusters", "clusters.jsonl", "--force")
    return rows_of("clusters.jsonl")


def test_a_folder_of_texts_and_an_item_a_line() -> None:
    Path("notes").mkdir()
    for name, text in (("a.txt", STORY), ("b.md", STORY.title()), ("c", "\ufeffother\n")):
        Path("notes", name).write_text(text)
    assert [row["id"] for row in clusters_of("notes")] == ["notes/a.txt", "notes/b.md"]
    Path("lines.txt").write_bytes(f"{STORY}\r\n\nx\n{STORY}".encode())
    assert [row["id"] for row in clusters_of("lines.txt", "--lines")] == ["lines.txt:1", "lines.txt:4"]
    assert json.loads(done("dedup", "lines.txt", "--lines", "--json").out)["empty"] == 1


@pytest.mark.slow
def test_names_of_every_kind() -> None:
    names = ["ünï.jsonl", "new\nline.jsonl", "[x].jsonl", "[red]b.jsonl", "-dash.jsonl", os.fsdecode(b"lat\xff.jsonl")]
    for name in names:
        Path(name).write_bytes(jsonl(STORY))
    assert json.loads(done("dedup", ".", "--json").out)["items"] == 6 + len(names)
    for name in names:
        out = f"out{name.removesuffix('.jsonl')}.parquet"
        done("dedup", f"./{name}", "-o", out)
        assert done("pairs", out, "--quiet").out == "left\tright\tsimilarity\n"
        refused = run("dedup", f"./{name}", "--text", "nope")
        assert refused.code == 2
        assert refused.err.count("\n") == 1


# Help


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["dedup", "--help"], ["pairs", "-h"], ["compare", "--help"]]
)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    """What takes 0.3 seconds is imports: so look for them, not at the clock."""
    code = "import atexit, sys; atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr)); " + LOOKALIKE[2]
    command = [LOOKALIKE[0], "-c", code, *arguments]
    ended = subprocess.run(command, env=quiet_environment(), capture_output=True, text=True, check=False)
    assert ended.returncode == 0
    assert not {"numba", "pyarrow", "numpy", "pandas", "polars", "llvmlite"} & set(ended.stderr.split())
    assert "lookalike" in ended.stdout
    if len(arguments) == 2:
        assert "Examples:" in ended.stdout
        assert "In Python:" in ended.stdout


@pytest.mark.slow
def test_comparing_does_not_load_pandas() -> None:
    Path("one.txt").write_text(STORY)
    code = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); " + LOOKALIKE[2]
    command = [LOOKALIKE[0], "-c", code, "compare", "one.txt", "one.txt"]
    ended = subprocess.run(command, env=quiet_environment(), capture_output=True, text=True, check=True)
    assert "pyarrow" in ended.stderr.split()
    assert "pandas" not in ended.stderr.split()


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell: str) -> None:
    script = process(env=quiet_environment(_LOOKALIKE_COMPLETE=f"source_{shell}"))
    assert script.returncode == 0
    assert "LOOKALIKE_COMPLETE" in script.stdout
    if shell == "bash":
        asked = quiet_environment(_LOOKALIKE_COMPLETE="complete_bash", COMP_WORDS="lookalike de", COMP_CWORD="1")
        assert process(env=asked).stdout.split() == ["dedup"]


# Terminals


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """Run a command with a terminal for its output; return what that shows."""
    reader, writer = pty.openpty()
    child = subprocess.Popen(
        [*LOOKALIKE, *arguments], stdout=writer, stderr=writer, stdin=writer,
        env=quiet_environment(TERM="xterm-256color", COLUMNS="100", **environment),
    )  # fmt: skip
    os.close(writer)
    shown = b""
    while True:
        try:
            shown += (piece := os.read(reader, 1 << 16))
        except OSError:  # Linux: the other end is closed
            break
        if not piece:
            break
    os.close(reader)
    assert child.wait() == 0, shown.decode()
    return shown.decode()


@pytest.mark.slow
def test_a_terminal_shows_progress_and_colours() -> None:
    shown = on_a_terminal("dedup", "corpus.parquet", "-o", "o.csv")
    assert all(word in shown for word in ("sign", "compare", "cluster", "items", "━", "2 (33.3%)"))
    assert re.search(r"\x1b\[[0-9;]*3\dm", shown)
    plain = on_a_terminal("dedup", "corpus.parquet", NO_COLOR="1")
    assert "sign" in plain
    assert not re.search(r"\x1b\[[0-9;]*[349]\dm", plain)


@pytest.mark.slow
def test_a_terminal_shows_pairs_and_passages() -> None:
    shown = on_a_terminal("pairs", "corpus.parquet", "--id", "n")
    assert re.search(r"0\s+│ 3\s+│ 1\.0000", shown)
    Path("one.txt").write_text(STORY)
    assert "\x1b[32m" in on_a_terminal("compare", "one.txt", "one.txt")
    assert f"[{STORY}]" in on_a_terminal("compare", "one.txt", "one.txt", NO_COLOR="1")
    assert on_a_terminal("dedup", "corpus.parquet", "--quiet") == ""


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_ids_are_piped_as_utf8_whatever_the_locale(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "é中", "text": "one two three"}\n{"id": "x", "text": "one two three"}\n')
    environment = {**quiet_environment(), "PYTHONIOENCODING": encoding}
    command = [*LOOKALIKE, "pairs", "a.jsonl", "--id", "id", "--quiet"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, env=environment, check=True)
    assert ended.stdout.decode("utf-8").splitlines()[1] == "é中\tx\t1.0"
