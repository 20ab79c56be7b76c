"""Reading CSV: delimiters that are named or found, rows that do not fit, and threads that outlive a failure."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from support.run_cli import quiet_environment, run

from lookalike import InputError, RecipeError, deduplicate, find_pairs, read_items
from lookalike.read import open_paths

CAT = "the cat sat on the mat"

FAIL = """
import sys
from pathlib import Path
from lookalike.read import open_source
try:
    for batch in open_source(Path(sys.argv[1]), text="text").batches():
        pass
except Exception as error:
    print(error)
"""


@pytest.mark.slow
def test_a_process_ends_after_a_row_that_does_not_fit(tmp_path: Path) -> None:
    """Arrow reads ahead in threads of its own: what they hold must not need Python, which has ended."""
    path = tmp_path / "a.csv"
    row = f"1,{CAT}\n"  # the bad one follows after what is read to find the types, and is followed by many blocks
    path.write_text("id,text\n" + row * 60_000 + "1,2,3\n" + row * 4_000_000)
    for _ in range(4):
        command = [sys.executable, "-c", FAIL, str(path)]
        ended = subprocess.run(
            command, env=quiet_environment(), capture_output=True, text=True, timeout=120, check=False
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "row 60001: expected 2 columns, found 3" in ended.stdout


def test_nothing_of_pythons_is_passed_to_arrows_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Any, Any]] = []
    genuine = pa.csv.open_csv

    def watched(stream: Any, **options: Any) -> Any:
        given.append((stream, options["parse_options"].invalid_row_handler))
        return genuine(stream, **options)

    monkeypatch.setattr(pa.csv, "open_csv", watched)
    for name, data in (
        ("a.csv", b"text\na\n"),
        ("b.csv.gz", gzip.compress(b"text\na\n")),
        ("c.csv", "text\na\n".encode("utf-16")),
    ):
        (tmp_path / name).write_bytes(data)
        assert read_items(tmp_path / name).to_arrow()["item"].to_pylist() == ["a"]
    assert len(given) == 6
    for stream, handler in given:
        assert isinstance(stream, pa.NativeFile)
        assert not isinstance(stream, pa.PythonFile)
        assert handler is None


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
    named = run("pairs", "-", "--id", "name", "--delimiter", "^", stdin=f"name^text\na^{CAT}\nb^{CAT}\n".encode())
    assert named.out == outcome.out


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


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
@pytest.mark.parametrize("encoding", [None, "utf-16-le"])
def test_a_header_alone(ending: str, encoding: str | None, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(f"id;text{ending}".encode(encoding or "utf-8"))
    assert len(read_items(path, encoding=encoding).to_arrow()) == 0
    with pytest.raises(InputError, match=r"no column 'body' \(`text`\); its columns are id"):
        read_items(path, text="body", encoding=encoding)
    deduplicate(path, encoding=encoding).write(tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == '"id";"text"\n'


def test_a_quote_in_the_header_that_is_never_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('"id,text\n1,a\n')
    with pytest.raises(InputError, match="a quote in the header is never closed"):
        read_items(path)


def test_a_header_longer_than_a_block(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"text,{'x' * (1 << 20)}\na,b\n")
    assert read_items(path, text="text", batch_bytes=1 << 16).to_arrow()["item"].to_pylist() == ["a"]


@pytest.mark.parametrize("first", ["sep=;\n", "SEP=;\r\n", '"sep=;"\n', "\ufeffsep=;\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_line_that_declares_the_delimiter_to_excel(first: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{first}id,x;text\n1;a, b\n2;c\n", encoding=encoding)
    assert read_items(path, id="id,x").to_arrow().to_pydict() == {"id": ["1", "2"], "item": ["a, b", "c"]}
    deduplicate(path).write(tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text().splitlines()[0] == '"id,x";"text"'
    path.write_text(f"{first}id;text\n1;a\n2;c;d\n", encoding=encoding)
    with pytest.raises(InputError, match="row 2: expected 2 columns, found 3"):
        read_items(path).to_arrow()


def test_a_declared_delimiter_on_standard_input_and_alone(tmp_path: Path) -> None:
    outcome = run("pairs", "-", "--id", "id", stdin=f"sep=^\nid^text\na^{CAT}\nb^{CAT}\n".encode())
    assert outcome.out.splitlines()[1:] == ["a\tb\t1.0"]
    for data, columns in (("sep=;", []), ("sep=;\n", []), ("sep=;\nid;text", ["id", "text"])):
        (tmp_path / "a.csv").write_text(data)
        assert read_items(tmp_path / "a.csv").to_arrow().num_rows == 0
        assert open_paths([tmp_path / "a.csv"]).schema.names == columns
