"""Data directories that earlier versions left are opened by this one, stopped or killed as they were: everything in them is there, and writes go on.

`versions/format-N.tar.gz` was made by a server of that format (tests/crash/make-version); `format-N.json` is what its clients saw."""

import json
import tarfile
from pathlib import Path

from cases import Place
from testbed.account import Connection
from version_data import DATABASE, differences, observe

VERSIONS = Path(__file__).resolve().parent / "versions"
LIVES = 2  # the first upgrades, the second opens what the first has left


def run_upgrades(tally, binary):
    archives = sorted(VERSIONS.glob("format-*.tar.gz"))
    tally.add("there are directories of earlier versions", [] if archives else [f"none in {VERSIONS}"])
    for archive in archives:
        name = archive.name.removesuffix(".tar.gz")
        for state in ("stopped", "killed"):
            tally.run(f"a directory of {name}, {state}, is opened with everything in it", _open, binary, archive, state)


def _open(binary, archive, state):
    expected = json.loads(archive.with_name(archive.name.replace(".tar.gz", ".json")).read_text())
    with Place(binary) as place:
        with tarfile.open(archive) as files:
            files.extractall(place.folder, filter="data") if hasattr(tarfile, "data_filter") else files.extractall(place.folder)
        (place.folder / state).rename(place.data)
        for life in range(LIVES):
            yield from place.check()
            place.start()
            for difference in differences(expected, observe(place.server.port)):
                yield f"life {life + 1}: {difference}"
            place.server.kill()
        place.start()
        created = Connection(place.server.port).request("POST", f"/dbs/{DATABASE}/users", "users", f"dbs/{DATABASE}", {"id": "new"})
        if created.status != 201:
            yield f"a write was answered with {created}"
