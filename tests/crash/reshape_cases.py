"""The server is killed in every state of a split, a merge and a change of the partition key, while clients write and read, or are kept out."""

import time

from account import Broken
from cases import Place
from clients import Round
from server import Failed, Server
from verify import verify
from workload import DATABASE, Workload

CONTAINER = "wide"  # three partitions
STATES = ["prepared", "copying", "fenced", "published"]
CLOSED_MODES = ["readOnly", "offline"]
INGESTING = "ingesting"  # not in the journal: between copying and fenced, when files for the store are written
INGESTED_TEXT = "external_sst_file.global_seqno"  # RocksDB notes it in such files only
ATTEMPTS_MAX = 20  # a reshape is given up when the index is rebuilt meanwhile, which the clients do
FINISH_SECONDS_MAX = 60


def run_reshapes(tally, binary, shim, seed, rounds):
    for kind_number, kind in enumerate((_Split(), _Merge(), _Rekey())):
        with Place(binary, shim) as place:
            workload = Workload(seed)
            workload.create_containers(place.start().port)
            place.server.stop()
            for round_number in range(rounds):
                for state_number, state in enumerate(kind.states):
                    closed = CLOSED_MODES[(round_number + kind_number + state_number) % len(CLOSED_MODES)]
                    for mode, when in (("online", "written"), ("online", "synced"), (closed, workload.random.choice(["written", "synced"]))):
                        cuts_power = workload.random.random() < 0.5
                        name = f"{kind.name} ({mode}), killed when '{state}' was {when}{', power cut' if cuts_power else ''}"
                        tally.run(name, _kill_in, place, workload, kind, mode, state, when, cuts_power)


class _Split:
    """Of the first partition; so that there are not too many, the next ones are merged before."""
    name = "split"
    states = [*STATES, INGESTING]
    changes_catalog = True

    def prepare(self, connection):
        while len(ranges := _ranges(connection)) > 3:
            _carry_out(connection, "merge", {"range": ranges[0]["id"]})

    def order(self, connection):
        return {"range": _ranges(connection)[0]["id"], "at": "08"}

    def ranges_afterwards(self, before):
        return before + 1


class _Merge:
    """Of the first two partitions."""
    name = "merge"
    states = [*STATES, INGESTING]
    changes_catalog = True

    def prepare(self, connection):
        if len(ranges := _ranges(connection)) <= 3:  # what the throughput needs
            _carry_out(connection, "split", {"range": ranges[0]["id"], "at": "08"})

    def order(self, connection):
        return {"range": _ranges(connection)[0]["id"]}

    def ranges_afterwards(self, before):
        return before - 1


class _Rekey:
    """To the other version of the hash: every document moves, and clients need not send other key values."""
    name = "rekey"
    states = STATES
    changes_catalog = False  # clients would send the old key with the policy

    def prepare(self, connection):
        pass

    def order(self, connection):
        current = connection.container("GET", DATABASE, CONTAINER).json()["partitionKey"].get("version", 1)
        return {"partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 3 - current}}

    def ranges_afterwards(self, before):
        return before


def _kill_in(place, workload, kind, mode, state, when, cuts_power):
    place.start()
    connection = workload.connect(place.server.port)
    kind.prepare(connection)
    order = {**kind.order(connection), "mode": mode}
    before = len(_ranges(connection))
    connection.close()
    place.server.stop()
    text = INGESTED_TEXT if state == INGESTING else f'"kind":"{kind.name}","state":"{state}"'
    place.server = Server(place.binary, place.data, place.log, place.shim.deadly_environment(place.data, text, when))
    workload.expects_refusals = mode != "online"
    clients = Round(workload, place.server.port, kind.changes_catalog)
    clients.wait_for_acknowledged(100)
    answer = _order_until_killed(workload.connect(place.server.port), kind.name, order)
    if answer:
        place.server.kill()
    place.server.wait_for_end()
    clients.join()
    workload.expects_refusals = False
    if cuts_power:
        place.shim.cut_power(place.data, workload.random)
    problems = [f"the server was not killed; it answered {answer}"] if answer else []
    problems += place.check()
    place.start()
    if mode == "online":
        problems += verify(workload, place.server.port)
    problems += _wait_until_finished(workload, place.server.port)
    problems += verify(workload, place.server.port)
    # When not even the plan was synced, there is nothing to take up.
    was_planned = not (state == "prepared" and cuts_power and when == "written")
    problems += _check_map(workload.connect(place.server.port), before, kind.ranges_afterwards(before), was_planned)
    place.server.stop()
    return problems + place.check()


def _order_until_killed(connection, kind, order):
    """Nothing when the server died of it, else its last answer."""
    answer = None
    try:
        for _ in range(ATTEMPTS_MAX):
            answer = connection.reshape(kind, {"database": DATABASE, "container": CONTAINER, **order})
            if answer.status != 503:
                return answer
    except Broken:
        return None
    return answer


def _carry_out(connection, kind, order):
    answer = connection.reshape(kind, {"database": DATABASE, "container": CONTAINER, **order})
    if answer.status != 200:
        raise Failed(f"{kind} answered {answer}")


def _ranges(connection):
    return sorted(connection.ranges(DATABASE, CONTAINER), key=lambda each: each["minInclusive"])


def _wait_until_finished(workload, port):
    connection = workload.connect(port)
    deadline = time.monotonic() + FINISH_SECONDS_MAX
    while unfinished := [reshape for reshape in connection.reshapes() if reshape["state"] != "published"]:
        if time.monotonic() > deadline:
            return [f"{unfinished} was not finished"]
        time.sleep(0.02)
    connection.close()
    return []


def _check_map(connection, before, afterwards, was_planned):
    ranges = _ranges(connection)
    connection.close()
    allowed = {afterwards} if was_planned else {before, afterwards}
    if len(ranges) not in allowed:
        yield f"there are {len(ranges)} ranges, expected {allowed}: {ranges}"
    edges = [""] + [each["maxExclusive"] for each in ranges]
    for each, edge in zip(ranges, edges):
        if each["minInclusive"] != edge:
            yield f"the ranges have a gap or overlap at {edge}"
    if edges[-1] != "FF":
        yield f"the ranges end at {edges[-1]}"
