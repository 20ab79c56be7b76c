"""Sums of the pages of a file, each looked at when something on it is first read.

A sum mixes in one word after the other, by steps that can be undone: so any one word that differs makes another sum.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import inline, kernel

WORDS = 512
"""64-bit words of a page."""

BYTES = 8 * WORDS
START = np.uint64(0xCBF29CE484222325)
FACTOR = np.uint64(0x9E3779B97F4A7C15)


@inline
def page_sum(words, page):
    """Return the sum of a page; the last may be shorter."""
    total = START
    for i in range(page * WORDS, min((page + 1) * WORDS, words.size)):
        total = (total ^ words[i]) * FACTOR
        total ^= total >> np.uint64(29)
    return total


@inline
def is_bad(words, sums, seen, begin, end):
    """Tell whether a page that has some of these bytes is not what was written; each is looked at once."""
    for page in range(begin // BYTES, (end + BYTES - 1) // BYTES):
        if not seen[page]:
            if page_sum(words, page) != sums[page]:
                return True
            seen[page] = 1
    return False


@kernel
def sum_pages(words, sums):
    """Write the sum of each page."""
    for page in range(sums.size):
        sums[page] = page_sum(words, page)


@kernel
def find_bad(pages, begin, width, places, following):
    """Return whether one of some values of a column is on a page that is not what was written.

    The column begins at byte `begin`, a value has `width` bytes, and after each so many following ones are read too.
    """
    words, sums, seen = pages
    for place in places:
        at = begin + width * np.int64(place)
        if is_bad(words, sums, seen, at, at + width * (1 + following)):
            return True
    return False


@kernel
def find_bad_runs(pages, begin, begins, ends):
    """Return whether some runs of bytes of a column are on a page that is not what was written."""
    words, sums, seen = pages
    for i in range(begins.size):
        if not 0 <= begins[i] <= ends[i] <= 8 * words.size - begin:
            return True
        if is_bad(words, sums, seen, begin + begins[i], begin + ends[i]):
            return True
    return False


@kernel
def find_bad_cells(pages, begins, directory, width, bits, keys):
    """Return whether the cells of some keys, or their postings, are on a page that is not what was written.

    `begins` says where postings and directory begin, and `width` is how many postings a band has.
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
