"""Writes and syncs fail under load: clear errors, reads go on, and nothing acknowledged is lost, power cut included."""

import errno
import time

from cases import Place
from clients import PATIENCE_SECONDS, Round
from shim import FOREVER, LOGS, MANIFESTS, TABLES
from testbed.account import Broken
from testbed.server import Failed
from workload import CONTAINERS, DATABASE, Workload

REASONS = {errno.ENOSPC: "No space left on device", errno.EIO: "Input/output error"}
ADVICE = {errno.ENOSPC: "once there is space", errno.EIO: "restart the server"}


def run_faults(tally, binary, shim, seed):
    no_space, broken = errno.ENOSPC, errno.EIO
    cases = [
        # name, what fails, the error, whether writes must be accepted again without a restart once the disk works
        ("no space for writes", dict(write=no_space), no_space, True),
        ("no space after half a write", dict(write=no_space, halves=True), no_space, True),
        ("no space for the log only", dict(write=no_space, kinds=LOGS), no_space, True),
        ("no space found when syncing the log, once", dict(sync=no_space, times=1, kinds=LOGS), no_space, True),
        ("no space found when syncing the log, three times", dict(sync=no_space, times=3, kinds=LOGS), no_space, True),
        ("no space found when syncing anything", dict(sync=no_space), no_space, True),
        ("writing the log fails once", dict(write=broken, times=1, kinds=LOGS), broken, False),
        ("writing the log fails once, in the middle", dict(write=broken, halves=True, times=2, kinds=LOGS), broken, False),
        ("syncing the log fails once", dict(sync=broken, times=1, kinds=LOGS), broken, False),
        ("every write fails", dict(write=broken), broken, False),
        ("every sync fails", dict(sync=broken), broken, False),
    ]
    for i, (name, fault, error, recovers) in enumerate(cases):
        tally.run(f"disk error: {name}", _break_and_heal, binary, shim, seed + i, fault, error, recovers)
    lasting = [("no space", dict(write=no_space)), ("every sync fails", dict(sync=broken)), ("every write fails", dict(write=broken))]
    for i, (name, fault) in enumerate(lasting):
        tally.run(f"disk error: killed while {name}", _break_and_kill, binary, shim, seed + i, fault)
    for name, kinds in (("tables", TABLES), ("manifests", MANIFESTS)):
        tally.run(f"disk error: {name} cannot be written at a clean stop", _break_and_stop, binary, shim, seed, kinds)


def _break_and_heal(binary, shim, seed, fault, error, recovers):
    with Place(binary, shim) as place:
        workload, clients = _start(place, seed)
        lasts = fault.get("times", FOREVER) == FOREVER
        problems = _break(shim, clients, fault, 20 if lasts else 1)
        if lasts:
            problems += list(look_at_refusing_server(workload, place.server, REASONS[error]))
        shim.heal()
        if recovers:
            problems += wait_for_recovery(place.server, clients)
        elif not clients.wait_for_answers(100):  # refused or, if the server dares, acknowledged: the power cut will tell
            problems.append("the server stopped answering")
        clients.stop()
        problems += judge_refusals(clients, error)
        return problems + _cut_and_verify(place, shim, workload)


def _break_and_kill(binary, shim, seed, fault):
    with Place(binary, shim) as place:
        workload, clients = _start(place, seed)
        problems = _break(shim, clients, fault, 50)
        place.server.kill()
        clients.join()
        return problems + _cut_and_verify(place, shim, workload)


def _break_and_stop(binary, shim, seed, kinds):
    with Place(binary, shim) as place:
        workload, clients = _start(place, seed)
        clients.stop()
        shim.fail(write=errno.EIO, sync=errno.EIO, kinds=kinds)
        problems = [] if place.server.stop() is not None else ["the server did not stop"]
        if shim.failures == 0:
            problems.append("nothing was written that could fail: this case shows nothing")
        return problems + _cut_and_verify(place, shim, workload)


def _start(place, seed):
    workload = Workload(seed)
    workload.create_containers(place.start().port)
    clients = Round(workload, place.server.port)
    if not clients.wait_for_acknowledged(100):
        raise Failed("the server stopped acknowledging before anything failed")
    return workload, clients


def _break(shim, clients, fault, refusals):
    clients.workload.expects_refusals = True
    shim.fail(**fault)
    return [] if clients.wait_for_refusals(refusals) else [f"only {clients.refusals.count} requests were refused after {shim.failures} failures"]


def look_at_refusing_server(workload, server, reason):
    """A server whose disk fails says so, and still answers what it knows to be durable."""
    connection = workload.connect(server.port)
    try:
        ready = connection.ready()
        if ready.status != 503 or reason not in ready.body.decode():
            yield f"/_health/ready answers {ready}, expected 503 with '{reason}'"
        read = 0
        for record in workload.records:
            current = record.current
            if not current or not current.body:
                continue
            answer = connection.read(record.key)
            in_batch = connection.read_by_batch(record.key)
            if record.current is not current:
                continue  # written meanwhile: its outcome may be unknown now
            read += 1
            if answer.status != 200 or answer.json() != current.confirmed:
                yield f"{record.key} cannot be read while writes are refused: {answer}"
            if in_batch.status != 200 or in_batch.json()[0].get("resourceBody") != current.confirmed:
                yield f"{record.key} cannot be read by a batch while writes are refused: {in_batch}"
        if read == 0:
            yield "no acknowledged document was left to read"
        yield from _look_at_many(workload, connection)
    except Broken as reason_of_end:
        yield f"the server ended: {reason_of_end}"
    finally:
        connection.close()


def _look_at_many(workload, connection):
    """Queries and feeds show what is durable, whether or not somebody's write was refused."""
    for container in CONTAINERS:
        certain = {record: record.current for record in workload.records if record.key.container == container}
        readings = {
            "a feed": lambda: connection.all_pages(DATABASE, container),
            "a change feed": lambda: connection.changes(DATABASE, container),
            "a query": lambda: connection.query_all(DATABASE, container, "SELECT * FROM c"),
            "a query with ORDER BY": lambda: connection.query_all(DATABASE, container, "SELECT * FROM c ORDER BY c.price"),
            "a query with a filter": lambda: connection.query_all(DATABASE, container, "SELECT * FROM c WHERE c.price >= 0 AND IS_DEFINED(c.n)"),
        }
        for what, read in readings.items():
            documents, refusal = read()
            if refusal:
                yield f"{what} of {container} answers {refusal} while writes are refused"
                continue
            shown = {document["id"]: document for document in documents}
            # What was acknowledged is durable; what has an unknown outcome may be shown in either state.
            wrong = [(record.key, current) for record, current in certain.items()
                     if current and record.current is current and not current.is_shown_by(shown.get(record.key.id))]
            if wrong:
                key, current = wrong[0]
                yield f"{what} shows {len(wrong)} documents wrongly, such as {key} as {str(shown.get(key.id))[:200]}, expected {current}"
    listed = connection.list_containers(DATABASE)
    if listed.status != 200:
        yield f"the containers are answered with {listed} while writes are refused"
    found = connection.request("POST", f"/dbs/{DATABASE}/colls", "colls", f"dbs/{DATABASE}", {"query": "SELECT c.id FROM c"},
                               {"content-type": "application/query+json", "x-ms-documentdb-isquery": "true"})
    if found.status != 200:
        yield f"a query of the containers is answered with {found} while writes are refused"


def wait_for_recovery(server, clients):
    """No restart, no help: once the disk works the server does."""
    if not clients.wait_for_acknowledged(50):
        return ["the server did not accept writes again"]
    connection = clients.workload.connect(server.port)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (ready := connection.ready()).status != 200 and time.monotonic() < deadline:
        time.sleep(0.05)
    connection.close()
    return [] if ready.status == 200 else [f"/_health/ready still answers {ready}"]


def judge_refusals(clients, error):
    """Whoever is refused learns why, and what helps."""
    for text in (REASONS[error], ADVICE[error]):
        unclear = [message for message in clients.refusals.messages if text not in message]
        if unclear:
            yield f"{len(unclear)} of {len(clients.refusals.messages)} refusals do not say '{text}': {unclear[0]}"


def _cut_and_verify(place, shim, workload):
    place.server.kill()
    shim.cut_power(place.data, workload.random)
    return place.verify_after_restart(workload, with_shim=False)
