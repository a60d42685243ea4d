"""How long a quiet tenant waits while another one misbehaves."""

import attackers
import victim
from program import Program
from testbed.cases import Place

WAIT_MS_MAX = 1_000
LEAD_SECONDS = 0.7  # an attack begins so much earlier than the measurement, and lasts longer


def measure(port, attacks, seconds):
    """What the quiet tenant measured while the attacks went on, and what answers these got."""
    running = {kind: Program("attackers.py", "--port", port, "--kind", kind, "--seconds", seconds + 2 * LEAD_SECONDS) for kind in attacks}
    for program in running.values():
        program.wait_until_ready()
    quiet = Program("victim.py", "--port", port, "--seconds", seconds)
    quiet.wait_until_ready()
    measured = quiet.result()
    return measured, {kind: program.result() for kind, program in running.items()}


def judge(measured):
    problems = []
    if measured["wrong"]:
        problems.append(f"{measured['wrong']} wrong answers, first: {measured['first wrong']}")
    for name, times in measured["operations"].items():
        if times["longest"] > WAIT_MS_MAX:
            problems.append(f"a {name} took {times['longest']:.0f} ms; p99 {times['p99']:.0f} ms, median {times['median']:.1f} ms of {times['count']}")
    return problems


def describe(measured):
    return "  ".join(f"{name} {times['median']:.1f}/{times['p99']:.1f}/{times['longest']:.0f}" for name, times in measured["operations"].items())


def run_latencies(tally, binary, attacks, seconds):
    """One server for all: what one attack leaves behind must not hurt later either."""
    with Place(binary) as place:
        place.start()
        port = place.server.port
        victim.prepare(port)
        attackers.prepare(port)
        groups = {"nobody": [], **{kind: [kind] for kind in attacks}, **({"all at once": attacks} if len(attacks) > 1 else {})}
        for name, group in groups.items():
            measured, answers = measure(port, group, seconds)
            tally.add(f"beside {name}", judge(measured), f"median/p99/longest ms: {describe(measured)}; the others got {answers}")
        tally.add("the server ends in order", [] if place.server.stop() == 0 else ["it did not"])
