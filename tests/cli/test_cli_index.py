"""Index commands that succeed: what they do and what they print."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.index_commands import NEW, OLD, SETTINGS, build, refused, rows, said, write_corpus, write_lines
from support.run_cli import LOOKALIKE, done, process, quiet_environment

from lookalike import Index, find_pairs
from lookalike.read import open_source


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_corpus()


@pytest.mark.slow
def test_a_day_in_the_life_of_an_index() -> None:
    """Build, add what is new, ask, delete, update: the examples of the help, as users run them."""
    told = done("index", "build", "i", "old.parquet", *SETTINGS, "--id", "name", "--fields", "title,day").err
    assert all(words in told for words in ("90", "jaccard 0.5 on words:2", "items per second", "MB on disk", "wrote"))
    write_lines("today.jsonl", [{"name": "a", "text": OLD[7] + " more"}, *lines_of("new.jsonl")])
    outcome = done("index", "add", "i", "today.jsonl", "--id", "name", "--skip-duplicates")
    header, first, *others = outcome.out.splitlines()
    assert header.split("\t") == ["id", "match", "similarity"]
    assert first.split("\t")[:2] == ["a", "o7"]
    assert len(others) == 10
    assert {tuple(line.split("\t")[:2]) for line in others} == {(f"n{i}", f"n{i - 1}") for i in range(2, 30, 3)}
    assert "the input has no column day, which the index stores" in outcome.err
    assert said("info", "i") | {"bytes": 0} == {
        "path": "i", "items": 110, "deleted": 0, "parts": 2, "bytes": 0, "commit": 2, "kind": "texts",
        "shingle": "words:2", "measure": "jaccard", "threshold": 0.5, "bands": 35, "rows": 3,
        "recall": pytest.approx(0.9907, abs=1e-4), "fields": ["title", "day"],
    }  # fmt: skip
    found = said("query", "i", "--text", OLD[30], "--top", "1")["matches"]
    assert found == [{"id": "o30", "similarity": 1.0, "title": "title 30", "day": "1970-01-31"}]
    assert said("query", "i", "--text", "nothing of the kind")["matches"] == []
    gone = said("delete", "i", "o30", "n0", "nobody", "o30")
    assert (gone["deleted"], gone["not_there"], gone["items"]) == (2, 1, 108)
    assert said("query", "i", "--text", OLD[30])["matches"] == []
    write_lines(
        "changed.jsonl", [{"name": "o1", "text": "quite another text"}, {"name": "fresh", "text": "a new text"}]
    )
    changed = said("update", "i", "changed.jsonl", "--id", "name")
    assert (changed["replaced"], changed["added"], changed["items"]) == (1, 1, 109)
    assert [match["id"] for match in said("query", "i", "--text", "quite another text")["matches"]] == ["o1"]
    assert said("compact", "i", "--rebuild")["parts"] == 1
    outcome = done("index", "check", "i")
    assert outcome.out.startswith("i is intact: ")
    assert said("check", "i")["problems"] == []
    assert {row["id"] for row in rows("i")} & {"o30", "n0", "n2", "a"} == set()


def lines_of(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_queries_by_file_find_what_a_run_finds() -> None:
    build("--id", "name", "--fields", "title", "--recall", "0.99999")
    write_lines("asked.jsonl", [{"key": i, "body": text, "x": "y"} for i, text in enumerate([*OLD[6:20], *NEW[:9]])])
    done("index", "query", "i", "asked.jsonl", "--text", "body", "--id", "key", "--all", "-o", "found.parquet")
    table = pq.read_table("found.parquet")
    assert table.column_names == ["query", "id", "similarity", "title"]
    expected = find_pairs([*OLD[6:20], *NEW[:9]], against=OLD, shingle="words:2", threshold=0.5, recall=1).to_arrow()
    found = {(row["query"], row["id"], row["title"], row["similarity"]) for row in table.to_pylist()}
    pairs = expected.to_pylist()
    assert found == {(p["left"], f"o{p['right']}", f"title {p['right']}", p["similarity"]) for p in pairs}
    assert len(found) > 20
    outcome = done("index", "query", "i", "asked.jsonl", "--text", "body", "--top", 1)
    assert outcome.out.splitlines()[:2] == ["query\tid\tsimilarity\ttitle", "asked.jsonl:1\to6\t1.0\ttitle 6"]
    assert len(outcome.out.splitlines()) == 1 + 14
    piped = done("index", "query", "i", "-", "--lines", "-q", stdin=f"{OLD[3]}\nnothing\n".encode())
    assert piped.out.splitlines()[1].startswith("stdin:1\to3\t1.0")
    assert piped.err == ""
    assert said("query", "i", "asked.jsonl", "--text", "body")["queries"] == 23


def test_a_lower_threshold_says_what_it_may_miss() -> None:
    build("--id", "name")
    told = done("index", "query", "i", "--text", OLD[0], "--threshold", "0.3")
    with Index.open("i") as index:
        recall = index.query_many([""], threshold=0.3).recall
        assert recall < 0.9
    assert f"Note: the index was built for a threshold of 0.5; at 0.3, recall is {recall:.4f}." in told.err
    answer = said("query", "i", "--text", OLD[0], "--threshold", "0.3")
    assert (answer["recall"], len(answer["notes"])) == (recall, 1)
    assert "Note" not in done("index", "query", "i", "--text", OLD[0], "--threshold", "0.9").err


def test_a_match_is_explained() -> None:
    build("--id", "name")
    asked = OLD[0].rsplit(" ", 3)[0]
    outcome = done("index", "query", "i", "--text", asked, "--explain")
    assert "A pair: " in outcome.out
    assert f"[{asked}]" in outcome.out.replace("\n", "")
    (explained,) = said("query", "i", "--text", asked, "--explain")["explanations"]
    assert (explained["is_pair"], explained["left_spans"]) == (True, [[0, len(asked)]])


@pytest.mark.slow
def test_matches_of_a_file_are_explained() -> None:
    Path("log.csv").write_text("who,what,n\na,x,1\na,y,2\nb,x,1\nb,y,2\nb,z[1],1.5\nc,q,5\n")
    long = ("--item", "who", "--element", "what")
    done("index", "build", "sets", "log.csv", *long, "--threshold", "0.5", "-q")
    outcome = done("index", "query", "sets", "log.csv", *long, "--explain", "-q").out.replace("\n\n", "\n")
    assert outcome.count("A pair: ") == 5
    assert "A pair: 2 of 3 elements are shared, 0.6667 >= 0.5.\n" in outcome
    assert "\nElements: 2 shared, 0 only in a, 1 only in b." in outcome
    assert "only in b " in outcome
    assert "\nz[1]\n" in outcome
    done("index", "build", "weights", "log.csv", *long, "--weight", "n", "--threshold", "0.5", "-q")
    asked = ("query", "weights", "log.csv", *long, "--weight", "n", "--explain")
    answer = said(*asked)
    assert [(one["query"], one["id"], one["similarity"]) for one in answer["explanations"]] == [
        (one["query"], one["id"], one["similarity"]) for one in answer["matches"]
    ]
    assert answer["explanations"][1]["right_elements"] == ["z[1]"]
    assert "Weight: 3 shared, 0 only in a, 1.5 only in b." in done("index", *asked, "-q").out
    assert "x (1 and 1)" in done("index", *asked, "-q").out


@pytest.mark.slow
def test_a_long_explanation_is_cut() -> None:
    build("--id", "name")
    write_lines("sets.jsonl", [{"id": "s", "items": [f"element {i}" for i in range(500)]}])
    done("index", "build", "s", "sets.jsonl", "--id", "id", "--text", "items", "--shingle", "elements", "-q")
    asked = ("index", "query", "s", "sets.jsonl", "--text", "items", "--explain", "-q")
    assert "more; use --full to show them" in done(*asked).out
    assert "element 499" not in done(*asked).out
    assert "element 499" in done(*asked, "--full").out


def test_items_without_ids_are_numbered_on_past_those_that_are_skipped() -> None:
    build()
    assert [row["id"] for row in rows("i")] == list(range(90))
    write_lines("more.jsonl", [{"text": text} for text in (OLD[4], NEW[0], NEW[1])])
    assert said("add", "i", "more.jsonl", "--skip-duplicates")["matches"] == [{"id": 90, "match": 4, "similarity": 1.0}]
    assert said("add", "i", "more.jsonl")["added"] == 3
    assert [row["id"] for row in rows("i")][90:] == [91, 92, 93, 94, 95]
    Path("gone.txt").write_text("91\r\n7\n\n-3\n")
    assert said("delete", "i", "8", "--from", "gone.txt")["not_there"] == 1
    assert said("delete", "i", "--from", "-", stdin=b"95")["deleted"] == 1
    assert "integers. Got 'o1'" in refused("delete", "i", "9", "o1")


def test_numbers_of_csv_are_numbers_where_the_index_has_them() -> None:
    build()
    Path("changed.csv").write_text("n,text\n5,one of them\n200,another text\n")
    changed = said("update", "i", "changed.csv", "--id", "n")
    assert (changed["replaced"], changed["added"]) == (1, 1)
    assert {row["id"]: row["text"] for row in rows("i")}[5] == "one of them"
    Path("changed.csv").write_text("n,text\n5,one of them\nx,another text\n")
    assert "are integers" in refused("update", "i", "changed.csv", "--id", "n")
    assert "are integers" in refused("add", "i", "changed.csv", "--id", "n")


@pytest.mark.slow
def test_fields_stream_with_the_items_however_batches_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items and columns are read side by side, in batches that do not end at the same rows."""
    table = pa.table({"text": OLD, "n": range(90), "wide": ["x" * (i % 7) * 500 for i in range(90)]})
    for path, size in (("a.parquet", 7), ("b.parquet", 90)):
        pq.write_table(table, path, row_group_size=size)
    write_lines("c.jsonl", table.to_pylist())
    for path in ("a.parquet", "b.parquet", "c.jsonl"):
        for size in (1, 3000, 1 << 20):
            monkeypatch.setattr("lookalike.cli.index.session.BATCH_BYTES", size)
            done("index", "build", "i", path, *SETTINGS, "--fields", "n,wide", "--force")
            assert [{key: row[key] for key in ("text", "n", "wide")} for row in rows("i")] == table.to_pylist()


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv"])
def test_an_export_makes_an_index_with_the_same_answers(ending: str) -> None:
    build("--id", "name", "--fields", "title")
    done("index", "add", "i", "new.jsonl", "--id", "name")
    done("index", "delete", "i", "o5", "o88", "n3")
    assert said("export", "i", "-o", f"all.{ending}")["items"] == 117
    source = open_source(Path(f"all.{ending}"), id="id")
    names = [row["id"] for batch in source.rows() for row in batch.to_pylist()]
    assert names == [f"o{i}" for i in range(90) if i not in (5, 88)] + [f"n{i}" for i in range(30) if i != 3]
    build("--id", "id", "--fields", "title", index="again", source=f"all.{ending}")
    with Index.open("i") as one, Index.open("again") as two:
        found, again = (index.query_many([*OLD, *NEW]).to_arrow().to_pylist() for index in (one, two))
    assert found == again
    assert len(found) > 117
    assert "exists already" in refused("export", "i", "-o", f"all.{ending}")


@pytest.mark.slow
def test_sets_and_weights_too() -> None:
    Path("log.csv").write_text("who,what,n\na,x,1\na,y,2\nb,x,1\nb,y,2\nb,z,1\nc,q,5\n")
    long = ("--item", "who", "--element", "what")
    done("index", "build", "sets", "log.csv", *long, "--threshold", "0.5")
    done("index", "build", "weights", "log.csv", *long, "--weight", "n", "--threshold", "0.5")
    assert [m["id"] for m in said("query", "sets", "log.csv", *long, "--top", 2)["matches"]] == list("abbac")
    asked = said("query", "weights", "log.csv", *long, "--weight", "n")["matches"]
    assert [(m["query"], m["id"], m["similarity"]) for m in asked if m["query"] == "a"] == [
        ("a", "a", 1.0),
        ("a", "b", 0.75),
    ]
    for name in ("sets", "weights"):
        done("index", "export", name, "-o", f"{name}.parquet")
        done("index", "build", f"{name}2", f"{name}.parquet", "--id", "id", "--threshold", "0.5")
        assert rows(name) == rows(f"{name}2")
    assert "holds elements, not texts" in refused("query", "sets", "--text", "x")


def test_empty_input_makes_an_empty_index() -> None:
    Path("empty.jsonl").write_text("")
    build(source="empty.jsonl")
    assert said("info", "i")["items"] == said("delete", "i", "x")["deleted"] == 0
    assert said("query", "i", "--text", "x")["matches"] == []
    assert said("export", "i", "-o", "all.csv")["items"] == 0
    assert said("add", "i", "new.jsonl", "--id", "name")["items"] == 30


@pytest.mark.slow
@pytest.mark.parametrize("command", ["build", "query", "delete"])
def test_help_loads_nothing_heavy(command: str) -> None:
    code = "import atexit, sys; atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr)); " + LOOKALIKE[2]
    arguments = [LOOKALIKE[0], "-c", code, "index", command, "--help"]
    ended = subprocess.run(arguments, env=quiet_environment(), capture_output=True, text=True, check=True)
    assert not {"numba", "pyarrow", "numpy", "sqlite3", "llvmlite"} & set(ended.stderr.split())
    assert "Examples:" in ended.stdout
    assert "In Python:" in ended.stdout


@pytest.mark.slow
def test_as_a_process() -> None:
    """The whole of it once more, without this process in between."""
    assert process("index", "build", "i", "old.parquet", "--quiet").returncode == 0
    ended = process("index", "query", "i", "--text", OLD[3], "--top", "1")
    assert (ended.returncode, ended.stdout) == (0, "id\tsimilarity\n3\t1.0\n")
