"""Shingles of items, as hashes, and the sets of items.

Signing uses the shingles with their duplicates, which do not change a minimum. Sets are built for candidates only,
since most items never become one.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.hashing import BASE, SECOND, finish
from lookalike.kernels.jit import inline, kernel
from lookalike.kernels.tokens import byte_tokens, char_tokens, is_ascii, number_tokens, word_tokens

LARGE = 1 << 20
"""The number of elements above which a set is built and compared by sorting: hash tables would take too much memory."""


@kernel
def roll(tokens, count, n, leaving, out):
    """Write the hashes of the n-grams of `count` tokens; return their number.

    `leaving` is BASE^n. Fewer than n tokens form one shingle. `out` may be `tokens`.
    """
    p = np.uint64(0)
    for i in range(min(n, count)):
        p = p * BASE + tokens[i]
    if count <= n:
        out[0] = finish(p)
        return min(count, 1)
    for i in range(n, count):
        change = tokens[i] - tokens[i - n] * leaving
        out[i - n] = finish(p)
        p = p * BASE + change
    out[count - n] = finish(p)
    return count - n + 1


@kernel
def roll_bytes(data, n, hashes, leaving_hashes, out):
    """Write the hashes of the n-grams of bytes, as `byte_tokens` and `roll` would; return their number.

    `leaving_hashes` is `hashes` times BASE^n. Each shingle depends on the one before it, so the two halves of the bytes
    are processed in turn: while one waits, the other proceeds.
    """
    grams = data.size - n + 1
    if grams < 2:
        count = byte_tokens(data, hashes, out)
        return roll(out, count, n, np.uint64(0), out)
    half = grams >> 1
    p = np.uint64(0)
    q = np.uint64(0)
    for i in range(n):
        p = p * BASE + hashes[data[i]]
        q = q * BASE + hashes[data[half + i]]
    for i in range(half - 1):
        out[i] = finish(p)
        out[half + i] = finish(q)
        p = p * BASE + (hashes[data[i + n]] - leaving_hashes[data[i]])
        q = q * BASE + (hashes[data[half + i + n]] - leaving_hashes[data[half + i]])
    out[half - 1] = finish(p)
    out[2 * half - 1] = finish(q)
    if 2 * half < grams:
        q = q * BASE + (hashes[data[data.size - 1]] - leaving_hashes[data[2 * half - 1]])
        out[2 * half] = finish(q)
    return grams


@inline
def place(table, mask, h):
    """Return the slot of `h` in an open-addressing table, or the empty slot where it belongs."""
    at = h & mask
    while table[at] != np.uint64(0) and table[at] != h:
        at = (at + np.uint64(1)) & mask
    return at


@inline
def power_of_two(minimum):
    """Return the lowest power of two that is at least `minimum` and at least 64."""
    room = 64
    while room < minimum:
        room *= 2
    return room


@kernel
def suspect(hashes, bits, suspects):
    """List the hashes whose bit another hash has set: all duplicates, and a few false suspects."""
    bits[:] = np.uint64(0)
    mask = np.uint64(bits.size - 1)
    count = 0
    for h in hashes:
        at = (h >> np.uint64(6)) & mask
        bit = h & np.uint64(63)
        held = bits[at]
        suspects[count] = h
        count += np.int64((held >> bit) & np.uint64(1))
        bits[at] = held | np.uint64(1) << bit
    return count


@kernel
def distinct(hashes, bag, work):
    """Turn hashes into a set, in place; return its size.

    A set keeps the first of equal hashes; a bag turns the second, the third and so on into further elements. Most
    hashes of a text occur once: a bitmap of 16 bits per hash, small enough for the L1 cache, finds the few that may
    occur twice, and only those are looked up in a table. `work` is (bits, suspects, table, counts).
    """
    bits, suspects, table, counts = work
    bits = bits[: power_of_two(hashes.size >> 2)]
    repeated = suspect(hashes, bits, suspects)
    if repeated == 0:
        return hashes.size
    room = power_of_two(2 * repeated)
    table = table[:room]
    counts = counts[:room]
    remember(suspects[:repeated], bits, table)
    counts[:] = np.uint64(0)
    clear, doubtful = part(hashes, bits, suspects)
    return clear + write_distinct(suspects[:doubtful], bag, table, counts, hashes[clear:])


@kernel
def remember(suspects, bits, table):
    """Put the suspects in a table, and their bits in a bitmap."""
    bits[:] = np.uint64(0)
    table[:] = np.uint64(0)
    mask = np.uint64(table.size - 1)
    bit_mask = np.uint64(bits.size - 1)
    for h in suspects:
        table[place(table, mask, h)] = h
        bits[(h >> np.uint64(6)) & bit_mask] |= np.uint64(1) << (h & np.uint64(63))


@kernel
def part(hashes, bits, doubtful):
    """Move the hashes whose bit is set to `doubtful`, the others to the front. There is no branch to mispredict."""
    mask = np.uint64(bits.size - 1)
    clear = 0
    moved = 0
    for i in range(hashes.size):
        h = hashes[i]
        doubt = np.int64(bits[(h >> np.uint64(6)) & mask] >> (h & np.uint64(63)) & np.uint64(1))
        hashes[clear] = h
        doubtful[moved] = h
        moved += doubt
        clear += 1 - doubt
    return clear, moved


@kernel
def write_distinct(doubtful, bag, table, counts, out):
    """Write the first of equal hashes to `out`; the others only for a bag, and then with new hashes."""
    mask = np.uint64(table.size - 1)
    count = 0
    for h in doubtful:
        at = place(table, mask, h)
        earlier = counts[at]
        if table[at] == h:
            counts[at] = earlier + np.uint64(1)
        if earlier == np.uint64(0):
            out[count] = h
            count += 1
        elif bag:
            out[count] = finish(h + earlier * SECOND)
            count += 1
    return count


@kernel
def fingerprint(grams):
    """Return two 64-bit sums that depend on the shingles and how often each occurs, but not on their order.

    The first is 0 only if there are no shingles.
    """
    first = np.uint64(0)
    second = np.uint64(0)
    for i in range(grams.size):
        h = grams[i]
        first += h
        second += h ^ (h >> np.uint64(29)) ^ (h << np.uint64(23))
    return first if first != np.uint64(0) or grams.size == 0 else np.uint64(1), second


@kernel
def word_grams(data, begins, ends, size, case_bit, table, work, out, counts):
    """Write the shingles of texts by words to `out`, one text after another, and the number of shingles per text.

    Text i is `data[begins[i]:ends[i]]`; `size` is (n, BASE^n); the other arguments are those of `word_tokens`.
    """
    n, leaving = size
    filled = 0
    for item in range(counts.size):
        room = out[filled:]
        tokens = word_tokens(data[begins[item] : ends[item]], table, case_bit, work, room)
        counts[item] = roll(room, tokens, n, leaving, room)
        filled += counts[item]


@kernel
def char_grams(data, begins, ends, size, hashes, whole_bytes, out, counts):
    """Do what `word_grams` does by characters, or by bytes. `hashes` is (hash per byte, the same times BASE^n)."""
    n, leaving = size
    filled = 0
    for item in range(counts.size):
        room = out[filled:]
        text = data[begins[item] : ends[item]]
        if whole_bytes or is_ascii(text):
            counts[item] = roll_bytes(text, n, hashes[0], hashes[1], room)
        else:
            counts[item] = roll(room, char_tokens(text, hashes[0], room), n, leaving, room)
        filled += counts[item]


@kernel
def number_grams(data, begins, ends, size, out, counts):
    """Do what `word_grams` does for lists of token ids, each eight bytes."""
    n, leaving = size
    filled = 0
    for item in range(counts.size):
        room = out[filled:]
        counts[item] = roll(room, number_tokens(data[begins[item] : ends[item]], room), n, leaving, room)
        filled += counts[item]


@kernel
def make_sets(grams, counts, bag, work):
    """Turn the shingles of each item into a set or a bag, in place. `counts` become sizes; return their sum."""
    begin = 0
    filled = 0
    for item in range(counts.size):
        count = counts[item]
        size = distinct(grams[begin : begin + count], bag, work)
        for i in range(size):
            grams[filled + i] = grams[begin + i]
        counts[item] = size
        begin += count
        filled += size
    return filled
