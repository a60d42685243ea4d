"""What clients of one key were told, and whether some order of their operations explains it.

Every operation that changes a key appends its number to the key's list, so the list is the order in which the server says they ran. The checker
demands that this order explains every answer, and that it is one in which the operations can have been sent and answered.
"""

from collections import namedtuple

# `seen`: how long the list was afterwards, None when the answer never came. Times are seconds; an operation whose answer never came ended with its server.
Operation = namedtuple("Operation", "number seen started ended")
# An operation that only looks: the length of the list, and how many of the documents that come with its numbers there were.
Look = namedtuple("Look", "seen entries started ended")


class History:
    """Of one key. Appended to by many threads, checked by one."""

    def __init__(self):
        self.operations = []
        self.looks = []
        self._checked = []

    def problems(self, order, entries, total, amounts):
        """`order`: the key's list as it is now; `entries`: the numbers that have a document; `total`: the sum that the server kept."""
        known = {operation.number: operation for operation in self.operations}
        yield from self._problems_of_order(order, entries, known)
        if total != sum(amounts[number] for number in order):
            yield f"the total is {total}, the sum of what was added {sum(amounts[number] for number in order)}"
        yield from _problems_of_answers(order, known.values())
        yield from _problems_of_time([known[number] for number in order if number in known])
        yield from _problems_of_looks([known[number] for number in order if number in known], self.looks)
        self._checked = order

    def _problems_of_order(self, order, entries, known):
        if order[: len(self._checked)] != self._checked:
            yield "what an earlier check saw has changed"
        if len(set(order)) != len(order):
            yield "an operation ran twice"
        if set(order) != entries:
            yield f"half an operation is there: {sorted(set(order) ^ entries)}"
        if wrong := set(order) - set(known):
            yield f"operations that had no effect are there: {sorted(wrong)}"


def _problems_of_answers(order, operations):
    places = {number: place for place, number in enumerate(order, start=1)}
    for operation in operations:
        if operation.seen is None:
            continue
        if operation.number not in places:
            yield f"the acknowledged operation {operation.number} is lost"
        elif places[operation.number] != operation.seen:
            yield f"operation {operation.number} was told to be number {operation.seen}, it is {places[operation.number]}"


def _problems_of_time(ordered):
    latest_start = float("-inf")
    for operation in ordered:
        if operation.ended < latest_start:
            yield f"operation {operation.number} had ended before one began that comes earlier in the order"
        latest_start = max(latest_start, operation.started)


def _problems_of_looks(ordered, looks):
    latest_starts = [float("-inf")]
    for operation in ordered:
        latest_starts.append(max(latest_starts[-1], operation.started))
    earliest_ends = [float("inf")]
    for operation in reversed(ordered):
        earliest_ends.append(min(earliest_ends[-1], operation.ended))
    earliest_ends.reverse()
    for look in looks:
        if look.seen != look.entries:
            yield f"somebody saw half an operation: {look}"
        elif look.seen > len(ordered):
            yield f"somebody saw more than there is: {look}"
        elif look.ended < latest_starts[look.seen] or earliest_ends[look.seen] < look.started:
            yield f"somebody saw what was not the state at any moment of their request: {look}"


def proofs():
    """What the checker must object to; what it says nothing about."""
    good = [Operation(1, 1, 0, 2), Operation(2, 2, 1, 3), Operation(3, 3, 4, 5)]
    amounts = {1: 10, 2: 20, 3: 30}
    cases = {
        "a lost update": (good, [], [1, 3], {1, 3}, 40),
        "an operation without its document": (good, [], [1, 2, 3], {1, 3}, 60),
        "a wrong total": (good, [], [1, 2, 3], {1, 2, 3}, 50),
        "an answer from another order": (good, [], [2, 1, 3], {1, 2, 3}, 60),
        "an order against time": ([Operation(1, 2, 0, 1), Operation(2, 1, 2, 3)], [], [2, 1], {1, 2}, 30),
        "a dirty read": (good, [Look(2, 1, 2, 3)], [1, 2, 3], {1, 2, 3}, 60),
        "a stale read": (good, [Look(1, 1, 6, 7)], [1, 2, 3], {1, 2, 3}, 60),
    }
    for name, (operations, looks, order, entries, total) in cases.items():
        if not _objections(operations, looks, order, entries, total, amounts):
            yield f"the checker did not see {name}"
    if said := _objections(good, [Look(2, 2, 3, 4), Look(1, 1, 1, 2)], [1, 2, 3], {1, 2, 3}, 60, amounts):
        yield f"the checker objects to a good history: {said}"


def _objections(operations, looks, order, entries, total, amounts):
    history = History()
    history.operations, history.looks = operations, looks
    return list(history.problems(order, entries, total, amounts))
