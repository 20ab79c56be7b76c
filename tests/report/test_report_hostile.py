"""Hostile texts, ids and file names in a report, opened in a real browser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from support.html_page import Page

from lookalike import find_pairs
from lookalike.report import excerpt

STORY = "once upon a time there was a fox who lived in a wood near the sea and ate well"
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_report_prints(browser: Any, tmp_path: Path) -> None:
    report, _ = hostile_report(tmp_path)
    browser(report, f"--print-to-pdf={tmp_path / 'run.pdf'}")
    assert (tmp_path / "run.pdf").read_bytes().startswith(b"%PDF")
