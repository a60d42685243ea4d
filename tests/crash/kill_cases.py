"""The server is killed at random moments under load, again and again on the same data directory."""

import time

from cases import Place
from server import Failed
from workload import Round, Workload


def run_kills(tally, binary, seed, kills):
    """SIGKILL: what the operating system has is kept."""
    with Place(binary) as place:
        _run_rounds(tally, place, Workload(seed), kills, "kill", lambda workload: None)


def run_power_cuts(tally, binary, shim, seed, cuts):
    """As if the power failed: what was not synced is lost, wholly or in part."""
    with Place(binary, shim) as place:
        _run_rounds(tally, place, Workload(seed), cuts, "power cut", lambda workload: shim.cut_power(place.data, workload.random))


def _run_rounds(tally, place, workload, count, name, after_kill):
    try:
        workload.create_containers(place.start().port)
        for i in range(1, count + 1):
            acknowledged = _write_until_killed(place, workload)
            after_kill(workload)
            problems = place.verify_after_restart(workload)
            documents = sum(1 for record in workload.records if record.current and record.current.body)
            tally.add(f"{name} {i}", problems, f"{acknowledged} writes acknowledged, {documents} documents, start {place.server.start_seconds:.2f} s")
    except Failed as reason:
        tally.add(f"{name}: gave up", [str(reason)])


def _write_until_killed(place, workload):
    """A random number of acknowledged writes, and a random moment after the last of them; often while the catalog is being changed."""
    clients = Round(workload, place.server.port)
    wanted = workload.random.randrange(1, 600)
    moment = workload.random.random() * 0.02
    has_progress = clients.wait_for_acknowledged(wanted)
    if workload.random.random() < 0.4:
        clients.wait_for_catalog_change()
    time.sleep(moment)
    place.server.kill()
    clients.join()
    if not has_progress:
        raise Failed(f"only {clients.acknowledged} of {wanted} writes were acknowledged; {workload.findings.take()[:3]}")
    return clients.acknowledged
