"""Stars: which items to keep so that every other item resembles one of them, decided in keep order.

Items are numbered in keep order. Those that may be similar share a group of some band: `members[b]` holds the groups of
band b one after the other, each in order, with the last member of a group inverted (~item). `slots[b, item]` is the
place of an item in `members[b]`; -1 if it is in no group there. `stamp` has a number per item, -1 at first.
"""

from __future__ import annotations

from lookalike.kernels.jit import kernel

UNDECIDED, CHOSEN, KEPT, REMOVED = 0, 1, 2, 3


@kernel
def gather_before(item, status, slots, members, room, stamp, out):
    """Write the chosen items before an item that share a group with it, and return how many there are.

    Return -1 instead if there are more than `room`, or if an item before it is undecided and not chosen.
    """
    found = 0
    for band in range(slots.shape[0]):
        at = slots[band, item]
        while at > 0 and members[band, at - 1] >= 0:
            at -= 1
            other = members[band, at]
            chosen = status[other] == CHOSEN and stamp[other] != item
            if status[other] == UNDECIDED or (chosen and found == room):
                for i in range(found):
                    stamp[out[i]] = -1
                return -1
            if chosen:
                stamp[other] = item
                out[found] = other
                found += 1
    return found


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
        room = min(limit, left.size - count)
        found = gather_before(item, status, slots, members, room, stamp, left[count:])
        if found >= 0:
            status[item] = CHOSEN
            right[count : count + found] = item
            count += found
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
def propose_later(kept, place, status, slots, members, stamp, left, right):
    """Write candidates of kept items with the items after them that are not kept, until there is no more room.

    Return how many there are. `place` is where to go on: a kept item, a band, and a place in it, or -1 for the slot of
    the item.
    """
    first, band, at = place
    count = 0
    while first < kept.size:
        item = kept[first]
        while band < slots.shape[0]:
            if at < 0:
                at = slots[band, item]
            while at >= 0 and members[band, at] >= 0:
                if count == left.size:
                    place[0], place[1], place[2] = first, band, at
                    return count
                at += 1
                other = members[band, at]
                if other < 0:
                    other = ~other
                if status[other] != KEPT and stamp[other] != item:
                    stamp[other] = item
                    left[count] = item
                    right[count] = other
                    count += 1
            at = -1
            band += 1
        band = 0
        first += 1
    place[0] = first
    return count
