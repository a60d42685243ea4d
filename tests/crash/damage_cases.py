"""Files are damaged while no server runs: `partita check` and the next start must say so and name the file, and never go on without what is lost."""

import random
import shutil

from cases import Place
from clients import Round
from server import run_command
from workload import Workload

ACKNOWLEDGED = 600
FLIPS_PER_FILE = 6
LOG_FLIPS = 20
FOOTER_BYTES = 53  # of a table; some of them mean nothing
SERVE = ["serve", "--port", "0", "--bind", "127.0.0.1"]


def run_damages(tally, binary, seed):
    tally.run("a flipped byte in any table or in what names them is found", _flip_in_tables, binary, seed)
    tally.run("a flipped byte in the log of a killed server is found", _flip_in_log, binary, seed)
    tally.run("a lost file is found", _lose_files, binary, seed)
    tally.run("a check of a directory that is not there makes none", _check_nothing, binary)


def _used_directory(place, seed, kills):
    workload = Workload(seed)
    workload.create_containers(place.start().port)
    clients = Round(workload, place.server.port)
    clients.wait_for_acknowledged(ACKNOWLEDGED)
    if kills:
        place.server.kill()
        clients.join()
    else:
        clients.stop()
        place.server.stop()


class _Copy:
    """Of the data directory, to be damaged."""

    def __init__(self, place):
        self.path = place.folder / "damaged"
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(place.data, self.path)

    def flip(self, relative, position):
        file = self.path / relative
        content = bytearray(file.read_bytes())
        content[position] ^= 1 << (position % 8)
        file.write_bytes(content)


def _tables(place):
    return [file.relative_to(place.data) for file in sorted((place.data / "store").iterdir())
            if file.suffix == ".sst" or file.name.startswith("MANIFEST") or file.name == "CURRENT"]


def _expect_refusal(binary, copy, relative, what, commands):
    for command in commands:
        code, output = run_command(binary, *command, "--data", copy.path)
        # RocksDB names the manifest instead when a table's own description is wrong.
        if code == 0 or not any(name in output for name in (relative.stem, "store/MANIFEST")):
            yield f"{relative}, {what}: `partita {command[0]}` ended with {code} and said: {output.strip()[-500:]}"


def _flip_in_tables(binary, seed):
    generator = random.Random(seed)
    with Place(binary) as place:
        _used_directory(place, seed, kills=False)
        yield from place.check()
        for relative in _tables(place):
            size = (place.data / relative).stat().st_size
            meant = size - FOOTER_BYTES if relative.suffix == ".sst" else size
            for position in {0, size - 1, *(generator.randrange(meant) for _ in range(FLIPS_PER_FILE))}:
                copy = _Copy(place)
                copy.flip(relative, position)
                yield from _expect_refusal(binary, copy, relative, f"byte {position} of {size} flipped", [["check"]])


def _flip_in_log(binary, seed):
    generator = random.Random(seed)
    with Place(binary) as place:
        _used_directory(place, seed, kills=True)
        logs = [file for file in (place.data / "store").glob("*.log") if file.read_bytes().strip(b"\0")]
        if len(logs) != 1:
            yield f"there are {len(logs)} logs with something in them"
            return
        relative = logs[0].relative_to(place.data)
        written = len(logs[0].read_bytes().rstrip(b"\0"))
        for position in {0, *(generator.randrange(written // 2) for _ in range(LOG_FLIPS))}:
            copy = _Copy(place)
            copy.flip(relative, position)
            before = (copy.path / relative).read_bytes()
            yield from _expect_refusal(binary, copy, relative, f"byte {position} of {written} flipped", [["check"], SERVE])
            if (copy.path / relative).read_bytes() != before:
                yield f"{relative}, byte {position} flipped: the refusal has changed it"
        yield from place.check()


def _lose_files(binary, seed):
    with Place(binary) as place:
        _used_directory(place, seed, kills=False)
        for relative in _tables(place):
            copy = _Copy(place)
            (copy.path / relative).unlink()
            yield from _expect_refusal(binary, copy, relative, "lost", [["check"], SERVE])


def _check_nothing(binary):
    with Place(binary) as place:
        missing = place.folder / "misspelt"
        code, output = run_command(binary, "check", "--data", missing)
        if code == 0 or str(missing) not in output or missing.exists():
            yield f"it ended with {code}{', made the directory' if missing.exists() else ''} and said: {output}"
