"""Commands on folders: patterns, formats, what is passed over, and URLs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.read_tables import jsonl, put
from support.run_cli import done, run

from lookalike import RecipeError, deduplicate, find_pairs

STORY = "the quick brown fox jumps over the lazy dog and runs away from the old grey wolf"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "sub/b.txt", "sub/c.md", ".hidden"):
        put(tmp_path / "notes" / name, STORY.encode())
    put(tmp_path / "notes/p.png", b"\x89PNG\r\n\x1a\n" + bytes(20))
    return tmp_path


def refused(*arguments: str) -> str:
    outcome = run(*arguments)
    assert outcome.code == 2, outcome
    return " ".join(outcome.err.split())


def test_what_was_passed_over_is_in_every_summary() -> None:
    summary = json.loads(done("dedup", "notes", "--json").out)
    assert summary["items"] == 3
    assert summary["passed_over"] == {"hidden": 1, ".png": 1}
    assert summary["notes"][0] == "passed over 2 files: 1 .png, 1 hidden"
    assert "Note: passed over 2 files: 1 .png, 1 hidden." in done("dedup", "notes").err
    assert deduplicate("notes").summary.passed_over == {"hidden": 1, ".png": 1}
    both = find_pairs("notes", against="notes").summary
    assert both.passed_over == {"hidden": 2, ".png": 2}


def test_patterns_may_be_repeated() -> None:
    def items(*options: str) -> int:
        return int(json.loads(done("pairs", "notes", *options, "--json").out)["items"])

    assert items("--include", "*.txt") == 2
    assert items("--include", "*.txt", "--include", "*.md") == 3
    assert items("--include", "*.txt", "--exclude", "b.*", "--exclude", "*.md") == 1
    assert items("--exclude", "sub") == 1


def test_a_mixed_folder_shows_the_flags_to_use() -> None:
    put(Path("notes/stray.csv"), b"text\nx\n")
    message = refused("dedup", "notes")
    assert "for the tables, use --include '*.csv'; for the texts, --exclude '*.csv'" in message
    assert json.loads(done("dedup", "notes", "--exclude", "*.csv", "--json").out)["items"] == 3


def test_a_pattern_without_a_folder() -> None:
    assert "--include chooses among the files of folders" in refused("dedup", "notes/a.txt", "--include", "*.txt")


def test_patterns_apply_to_either_side() -> None:
    found = done("pairs", "notes", "--against", "notes/a.txt", "--include", "*.md", "--json")
    assert json.loads(found.out)["pairs"] == 1
    found = done("pairs", "notes/a.txt", "--against", "notes", "--exclude", "*.md", "--json")
    assert json.loads(found.out)["items"] == 3
    message = refused("pairs", "notes/a.txt", "--against", "notes/sub/b.txt", "--include", "*.md")
    assert "--include chooses among the files of folders" in message
    with pytest.raises(RecipeError, match="`exclude` chooses among the files of folders"):
        find_pairs(["a", "b"], exclude="*.txt")


def test_a_format_for_standard_input() -> None:
    table = f"a;b\tstory\n1\t{STORY}\n2\t{STORY}\n".encode()
    found = done("pairs", "-", "--format", "tsv", "--text", "story", "--json", stdin=table)
    assert json.loads(found.out)["pairs"] == 1
    assert "--format must be one of parquet" in refused("pairs", "notes", "--format", "xlsx")


def test_numbers_that_become_strings_are_noted() -> None:
    put(Path("a.jsonl"), jsonl({"text": STORY, "n": 1}))
    put(Path("b.csv"), f"text,n\n{STORY} again,2\n".encode())
    note = "column 'n' is int64 in a.jsonl, but string in b.csv: it is read as strings"
    assert json.loads(done("dedup", "a.jsonl", "b.csv", "-o", "o.jsonl", "--json").out)["notes"][0] == note
    assert note not in done("pairs", "a.jsonl", "b.csv", "--json").out
    assert note in json.loads(done("pairs", "a.jsonl", "b.csv", "--id", "n", "--json").out)["notes"]


def test_an_index_of_a_folder_notes_what_was_passed_over() -> None:
    built = json.loads(done("index", "build", "i", "notes", "--exclude", "*.md", "--json").out)
    assert built["items"] == 2
    assert built["notes"] == ["passed over 3 files: 1 .png, 1 excluded, 1 hidden"]
    queried = json.loads(done("index", "query", "i", "notes", "--include", "*.md", "--json").out)
    assert queried["queries"] == 1
    assert queried["notes"] == ["passed over 4 files: 3 not included, 1 hidden"]


def test_an_estimate_notes_what_was_passed_over() -> None:
    put(Path("notes/d.txt"), b"quite another story of twelve words that nobody has ever told before")
    assert "Note: passed over 2 files: 1 .png, 1 hidden." in done("tune", "notes").out
    found = json.loads(done("tune", "notes", "--json").out)
    assert found["estimate"]["notes"] == ["passed over 2 files: 1 .png, 1 hidden"]


READ = ": URLs cannot be read; download the file first, and pass its path"
WRITTEN = ": URLs cannot be written to; write a local file, and upload it"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["dedup", "s3://bucket/a.parquet"], f"s3://bucket/a.parquet{READ}"),
        (["dedup", "s3://bucket/*.parquet"], f"s3://bucket/*.parquet{READ}"),
        (["pairs", "https://x.org/a.csv?b=1"], f"https://x.org/a.csv?b=1{READ}"),
        (["pairs", "notes", "--against", "gs://b/c"], f"gs://b/c{READ}"),
        (["pairs", "notes", "-o", "s3://b/c.parquet"], f"s3://b/c.parquet{WRITTEN}"),
        (["dedup", "notes", "-o", "s3://b/c"], f"s3://b/c{WRITTEN}"),
        (["dedup", "notes", "--clusters", "abfss://b@c/d.csv"], f"abfss://b@c/d.csv{WRITTEN}"),
        (["dedup", "notes", "--report", "s3://b/c.html"], f"s3://b/c.html{WRITTEN}"),
        (["tune", "-t", "0.8", "--plot", "s3://b/c.svg"], f"s3://b/c.svg{WRITTEN}"),
        (["tune", "hdfs://b/c.csv"], f"hdfs://b/c.csv{READ}"),
        (["compare", "s3://b/c", "notes/a.txt"], f"s3://b/c{READ}"),
        (["index", "build", "s3://b/i", "notes"], f"s3://b/i{WRITTEN}"),
        (["index", "build", "i", "s3://b/a.csv"], f"s3://b/a.csv{READ}"),
        (["index", "query", "s3://b/i", "notes"], f"s3://b/i{READ}"),
        (["index", "info", "s3://b/i"], f"s3://b/i{READ}"),
        (["dedup", "file:///tmp/a.csv"], "file:///tmp/a.csv: URLs are not paths; pass /tmp/a.csv"),
    ],
)
def test_a_url_is_named_as_it_was_typed(arguments: list[str], says: str) -> None:
    assert says in refused(*arguments)
    assert not Path("s3:").exists()


def test_compare_names_a_binary_file() -> None:
    assert "notes/p.png is a picture" in refused("compare", "notes/a.txt", "notes/p.png")
