"""Files that hold neither text nor a table that can be read: recognised by their first bytes, with what to do instead.

A name alone is not enough: a file `notes.doc` or `story.pt` may be plain text. Where several kinds begin with the same
bytes, as all archives in the form of zip do, the name and what else the beginning shows tell them apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lookalike.errors import InputError

_ZIP, _OLE = rb"PK(?:\x03\x04|\x05\x06|\x07\x08)", rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_EXTRACT = "extract its text first"
_ONLY = "only texts, tables and arrays are read, so leave it out"
_UNPACK = "unpack it, and pass the files in it"
_MEMBER = rb"(?s:.{0,65536}?)"
"""Anything before the name of a file in an archive."""


@dataclass(frozen=True, slots=True)
class Binary:
    """A kind of file that cannot be read."""

    what: str
    """What such a file is, with its article."""
    advice: str
    """What to do instead."""
    magic: bytes
    """A regular expression for its first bytes."""
    suffixes: tuple[str, ...] = ()
    needs_suffix: bool = False
    """Whether the first bytes are too common to tell without the name."""
    content: bytes = b""
    """A regular expression for its beginning that tells it from others with the same first bytes."""


BINARIES = (
    Binary(
        "an Excel workbook",
        "save the sheet as CSV, or read it with pandas.read_excel and pass the frame",
        rb"%b|%b" % (_ZIP, _OLE),
        (".xlsx", ".xlsm", ".xlsb", ".xls"),
        content=_MEMBER + rb"xl/(?:workbook|worksheets|_rels|theme|styles)",
    ),
    Binary(
        "a Word document",
        f"{_EXTRACT}, for instance with: pandoc -t plain",
        rb"%b|%b" % (_ZIP, _OLE),
        (".docx", ".doc"),
        content=_MEMBER + rb"word/(?:document|_rels|theme|styles)",
    ),
    Binary(
        "a PowerPoint presentation",
        _EXTRACT,
        rb"%b|%b" % (_ZIP, _OLE),
        (".pptx", ".ppt"),
        content=_MEMBER + rb"ppt/(?:presentation|slides|_rels|theme)",
    ),
    Binary(
        "an OpenDocument spreadsheet",
        "save the sheet as CSV, or read it with pandas.read_excel and pass the frame",
        _ZIP,
        (".ods",),
        content=_MEMBER + rb"mimetypeapplication/vnd\.oasis\.opendocument\.spreadsheet",
    ),
    Binary(
        "an OpenDocument text",
        f"{_EXTRACT}, for instance with: pandoc -t plain",
        _ZIP,
        (".odt",),
        content=_MEMBER + rb"mimetypeapplication/vnd\.oasis\.opendocument\.text",
    ),
    Binary(
        "an e-book",
        f"{_EXTRACT}, for instance with: pandoc -t plain",
        _ZIP,
        (".epub",),
        content=_MEMBER + rb"mimetypeapplication/epub\+zip",
    ),
    Binary(
        "an archive, as numpy.savez makes",
        "save one of its arrays with numpy.save",
        _ZIP,
        (".npz", ".npy"),
        content=rb"PK\x03\x04.{22}(?s:.{4})[^\x00]{1,99}?\.npy",
    ),
    Binary(
        "a PyTorch file", "save its tensors with numpy.save", _ZIP, (".pt", ".pth"), content=_MEMBER + rb"/data\.pkl"
    ),
    Binary("a zip archive", _UNPACK, _ZIP, (".zip", ".jar", ".whl", ".apk")),
    Binary("an Office document", "save it as text or CSV", _OLE, (".msg",)),
    Binary("a PDF document", f"{_EXTRACT}, for instance with: pdftotext", rb"%PDF-", (".pdf",)),
    Binary(
        "a SQLite database",
        "export a table, for instance with: sqlite3 -header -csv",
        rb"SQLite format 3\x00",
        (".sqlite", ".sqlite3", ".db"),
    ),
    Binary("a DuckDB database", "export a table with: COPY ... TO 'file.parquet'", rb"(?s:.{8})DUCK", (".duckdb",)),
    Binary(
        "an Arrow file",
        "read it with pyarrow.feather.read_table and pass the table",
        rb"ARROW1\x00\x00|FEA1",
        (".arrow", ".feather", ".ipc"),
    ),
    Binary("an ORC file", "read it with pyarrow.orc.read_table and pass the table", rb"ORC[\x00-\x1f]", (".orc",)),
    Binary("an Avro file", "convert it to parquet or JSON Lines", rb"Obj\x01", (".avro",)),
    Binary(
        "an HDF5 file", "save its arrays with numpy.save, or its tables as parquet", rb"\x89HDF\r\n\x1a\n", (".h5",)
    ),
    Binary(
        "a pickle",
        "load it with pandas.read_pickle and pass the object",
        rb"\x80[\x02-\x05](?:\x95|[\x5d\x7d\x63\x28\x71\x8c])",
        (".pkl", ".pickle"),
    ),
    Binary("a tar archive", _UNPACK, rb"(?s:.{257})ustar", (".tar",)),
    Binary("a 7z archive", _UNPACK, rb"7z\xbc\xaf\x27\x1c", (".7z",)),
    Binary("a RAR archive", _UNPACK, rb"Rar!\x1a\x07", (".rar",)),
    Binary(
        "a compiled Python module",
        "pass the .py file",
        rb"(?s:..)\r\n",
        (".pyc", ".pyo"),
        needs_suffix=True,
    ),
    Binary(
        "a program or library",
        _ONLY,
        rb"\x7fELF|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe|\x00asm|!<arch>\n",
        (".so", ".o", ".a", ".dylib", ".class", ".wasm"),
    ),
    Binary("a program or library", _ONLY, rb"MZ", (".exe", ".dll", ".pyd"), needs_suffix=True),
    Binary(
        "a picture",
        _ONLY,
        rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|RIFF(?s:.{4})WEBP|II\*\x00|MM\x00\*|\x00\x00\x01\x00|8BPS"
        rb"|(?s:.{4})ftyp(?:heic|heix|mif1|avif)",
        (".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff", ".ico", ".heic", ".avif", ".psd"),
    ),
    Binary("a picture", _ONLY, rb"BM", (".bmp",), needs_suffix=True),
    Binary(
        "a sound or a film",
        _ONLY,
        rb"ID3[\x02-\x04]|\xff[\xfb\xf3\xf2\xf1\xf9]|RIFF(?s:.{4})(?:WAVE|AVI )|OggS|fLaC|(?s:.{4})ftyp|\x1aE\xdf\xa3",
        (".mp3", ".wav", ".avi", ".ogg", ".flac", ".mp4", ".m4a", ".mov", ".mkv", ".webm"),
    ),
    Binary("a font", _ONLY, rb"wOF[F2]|OTTO\x00|\x00\x01\x00\x00\x00", (".woff", ".woff2", ".otf", ".ttf")),
    Binary("a model", _ONLY, rb"GGUF[\x01-\x09]\x00\x00\x00", (".gguf",)),
)
_ANY = re.compile(b"|".join(b"(?:%b)" % one.magic for one in BINARIES))
"""The first bytes of any of them: nearly all files are none."""
_UNKNOWN = Binary("binary data", "only texts, tables and arrays are read, so convert it first, or leave it out", b"")

_CONTROLS = bytes(set(range(32)) - set(b"\b\t\n\v\f\r\x1b"))
_PRINTED = bytes(set(range(256)) - set(_CONTROLS))
_MAX_CONTROLS = 0.05
"""Share of control characters above which bytes that are not UTF-8 are not text in another encoding either."""
_MIN_NULS = 0.2
"""Share of NUL characters above which bytes may be text in UTF-16."""
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


class BinaryFileError(InputError):
    """A file holds neither text nor a table that can be read."""


def refuse_binary(head: bytes, suffix: str, label: str, *, known_only: bool = False) -> None:
    """Raise if the first bytes of a file are those of a kind that cannot be read.

    With `known_only`, what is merely unlike text passes: another reader will say what is wrong with it.
    """
    found = recognise(head, suffix)
    if found is None and not known_only and is_unlike_text(head):
        found = _UNKNOWN
    if found is not None:
        raise BinaryFileError(f"{label} is {found.what}; {found.advice}")


def recognise(head: bytes, suffix: str) -> Binary | None:
    """Return the kind of a file that cannot be read; None if it may be text, or data that can be read."""
    if _ANY.match(head) is None:
        return None
    alike = [one for one in BINARIES if re.match(one.magic, head) and (suffix in one.suffixes or not one.needs_suffix)]
    by_content = [one for one in alike if one.content and re.match(one.content, head)]
    by_name = [one for one in alike if suffix in one.suffixes]
    plain = [one for one in alike if not one.content]
    return next(iter((*by_content, *by_name, *plain)), None)


def is_unlike_text(head: bytes) -> bool:
    """Return whether bytes are no text in any encoding: neither UTF-8 nor UTF-16, and full of control characters."""
    if not head or head.startswith(_WIDE_MARKS) or _is_utf8(head):
        return False
    nuls = [head[start::2].count(0) for start in (0, 1)]
    if sum(nuls) > _MIN_NULS * len(head) and min(nuls) * 20 < max(nuls):
        return False
    return len(head.translate(None, _PRINTED)) > _MAX_CONTROLS * len(head)


def _is_utf8(head: bytes) -> bool:
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 3 and "unexpected end" in error.reason  # cut within a character
    return True
