"""How much memory the server and its script hosts take while clients make them hold as much as they can."""

import os
import threading
import time

import attackers
import memory_attacks
from account import Broken, Connection
from cases import Place
from latency_cases import Program
from server import Server

MEMORY_MEGABYTES = 1_024
SAMPLE_SECONDS = 0.02


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


def answers_health(port):
    connection = Connection(port)
    try:
        return connection.ready().status == 200
    except Broken:
        return False
    finally:
        connection.close()


def run_memory_case(binary, attacks, seconds, detail):
    with Place(binary) as place:
        place.server = Server(binary, place.data, place.log, {"PARTITA_MEMORY_MB": str(MEMORY_MEGABYTES), "PARTITA_LOG": "error"})
        port = place.server.port
        attackers.prepare(port)
        watch = MemoryWatch(place.server.pid)
        running = {kind: Program("memory_attacks.py", "--port", port, "--kind", kind, "--seconds", seconds) for kind in attacks}
        for program in running.values():
            program.wait_until_ready()
        time.sleep(seconds / 2)
        is_healthy = answers_health(port)
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
        if place.server.is_alive() and not answers_health(port):
            yield "the health endpoint did not answer afterwards"


def run_memory(tally, binary, attacks, seconds):
    """All at once, or one alone when it is asked for."""
    groups = [[attack] for attack in attacks] if attacks else [list(memory_attacks.KINDS)]
    for group in groups:
        detail = []
        tally.run("memory under " + (group[0] if len(group) == 1 else "everything at once"), run_memory_case, binary, group, seconds, detail)
        for line in detail:
            print(f"       {line}", flush=True)
