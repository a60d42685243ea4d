"""Starting and stopping: clean stops under load, refusals at the start, and a proof that the tests themselves can see a loss."""

from cases import Place
from clients import Round
from testbed.server import Server, check_directory, run_command
from verify import verify
from workload import Workload

RELAXED_ATTEMPTS = 5


def run_lives(tally, binary, shim, seed):
    tally.run("SIGTERM under load: ends with 0, keeps everything acknowledged", _stop_under_load, binary, seed)
    tally.run("a second server on the same directory is refused", _start_twice, binary, seed)
    tally.run("a directory of a newer format is refused", _open_newer_format, binary)
    tally.run("power cut right after the first acknowledged write", _cut_early, binary, shim, seed)
    tally.run("these tests see it when a server acknowledges before it syncs", _see_a_loss, binary, shim, seed)


def _stop_under_load(binary, seed):
    with Place(binary) as place:
        workload = Workload(seed)
        workload.create_containers(place.start().port)
        clients = Round(workload, place.server.port)
        clients.wait_for_acknowledged(300)
        workload.expects_refusals = True  # "the server is shutting down" is a fair answer
        code = place.server.stop()
        clients.join()
        problems = [] if code == 0 else [f"the exit code is {code}; the server said: {place.server.output()[-500:]}"]
        return problems + place.verify_after_restart(workload)


def _start_twice(binary, seed):
    with Place(binary) as place:
        workload = Workload(seed)
        workload.create_containers(place.start().port)
        code, output = run_command(binary, "serve", "--data", place.data, "--port", "0", "--bind", "127.0.0.1")
        if code == 0 or "another server" not in output or str(place.server.pid) not in output:
            yield f"the second server ended with {code} and said: {output}"
        code, output = run_command(binary, "check", "--data", place.data)
        if code == 0 or "another server" not in output:
            yield f"a check of a running server's directory ended with {code} and said: {output}"
        clients = Round(workload, place.server.port)
        if not clients.wait_for_acknowledged(50):
            yield "the first server does not work any more"
        clients.stop()
        yield from verify(workload, place.server.port)


def _open_newer_format(binary):
    with Place(binary) as place:
        place.start().stop()
        file = place.data / "FORMAT"
        word, number = file.read_text().split()
        file.write_text(f"{word} {int(number) + 1}\n")
        for command in (["serve", "--port", "0", "--bind", "127.0.0.1"], ["check"]):
            code, output = run_command(binary, *command, "--data", place.data)
            if code == 0 or "newer" not in output:
                yield f"`partita {command[0]}` ended with {code} and said: {output}"
        file.write_text(f"{word} {number}\n")
        problem = check_directory(binary, place.data)
        if problem:
            yield f"the refusals have changed something: {problem}"


def _cut_early(binary, shim, seed):
    with Place(binary, shim) as place:
        workload = Workload(seed)
        workload.create_containers(place.start().port)
        clients = Round(workload, place.server.port)
        clients.wait_for_acknowledged(1)
        place.server.kill()
        clients.join()
        shim.cut_power(place.data, workload.random)
        return place.verify_after_restart(workload, with_shim=False)


def _see_a_loss(binary, shim, seed):
    for attempt in range(RELAXED_ATTEMPTS):
        with Place(binary, shim) as place:
            workload = Workload(seed + attempt)
            place.server = Server(binary, place.data, place.log, {**shim.environment(place.data), "PARTITA_DURABILITY": "relaxed"})
            workload.create_containers(place.server.port)
            clients = Round(workload, place.server.port)
            clients.wait_for_acknowledged(300)
            place.server.kill()
            clients.join()
            shim.cut_power(place.data, workload.random)
            if any("possible:" in problem for problem in place.verify_after_restart(workload, with_shim=False)):
                return []
    return [f"{RELAXED_ATTEMPTS} power cuts with --durability relaxed, and no acknowledged write was missed"]
