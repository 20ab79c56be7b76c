"""Reading CSV: delimiters that are named or found, rows that do not fit, and threads that outlive a failure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.run_cli import quiet_environment, run

from lookalike import InputError, RecipeError, deduplicate, find_pairs, read_items

CAT = "the cat sat on the mat"

FAIL = """
import sys
from pathlib import Path
from lookalike.read import open_source
try:
    for batch in open_source(Path(sys.argv[1]), text="text", batch_bytes=1 << 16).batches():
        pass
except Exception as error:
    print(error)
"""


@pytest.mark.slow
def test_a_process_ends_after_a_row_that_does_not_fit(tmp_path: Path) -> None:
    """Arrow reads ahead in threads of its own: what they hold must not need Python, which has ended."""
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1,fine\n1,2,3\n" + f"1,{CAT}\n" * 2_000_000)
    for _ in range(8):
        command = [sys.executable, "-c", FAIL, str(path)]
        ended = subprocess.run(
            command, env=quiet_environment(), capture_output=True, text=True, timeout=120, check=False
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "row 2: expected 2 columns, found 3" in ended.stdout


def test_a_row_that_does_not_fit_may_hold_any_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,text\n1,fine\ncaf\xe9,caf\xe9,caf\xe9\n")
    outcome = run("dedup", path)
    assert outcome.code == 2
    assert outcome.err.startswith(f"lookalike: {path}, row 2: expected 2 columns, found 3; ")
    assert outcome.err.endswith("or name another --delimiter\n")


@pytest.mark.parametrize(
    ("delimiter", "given"),
    [(";", None), ("|", None), ("\t", None), (";", ";"), ("\t", "tab"), ("\t", "\\t"), ("^", "^")],
)
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_delimiters(delimiter: str, given: str | None, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    rows = [["name", "text"], ["ann", f"{CAT}, 1,5"], ["bob", f"{CAT}, 1,5"]]
    path.write_text("".join(delimiter.join(row) + "\n" for row in rows))
    assert list(find_pairs(path, text="text", id="name", delimiter=given)) == [("ann", "bob", 1.0)]


def test_a_delimiter_inside_quotes_does_not_separate(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('"text"\n"a; b, c"\n"d; e, f"\n')
    assert read_items(path).schema.names == ["text"]
    path.write_text('name;text\n"x;y, z";"one\nline; more"\nb;c\n')
    assert read_items(path, text="text").to_arrow()["item"].to_pylist() == ["one\nline; more", "c"]


def test_an_uncertain_delimiter_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text; the body\none\ntwo; three; four\n")
    with pytest.raises(InputError, match=r"1 column if values are separated by ,, and 2 if by ;.*name the `delimiter`"):
        read_items(path)
    assert read_items(path, delimiter=",").schema.names == ["text; the body"]


@pytest.mark.parametrize("wrong", [";;", "", '"', "\n", "é", 3])
def test_invalid_delimiters(wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text\na\n")
    with pytest.raises(RecipeError, match="`delimiter` must be one character"):
        read_items(path, delimiter=wrong)


def test_a_delimiter_is_only_for_files_that_have_one(tmp_path: Path) -> None:
    path, other = tmp_path / "a.jsonl", tmp_path / "b.csv"
    path.write_text('{"text": "the cat sat"}\n')
    other.write_text("name;text\na;the cat sat\n")
    with pytest.raises(RecipeError, match="`delimiter` is for CSV files"):
        read_items(path, delimiter=";")
    with pytest.raises(RecipeError, match="`delimiter` is for files"):
        find_pairs(["a"], delimiter=";")
    assert len(find_pairs(path, against=other, text="text", delimiter=";")) == 1


def test_standard_input_with_semicolons() -> None:
    outcome = run("pairs", "-", "--id", "name", stdin=f"name;text\na;{CAT}\nb;{CAT}\n".encode())
    assert outcome.out == "left\tright\tsimilarity\na\tb\t1.0\n"


def test_rows_are_written_with_the_delimiter_they_had(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"name;text\na;{CAT}\nb;{CAT}\nc;other\n")
    result = deduplicate(path, text="text")
    result.write(tmp_path / "b.csv", removed=tmp_path / "c.tsv")
    assert (tmp_path / "b.csv").read_text() == f'"name";"text"\n"a";"{CAT}"\n"c";"other"\n'
    assert (tmp_path / "c.tsv").read_text() == f'"name"\t"text"\n"b"\t"{CAT}"\n'


def test_tabs_do_not_come_to_csv(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("name\ttext\na\tb\n")
    deduplicate(tmp_path / "a.tsv", text="text").write(tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == '"name","text"\n"a","b"\n'
