"""A parser for the pages of reports, and checks that apply to every page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Any

from lookalike.report.page import make_page

VOID = {"meta", "br", "hr", "img", "input", "link"}


@dataclass
class Element:
    """An element of a page: its tag, attributes and text."""

    tag: str
    attributes: dict[str, str | None]
    text: str = field(default="", repr=False)


class Page(HTMLParser):
    """A parsed page; every tag must be closed, in order."""

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
        """Return the elements with a tag, optionally only those of a class."""
        return [e for e in self.elements if e.tag == tag and (kind is None or kind in str(e.attributes.get("class")))]

    def text(self) -> str:
        """Return the text of the page."""
        return " ".join(self.all("body")[0].text.split())


def page_of(result: Any, **changes: Any) -> Page:
    """Render the report of a result, check what applies to every page, and parse it."""
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
    assert "#" not in re.sub(r"#[0-9a-f]{6}|#borderline|#clusters", "", page.all("style")[0].text)
    colours = set(re.findall(r"--[a-z]+", " ".join(str(e.attributes.get("style")) for e in page.elements)))
    assert colours <= set(re.findall(r"(--[a-z]+):", page.all("style")[0].text))
    return page
