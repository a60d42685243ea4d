"""SIGTERM in every state: the server ends soon, and everything that it acknowledged is there afterwards."""

import json
import subprocess
import threading
import time

import attackers
from program import Program
from testbed.account import Broken, Connection
from testbed.cases import Place

NOMINAL_SECONDS = 2.0
# What fails the case: the machine may be busy with other things, and the server bounds itself to less.
SECONDS_MAX = 5.0
DATABASE, CONTAINER = "kept", "c"
LINK = f"dbs/{DATABASE}/colls/{CONTAINER}"
SPLIT_DOCUMENTS = 1_500


class Writer:
    """Writes one document after the other and remembers which were acknowledged."""

    def __init__(self, port):
        self._port = port
        self._is_over = threading.Event()
        self.acknowledged = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        connection, number = Connection(self._port), 0
        while not self._is_over.is_set():
            name = f"w{number}"
            try:
                answer = create(connection, name, "x" * 200)
                if answer.status == 201:
                    self.acknowledged.append(name)
            except Broken:
                time.sleep(0.01)
            number += 1

    def end(self):
        self._is_over.set()
        self._thread.join()


def create(connection, name, text):
    headers = {"x-ms-documentdb-partitionkey": json.dumps([name])}
    return connection.request("POST", f"/{LINK}/docs", "docs", LINK, {"id": name, "pk": name, "text": text}, headers)


def prepare(port):
    attackers.prepare(port)
    connection = Connection(port)
    attackers.expect(connection.create_database(DATABASE), 201)
    definition = {"id": CONTAINER, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}
    attackers.expect(connection.create_container(DATABASE, definition, 1_000), 201)
    connection.close()


def is_kept(port, name):
    link = f"{LINK}/docs/{name}"
    connection = Connection(port)
    try:
        return connection.request("GET", f"/{link}", "docs", link, None, {"x-ms-documentdb-partitionkey": json.dumps([name])}).status == 200
    finally:
        connection.close()


def load(port):
    """Enough for a split and an index to take a while."""
    connection = Connection(port)
    for number in range(SPLIT_DOCUMENTS):
        attackers.expect(create(connection, f"s{number}", "y" * 500), 201)
    connection.close()


def split(place):
    load(place.server.port)
    threading.Thread(target=ask_to_split, args=(place.server.port,), daemon=True).start()
    time.sleep(0.05)


def ask_to_split(port):
    connection = Connection(port)
    try:
        connection.reshape("split", {"database": DATABASE, "container": CONTAINER, "range": "0"})
    except Broken:
        pass


def build_index(place):
    load(place.server.port)
    connection = Connection(place.server.port)
    definition = connection.container("GET", DATABASE, CONTAINER).json()
    definition["indexingPolicy"] = {"indexingMode": "consistent", "includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/pk/?"}]}
    attackers.expect(connection.container("PUT", DATABASE, CONTAINER, definition), 200)
    connection.close()


def settle(_):
    time.sleep(0.1)


def misuse(*kinds):
    def begin(place):
        place.programs = [Program("attackers.py", "--port", place.server.port, "--kind", kind, "--seconds", 20) for kind in kinds]
        for program in place.programs:
            program.wait_until_ready()
        time.sleep(1.0)

    return begin


STATES = {
    "idle": settle,
    "endless queries": misuse("endless-queries", "sorting-queries"),
    "queries over metadata and long texts": misuse("metadata-queries", "long-queries"),
    "endless scripts": misuse("endless-scripts", "hoarding-scripts"),
    "half-sent bodies and slow readers": misuse("huge-bodies", "slow-readers"),
    "requests that wait for changes": misuse("waiting-feeds"),
    "a flood of metadata changes": misuse("metadata-changes"),
    "a split under way": split,
    "an index being built": build_index,
    "everything at once": misuse(*attackers.KINDS),
}


def timed_stop(server):
    started = time.monotonic()
    code = server.stop()
    return time.monotonic() - started, code


def judge_stop(server, seconds, code):
    if code != 0:
        yield f"it ended with {code}: {server.output()[-500:]}"
    if seconds > SECONDS_MAX:
        yield f"it took {seconds:.1f} s"


def run_state(binary, begin, detail):
    with Place(binary) as place:
        place.programs = []
        prepare(place.start().port)
        writer = Writer(place.server.port)
        begin(place)
        while not writer.acknowledged:
            time.sleep(0.01)
        seconds, code = timed_stop(place.server)
        writer.end()
        for program in place.programs:
            program.kill()
        detail.append(f"{seconds:.2f} s{'' if seconds < NOMINAL_SECONDS else ', MORE THAN NOMINAL'}"
                      f"{', by force' if 'by force' in place.server.output() else ''}, {len(writer.acknowledged)} writes acknowledged")
        yield from judge_stop(place.server, seconds, code)
        yield from place.check()
        place.start()
        lost = [name for name in writer.acknowledged if not is_kept(place.server.port, name)]
        if lost:
            yield f"{len(lost)} acknowledged writes are lost, such as {lost[0]}"


def run_start(binary, detail):
    """Ended so soon that it may still be starting, a little later each time."""
    with Place(binary) as place:
        prepare(place.start().port)
        timed_stop(place.server)
        slowest = 0
        for milliseconds in range(0, 60, 6):
            place.start(waits=False)
            time.sleep(milliseconds / 1000)
            seconds, code = timed_stop(place.server)
            slowest = max(slowest, seconds)
            # Before the program has begun to look at signals, one ends it as the system does.
            if code != -15:
                yield from judge_stop(place.server, seconds, code)
        detail.append(f"{slowest:.2f} s at most")
        yield from place.check()


def run_full(binary, detail):
    with Place(binary) as place:
        place.data.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "partita-stop", place.data], check=False, stderr=subprocess.DEVNULL)
        if mounted.returncode != 0:
            detail.append("NOTE: this user cannot mount a small disk; not tested")
            return
        try:
            prepare(place.start().port)
            connection, is_full, number = Connection(place.server.port), False, 0
            while not is_full:
                is_full = create(connection, f"f{number}", "z" * 500_000).status not in (201, 429)
                number += 1
            seconds, code = timed_stop(place.server)
            detail.append(f"{seconds:.2f} s")
            yield from judge_stop(place.server, seconds, code)
        finally:
            if place.server and place.server.is_alive():
                place.server.kill()
            subprocess.run(["umount", place.data], check=False)


def run_stops(tally, binary, only=None):
    cases = {name: (run_state, begin) for name, begin in STATES.items()}
    cases["starting"] = (run_start,)
    cases["a full disk"] = (run_full,)
    for name, (case, *arguments) in cases.items():
        if only and name not in only:
            continue
        detail = []
        tally.run(f"SIGTERM: {name}", case, binary, *arguments, detail)
        for line in detail:
            print(f"       {line}", flush=True)
