"""The report: its contents, and where it is written."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from support.html_page import Page, page_of
from support.run_cli import done, run, state

from lookalike import Clusters, Deduplicated, MissingExtraError, OutputError, Pairs, compare, deduplicate, find_pairs
from lookalike.report import plots
from lookalike.report.page import make_page
from lookalike.tuning.recall import Measured, Share

STORY = "once upon a time there was a fox who lived in a wood near the sea and ate well"
TEXTS = [STORY, f"{STORY} always", "something else entirely", STORY.upper(), None, "", "one"]


@pytest.mark.slow
def test_the_page_says_what_the_summary_says() -> None:
    result = deduplicate(TEXTS, threshold=0.7, examples=3, keep="longest")
    page = page_of(result)
    strip = [element.text for element in page.all("dd", "value")]
    assert strip[:4] == ["7", "5", "2", "1"]
    assert [entry.text.split("\n")[1:-1] for entry in page.all("ul", "legend")] == [["kept 5", "near-duplicates 2"]]
    assert "kept 5 near-duplicates 1 exact copies 1" in page_of(deduplicate(TEXTS, threshold=0.7)).text()
    assert f"Note {result.summary.notes[0][:1].upper()}{result.summary.notes[0][1:]}." in page.text()
    text = page.text()
    for words in ("null 1", "empty 2", "short 2", "by the rule longest", "in memory", "--measure-recall", "words:5"):
        assert words in text
    assert {"Probability of being found", "Similarity to the keeper", "Cluster sizes", "Measured recall"} <= {
        element.text for element in page.all("h3")
    }
    assert len(page.all("svg")) == 3
    for svg in page.all("svg"):
        assert svg.attributes["role"] == "img"
        assert svg.attributes["aria-label"]


@pytest.mark.slow
def test_settings_on_the_page_repeat_the_run() -> None:
    result = find_pairs(TEXTS, threshold=0.65, shingle="chars:7", lower=True, bag=True, seed=9, sketch="classic")
    page = page_of(result)
    settings = dict(zip((e.text for e in page.all("dt")[6:]), (e.text for e in page.all("dd")[12:]), strict=True))
    assert settings.pop("text") == "text"
    kinds: dict[str, Any] = {"threshold": float, "bands": int, "rows": int, "seed": int}
    given: Any = {
        name: kinds[name](value) if name in kinds else {"True": True, "False": False, "None": None}.get(value, value)
        for name, value in settings.items()
    }
    again = find_pairs(TEXTS, **given)
    assert again.recipe == result.recipe
    assert list(again) == list(result)


@pytest.mark.slow
def test_examples_are_shown_side_by_side_with_their_differences_marked() -> None:
    page = page_of(deduplicate({"first": STORY, "second": STORY.replace("fox", "wolf")}, threshold=0.3, examples=1))
    (article,) = page.all("article")
    assert f"{compare(STORY, STORY.replace('fox', 'wolf')).similarity:.4f}" in article.text
    assert [mark.text for mark in page.all("mark")][1:] == ["fox", "wolf"]
    assert [h.text for h in page.all("h4")] == ["keeper first", "member second"]
    assert [text.text.strip() for text in page.all("div", "text")] == [STORY, STORY.replace("fox", "wolf")]


@pytest.mark.slow
def test_what_is_at_the_threshold_comes_before_plots_and_clusters() -> None:
    texts = [STORY, f"{STORY} x", STORY, "a b c d e f g h", "a b c d e f g h", f"{STORY} x y z"]
    page = page_of(deduplicate(texts, threshold=0.7, examples=2))
    headings = [element.text for element in page.all("h2")]
    assert headings == ["Input and output", "At the threshold", "Plots", "Clusters", "Time and memory", "Settings"]
    assert page.all("h3")[0].text == "Just above the threshold"


CODE = "int sum(int[] values) {\n    int total = 0;\n    for (int v : values) {\n        total += v;\n    }\n}\n"


@pytest.mark.slow
@pytest.mark.parametrize(("text", "running"), [(STORY, True), (CODE * 3, False)])
def test_code_is_shown_in_a_font_of_one_width(text: str, running: bool) -> None:
    (article,) = page_of(deduplicate([text, f"{text} x"], threshold=0.3, examples=1)).all("article")
    assert ("running" in str(article.attributes["class"]).split()) == running


@pytest.mark.slow
def test_removed_items_below_the_threshold_are_shown() -> None:
    chain = [" ".join(f"w{word}" for word in range(start, start + 20)) for start in range(0, 12, 2)]
    settings: Any = {"shingle": "words:1", "threshold": 0.8, "recall": 1, "examples": 2}
    page = page_of(deduplicate(chain, cluster="chain", **settings)).text()
    for words in ("4 of them below the threshold", "Removed, but unlike their keeper", "0.3333", "cluster chain"):
        assert words in page
    star = page_of(deduplicate(chain, **settings)).text()
    assert "cluster star" in star
    assert "unlike their keeper" not in star


@pytest.mark.slow
def test_a_change_of_order_is_said_where_nothing_is_marked() -> None:
    words = [f"word{i}" for i in range(80)]
    turned = " ".join([*words[40:], *words[:40]])
    page = page_of(find_pairs([" ".join(words), turned], threshold=0.5, examples=1))
    assert "Every token is part of a shared shingle" in page.text()
    assert "All shingles are identical" in page_of(find_pairs([STORY, STORY], examples=1)).text()


RESULTS: dict[str, tuple[Any, str]] = {
    "nothing at all": (lambda: deduplicate([], examples=3), "No two items were similar enough"),
    "one item": (lambda: deduplicate(["one"], examples=3), "No two items were similar enough"),
    "only nulls": (lambda: find_pairs(pa.table({"text": pa.array([None, None], pa.string())}), examples=1), "2 items"),
    "no pairs": (lambda: find_pairs(["a b c d e f", "g h i j k l"], examples=3), "No two items were similar enough"),
    "no examples kept": (lambda: find_pairs([STORY, STORY]), "examples=3"),
    "only copies": (lambda: deduplicate([STORY] * 5, examples=3), "All shingles are identical"),
    "threshold 1": (lambda: deduplicate([STORY, STORY, "a b"], threshold=1.0, examples=3), "All shingles"),
    "two collections": (
        lambda: find_pairs([STORY], against=[STORY, f"{STORY} x"], examples=2),
        "against items in memory",
    ),
    "token ids": (lambda: deduplicate([list(range(99)), list(range(98))], shingle="tokens:3", examples=1), "96 97 98"),
    "an exact search": (lambda: find_pairs([STORY, f"{STORY} x"], recall=1, examples=1), "The search was exact"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_every_kind_of_result_has_a_page(name: str) -> None:
    make, words = RESULTS[name]
    assert words in page_of(make()).text()


@pytest.mark.slow
def test_two_collections_have_no_clusters() -> None:
    page = page_of(find_pairs([STORY], against=[STORY, f"{STORY} x"], examples=2))
    assert "lusters" not in page.text()
    assert "against items in memory" in page.all("title")[0].text


@pytest.mark.slow
def test_no_examples_below_the_threshold_differs_from_none_requested() -> None:
    assert "examples=3" not in page_of(find_pairs(["a b c d e f", "g h i j k l"], examples=3)).text()


@pytest.mark.slow
def test_measured_recall_is_a_table_and_a_plot() -> None:
    none = Share(0.9, 1.0, 0, 0, None, (0.0, 1.0), None)
    bins = (Share(0.8, 0.9, 40, 39, 0.975, (0.87, 0.999), 0.9931), none, Share(1.0, 1.0, 7, 7, 1.0, (0.6, 1.0), 1.0))
    overall = Share(0.8, 1.0, 47, 46, 46 / 47, (0.88, 0.9999), 0.995)
    page = page_of(deduplicate(TEXTS), measured=Measured(500, 9000, 0.95, overall, bins))
    table = " ".join(page.all("table", "measured")[0].text.split())
    assert table.endswith("1 7 7 100% 60.00% to 100% 100% all 47 46 97.87% 88.00% to 99.99% 99.50%")
    assert "0.90 to 1.00 0 0 1 7" in table
    for words in ("sample of 500 items", "95% confidence", "0.80 to 0.90", "97.50%"):
        assert words in page.text()
    assert len(page.all("svg")) == 4
    assert "--measure-recall" not in page.text()
    axes = plots.recall(bins, 0.95).axes[0]
    assert np.allclose(np.asarray(axes.lines[0].get_xydata()), [[0.85, 0.975], [1.0, 1.0]])
    assert axes.get_ylim()[0] < 0.6


@pytest.mark.slow
def test_a_similarity_that_is_not_known_is_counted_apart() -> None:
    result = deduplicate(TEXTS, threshold=0.7)
    table = result.clusters.to_arrow()
    unknown = table.set_column(3, "similarity", pa.array([1.0, None, 1.0]))
    page = page_of(replace(result, clusters=Clusters(unknown, result.summary)))
    assert "unknown 1" in page.text()


@pytest.mark.slow
def test_a_million_pairs_and_a_cluster_of_a_hundred_thousand() -> None:
    small = find_pairs(TEXTS, threshold=0.7)
    count = 1_000_000
    left = np.zeros(count, np.int64)
    right = np.arange(1, count + 1) % 99_999 + 1
    values = np.random.default_rng(1).uniform(0.7, 1, count)
    table = pa.table({"left": left, "right": right, "similarity": values})
    pairs = Pairs(table, small.summary, left, right, small.sources, small.recipe)
    page = page_of(pairs, pairs=count)
    assert "100,000 items are in" in page.text()
    assert len(make_page(pairs, pairs.summary)) < 200_000


@pytest.mark.slow
def test_many_files_are_listed_in_part(tmp_path: Path) -> None:
    for i in range(60):
        (tmp_path / f"{i:02}.txt").write_text(STORY, encoding="utf-8")
    page = page_of(deduplicate(tmp_path))
    assert page.all("h1")[0].text == "00.txt, 01.txt, 02.txt and 57 more"
    assert len(page.all("ul", "files")[0].text.split("\n")) > 50
    assert "and 10 more" in page.text()


# where it goes


@pytest.mark.slow
def test_a_report_from_python(tmp_path: Path) -> None:
    place = tmp_path / "run.html"
    deduplicate(TEXTS, examples=1).report(place)
    Page(place.read_text(encoding="utf-8"))
    before = state(tmp_path)
    with pytest.raises(OutputError, match="exists already"):
        find_pairs(TEXTS).report(place)
    assert state(tmp_path) == before
    find_pairs(TEXTS).report(place, force=True)
    assert state(tmp_path) != before
    with pytest.raises(OutputError, match=r"must be an HTML file\. Got .*run\.pdf; choose a name that ends in \.html"):
        find_pairs(TEXTS).report(tmp_path / "run.pdf")
    with pytest.raises(OutputError, match="no directory"):
        find_pairs(TEXTS).report(tmp_path / "nowhere" / "run.html")


def test_an_input_is_never_overwritten(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(STORY, encoding="utf-8")
    before = state(tmp_path)
    for result in (deduplicate(page, lines=True), find_pairs(["x"], against=page, lines=True)):
        assert isinstance(result, (Deduplicated, Pairs))
        with pytest.raises(OutputError, match="is an input"):
            result.report(page, force=True)
    assert run("dedup", page, "--lines", "--report", page, "--force").code == 2
    assert state(tmp_path) == before


@pytest.mark.slow
@pytest.mark.parametrize("command", ["dedup", "pairs"])
def test_a_report_from_the_command_line(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_text(f"{STORY}\n{STORY} always\n{STORY}\n", encoding="utf-8")
    told = done(command, "in.txt", "--lines", "-t", "0.7", "-o", "out.csv", "--report", "run.html")
    assert re.search(r"wrote +out\.csv, run\.html", told.err)
    page = Page(Path("run.html").read_text(encoding="utf-8"))
    assert page.all("title")[0].text == "in.txt \u00b7 lookalike"
    stages = [row.text.split()[0] for row in page.all("tr") if "MB" in row.text or row.text.startswith("write")]
    assert stages[:2] == ["open", "read"]
    assert stages[-2:] == ["write", "total"]
    assert page.all("article")
    again = run(command, "in.txt", "--lines", "--report", "run.html")
    assert (again.code, again.err) == (2, "lookalike: run.html exists already; --force replaces it\n")
    same = run(command, "in.txt", "--lines", "-o", "run.html", "--report", "run.html", "--force")
    assert same.code == 2
    piped = done(command, "-", "--lines", "--report", "stdin.html", "--quiet", stdin=STORY.encode())
    assert piped.err == ""
    assert Page(Path("stdin.html").read_text(encoding="utf-8")).all("h1")[0].text == "standard input"


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_a_missing_library_is_reported_before_the_work(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.jsonl").write_text("no JSON", encoding="utf-8")
    monkeypatch.setitem(sys.modules, missing, None)
    told = run("dedup", "broken.jsonl", "--report", "run.html")
    assert (told.code, told.err.splitlines()[-1]) == (
        2,
        "lookalike: A report needs Jinja2 and matplotlib. Install it with: pip install 'lookalike[report]'",
    )
    with pytest.raises(MissingExtraError):
        deduplicate(["a"]).report(tmp_path / "run.html")
    assert not Path("run.html").exists()
