"""Kernels for vectors: band keys, exact scores, and selection of products that are large enough."""

from __future__ import annotations

import numpy as np

from lookalike.kernels.hashing import FIRST, SECOND, absorb
from lookalike.kernels.jit import count_ones, inline, kernel

RUN = 64
"""Products checked together before each is checked by itself."""

LANES = 8
"""Partial sums kept at a time. They fix the order of summation, so scores are the same wherever they are computed."""


@kernel
def fingerprint_rows(words, prints):
    """Write two hashes of each row of 64-bit words; the first is never 0."""
    for i in range(words.shape[0]):
        first, second = FIRST, SECOND
        for j in range(words.shape[1]):
            first = absorb(first, words[i, j])
            second = absorb(second, words[i, j])
        prints[i, 0] = max(first * SECOND, np.uint64(1))
        prints[i, 1] = second * FIRST


@inline
def begin_key(band):
    """Return the initial key of a band, so that no two bands have the same keys."""
    return np.uint64(band + 1) * SECOND


@kernel
def sign_keys(products, rows, keys):
    """Write a key per band and vector: its sides of `rows` planes. `products` are those with all normals of planes."""
    for i in range(products.shape[0]):
        at = 0
        for band in range(keys.shape[0]):
            key = begin_key(band)
            bits = np.uint64(0)
            for row in range(rows):
                bits = bits << np.uint64(1) | np.uint64(products[i, at + row] > 0)
                if row & 63 == 63:
                    key = absorb(key, bits)
                    bits = np.uint64(0)
            keys[band, i] = absorb(key, bits) * FIRST
            at += rows


@kernel
def cell_keys(products, rows, shifts, width, keys):
    """Write a key per band and vector: its cells, of the given width, along `rows` directions."""
    for i in range(products.shape[0]):
        at = 0
        for band in range(keys.shape[0]):
            key = begin_key(band)
            for slot in range(at, at + rows):
                cell = np.int64(np.floor(np.float64(products[i, slot]) / width + shifts[slot]))
                key = absorb(key, np.uint64(cell))
            keys[band, i] = key * FIRST
            at += rows


@kernel
def feature_keys(vectors, rows, features, shifts, widths, keys):
    """Write a key per band and vector: its cells along `rows` of its features."""
    for i in range(vectors.shape[0]):
        at = 0
        for band in range(keys.shape[0]):
            key = begin_key(band)
            for slot in range(at, at + rows):
                feature = features[slot]
                cell = np.int64(np.floor(np.float64(vectors[i, feature]) / widths[feature] + shifts[slot]))
                key = absorb(key, np.uint64(cell))
            keys[band, i] = key * FIRST
            at += rows


@kernel
def bit_keys(vectors, rows, positions, keys):
    """Write a key per band and row of bytes: `rows` of its bits."""
    for i in range(vectors.shape[0]):
        at = 0
        for band in range(keys.shape[0]):
            key = begin_key(band)
            bits = np.uint64(0)
            for row in range(rows):
                position = positions[at + row]
                bit = np.uint64(vectors[i, position >> 3]) >> np.uint64(7 - (position & 7)) & np.uint64(1)
                bits = bits << np.uint64(1) | bit
                if row & 63 == 63:
                    key = absorb(key, bits)
                    bits = np.uint64(0)
            keys[band, i] = absorb(key, bits) * FIRST
            at += rows


@inline
def product(one, two):
    """Multiply two numbers, in double precision."""
    return np.float64(one) * np.float64(two)


@inline
def squared_difference(one, two):
    """Square the difference of two numbers, in double precision."""
    apart = np.float64(one) - np.float64(two)
    return apart * apart


@inline
def sum_in_lanes(of, one, two, sums):
    """Sum a function of the pairs of numbers of two vectors in lanes, and then sum the lanes."""
    whole = one.size - one.size % LANES
    sums[:] = 0.0
    for j in range(0, whole, LANES):
        for lane in range(LANES):
            sums[lane] += of(one[j + lane], two[j + lane])
    for j in range(whole, one.size):
        sums[j - whole] += of(one[j], two[j])
    total = 0.0
    for lane in range(LANES):
        total += sums[lane]
    return total


@kernel
def dot_products(left, right, vectors, out):
    """Write the dot product of each pair of vectors, in double precision."""
    sums = np.empty(LANES, np.float64)
    for i in range(left.size):
        out[i] = sum_in_lanes(product, vectors[left[i]], vectors[right[i]], sums)


@kernel
def squared_distances(left, right, vectors, out):
    """Write the squared Euclidean distance of each pair of vectors, in double precision."""
    sums = np.empty(LANES, np.float64)
    for i in range(left.size):
        out[i] = sum_in_lanes(squared_difference, vectors[left[i]], vectors[right[i]], sums)


@kernel
def close_features(left, right, vectors, tolerances, out):
    """Write the number of features in which each pair of vectors is close: within the tolerance."""
    for i in range(left.size):
        one, two = vectors[left[i]], vectors[right[i]]
        close = 0
        for j in range(vectors.shape[1]):
            close += abs(np.float64(one[j]) - np.float64(two[j])) <= tolerances[j]
        out[i] = close


@kernel
def gather_above(products, minimum, diagonal, out):
    """Write the positions of products of at least `minimum`, row by row; return their number, and the row reached.

    If rows and columns are the same vectors, `diagonal` is the column of the first row itself, and only columns right
    of the diagonal count; otherwise it is -1. It stops before a row that might not fit in `out`: (rows, columns).
    """
    row_out, column_out = out
    filled = 0
    for i in range(products.shape[0]):
        first = diagonal + i + 1 if diagonal >= 0 else 0
        if filled + products.shape[1] - first > row_out.size:
            return filled, i
        for begin in range(first, products.shape[1], RUN):
            end = min(begin + RUN, products.shape[1])
            if any_above(products[i, begin:end], minimum):
                for j in range(begin, end):
                    if products[i, j] >= minimum:
                        row_out[filled] = i
                        column_out[filled] = j
                        filled += 1
    return filled, products.shape[0]


@inline
def any_above(products, minimum):
    """Return whether any product is large enough. Most runs have none, and a loop without an exit is vectorised."""
    found = False
    for product in products:
        found |= product >= minimum
    return found


@kernel
def bit_distances(left, right, words, out):
    """Write the number of bits in which each pair of rows of words differs."""
    for i in range(left.size):
        out[i] = differing(words[left[i]], words[right[i]])


@kernel
def all_bit_distances(one, two, out):
    """Write the negative number of bits in which each row of `one` differs from each row of `two`."""
    for i in range(one.shape[0]):
        for j in range(two.shape[0]):
            out[i, j] = -differing(one[i], two[j])


@inline
def differing(one, two):
    """Count the bits in which two rows differ."""
    count = 0
    for k in range(one.size):
        count += count_ones(one[k] ^ two[k])
    return count


@kernel
def all_close_features(one, two, tolerances, out):
    """Write the number of features in which each row of `one` is close to each row of `two`."""
    for i in range(one.shape[0]):
        for j in range(two.shape[0]):
            close = 0
            for k in range(one.shape[1]):
                close += abs(np.float64(one[i, k]) - np.float64(two[j, k])) <= tolerances[k]
            out[i, j] = close


@kernel
def all_shared_cells(one, two, widths, out):
    """Write the mean number, over shifts, of features in which each row of `one` shares a cell with each of `two`."""
    for i in range(one.shape[0]):
        for j in range(two.shape[0]):
            shared = 0.0
            for k in range(one.shape[1]):
                apart = abs(np.float64(one[i, k]) - np.float64(two[j, k])) / widths[k]
                shared += max(1.0 - apart, 0.0)
            out[i, j] = shared
