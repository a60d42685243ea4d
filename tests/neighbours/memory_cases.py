"""How much memory the server and its script hosts take while clients make them hold as much as they can."""

import collections
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import attackers
import memory_attacks
from program import Program
from testbed.account import Broken, Connection
from testbed.cases import Place
from testbed.server import is_ready

MEMORY_MEGABYTES = 1_024
SAMPLE_SECONDS = 0.02
AT_ONCE_ALONE = 16
GREEDY_THREADS = 20
SHARING_SECONDS = 5


def status_kilobytes(pid, name):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            return next((int(line.split()[1]) for line in status if line.startswith(name + ":")), 0)
    except (OSError, ValueError):
        return 0  # it has ended


def children_of(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as children:
                found += [int(child) for child in children.read().split()]
        except OSError:
            pass
    return found


class MemoryWatch:
    """The largest sum of what a server and its script hosts had at one moment, and the server's own peak."""

    def __init__(self, pid):
        self._pid = pid
        self._is_over = threading.Event()
        self.peak_megabytes = 0
        self.parts = ""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._is_over.wait(SAMPLE_SECONDS):
            try:
                own = status_kilobytes(self._pid, "VmRSS")
                hosts = [status_kilobytes(child, "VmRSS") for child in children_of(self._pid)]
            except OSError:
                return
            total = (own + sum(hosts)) / 1024
            if total > self.peak_megabytes:
                self.peak_megabytes = total
                self.parts = f"server {own / 1024:.0f}, {len(hosts)} script hosts {sum(hosts) / 1024:.0f}"

    def end(self):
        """The server's own peak is the kernel's, which misses no moment."""
        self._is_over.set()
        self._thread.join()
        return max(self.peak_megabytes, status_kilobytes(self._pid, "VmHWM") / 1024)


def run_memory_case(binary, attacks, seconds, detail):
    with Place(binary) as place:
        port = place.start({"PARTITA_MEMORY_MB": str(MEMORY_MEGABYTES), "PARTITA_LOG": "error"}).port
        attackers.prepare(port)
        memory_attacks.prepare(port)
        watch = MemoryWatch(place.server.pid)
        running = {kind: Program("memory_attacks.py", "--port", port, "--kind", kind, "--seconds", seconds) for kind in attacks}
        for program in running.values():
            program.wait_until_ready()
        time.sleep(seconds / 2)
        is_healthy = is_ready(port)
        answers = {kind: program.result() for kind, program in running.items()}
        peak = watch.end()
        detail.append(f"{peak:.0f} MB of {MEMORY_MEGABYTES} ({watch.parts})")
        for kind, counts in answers.items():
            detail.append(f"{kind}: {counts}")
        if not place.server.is_alive():
            yield f"the server has ended: {place.server.output()[-500:]}"
        elif not is_healthy:
            yield "the health endpoint did not answer"
        if peak > MEMORY_MEGABYTES:
            yield f"{peak:.0f} MB are more than the {MEMORY_MEGABYTES} MB that it may use ({watch.parts})"
        if place.server.is_alive() and not is_ready(port):
            yield "the health endpoint did not answer afterwards"


def create_large(port, database, name):
    """The status of the answer to one large document on a connection of its own."""
    link = f"dbs/{database}/colls/c"
    connection = Connection(port)
    try:
        body = {"id": name, "pk": name, "text": "x" * memory_attacks.LARGE_DOCUMENT_BYTES}
        headers = {"x-ms-documentdb-partitionkey": f'["{name}"]', "x-ms-documentdb-is-upsert": "True"}
        return connection.request("POST", f"/{link}/docs", "docs", link, body, headers).status
    except Broken:
        return "broken"
    finally:
        connection.close()


def run_sharing_case(binary, seconds, detail):
    """With the least memory one tenant alone can send several large documents at once, and another gets in beside many of them."""
    with Place(binary) as place:
        place.start({"PARTITA_MEMORY_MB": str(MEMORY_MEGABYTES), "PARTITA_LOG": "error"})
        port = place.server.port
        connection = Connection(port)
        for database in ("greedy", "modest"):
            connection.create_database(database)
            connection.create_container(database, {"id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}, 10_000)
        with ThreadPoolExecutor(GREEDY_THREADS) as threads:
            alone = collections.Counter(threads.map(lambda number: create_large(port, "greedy", f"a{number}"), range(AT_ONCE_ALONE)))
            detail.append(f"alone: {dict(alone)}")
            if alone != {201: AT_ONCE_ALONE}:
                yield f"{AT_ONCE_ALONE} large documents at once of a tenant that is alone were answered with {dict(alone)}"
            deadline = time.monotonic() + seconds

            def send_many(thread):
                counts = collections.Counter()
                while time.monotonic() < deadline:
                    counts[create_large(port, "greedy", f"g{thread}")] += 1
                return counts

            greedy = [threads.submit(send_many, thread) for thread in range(GREEDY_THREADS)]
            modest = collections.Counter()
            while time.monotonic() < deadline:
                modest[create_large(port, "modest", "m")] += 1
            detail.append(f"greedy: {dict(sum((counts.result() for counts in greedy), collections.Counter()))}, modest: {dict(modest)}")
            if not set(modest) <= {200, 201}:
                yield f"beside a greedy tenant the large documents of another were answered with {dict(modest)}"


def run_memory(tally, binary, attacks, seconds):
    """How tenants share it; then all attacks at once, or one alone when it is asked for."""
    if not attacks:
        detail = []
        tally.run("tenants share memory", run_sharing_case, binary, SHARING_SECONDS, detail)
        for line in detail:
            print(f"       {line}", flush=True)
    groups = [[attack] for attack in attacks] if attacks else [list(memory_attacks.KINDS)]
    for group in groups:
        detail = []
        tally.run("memory under " + (group[0] if len(group) == 1 else "everything at once"), run_memory_case, binary, group, seconds, detail)
        for line in detail:
            print(f"       {line}", flush=True)
