"""Stars: which items to keep so that every other item resembles one of them, decided in keep order.

Items are numbered in keep order. Those that may be similar share a group of some band: `members[b]` holds the groups of
band b one after the other, each in order, with the last member of a group inverted (~item). `slots[b, item]` is the
place of an item in `members[b]`; -1 if it is in no group there. `stamp` has a number per item, -1 at first.
"""

from __future__ import annotations

from lookalike.kernels.jit import kernel

UNDECIDED, CHOSEN, KEPT, REMOVED = 0, 1, 2, 3


@kernel
def choose(status, slots, members, limit, stamp, left, right):
    """Choose the items that can be decided together, and write the candidates among them; return how many there are.

    An undecided item is chosen if all undecided items before it that share a group with it are chosen too, are at most
    `limit`, and fit into `left` and `right`.
    """
    count = 0
    for item in range(status.size):
        if status[item] != UNDECIDED:
            continue
        found = 0
        waits = False
        for band in range(slots.shape[0]):
            at = slots[band, item]
            while not waits and at > 0 and members[band, at - 1] >= 0:
                at -= 1
                other = members[band, at]
                if status[other] == UNDECIDED:
                    waits = True
                elif status[other] == CHOSEN and stamp[other] != item:
                    if found == limit or count + found == left.size:
                        waits = True
                        break
                    stamp[other] = item
                    left[count + found] = other
                    right[count + found] = item
                    found += 1
            if waits:
                break
        if not waits:
            status[item] = CHOSEN
            count += found
            continue
        for i in range(count, count + found):
            stamp[left[i]] = -1
    return count


@kernel
def decide(left, right, status):
    """Remove each chosen item that resembles a chosen item before it that is not removed.

    Item `left[i]` precedes `right[i]`, and resembles it; pairs are in the order of their right items.
    """
    for i in range(left.size):
        if status[left[i]] == CHOSEN:
            status[right[i]] = REMOVED


@kernel
def propose_later(kept, first, status, slots, members, stamp, left, right):
    """Write the candidates of kept items, from `first` on, with the items after them that are not kept.

    Return how many there are, and the next kept item to go on with. `left` and `right` have room for one per item.
    """
    count = 0
    for i in range(first, kept.size):
        item = kept[i]
        if count + status.size - item > left.size:
            return count, i
        for band in range(slots.shape[0]):
            at = slots[band, item]
            while at >= 0 and members[band, at] >= 0:
                at += 1
                other = members[band, at]
                if other < 0:
                    other = ~other
                if status[other] != KEPT and stamp[other] != item:
                    stamp[other] = item
                    left[count] = item
                    right[count] = other
                    count += 1
    return count, kept.size
