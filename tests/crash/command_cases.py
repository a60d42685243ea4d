"""Partitions are changed by command, in the directory of a stopped server or of a running one: everything acknowledged is there afterwards."""

import re

from cases import Place
from clients import Round
from ledger import Key
from testbed.account import Connection
from testbed.server import run_command
from verify import verify
from workload import DATABASE, Workload

PLAIN = "plain"  # without partition key at first
PLAIN_DOCUMENTS = 20
ATTEMPTS_MAX = 20


def run_commands(tally, binary, seed):
    tally.run("split and merge by command, server stopped", _split_and_merge, binary, seed)
    tally.run("a first partition key by command, server stopped", _migrate, binary, _migrate_stopped)
    tally.run("a first partition key by command, server running", _migrate, binary, _migrate_running)
    tally.run("split and merge by command under load", _split_and_merge_online, binary, seed)
    tally.run("commands that cannot be carried out say why", _refuse, binary, seed)


def _evenly_spread(seed):
    """No large documents: a split that is to find its place itself is refused where one of them has nearly all bytes."""
    return Workload(seed, large_share=0)


def _split_and_merge(binary, seed):
    with Place(binary) as place:
        workload = _evenly_spread(seed)
        workload.create_containers(place.start().port)
        clients = Round(workload, place.server.port)
        clients.wait_for_acknowledged(300)
        clients.stop()
        place.server.stop()
        expected = [
            (["split", DATABASE, "wide", "0", "--at", "08"], r"split: 0 became 3, 4; \d+ documents, \d+ bytes in [\d.]+ s"),
            (["split", DATABASE, "wide", "1"], r"split: 1 became 5, 6; \d+ documents, \d+ bytes in [\d.]+ s"),
            (["merge", DATABASE, "wide", "4"], r"merge: 4, 5 became 7; \d+ documents, \d+ bytes in [\d.]+ s"),
        ]
        yield from _run_all(place, expected)
        yield from place.verify_after_restart(workload)
        connection = workload.connect(place.server.port)
        ranges = sorted(connection.ranges(DATABASE, "wide"), key=lambda each: each["minInclusive"])
        if [each["id"] for each in ranges] != ["3", "7", "6", "2"]:
            yield f"the ranges are {ranges}"
        # The server goes on with what the commands have left.
        clients = Round(workload, place.server.port)
        clients.wait_for_acknowledged(100)
        clients.stop()
        place.server.stop()
        yield from place.verify_after_restart(workload)


def _migrate_stopped(place):
    place.server.stop()
    yield from _run_all(place, [(["migrate", "--yes", DATABASE, PLAIN, "/tenant"],
                                 rf"migrate: 0 became 1; {PLAIN_DOCUMENTS} documents, \d+ bytes in [\d.]+ s")])
    yield from place.check()
    place.start()


def _migrate_running(place):
    yield from _ask(place, "migrate", ["--yes", DATABASE, PLAIN, "/tenant"], ["1"])
    yield from _ask(place, "migrate", ["--yes", "--mode", "readOnly", DATABASE, PLAIN, "/id"], ["2"], r"\d+ documents verified")
    yield from _ask(place, "migrate", ["--yes", "--mode", "offline", DATABASE, PLAIN, "/tenant"], ["3"], r"\d+ documents verified")
    endpoint = f"http://127.0.0.1:{place.server.port}/"
    code, output = run_command(place.binary, "migrate", "--yes", "--endpoint", endpoint, DATABASE, PLAIN, "/tenant")
    if code != 1 or "partition key already" not in output:
        yield f"a change to the same key ended with {code} and said: {output}"


def _migrate(binary, migrate):
    with Place(binary) as place:
        connection = Connection(place.start().port)
        keys = [Key(DATABASE, PLAIN, f"d{n}", {"tenant": f"t{n % 7}"}) for n in range(PLAIN_DOCUMENTS)]
        answers = [connection.create_database(DATABASE), connection.create_container(DATABASE, {"id": PLAIN}, version="2018-06-18")]
        answers += [connection.create(Key(DATABASE, PLAIN, key.id, {}), {"id": key.id, **key.properties}) for key in keys]
        yield from (f"preparing was answered {answer}" for answer in answers if answer.status != 201)
        yield from migrate(place)
        connection = Connection(place.server.port)
        for key in keys:
            answer = connection.read(key)
            if answer.status != 200 or answer.json()["tenant"] != key.properties["tenant"]:
                yield f"{key}: a read by its new key answered {answer}"


def _split_and_merge_online(binary, seed):
    with Place(binary) as place:
        workload = _evenly_spread(seed)
        workload.create_containers(place.start().port)
        clients = Round(workload, place.server.port)
        clients.wait_for_acknowledged(100)
        expected = [
            (["split", "--at", "08", DATABASE, "wide", "0"], ["3", "4"]),
            (["split", DATABASE, "wide", "1"], ["5", "6"]),
            (["merge", DATABASE, "wide", "4"], ["7"]),
        ]
        for (command, *arguments), children in expected:
            clients.wait_for_acknowledged(100)
            yield from _ask(place, command, arguments, children)
        clients.stop()
        # Nobody writes now: it can be closed, and counted.
        yield from _ask(place, "split", ["--mode", "readOnly", DATABASE, "wide", "7"], ["8", "9"], r"\d+ documents verified")
        yield from _ask(place, "merge", ["--mode", "offline", DATABASE, "wide", "8"], ["10"], r"\d+ documents verified")
        code, output = run_command(binary, "split", "--endpoint", f"http://127.0.0.1:{place.server.port}/", DATABASE, "wide", "99")
        if code != 1 or "404" not in output:
            yield f"a split of no partition ended with {code} and said: {output}"
        for more in ([], ["--throughput", "50000"], ["--partition-key", "/id"]):
            code, output = run_command(binary, "plan-split", "--endpoint", f"http://127.0.0.1:{place.server.port}/", DATABASE, "wide", *more)
            if code != 0 or not re.search(r"Now, at \d+ RU/s:\n.*\nPlanned, at \d+ RU/s:\n", output, re.DOTALL):
                yield f"a plan {more} ended with {code} and said: {output}"
        yield from verify(workload, place.server.port)
        place.server.stop()
        yield from place.verify_after_restart(workload)


def _ask(place, command, arguments, children, end=r"writers waited [\d.]+ ms"):
    endpoint = f"http://127.0.0.1:{place.server.port}/"
    for _ in range(ATTEMPTS_MAX):
        code, output = run_command(place.binary, command, "--endpoint", endpoint, *arguments)
        if "answered 503" not in output:  # given up because the index was rebuilt meanwhile, which the clients do
            break
    if code != 0 or not re.search(rf"became {', '.join(children)}; .*{end}\n", output):
        yield f"`partita {command} --endpoint ... {' '.join(arguments)}` ended with {code} and said: {output}"


def _refuse(binary, seed):
    with Place(binary) as place:
        workload = Workload(seed)
        workload.create_containers(place.start().port)
        yield from _refuse_each(place, [(["split", DATABASE, "wide", "0"], "another server")])
        place.server.stop()
        yield from _refuse_each(place, [
            (["split", DATABASE, "wide", "9"], "no partition '9'"),
            (["split", DATABASE, "none", "0"], "none"),
            (["split", DATABASE, "single", "0"], "no partition key"),
            (["merge", DATABASE, "wide", "0"], "needs its 3 partitions"),
            (["merge", DATABASE, "wide", "2"], "no right neighbour"),
            (["migrate", "--yes", DATABASE, "wide", "/pk"], "partition key already"),
        ])
        yield from place.verify_after_restart(workload)


def _run_all(place, expected):
    for (command, *arguments), pattern in expected:
        code, output = run_command(place.binary, command, "--data", place.data, *arguments)
        if code != 0 or not re.search(pattern, output):
            yield f"`partita {command} {' '.join(arguments)}` ended with {code} and said: {output}"


def _refuse_each(place, expected):
    for (command, *arguments), reason in expected:
        code, output = run_command(place.binary, command, "--data", place.data, *arguments)
        if code != 1 or reason not in output:
            yield f"`partita {command} {' '.join(arguments)}` ended with {code} and said: {output}"
