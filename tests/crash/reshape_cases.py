"""The server is killed in every state of a split, a merge, a change of the partition key and a first one, while clients write and read, or are kept out."""

import time

from cases import Place
from clients import Round
from ledger import Key
from testbed.account import Broken
from testbed.server import Failed, Server
from verify import verify
from workload import DATABASE, Workload

CONTAINER = "wide"  # three partitions
PLAIN = "plain"  # without partition key at first
PLAIN_DOCUMENTS = 40
STATES = ["prepared", "copying", "fenced", "published"]
CLOSED_MODES = ["readOnly", "offline"]
INGESTING = "ingesting"  # not in the journal: between copying and fenced, when files for the store are written
INGESTED_TEXT = "external_sst_file.global_seqno"  # RocksDB notes it in such files only
ATTEMPTS_MAX = 20  # a reshape is given up when the index is rebuilt meanwhile, which the clients do
FINISH_SECONDS_MAX = 60


def run_reshapes(tally, binary, shim, seed, rounds):
    for kind_number, kind in enumerate((_Split(), _Merge(), _Rekey(), _Migrate())):
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


class _Kind:
    """What happens to which container; the journal's and the admin API's name for it."""
    container = CONTAINER

    def verify(self, connection):
        """What is wrong afterwards, besides what clients of the container were told."""
        return []


class _Split(_Kind):
    """Of the first partition; so that there are not too many, the next ones are merged before."""
    name = journal_name = "split"
    states = [*STATES, INGESTING]
    changes_catalog = True

    def prepare(self, connection):
        while len(ranges := _ranges(connection)) > 3:
            _carry_out(connection, "merge", {"range": ranges[0]["id"]})

    def order(self, connection):
        return {"range": _ranges(connection)[0]["id"], "at": "08"}

    def ranges_afterwards(self, before):
        return before + 1


class _Merge(_Kind):
    """Of the first two partitions."""
    name = journal_name = "merge"
    states = [*STATES, INGESTING]
    changes_catalog = True

    def prepare(self, connection):
        if len(ranges := _ranges(connection)) <= 3:  # what the throughput needs
            _carry_out(connection, "split", {"range": ranges[0]["id"], "at": "08"})

    def order(self, connection):
        return {"range": _ranges(connection)[0]["id"]}

    def ranges_afterwards(self, before):
        return before - 1


class _Rekey(_Kind):
    """To the other version of the hash: every document moves, and clients need not send other key values."""
    name = journal_name = "rekey"
    states = STATES
    changes_catalog = False  # clients would send the old key with the policy

    def prepare(self, connection):
        pass

    def order(self, connection):
        current = connection.container("GET", DATABASE, CONTAINER).json()["partitionKey"].get("version", 1)
        return {"partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 3 - current}}

    def ranges_afterwards(self, before):
        return before


class _Migrate(_Kind):
    """A container without partition key gets its first one, while clients are busy with others."""
    name, journal_name = "migrate", "rekey"
    states = STATES
    changes_catalog = True
    container = PLAIN
    keys = [Key(DATABASE, PLAIN, f"d{n}", {"tenant": f"t{n % 7}"}) for n in range(PLAIN_DOCUMENTS)]

    def prepare(self, connection):
        connection.container("DELETE", DATABASE, PLAIN)
        answers = [connection.create_container(DATABASE, {"id": PLAIN}, version="2018-06-18")]
        answers += [connection.create(Key(DATABASE, PLAIN, key.id, {}), {"id": key.id, **key.properties}) for key in self.keys]
        if refused := [answer for answer in answers if answer.status != 201]:
            raise Failed(f"preparing was answered {refused[0]}")

    def order(self, connection):
        return {"partitionKey": {"paths": ["/tenant"], "kind": "Hash", "version": 2}}

    def ranges_afterwards(self, before):
        return before

    def verify(self, connection):
        definition = connection.container("GET", DATABASE, PLAIN).json().get("partitionKey", {})
        has_key = definition.get("paths") == ["/tenant"]
        for key in self.keys:
            answer = connection.read(key if has_key else Key(DATABASE, PLAIN, key.id, {}))
            if answer.status != 200 or answer.json()["tenant"] != key.properties["tenant"]:
                yield f"{key}: a read under {definition} answered {answer}"


def _kill_in(place, workload, kind, mode, state, when, cuts_power):
    place.start()
    connection = workload.connect(place.server.port)
    kind.prepare(connection)
    workload.others = [] if kind.container == CONTAINER else [kind.container]
    order = {**kind.order(connection), "mode": mode}
    before = len(_ranges(connection, kind.container))
    connection.close()
    place.server.stop()
    text = INGESTED_TEXT if state == INGESTING else f'"kind":"{kind.journal_name}","state":"{state}"'
    place.server = Server(place.binary, place.data, place.log, place.shim.deadly_environment(place.data, text, when))
    workload.expects_refusals = mode != "online"
    clients = Round(workload, place.server.port, kind.changes_catalog)
    clients.wait_for_acknowledged(100)
    answer = _order_until_killed(workload.connect(place.server.port), kind, order)
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
    connection = workload.connect(place.server.port)
    problems += _check_map(_ranges(connection, kind.container), before, kind.ranges_afterwards(before), was_planned)
    problems += kind.verify(connection)
    connection.close()
    place.server.stop()
    return problems + place.check()


def _order_until_killed(connection, kind, order):
    """Nothing when the server died of it, else its last answer."""
    answer = None
    try:
        for _ in range(ATTEMPTS_MAX):
            answer = connection.reshape(kind.journal_name, {"database": DATABASE, "container": kind.container, **order})
            if answer.status != 503:
                return answer
    except Broken:
        return None
    return answer


def _carry_out(connection, kind, order):
    answer = connection.reshape(kind, {"database": DATABASE, "container": CONTAINER, **order})
    if answer.status != 200:
        raise Failed(f"{kind} answered {answer}")


def _ranges(connection, container=CONTAINER):
    return sorted(connection.ranges(DATABASE, container), key=lambda each: each["minInclusive"])


def _wait_until_finished(workload, port):
    connection = workload.connect(port)
    deadline = time.monotonic() + FINISH_SECONDS_MAX
    while unfinished := [reshape for reshape in connection.reshapes() if reshape["state"] != "published"]:
        if time.monotonic() > deadline:
            return [f"{unfinished} was not finished"]
        time.sleep(0.02)
    connection.close()
    return []


def _check_map(ranges, before, afterwards, was_planned):
    allowed = {afterwards} if was_planned else {before, afterwards}
    if len(ranges) not in allowed:
        yield f"there are {len(ranges)} ranges, expected {allowed}: {ranges}"
    edges = [""] + [each["maxExclusive"] for each in ranges]
    for each, edge in zip(ranges, edges):
        if each["minInclusive"] != edge:
            yield f"the ranges have a gap or overlap at {edge}"
    if edges[-1] != "FF":
        yield f"the ranges end at {edges[-1]}"
