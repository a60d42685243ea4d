"""Files are damaged while no server runs: `partita check` and the next start must say so and name the file, and never go on without what is lost."""

import random
import shutil
import struct
import subprocess
import time

from cases import Place
from clients import PATIENCE_SECONDS, Round
from testbed.account import Connection
from testbed.server import Failed, run_command
from workload import CONTAINERS, DATABASE, Workload

ACKNOWLEDGED = 600
FLIPS_PER_FILE = 6
LOG_FLIPS = 20
FOOTER_BYTES = 53  # of a table; some of them mean nothing
SERVE = ["serve", "--port", "0", "--bind", "127.0.0.1"]
LEDGER = "store/synced-logs"
LEDGER_SLOT_BYTES = 4096
LOG_BLOCK_BYTES = 32768
LOG_HEADER = struct.Struct("<IHB")


def run_damages(tally, binary, seed):
    tally.run("a flipped byte in any table or in what names them is found", _flip_in_tables, binary, seed)
    tally.run("a flipped byte in the log of a killed server is found", _flip_in_log, binary, seed)
    tally.run("a lost file is found", _lose_files, binary, seed)
    tally.run("a log that is lost, cut, emptied or an older copy is found, and what is lost can be given up", _lose_log, binary, seed)
    tally.run("a log that is lost or cut at once after a kill is found", _lose_log_at_once, binary, seed)
    tally.run("what says how long the logs must be is missed, too", _lose_ledger, binary, seed)
    tally.run("a directory of the format before is taken over", _take_over_older_format, binary, seed)
    tally.run("a damaged block is found when it is read, and nothing else is in doubt", _read_damaged_block, binary)
    tally.run("a check changes nothing, and needs no disk that can be written", _check_read_only, binary, seed)
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
        # Logs are mostly holes, which are not worth writing.
        subprocess.run(["cp", "-a", "--sparse=always", place.data, self.path], check=True)

    def flip(self, relative, position):
        with open(self.path / relative, "r+b") as file:
            file.seek(position)
            byte = file.read(1)[0]
            file.seek(position)
            file.write(bytes([byte ^ 1 << (position % 8)]))


def _tables(place):
    return [file.relative_to(place.data) for file in sorted((place.data / "store").iterdir())
            if file.suffix == ".sst" or file.name.startswith("MANIFEST") or file.name == "CURRENT"]


def _expect_refusal(binary, copy, relative, what, commands):
    for command in commands:
        code, output = run_command(binary, *command, "--data", copy.path)
        # RocksDB names the manifest instead when a table's own description is wrong.
        if code == 0 or not any(name in output for name in (relative.name, "store/MANIFEST")) or ".ldb" in output:
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


def _batch_ends(log):
    """Where the batches of a log end: at whole records and at last parts."""
    ends, at = [], 0
    while at + LOG_HEADER.size <= len(log):
        left = LOG_BLOCK_BYTES - at % LOG_BLOCK_BYTES
        if left < LOG_HEADER.size:
            at += left
            continue
        _, length, kind = LOG_HEADER.unpack_from(log, at)
        if kind == 0:
            break
        at += LOG_HEADER.size + length
        if kind in (1, 4):
            ends.append(at)
    return ends


def _noted_bytes(data):
    """By log number: how many bytes of batches the newer slot of the ledger demands."""
    content = (data / LEDGER).read_bytes()
    slots = [content[at:at + LEDGER_SLOT_BYTES] for at in (0, LEDGER_SLOT_BYTES)]
    newest = max(slots, key=lambda slot: struct.unpack_from("<Q", slot, 8))
    count, = struct.unpack_from("<Q", newest, 16)
    return {log: batches for log, _, batches, _, _ in struct.iter_unpack("<5Q", newest[24:24 + 40 * count])}


class _LiveLog:
    """The one log of a server that has something in it."""

    def __init__(self, data):
        logs = [file for file in (data / "store").glob("*.log") if file.read_bytes().strip(b"\0")]
        if len(logs) != 1:
            raise Failed(f"there are {len(logs)} logs with something in them")
        self.relative = logs[0].relative_to(data)
        self.bytes = logs[0].read_bytes()
        self.ends = _batch_ends(self.bytes)

    def is_noted(self, data):
        return _noted_bytes(data).get(int(self.relative.stem)) == self.ends[-1]


def _wait_until(condition, what):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(f"{what} did not happen")
        time.sleep(0.01)


def _lose_log(binary, seed):
    """The server idles for a moment before it is killed, so that everything is noted."""
    with Place(binary) as place:
        workload = Workload(seed)
        workload.create_containers(place.start().port)
        clients = Round(workload, place.server.port)
        clients.wait_for_acknowledged(ACKNOWLEDGED // 2)
        older = _LiveLog(place.data).bytes
        clients.wait_for_acknowledged(ACKNOWLEDGED // 2)
        clients.stop()
        log = _LiveLog(place.data)
        _wait_until(lambda: log.is_noted(place.data), "that the ledger notes what was written")
        place.server.kill()
        middle = log.ends[len(log.ends) // 2]
        yield from _lose_log_in_ways(place, log, {
            "deleted": None,
            "emptied": b"",
            "cut between batches": log.bytes[:middle],
            "cut within a batch": log.bytes[:middle - 5],
            "without its last batch": log.bytes[:log.ends[-2]],
            "an older copy": older,
            "zeros instead of its last batch": log.bytes[:log.ends[-2]] + bytes(len(log.bytes) - log.ends[-2]),
        })
        yield from place.verify_after_restart(workload)


def _lose_log_at_once(binary, seed):
    """Killed under load: the last moment is not noted, but how long the file was is."""
    with Place(binary) as place:
        _used_directory(place, seed, kills=True)
        log = _LiveLog(place.data)
        noted = _noted_bytes(place.data).get(int(log.relative.stem), 0)
        if noted not in log.ends:
            yield f"{noted} bytes are noted, which is no batch's end"
        yield from _lose_log_in_ways(place, log, {
            "deleted": None,
            "emptied": b"",
            "cut between batches": log.bytes[:log.ends[len(log.ends) // 2]],
            "without its last batch": log.bytes[:log.ends[-2]],
            "without the end of its last batch": log.bytes[:log.ends[-1] - 1],
        })
        yield from place.check()


def _lose_log_in_ways(place, log, ways):
    for way, content in ways.items():
        copy = _Copy(place)
        file = copy.path / log.relative
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)
        yield from _expect_refusal(place.binary, copy, log.relative, way, [["check"], SERVE])
        if (file.read_bytes() if file.exists() else None) != content:
            yield f"{log.relative}, {way}: the refusal has changed it"
        yield from _expect_repair(place.binary, copy, way)


def _expect_repair(binary, copy, way):
    """Gives up what is lost; then the rest is whole, and a server starts with it."""
    code, output = run_command(binary, "check", "--repair", "--data", copy.path)
    if code != 0 or "REPAIRED" not in output:
        yield f"{way}: the repair ended with {code} and said: {output.strip()[-500:]}"
        return
    yield from _expect_start(binary, copy, way)


def _expect_start(binary, copy, way):
    with Place(binary) as place:
        place.data = copy.path
        try:
            place.start()
            place.server.stop()
        except Failed as reason:
            yield f"{way}: {reason}"
        yield from place.check()


def _lose_ledger(binary, seed):
    with Place(binary) as place:
        _used_directory(place, seed, kills=True)
        damages = {"missing": lambda file: file.unlink(), "emptied": lambda file: file.write_bytes(b""),
                   "damaged": lambda file: file.write_bytes(bytes(byte ^ 1 for byte in file.read_bytes()))}
        for what, damage in damages.items():
            copy = _Copy(place)
            damage(copy.path / LEDGER)
            for command in (["check"], SERVE):
                code, output = run_command(binary, *command, "--data", copy.path)
                if code == 0 or LEDGER not in output or "--repair" not in output:
                    yield f"{LEDGER} {what}: `partita {command[0]}` ended with {code} and said: {output.strip()[-500:]}"
            yield from _expect_repair(binary, copy, f"{LEDGER} {what}")
        # One slot may be torn: a kill came while it was written.
        for slot in (0, 1):
            copy = _Copy(place)
            content = bytearray((copy.path / LEDGER).read_bytes())
            content[slot * LEDGER_SLOT_BYTES + 100] ^= 1
            (copy.path / LEDGER).write_bytes(content)
            code, output = run_command(binary, "check", "--data", copy.path)
            if code != 0:
                yield f"one torn slot of {LEDGER}: `partita check` ended with {code} and said: {output.strip()[-500:]}"


def _take_over_older_format(binary, seed):
    """It had no ledger, and no longer files."""
    with Place(binary) as place:
        workload = Workload(seed)
        workload.create_containers(place.start().port)
        clients = Round(workload, place.server.port)
        clients.wait_for_acknowledged(ACKNOWLEDGED)
        place.server.kill()
        clients.join()
        (place.data / LEDGER).unlink()
        (place.data / "FORMAT").write_text("partita 2\n")
        yield from place.verify_after_restart(workload)
        place.server.kill()
        if (place.data / "FORMAT").read_text() != "partita 3\n":
            yield f"FORMAT is {(place.data / 'FORMAT').read_text()}"
        yield from place.verify_after_restart(workload)


def _read_damaged_block(binary):
    """The start does not read every block. Who does is told which file is damaged; other documents are answered."""
    with Place(binary) as place:
        connection = Connection(place.start().port)
        connection.create_database(DATABASE)
        connection.create_container(DATABASE, CONTAINERS["tree"][0])
        link = f"dbs/{DATABASE}/colls/tree"
        generator = random.Random(1)

        def key(i):
            return {"x-ms-documentdb-partitionkey": f'["t{i}",1]'}

        documents = 40
        for i in range(documents):
            body = {"id": str(i), "tenant": f"t{i}", "user": 1, "text": generator.randbytes(20_000).hex()}
            connection.request("POST", f"/{link}/docs", "docs", link, body, key(i))
        place.server.stop()
        table = max((place.data / "store").glob("*.sst"), key=lambda file: file.stat().st_size)
        content = bytearray(table.read_bytes())
        content[len(content) // 2] ^= 1
        table.write_bytes(content)
        place.start()
        connection = Connection(place.server.port)
        answers = [connection.request("GET", f"/{link}/docs/{i}", "docs", f"{link}/docs/{i}", None, key(i)) for i in range(documents)]
        broken = [answer for answer in answers if answer.status != 200]
        if not 1 <= len(broken) <= 2:
            yield f"{len(broken)} of {documents} documents cannot be read"
        for answer in broken:
            if answer.status != 500 or table.name not in answer.body.decode():
                yield f"a document in the damaged block was answered {answer}"
        connection.close()


def _check_read_only(binary, seed):
    with Place(binary) as place:
        _used_directory(place, seed, kills=True)
        before = {file: (file.stat().st_mtime_ns, file.stat().st_size) for file in place.data.rglob("*")}
        yield from place.check()
        if {file: (file.stat().st_mtime_ns, file.stat().st_size) for file in place.data.rglob("*")} != before:
            yield "the check has changed something"
        fixed = place.folder / "read-only"
        fixed.mkdir()
        mounts = [["mount", "--bind", place.data, fixed], ["mount", "-o", "remount,bind,ro", fixed]]
        if any(subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode != 0 for mount in mounts):
            subprocess.run(["umount", fixed], stderr=subprocess.DEVNULL, check=False)
            print("NOTE: this user cannot mount; a check of a read-only file system is not tested", flush=True)
            return
        try:
            for command in (["check"], ["plan-split", DATABASE, "wide"]):
                code, output = run_command(binary, *command, "--data", fixed)
                if code != 0:
                    yield f"on a read-only file system, `partita {command[0]}` ended with {code} and said: {output.strip()[-500:]}"
            code, output = run_command(binary, *SERVE, "--data", fixed)
            if code == 0 or "Read-only file system" not in output:
                yield f"on a read-only file system, a server ended with {code} and said: {output.strip()[-500:]}"
        finally:
            subprocess.run(["umount", fixed], check=False)


def _check_nothing(binary):
    with Place(binary) as place:
        missing = place.folder / "misspelt"
        code, output = run_command(binary, "check", "--data", missing)
        if code == 0 or str(missing) not in output or missing.exists():
            yield f"it ended with {code}{', made the directory' if missing.exists() else ''} and said: {output}"
