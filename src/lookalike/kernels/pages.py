"""Checksums of the pages of a file, each verified when something on the page is first read.

A checksum mixes in one word after another by invertible steps, so changing any single word changes the checksum.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import inline, kernel

WORDS = 512
"""The number of 64-bit words per page."""

BYTES = 8 * WORDS
START = np.uint64(0xCBF29CE484222325)
FACTOR = np.uint64(0x9E3779B97F4A7C15)


@inline
def page_sum(words, page):
    """Return the checksum of a page. The last page may be shorter."""
    total = START
    for i in range(page * WORDS, min((page + 1) * WORDS, words.size)):
        total = (total ^ words[i]) * FACTOR
        total ^= total >> np.uint64(29)
    return total


@inline
def is_bad(words, sums, seen, begin, end):
    """Return whether a page with some of these bytes is damaged. Each page is verified once."""
    for page in range(begin // BYTES, (end + BYTES - 1) // BYTES):
        if not seen[page]:
            if page_sum(words, page) != sums[page]:
                return True
            seen[page] = 1
    return False


@kernel
def sum_pages(words, sums):
    """Write the checksum of each page."""
    for page in range(sums.size):
        sums[page] = page_sum(words, page)


@kernel
def find_bad(pages, begin, width, positions, following):
    """Return whether one of some values of a column is on a damaged page.

    The column begins at byte `begin`, and a value has `width` bytes. After each value, `following` more are read.
    """
    words, sums, seen = pages
    for position in positions:
        at = begin + width * np.int64(position)
        if is_bad(words, sums, seen, at, at + width * (1 + following)):
            return True
    return False


@kernel
def find_bad_runs(pages, begin, begins, ends):
    """Return whether some runs of bytes of a column are on a damaged page."""
    words, sums, seen = pages
    for i in range(begins.size):
        if not 0 <= begins[i] <= ends[i] <= 8 * words.size - begin:
            return True
        if is_bad(words, sums, seen, begin + begins[i], begin + ends[i]):
            return True
    return False


@kernel
def find_bad_cells(pages, begins, directory, width, bits, keys):
    """Return whether the cells of some keys, or their postings, are on a damaged page.

    `begins` holds the offsets of postings and directory, and `width` is the number of postings per band.
    """
    words, sums, seen = pages
    shift = np.uint64(64 - bits)
    for band in range(keys.shape[0]):
        for i in range(keys.shape[1]):
            cell = np.int64(keys[band, i] >> shift)
            at = begins[1] + 4 * (band * directory.shape[1] + cell)
            if is_bad(words, sums, seen, at, at + 8):
                return True
            first = begins[0] + 8 * (band * width + np.int64(directory[band, cell]))
            last = begins[0] + 8 * (band * width + np.int64(directory[band, cell + 1]))
            if is_bad(words, sums, seen, first, last):
                return True
    return False
