"""Generate examples/articles.jsonl: sections of three versions of Django's documentation, with real near-duplicates.

The source is a parquet file with the columns version, path and text, one row per docs/**/*.txt of the source
distributions Django 2.2.28, 3.2.25 and 5.2. Its licence is LICENSE.txt in this folder.

    python examples/make_articles.py django_docs.parquet
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
"""Pages taken from all three versions, and pages taken only from the last."""

HEADING = re.compile(r"^(?P<title>\S[^\n]*)\n(?P<line>[=\-~^])(?P=line){2,} *\n", re.MULTILINE)
MIN_WORDS, MAX_WORDS = 50, 400
"""Length in words of the sections used."""


def sections(page: str) -> Iterator[tuple[str, str]]:
    """Yield the title and text of each section of a page."""
    headings = list(HEADING.finditer(page))
    ends = [heading.start() for heading in headings[1:]] + [len(page)]
    for heading, end in zip(headings, ends, strict=True):
        yield heading["title"].strip(), without_marks(page[heading.end() : end])


def without_marks(text: str) -> str:
    """Remove link targets and heading underlines, and join the lines of each paragraph."""
    text = re.sub(r"^(\.\. _[^\n]*|[=\-~^]{3,} *)$", "", text, flags=re.MULTILINE)
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def slug(title: str) -> str:
    """Return the first words of a title, for use in an ID."""
    return "-".join(re.findall(r"\w+", title.lower())[:8])


def articles(source: Path) -> Iterator[dict[str, str]]:
    """Yield the articles version by version, skipping sections whose ID has occurred before."""
    seen = set()
    for row in sorted(pq.read_table(source).to_pylist(), key=lambda row: (row["version"], row["path"])):
        page = PAGES.fullmatch(f"{row['version']}/{row['path']}")
        if page is None:
            continue
        for title, text in sections(row["text"]):
            name = f"{row['version']}/{page['page'] or page['new']}/{slug(title)}"
            if MIN_WORDS <= len(re.findall(r"\w+", text)) <= MAX_WORDS and name not in seen:
                seen.add(name)
                yield {"id": name, "title": title, "text": text}


def main() -> None:
    """Write the example collection."""
    target = Path(__file__).with_name("articles.jsonl")
    lines = [json.dumps(article, ensure_ascii=False) + "\n" for article in articles(Path(sys.argv[1]))]
    target.write_text("".join(lines), encoding="utf-8")
    sys.stdout.write(f"{len(lines)} articles in {target}\n")


if __name__ == "__main__":
    main()
