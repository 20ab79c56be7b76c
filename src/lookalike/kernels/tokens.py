"""Hashes of the tokens of a text, from its bytes.

Words take three passes over the bytes of a text, each of them simple enough to run at the speed of memory: `fold`
lower-cases and flags the bytes that belong to words (the compiler vectorises it), `edges` turns the flags into bits and
lists where words begin and end, 64 bytes at a time, and `hash_words` reads words in chunks of eight. A text beyond
ASCII is first rewritten (`transcode`) so that the same three passes give the right words.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.hashing import NO_TEXT, SECOND, absorb, hash_number
from lookalike.kernels.jit import inline, kernel, load8, trailing_zeros

PADDING = 80
"""Bytes that must be readable beyond the end of a text's buffer."""

BLANK, WORD, SINGLE = 0, 1, 2
"""Classes of code points: between words, part of a word, a word by itself."""

HIGH_BITS = np.uint64(0x8080808080808080)
GATHER = np.uint64(0x0102040810204080)
SPACE = 32


@kernel
def is_ascii(text):
    """Return whether no byte of `text` has its high bit set."""
    seen = np.uint8(0)
    for i in range(text.size):
        seen |= text[i]
    return seen < 128


@inline
def decode(text, i):
    """Return the code point that begins at byte `i` of valid UTF-8, and its length in bytes."""
    lead = np.int64(text[i])
    if lead < 0x80:
        return lead, 1
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | (np.int64(text[i + 1]) & 0x3F), 2
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | (np.int64(text[i + 1]) & 0x3F) << 6 | (np.int64(text[i + 2]) & 0x3F), 3
    return (
        (lead & 0x07) << 18
        | (np.int64(text[i + 1]) & 0x3F) << 12
        | (np.int64(text[i + 2]) & 0x3F) << 6
        | (np.int64(text[i + 3]) & 0x3F)
    ), 4


@inline
def encode(code, out, n):
    """Write a code point as UTF-8 at `out[n:]` and return the position of the next one."""
    if code < 0x80:
        out[n] = code
        return n + 1
    if code < 0x800:
        out[n] = 0xC0 | code >> 6
        out[n + 1] = 0x80 | (code & 0x3F)
        return n + 2
    if code < 0x10000:
        out[n] = 0xE0 | code >> 12
        out[n + 1] = 0x80 | (code >> 6 & 0x3F)
        out[n + 2] = 0x80 | (code & 0x3F)
        return n + 3
    out[n] = 0xF0 | code >> 18
    out[n + 1] = 0x80 | (code >> 12 & 0x3F)
    out[n + 2] = 0x80 | (code >> 6 & 0x3F)
    out[n + 3] = 0x80 | (code & 0x3F)
    return n + 4


@kernel
def transcode(text, classes, lower, out):
    """Rewrite a text so that its words can be found from single bytes, and return the new length.

    Afterwards, a byte of 128 or more is part of a word, and a lower byte is if it is an ASCII letter, digit or
    underscore. Characters beyond ASCII are lower-cased, and those that are words by themselves are surrounded by
    spaces. A one-byte character that is a word by itself (punctuation, if it is kept) becomes the single byte
    128 + code, which cannot occur on its own in UTF-8.
    """
    i = 0
    n = 0
    while i < text.size:
        code, length = decode(text, i)
        i += length
        kind = classes[code]
        if kind == BLANK and code >= 128:
            code = SPACE
        if kind == SINGLE:
            out[n] = SPACE
            n += 1
        if code >= 128:
            n = encode(np.int64(lower[code]), out, n)
        else:
            out[n] = 128 + code if kind == SINGLE else code
            n += 1
        if kind == SINGLE:
            out[n] = SPACE
            n += 1
    return n


@kernel
def fold(text, case_bit, low, flags):
    """Lower-case ASCII letters (`case_bit` 32; 0 leaves them) and flag the bytes that belong to words with 1."""
    for i in range(text.size):
        c = text[i]
        upper = np.uint8(np.uint8(c - np.uint8(65)) < np.uint8(26))
        letter = np.uint8(np.uint8((c | np.uint8(32)) - np.uint8(97)) < np.uint8(26)) | np.uint8(c >= np.uint8(128))
        digit = np.uint8(np.uint8(c - np.uint8(48)) < np.uint8(10)) | np.uint8(c == np.uint8(95))
        low[i] = c | np.uint8(upper * case_bit)
        flags[i] = letter | digit


@kernel
def edges(flags, size, positions):
    """List the positions where `flags` changes: start of a word, its end, start of the next; return their number.

    `flags` must be 0 for at least `PADDING` bytes from `size` on.
    """
    count = 0
    before = np.uint64(0)
    for block in range(0, size + 1, 64):
        bits = np.uint64(0)
        for part in range(8):
            eight = load8(flags, block + 8 * part)
            bits |= (eight * GATHER >> np.uint64(56)) << np.uint64(8 * part)
        changes = bits ^ (bits << np.uint64(1) | before)
        before = bits >> np.uint64(63)
        while changes != np.uint64(0):
            positions[count] = block + trailing_zeros(changes)
            count += 1
            changes &= changes - np.uint64(1)
    return count


@kernel
def hash_words(low, positions, count, out):
    """Hash the words that begin and end at consecutive `positions`."""
    for word in range(count):
        begin = np.int64(positions[2 * word])
        end = np.int64(positions[2 * word + 1])
        h = np.uint64(0)
        while end - begin > 8:
            h = absorb(h, load8(low, begin))
            begin += 8
        unused = np.uint64(64 - 8 * (end - begin))
        out[word] = absorb(h, load8(low, begin) << unused >> unused) * SECOND


@kernel
def word_tokens(text, table, case_bit, work, out):
    """Hash the words of a text to `out`; return their number.

    `table` is (classes, lower, whether ASCII needs them too). `work` is (transcoded, low, flags, positions).
    """
    classes, lower, always = table
    transcoded, low, flags, positions = work
    if always or not is_ascii(text):
        text = transcoded[: transcode(text, classes, lower, transcoded)]
    fold(text, case_bit, low, flags)
    flags[text.size : text.size + PADDING] = 0
    count = edges(flags, text.size, positions) >> 1
    hash_words(low, positions, count, out)
    return count


@kernel
def byte_tokens(data, hashes, out):
    """Hash the bytes of a text to `out`, by the table `hashes`; return their number."""
    for i in range(data.size):
        out[i] = hashes[data[i]]
    return data.size


@kernel
def char_tokens(text, ascii_hashes, out):
    """Hash the code points of a text to `out`; return their number."""
    count = 0
    i = 0
    while i < text.size:
        code, length = decode(text, i)
        i += length
        out[count] = ascii_hashes[code] if code < 128 else hash_number(code)
        count += 1
    return count


@kernel
def number_tokens(data, out):
    """Hash token ids, each eight little-endian bytes, to `out`; return their number."""
    count = data.size >> 3
    for i in range(count):
        out[i] = hash_number(load8(data, 8 * i))
    return count


@kernel
def hash_texts(data, offsets, out):
    """Hash each text as one token. Text i is `data[offsets[i]:offsets[i+1]]`. Trailing zeros count."""
    for i in range(out.size):
        h = np.uint64(0)
        chunk = np.uint64(0)
        shift = np.uint64(0)
        for j in range(offsets[i], offsets[i + 1]):
            chunk |= np.uint64(data[j]) << shift
            shift += np.uint64(8)
            if shift == np.uint64(64):
                h = absorb(h, chunk)
                chunk = np.uint64(0)
                shift = np.uint64(0)
        if shift > np.uint64(0) or offsets[i] == offsets[i + 1]:
            h = absorb(h, chunk)
        if offsets[i] < offsets[i + 1] and data[offsets[i + 1] - 1] == 0:
            h = absorb(h, np.uint64(offsets[i + 1] - offsets[i]) | NO_TEXT)
        out[i] = h * SECOND
