"""The server is killed at random moments under load, again and again on the same data directory."""

import time

from cases import Place
from clients import Round
from testbed.server import Failed
from workload import Workload

EARLY_DEATHS = 0.2  # share of restarts that are killed at once, while they recover
DEATHS_IN_CATALOG_CHANGES = 0.4


def run_kills(tally, binary, seed, kills):
    """SIGKILL: what the operating system has is kept."""
    with Place(binary) as place:
        _run_rounds(tally, "kill", place, Workload(seed), kills, 600)


def run_power_cuts(tally, binary, shim, seed, cuts):
    """As if the power failed: what was not synced is lost, wholly or in part."""
    with Place(binary, shim) as place:
        _run_rounds(tally, "power cut", place, Workload(seed), cuts, 600)


def run_power_cuts_of_large_documents(tally, binary, shim, seed, cuts):
    """Few but large documents: memtables are written out and tables are merged when the power fails."""
    with Place(binary, shim) as place:
        workload = Workload(seed, records=5, large_share=0.8, large_bytes=(200_000, 1_500_000))
        _run_rounds(tally, "power cut, large documents,", place, workload, cuts, 250)


def _run_rounds(tally, name, place, workload, count, writes_max):
    try:
        workload.create_containers(place.start().port)
        for i in range(1, count + 1):
            acknowledged = _write_until_killed(place, workload, workload.random.randrange(1, writes_max))
            _cut_power(place, workload)
            if workload.random.random() < EARLY_DEATHS:
                place.start_and_kill(workload.random.random() * 0.1)
                _cut_power(place, workload)
            problems = place.verify_after_restart(workload)
            documents = sum(1 for record in workload.records if record.current and record.current.body)
            tally.add(f"{name} {i}", problems, f"{acknowledged} writes acknowledged, {documents} documents, start {place.server.start_seconds:.2f} s")
    except Failed as reason:
        tally.add(f"{name}: gave up", [str(reason)])


def _cut_power(place, workload):
    if place.shim:
        place.shim.cut_power(place.data, workload.random)


def _write_until_killed(place, workload, wanted):
    """So many acknowledged writes, and a random moment after the last of them; often while the catalog is being changed."""
    clients = Round(workload, place.server.port)
    moment = workload.random.random() * 0.02
    has_progress = clients.wait_for_acknowledged(wanted)
    if workload.random.random() < DEATHS_IN_CATALOG_CHANGES:
        clients.wait_for_catalog_change()
    time.sleep(moment)
    place.server.kill()
    clients.join()
    if not has_progress:
        raise Failed(f"only {clients.acknowledged} of {wanted} writes were acknowledged; {workload.findings.take()[:3]}")
    return clients.acknowledged
