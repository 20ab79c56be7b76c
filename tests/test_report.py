"""The report: its plots, its page, and what hostile texts do to it, in a real browser too."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from command import done, run, state
from hypothesis import given
from hypothesis import strategies as st

from lookalike import (
    Banding,
    Clusters,
    Deduplicated,
    MissingExtraError,
    OutputError,
    Pairs,
    compare,
    deduplicate,
    find_pairs,
)
from lookalike.examples import Side
from lookalike.measure import Measured, Share
from lookalike.report import excerpt, plots
from lookalike.report.facts import duration, percent
from lookalike.report.page import make_page

STORY = "once upon a time there was a fox who lived in a wood near the sea and ate well"
TEXTS = [STORY, f"{STORY} always", "something else entirely", STORY.upper(), None, "", "one"]
HOSTILE = [
    "<script>document.title='pwned'</script>",
    "<img src=x onerror=\"document.title='pwned'\">",
    "</style><script>document.title='pwned'</script>",
    "</svg></title></textarea><svg onload=document.title='pwned'>",
    "]]> --> <!-- <![CDATA[ &lt;b&gt; &amp;",
    "{{ 7*7 }} {% raw %} {# no #} ${7*7}",
    "\x00\x01\x1b[31m\x7f\x85\r",
    "\u202eevil\u202c \u2066x\u2069 \u200f\u061c\u200b\ufeff\u2028",
    "\u0301\u0308 e\u0301 \U0001f468\u200d\U0001f469 \U000e0041 \ue000 \uffff",
    "javascript:document.title='pwned'",
    "w" * 300,
]
VOID = {"meta", "br", "hr", "img", "input", "link"}


@dataclass
class Element:
    """A tag of a page, and the text inside."""

    tag: str
    attributes: dict[str, str | None]
    text: str = field(default="", repr=False)


class Page(HTMLParser):
    """A page taken apart; every tag must be closed, in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs)
        self.elements.append(Element(tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(self.elements[-1])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag
        if tag in ("td", "th", "dt", "dd"):
            self.handle_data(" ")

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, tag: str, kind: str | None = None) -> list[Element]:
        """Return the elements of a tag, or of those a class."""
        return [e for e in self.elements if e.tag == tag and (kind is None or kind in str(e.attributes.get("class")))]

    def text(self) -> str:
        """Return the words of the page."""
        return " ".join(self.all("body")[0].text.split())


def page_of(result: Any, **changes: Any) -> Page:
    """Make the page of a result, check what holds for every page, and take it apart."""
    html = make_page(result, replace(result.summary, **changes))
    page = Page(html)
    ids = [element.attributes["id"] for element in page.elements if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & {e.tag for e in page.elements}
    for element in page.elements:
        for name, value in element.attributes.items():
            assert not name.startswith("on")
            assert name != "src"
            if name == "href":
                assert str(value).startswith("#")
                assert str(value)[1:] in ids
    assert re.findall(r"url\((.*?)\)", html) == [
        found for found in re.findall(r"url\((.*?)\)", html) if found[0] == "#"
    ]
    assert "@import" not in html
    assert "#" not in re.sub(r"#[0-9a-f]{6}|#examples", "", page.all("style")[0].text)
    colours = set(re.findall(r"--[a-z]+", " ".join(str(e.attributes.get("style")) for e in page.elements)))
    assert colours <= set(re.findall(r"(--[a-z]+):", page.all("style")[0].text))
    return page


# plots


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_saved_plot_has_the_same_bytes_each_time(tmp_path: Path, ending: str) -> None:
    for name in ("one", "two"):
        plots.save(plots.curve(Banding(20, 5), 0.8), tmp_path / f"{name}.{ending}")
    one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert one.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])


def test_a_plot_that_cannot_be_saved_says_why(tmp_path: Path) -> None:
    figure = plots.curve(Banding(20, 5))
    with pytest.raises(OutputError, match=r"s\.jpeg has no ending of a picture; choose \.svg, \.png or \.pdf"):
        plots.save(figure, tmp_path / "s.jpeg")
    with pytest.raises(OutputError, match="cannot be written"):
        plots.save(figure, tmp_path / "nowhere" / "s.svg")
    assert not list(tmp_path.iterdir())


def test_a_plot_in_a_page_takes_its_colours_and_leaves_its_ids_alone() -> None:
    one, two = (plots.as_svg(plots.curve(Banding(20, 5), 0.8), name, "S & C") for name in ("one", "two"))
    for name, svg in (("one", one), ("two", two)):
        root = ET.fromstring(svg)
        assert (root.get("role"), root.get("aria-label")) == ("img", "S & C")
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert ids
        assert len(ids) == len(set(ids))
        assert all(str(name_of).startswith(f"{name}-") for name_of in ids)
        assert set(re.findall(r"#([\w-]+)", svg)) == set(ids)
        assert "var(--blue)" in svg
        assert "font-family" not in svg
        assert "<style" not in svg
        assert "20 bands of 5 rows" in "".join(root.itertext())
    assert one == two.replace("two-", "one-")


@pytest.mark.parametrize("threshold", [None, 0.05, 0.5, 1.0])
def test_the_shaded_areas_are_what_the_threshold_makes_of_the_curve(threshold: float | None) -> None:
    banding = Banding(20, 5)
    axes = plots.curve(banding, threshold).axes[0]
    areas = [np.asarray(area.get_paths()[0].vertices) for area in axes.collections]
    assert len(areas) == (0 if threshold is None else 2)
    if threshold is not None:
        missed, vain = areas
        assert missed[:, 0].min() == pytest.approx(threshold)
        assert vain[:, 0].max() == pytest.approx(threshold)
        assert missed[:, 1].min() == pytest.approx(banding.chance(threshold))
        assert vain[:, 1].max() == pytest.approx(banding.chance(threshold))


def test_the_histogram_counts_every_similarity_once() -> None:
    values = np.array([0.55, 0.6999, 0.7, 0.7, 0.71, 0.85, 0.9999])
    axes = plots.histogram(values, 0.7).axes[0]
    bars = {round(bar.get_x(), 6): bar.get_height() for bar in axes.patches}  # type: ignore[attr-defined]
    assert sum(bars.values()) == len(values)
    assert bars[0.7] == 3
    grey = [bar for bar in axes.patches if bar.get_facecolor() == axes.patches[0].get_facecolor()]
    assert sum(bar.get_height() for bar in grey) == 2  # type: ignore[attr-defined]


@given(st.floats(0.001, 0.9999))
def test_bins_are_few_and_reach_from_the_least_to_one(least: float) -> None:
    edges = plots.bins(least)
    assert edges[0] <= least + 1e-6
    assert edges[-1] == 1
    assert 2 <= len(edges) <= 42
    assert np.allclose(np.diff(edges), np.diff(edges)[0])


@given(st.dictionaries(st.integers(2, 10**6), st.integers(1, 50), max_size=20))
def test_ranges_of_sizes_hold_every_cluster_once(counts: dict[int, int]) -> None:
    ranges = plots.size_ranges(counts)
    assert sum(ranges.values()) == sum(counts.values())
    assert len(ranges) <= 12
    assert not counts or list(ranges.values())[-1] > 0


def test_the_step_of_an_exact_search_has_nothing_shaded() -> None:
    axes = plots.step(0.7).axes[0]
    assert not axes.collections
    assert np.asarray(axes.lines[0].get_xydata()).tolist() == [[0, 0], [0.7, 0], [0.7, 1], [1, 1]]


# excerpts


@given(
    st.text("ab \n", max_size=3000),
    st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 900)), max_size=8),
    st.integers(0, 5),
)
def test_an_excerpt_accounts_for_every_character(text: str, places: list[tuple[int, int]], more: int) -> None:
    differs = []
    at = 0
    for begin, length in sorted(places):
        low, high = max(begin, at), min(begin + length, len(text))
        if low < high:
            differs.append((low, high))
            at = high + 1
    shown = excerpt.passages(Side("id", text, tuple(differs), more), "characters")
    at = 0
    for passage in shown:
        if passage.kind == "fold":
            at += int(passage.text.split()[0].replace(",", ""))
            continue
        assert text[at : at + len(passage.text)] == passage.text
        inside = {place for begin, end in differs for place in range(begin, end)}
        marked = {place in inside for place in range(at, at + len(passage.text))}
        assert marked <= {passage.kind == "differs"}
        at += len(passage.text)
    assert at == len(text) + more
    assert sum(len(passage.text) for passage in shown) < 2500


def test_differences_far_apart_are_all_in_view() -> None:
    words = [f"word{i}" for i in range(1000)]
    text = " ".join(words)
    spans = tuple((text.index(w), text.index(w) + len(w)) for w in ("word300", "word600", "word900"))
    shown = excerpt.passages(Side("id", text, spans, 0), "characters")
    assert [passage.text for passage in shown if passage.kind == "differs"] == ["word300", "word600", "word900"]
    assert [passage.kind for passage in shown] == [*["same", "fold", "same", "differs"] * 3, "same", "fold"]
    assert all(passage.text.endswith("the same") for passage in shown if passage.kind == "fold")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\tb\n", "a\tb\n"),
        ("\x00\r\x7f\x85", "\u2400\u240d\u2421[U+0085]"),
        ("\u202ex\u2066\u200b\ufeff\u2028", "[U+202E]x[U+2066][U+200B][U+FEFF][U+2028]"),
        ("\U000e0041\ue000\ud800", "[U+E0041][U+E000][U+D800]"),
        (
            "e\u0301 \u0645\u200c\u0645 \U0001f468\u200d\U0001f469",
            "e\u0301 \u0645\u200c\u0645 \U0001f468\u200d\U0001f469",
        ),
    ],
)
def test_what_is_not_seen_becomes_a_sign(text: str, seen: str) -> None:
    assert excerpt.visible(text) == seen


def test_a_name_is_one_line_and_says_when_it_is_cut() -> None:
    assert excerpt.name("a\nb\tc") == "a\u240ab\u2409c"
    assert excerpt.name("x" * 1300) == "x" * 300 + " \u2026 1,000 more characters"


def test_numbers_for_people() -> None:
    assert [duration(seconds) for seconds in (0.417, 59.4, 59.6, 75, 7265)] == [
        "0.42 s", "59.40 s", "1 min 0 s", "1 min 15 s", "2 h 1 min",
    ]  # fmt: skip
    assert [percent(chance) for chance in (0.5, 0.99994, 0.99996, 1.0)] == ["50.00%", "99.99%", "over 99.99%", "100%"]


# the page


def test_the_page_says_what_the_summary_says() -> None:
    result = deduplicate(TEXTS, threshold=0.7, examples=3, keep="longest")
    page = page_of(result)
    strip = [element.text for element in page.all("dd", "value")]
    assert strip[:4] == ["7", "5", "2", "1"]
    assert "kept 5 near-duplicates 2 exact copies 0" in page.text()
    assert "kept 5 near-duplicates 1 exact copies 1" in page_of(deduplicate(TEXTS, threshold=0.7)).text()
    assert f"Note {result.summary.notes[0][:1].upper()}{result.summary.notes[0][1:]}." in page.text()
    text = page.text()
    for words in ("null 1", "empty 2", "short 2", "by the rule longest", "in memory", "--measure-recall", "words:5"):
        assert words in text
    assert [element.text for element in page.all("h3")][:4] == [
        "Chance to be found", "Similarity to the keeper", "Cluster sizes", "Recall, measured",
    ]  # fmt: skip
    assert len(page.all("svg")) == 3
    for svg in page.all("svg"):
        assert svg.attributes["role"] == "img"
        assert svg.attributes["aria-label"]


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


def test_examples_are_shown_side_by_side_with_their_differences_marked() -> None:
    page = page_of(deduplicate({"first": STORY, "second": STORY.replace("fox", "wolf")}, threshold=0.3, examples=1))
    largest, above = page.all("article")
    for article in (largest, above):
        assert f"{compare(STORY, STORY.replace('fox', 'wolf')).similarity:.4f}" in article.text
    assert [mark.text for mark in page.all("mark")][1:] == ["fox", "wolf"] * 2
    assert [h.text for h in page.all("h4")] == ["keeper first", "member second"] * 2
    assert [text.text.strip() for text in page.all("div", "text")][:2] == [STORY, STORY.replace("fox", "wolf")]


def test_a_change_of_order_is_said_where_nothing_is_marked() -> None:
    words = [f"word{i}" for i in range(80)]
    turned = " ".join([*words[40:], *words[:40]])
    page = page_of(find_pairs([" ".join(words), turned], threshold=0.5, examples=1))
    assert "Every token is in a shared shingle" in page.text()
    assert "All shingles are the same" in page_of(find_pairs([STORY, STORY], examples=1)).text()


RESULTS: dict[str, tuple[Any, str]] = {
    "nothing at all": (lambda: deduplicate([], examples=3), "No two items were alike enough"),
    "one item": (lambda: deduplicate(["one"], examples=3), "No two items were alike enough"),
    "only nulls": (lambda: find_pairs(pa.table({"text": pa.array([None, None], pa.string())}), examples=1), "2 items"),
    "no pairs": (lambda: find_pairs(["a b c d e f", "g h i j k l"], examples=3), "No two items were alike enough"),
    "no examples kept": (lambda: find_pairs([STORY, STORY]), "examples=3"),
    "only copies": (lambda: deduplicate([STORY] * 5, examples=3), "All shingles are the same"),
    "threshold 1": (lambda: deduplicate([STORY, STORY, "a b"], threshold=1.0, examples=3), "All shingles"),
    "two collections": (
        lambda: find_pairs([STORY], against=[STORY, f"{STORY} x"], examples=2),
        "against items in memory",
    ),
    "token ids": (lambda: deduplicate([list(range(99)), list(range(98))], shingle="tokens:3", examples=1), "96 97 98"),
    "an exact search": (lambda: find_pairs([STORY, f"{STORY} x"], recall=1, examples=1), "The search was exact"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_kind_of_result_has_a_page(name: str) -> None:
    make, words = RESULTS[name]
    assert words in page_of(make()).text()


def test_no_examples_below_is_not_taken_for_no_examples_asked() -> None:
    assert "examples=3" not in page_of(find_pairs(["a b c d e f", "g h i j k l"], examples=3)).text()


def test_measured_recall_is_a_table_and_a_plot() -> None:
    none = Share(0.9, 1.0, 0, 0, None, (0.0, 1.0), None)
    bins = (Share(0.8, 0.9, 40, 39, 0.975, (0.87, 0.999), 0.9931), none, Share(1.0, 1.0, 7, 7, 1.0, (0.6, 1.0), 1.0))
    overall = Share(0.8, 1.0, 47, 46, 46 / 47, (0.88, 0.9999), 0.995)
    page = page_of(deduplicate(TEXTS), measured=Measured(500, 0.95, overall, bins))
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


def test_a_similarity_that_is_not_known_is_counted_apart() -> None:
    result = deduplicate(TEXTS, threshold=0.7)
    table = result.clusters.to_arrow()
    unknown = table.set_column(3, "similarity", pa.array([1.0, None, 1.0]))
    page = page_of(replace(result, clusters=Clusters(unknown, result.summary)))
    assert "not known 1" in page.text()


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


def test_many_files_are_listed_in_part(tmp_path: Path) -> None:
    for i in range(60):
        (tmp_path / f"{i:02}.txt").write_text(STORY, encoding="utf-8")
    page = page_of(deduplicate(tmp_path))
    assert page.all("h1")[0].text == "00.txt, 01.txt, 02.txt and 57 more"
    assert len(page.all("ul", "files")[0].text.split("\n")) > 50
    assert "and 10 more" in page.text()


# where it goes


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
    with pytest.raises(OutputError, match=r"run\.pdf has no ending of a page; choose \.html"):
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


@pytest.mark.parametrize("command", ["dedup", "pairs"])
def test_a_report_from_the_command_line(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_text(f"{STORY}\n{STORY} always\n{STORY}\n", encoding="utf-8")
    told = done(command, "in.txt", "--lines", "-t", "0.7", "-o", "out.csv", "--report", "run.html")
    assert re.search(r"wrote +out\.csv, run\.html", told.err)
    page = Page(Path("run.html").read_text(encoding="utf-8"))
    assert page.all("title")[0].text == "in.txt \u00b7 lookalike"
    stages = [row.text.split()[0] for row in page.all("tr") if "MB" in row.text or row.text.startswith("write")]
    assert stages[0] == "read"
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
def test_a_missing_library_is_told_before_the_work(
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


# in a browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--timeout=2000",
]  # fmt: skip


@pytest.fixture
def browser(tmp_path: Path) -> Any:
    """Return a function that opens a page in a real browser, without a network to talk to."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("needs chromium: apt-get install chromium")

    def start(page: Path, *more: str) -> str:
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        command = [found, *SWITCHES, profile, *more, page.as_uri()]
        ended = subprocess.run(command, capture_output=True, check=True, timeout=120)
        return ended.stdout.decode()

    return start


def hostile_report(folder: Path) -> tuple[Path, list[str]]:
    """Make a report of items whose texts, ids and file's name do their worst; return it and its texts."""
    table = {
        "id": [f"{i}{text}" for text in HOSTILE for i in (1, 2)],
        "te<b>xt": [f"{text} {STORY}{' too' * i} {text}" for text in HOSTILE for i in (0, 1)],
    }
    file = folder / "<img src=x onerror=document.title='pwned'>{{ 7*7 }}\u202e.parquet"
    pa.parquet.write_table(pa.table(table), file)
    result = find_pairs(file, id="id", text="te<b>xt", shingle="words:2", threshold=0.75, examples=len(HOSTILE))
    report = folder / "report.html"
    result.report(report)
    shown = {side.text for example in result.examples for side in (example.left, example.right)}
    assert all(any(text in one for one in shown) for text in HOSTILE)
    return report, sorted(shown)


def test_hostile_texts_stay_text_in_a_browser(browser: Any, tmp_path: Path) -> None:
    report, texts = hostile_report(tmp_path)
    html = report.read_text(encoding="utf-8")
    policy = re.search(r"<meta http-equiv=.Content-Security-Policy.*?>", html)
    assert policy
    bare = tmp_path / "bare.html"
    bare.write_text(html.replace(policy[0], ""), encoding="utf-8")
    title = Page(html).all("title")[0].text
    for place in (report, bare):
        page = Page(browser(place, "--dump-dom"))
        assert page.all("title")[0].text == title
        assert not page.all("script")
        assert not page.all("img")
        shown = [element.text.strip() for element in page.all("div", "text")]
        for text in texts:
            assert excerpt.visible(text).strip() in shown or len(text) > 400
        assert not [element for element in page.elements if any(name.startswith("on") for name in element.attributes)]
    assert "pwned" in title
    assert "49" not in title


def test_a_report_prints(browser: Any, tmp_path: Path) -> None:
    report, _ = hostile_report(tmp_path)
    browser(report, f"--print-to-pdf={tmp_path / 'run.pdf'}")
    assert (tmp_path / "run.pdf").read_bytes().startswith(b"%PDF")
