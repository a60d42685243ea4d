"""Measuring: slices of load, the disk, start times, idle memory."""

import contextlib
import json
import os
import random
import subprocess
import time
from dataclasses import asdict, dataclass

from .processes import on_processor

CLIENTS = (1, 16, 64)
SLICE_TIMEOUT_S = 60
START_TIMEOUT_S = 30
WARM_UP_S = 0.15


@dataclass
class Sample:
    """What one slice gave."""

    round: int
    peer: str
    operation: str
    durability: str
    clients: int
    operations: int
    ops_per_s: float
    p50_us: float
    p99_us: float
    cpu_us_per_op: float
    errors: int
    checked: int
    wrong: int
    first_error: str
    load_average: float

    def as_dict(self):
        return asdict(self)


class SliceFailed(Exception):
    """The load generator could not finish; the message is its own."""


class LoadGenerator:
    """Runs slices. Documents 0 .. documents-1 are loaded once; every slice of inserts gets numbers never used before."""

    def __init__(self, program, processor, documents, spins):
        self._program = program
        self._waiting = ["--spin"] if spins else []
        self._processor = processor
        self._documents = documents
        self._slices = 0

    def load(self, workload):
        """Fills the container or table that `workload` reads."""
        arguments = list(workload.arguments)
        arguments[arguments.index("--operation") + 1] = "create"
        self._run([*arguments, "--connections", "16", "--count", str(self._documents)], server=None)

    def post_all(self, arguments, connections, count, server):
        """Posts every line of a file once: (what the generator says, processor seconds of the server)."""
        return self._run([*arguments, "--in-order", "--connections", str(connections), "--count", str(count)], server)

    @contextlib.contextmanager
    def beside(self, arguments, connections):
        """Keeps so many connections posting lines of a file until the end of the block."""
        command = [self._program, *arguments, "--connections", str(connections), "--seconds", "3600"]
        with on_processor(self._processor):
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            if process.stdout.readline() != "ready\n":
                raise SliceFailed(process.stderr.read().strip())
            self._go_on(process)
            yield
            if process.poll() is not None:
                raise SliceFailed(process.stderr.read().strip())
        finally:
            process.kill()
            process.communicate()

    def slice(self, round_number, workload, server, clients, seconds):
        self._slices += 1
        arguments = [*workload.arguments, "--connections", str(clients), "--seconds", str(seconds), "--warm-up-seconds",
                     str(WARM_UP_S), "--documents", str(self._documents), "--seed", str(self._slices), "--first",
                     str(self._slices * 1_000_000), *self._waiting]
        result, processor_seconds = self._run(arguments, server)
        operations = max(result["operations"], 1)
        return Sample(
            round=round_number, peer=workload.peer, operation=workload.operation, durability=workload.durability,
            clients=clients, operations=result["operations"], ops_per_s=result["ops_per_s"], p50_us=result["p50_us"],
            p99_us=result["p99_us"], cpu_us_per_op=processor_seconds * 1e6 / operations, errors=result["errors"],
            checked=result["checked"], wrong=result["wrong"], first_error=result["first_error"],
            load_average=os.getloadavg()[0],
        )

    def _run(self, arguments, server):
        with on_processor(self._processor):
            process = subprocess.Popen([self._program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        try:
            if process.stdout.readline() != "ready\n":
                raise SliceFailed(process.stderr.read().strip())
            before = server.processor_seconds() if server else 0
            self._go_on(process)
            line = process.stdout.readline()
            after = server.processor_seconds() if server else 0
            if not line:
                raise SliceFailed(process.stderr.read().strip())
            self._go_on(process)
            process.wait(timeout=SLICE_TIMEOUT_S)
            return json.loads(line), after - before
        finally:
            process.kill()
            process.communicate()

    @staticmethod
    def _go_on(process):
        process.stdin.write("\n")
        process.stdin.flush()


class Disk:
    """What one writer gets from the disk that the servers write to."""

    def __init__(self, program, directory):
        self._program = program
        self._path = os.path.join(directory, "probe")

    def slice(self, overwrite, seconds):
        command = [self._program, self._path, "--seconds", str(seconds)] + (["--overwrite"] if overwrite else [])
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def wait_until_it_answers(peer, began=None):
    """Seconds from `began` until the first successful answer."""
    began = began or time.monotonic()
    while not peer.answers():
        if not peer.server.is_running():
            raise RuntimeError(f"it ended at once: {peer.server.last_words()}")
        if time.monotonic() - began > START_TIMEOUT_S:
            raise RuntimeError(f"no answer in {START_TIMEOUT_S} s: {peer.server.last_words()}")
        time.sleep(0.0005)
    return time.monotonic() - began


def start_seconds(peer, times, is_first_start):
    """From exec to the first successful answer, `times` times; leaves the peer stopped."""
    seconds = []
    for _ in range(times):
        if is_first_start:
            peer.forget()
        began = time.monotonic()
        peer.start()
        seconds.append(wait_until_it_answers(peer, began))
        peer.stop()
    return seconds


def slices_of_a_round(workloads, source):
    """Every (workload, clients) once, and the two probes of the disk, in random order."""
    slices = [(workload, clients) for workload in workloads for clients in CLIENTS]
    slices += [("disk append", 1), ("disk overwrite", 1)]
    source.shuffle(slices)
    return slices


def new_random_source(seed):
    return random.Random(seed)
