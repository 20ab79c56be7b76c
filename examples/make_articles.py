"""Write examples/articles.jsonl: sections of Django's documentation in three versions, so natural near-duplicates.

The source is a parquet file with the columns version, path and text, a row for each docs/**/*.txt of the source
distributions Django 2.2.28, 3.2.25 and 5.2. Its licence is in LICENSE.txt, beside this file.

    python examples/make_articles.py ../shared/data/django_docs/django_docs.parquet
"""  # noqa: INP001 - a script, not a package

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = re.compile(
    r"(2\.2|3\.2|5\.2)/docs/(?P<page>(faq|misc)/\w+.*|intro/(install|overview|whatsnext)|topics/security)\.txt"
    r"|5\.2/docs/(?P<new>howto/.*)\.txt"
)
"""Some pages of all three versions, and some of the last one only."""

HEADING = re.compile(r"^(?P<title>\S[^\n]*)\n(?P<line>[=\-~^])(?P=line){2,} *\n", re.MULTILINE)
FEWEST, MOST = 50, 400
"""Words of a section that is taken."""


def sections(page: str) -> Iterator[tuple[str, str]]:
    """Yield title and text of each section of a page."""
    headings = list(HEADING.finditer(page))
    ends = [heading.start() for heading in headings[1:]] + [len(page)]
    for heading, end in zip(headings, ends, strict=True):
        yield heading["title"].strip(), without_marks(page[heading.end() : end])


def without_marks(text: str) -> str:
    """Drop targets of links and lines that only draw a heading, and join the lines of a paragraph."""
    text = re.sub(r"^(\.\. _[^\n]*|[=\-~^]{3,} *)$", "", text, flags=re.MULTILINE)
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def slug(title: str) -> str:
    """Return the first words of a title as the end of an id."""
    return "-".join(re.findall(r"\w+", title.lower())[:8])


def articles(source: Path) -> Iterator[dict[str, str]]:
    """Yield the articles, version by version; a section that has the name of an earlier one of its page is left out."""
    seen = set()
    for row in sorted(pq.read_table(source).to_pylist(), key=lambda row: (row["version"], row["path"])):
        page = PAGES.fullmatch(f"{row['version']}/{row['path']}")
        if page is None:
            continue
        for title, text in sections(row["text"]):
            name = f"{row['version']}/{page['page'] or page['new']}/{slug(title)}"
            if FEWEST <= len(re.findall(r"\w+", text)) <= MOST and name not in seen:
                seen.add(name)
                yield {"id": name, "title": title, "text": text}


def main() -> None:
    """Write the example."""
    target = Path(__file__).with_name("articles.jsonl")
    lines = [json.dumps(article, ensure_ascii=False) + "\n" for article in articles(Path(sys.argv[1]))]
    target.write_text("".join(lines), encoding="utf-8")
    sys.stdout.write(f"{len(lines)} articles in {target}\n")


if __name__ == "__main__":
    main()
