"""Nested columns, and several columns that are joined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.run_cli import done

from lookalike import InputError, RecipeError, deduplicate, find_pairs, read_items

CAT = "the cat sat on the mat"
ROWS: list[dict[str, Any]] = [
    {"meta": {"text": CAT, "quality": 1, "who": {"id": "a"}}, "tags": {"all": ["x", "y"]}},
    {"meta": None, "tags": None},
    {"meta": {"text": CAT, "quality": 2.5, "who": {"id": "c"}}, "tags": {"all": ["x", "y"]}},
    {"meta": {"text": None, "who": {"id": "d"}}, "tags": {"all": []}},
]


def sources(rows: list[dict[str, Any]], folder: Path) -> list[Any]:
    """Return rows as a file of each format that has nested columns, and in memory."""
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, folder / "a.parquet")
    return [folder / "a.jsonl", folder / "a.parquet", table]


def test_nested_columns_have_any_role(tmp_path: Path) -> None:
    for source in sources([row for row in ROWS if row["meta"]], tmp_path):
        settings: dict[str, Any] = {"text": "meta.text", "id": "meta.who.id"}
        assert list(find_pairs(source, **settings)) == [("a", "c", 1.0)]
        result = deduplicate(source, keep="max:meta.quality", **settings)
        assert result.mask.tolist() == [False, True, True]
        assert result.to_arrow().to_pylist()[0]["meta"]["text"] == CAT
        assert list(find_pairs(source, text="tags.all", id="meta.who.id")) == [("a", "c", 1.0)]


def test_fields_of_missing_objects_are_null(tmp_path: Path) -> None:
    for source in sources(ROWS, tmp_path):
        assert read_items(source, text="meta.text").to_arrow()["item"].to_pylist() == [CAT, None, CAT, None]
        with pytest.raises(InputError, match=r"(row|line|item) [12]: the id is null"):
            find_pairs(source, text="meta.text", id="meta.who.id")


def test_a_column_whose_name_has_a_dot_wins(tmp_path: Path) -> None:
    rows = [{"a.b": "one", "a": {"b": "other"}}, {"a.b": "two", "a": {"b": "other"}}]
    for source in sources(rows, tmp_path):
        assert read_items(source, text="a.b").to_arrow()["item"].to_pylist() == ["one", "two"]


def test_names_with_dots_on_the_way(tmp_path: Path) -> None:
    for source in sources([{"a.b": {"c": "one"}}, {"a.b": {"c": "two"}}], tmp_path):
        assert read_items(source, text="a.b.c").to_arrow()["item"].to_pylist() == ["one", "two"]


def test_lines_that_arrow_rejects_are_nested_too(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"m": {"t": "one"}}\n{"m": "text"}\n{"m": {"t": "\\ud800"}}\n')
    items = read_items(path, text="m.t", encoding_errors="replace").to_arrow()["item"]
    assert items.to_pylist() == ["one", None, "\N{REPLACEMENT CHARACTER}"]


def test_nested_columns_that_come_late(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"k": "a"}\n' * 200_000 + '{"k": "b", "m": {"t": "late"}}\n')
    assert read_items(path, text="m.t").to_arrow()["item"].to_pylist()[-2:] == [None, "late"]


def test_a_nested_column_that_is_not_there(tmp_path: Path) -> None:
    for source in sources(ROWS, tmp_path):
        with pytest.raises(InputError, match=r"no column 'meta\.title' \(`text`\)"):
            read_items(source, text="meta.title")


def test_a_long_table_of_nested_columns(tmp_path: Path) -> None:
    rows = [{"r": {"who": who, "what": what, "n": 1.0}} for who, what in ("ax", "ay", "bx", "by", "cz")]
    for source in sources(rows, tmp_path):
        found = find_pairs(source, item="r.who", element="r.what", weight="r.n")
        assert list(found) == [("a", "b", 1.0)]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", ""])
def test_several_texts_are_joined(suffix: str, tmp_path: Path) -> None:
    rows = [
        {"title": "One", "body": "first"},
        {"title": "", "body": "second"},
        {"title": "Three", "body": "third"},
    ]
    source: Any = pa.Table.from_pylist(rows)
    if suffix:
        path = tmp_path / f"a.{suffix}"
        if suffix == "parquet":
            pq.write_table(source, path)
        else:
            lines = [json.dumps(row) for row in rows]
            csv = ["title,body", *(f"{row['title']},{row['body']}" for row in rows)]
            path.write_text("\n".join(lines if suffix == "jsonl" else csv) + "\n")
        source = path
    items = read_items(source, text=["title", "body"])
    assert items.to_arrow()["item"].to_pylist() == ["One\n\nfirst", "second", "Three\n\nthird"]
    assert items.column == "title + body"
    assert read_items(source, text=["body"]).to_arrow()["item"].to_pylist() == ["first", "second", "third"]


def test_a_joined_text_is_null_if_all_its_parts_are() -> None:
    table = pa.table({"a": pa.array([None, None, "x"]), "b": pa.array([None, "", None]).dictionary_encode()})
    assert read_items(table, text=["a", "b"]).to_arrow()["item"].to_pylist() == [None, "", "x"]


def test_what_cannot_be_joined() -> None:
    table = pa.table({"a": [["x"]], "b": [["y"]], "c": ["z"]})
    with pytest.raises(InputError, match="joined only if they hold texts, but these hold elements"):
        read_items(table, text=["a", "b"])
    with pytest.raises(InputError, match="column 'b' is list"):
        read_items(table, text=["c", "b"])
    with pytest.raises(RecipeError, match=r"`text` must name each column once\. Got c, c"):
        read_items(table, text=["c", "c"])
    with pytest.raises(InputError, match="the input is a single column, but `text` names 2"):
        read_items(["z"], text=["a", "b"])
    for wrong in (3, [], ["c", 3], {"c"}):
        with pytest.raises(RecipeError, match="`text` must be the name of a column, or a list of names"):
            read_items(table, text=wrong)  # type: ignore[arg-type]
    with pytest.raises(RecipeError, match=r"`id` must be the name of a column\. Got 3"):
        read_items(table, text="c", id=3)  # type: ignore[arg-type]


def test_several_texts_on_the_command_line(tmp_path: Path) -> None:
    path, index = tmp_path / "a.csv", tmp_path / "i"
    path.write_text("id,title,body\na,the cat,sat on the mat\nb,the cat sat,on the mat\nc,the cat,is away\n")
    found = done("pairs", path, "--id", "id", "--text", "title", "--text", "body").out
    assert found == "left\tright\tsimilarity\na\tb\t1.0\n"
    done("index", "build", index, path, "--id", "id", "--text", "title", "--text", "body")
    found = done("index", "query", index, path, "--id", "id", "--text", "title", "--text", "body", "-q").out
    assert found.splitlines()[1:] == ["a\ta\t1.0", "a\tb\t1.0", "b\ta\t1.0", "b\tb\t1.0", "c\tc\t1.0"]


def test_a_list_of_dicts_is_a_table_if_a_column_is_named() -> None:
    rows = [{"k": "a", "m": {"t": CAT}}, {"k": "b", "m": {"t": CAT}, "late": 1}, {"k": "c"}]
    result = deduplicate(rows, text="m.t", id="k")
    assert result.kept == [rows[0], rows[2]]
    assert list(find_pairs(rows, text=["k", "m.t"], shingle="words:1", threshold=0.5)) == [(0, 1, 5 / 7)]
    weights = [{"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0}]
    assert read_items(weights).kind == read_items(weights, text="baskets").kind == "weights"
    with pytest.raises(InputError, match="item 1 is str, but must be a dict"):
        read_items([rows[0], "b"], text="k")
    with pytest.raises(InputError, match="column 'k' holds values that have no type in common"):
        read_items([rows[0], {"k": 1}], text="k")


def test_nested_columns_are_stored_in_an_index(tmp_path: Path) -> None:
    files = sources([row for row in ROWS if row["meta"]], tmp_path)[:2]
    for number, path in enumerate(files):
        index = tmp_path / f"i{number}"
        names = ["--text", "meta.text", "--id", "meta.who.id"]
        done("index", "build", index, path, *names, "--fields", "meta.quality")
        found = done("index", "query", index, "--text", CAT, "-q").out
        assert found == "id\tsimilarity\tmeta.quality\na\t1.0\t1.0\nc\t1.0\t2.5\n"


def test_a_nested_column_names_its_fields(tmp_path: Path) -> None:
    row = {"id": 1, "meta": {"title": CAT}}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "a.parquet")
    for name, inner in (("a.jsonl", "<field>"), ("a.parquet", "title")):
        says = f"{name}: column 'meta' is nested; name one of its fields by its path, as in meta.{inner}"
        for text, key in (("meta", None), ("meta.title", "meta")):
            with pytest.raises(InputError, match=says):
                read_items(tmp_path / name, kind="texts", text=text, id=key)
