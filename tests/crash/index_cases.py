"""The server is killed while it builds the index of a new indexing policy: it goes on where it was, and queries are right meanwhile."""

import random
import time

from cases import Place
from ledger import Key
from testbed.account import Connection
from testbed.server import run_command

DATABASE = "indexes"
CONTAINER = "c"
DEFINITION = {"id": CONTAINER, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}
POLICIES = [
    {"indexingMode": "consistent", "includedPaths": [{"path": "/group/?"}], "excludedPaths": [{"path": "/*"}]},
    {"indexingMode": "consistent", "includedPaths": [{"path": "/*"}], "excludedPaths": [],
     "compositeIndexes": [[{"path": "/group"}, {"path": "/n"}]]},
    {"indexingMode": "none", "automatic": False},
]
KEYS = 40
DOCUMENTS_PER_KEY = 100
GROUPS = 4
BUILD_SECONDS_MAX = 60
KILLS_MAX = 200


def run_index_kills(tally, binary, seed, kills):
    tally.run(f"killed {kills} times while an index is built", _kill_builds, binary, random.Random(seed), kills)


def _kill_builds(binary, chance, kills):
    """Until so many kills have come in the middle of a build."""
    with Place(binary) as place:
        yield from _fill(Connection(place.start().port))
        in_the_middle = 0
        for attempt in range(KILLS_MAX):
            connection = Connection(place.server.port)
            answer = connection.container("PUT", DATABASE, CONTAINER, {**DEFINITION, "indexingPolicy": POLICIES[attempt % len(POLICIES)]})
            if answer.status != 200:
                yield f"a new indexing policy was answered {answer}"
            _change_some(connection, chance, attempt)
            time.sleep(chance.random() * 0.02)
            place.server.kill()
            code, output = run_command(binary, "check", "--data", place.data)
            if code != 0:
                yield f"`partita check` ended with {code}: {output.strip()[-1500:]}"
            in_the_middle += "a new index is being built" in output
            connection = Connection(place.start().port)
            yield from _query(connection)
            if chance.random() < 0.5:
                yield from _wait_until_built(connection)
            if in_the_middle >= kills:
                break
        if in_the_middle < kills:
            yield f"only {in_the_middle} of {KILLS_MAX} kills came while an index was built"
        yield from _wait_until_built(connection)
        yield from _query(connection)
        place.server.stop()
        yield from place.check()


def _key(number, key):
    return Key(DATABASE, CONTAINER, str(number), {"pk": f"k{key}"})


def _document(number, key, version):
    return {"id": str(number), "pk": f"k{key}", "group": number % GROUPS, "n": version, "text": "x" * 200}


def _fill(connection):
    connection.create_database(DATABASE)
    connection.create_container(DATABASE, DEFINITION, throughput=15000)
    for key in range(KEYS):
        operations = [{"operationType": "Create", "resourceBody": _document(number, key, 0)} for number in range(DOCUMENTS_PER_KEY)]
        answer = connection.batch(DATABASE, CONTAINER, f"k{key}", operations)
        if answer.status != 200:
            yield f"a batch was answered {answer}"


def _change_some(connection, chance, version):
    """While the index grows."""
    for _ in range(chance.randrange(4)):
        key, number = chance.randrange(KEYS), chance.randrange(DOCUMENTS_PER_KEY)
        connection.create(_key(number, key), _document(number, key, version), upsert=True)


def _progress(connection):
    answer = connection.container("GET", DATABASE, CONTAINER)
    return int(answer.headers["x-ms-documentdb-collection-index-transformation-progress"])


def _wait_until_built(connection):
    deadline = time.monotonic() + BUILD_SECONDS_MAX
    while _progress(connection) < 100:
        if time.monotonic() > deadline:
            yield f"the index was not built within {BUILD_SECONDS_MAX} s"
            return
        time.sleep(0.01)


def _query(connection):
    expected = KEYS * DOCUMENTS_PER_KEY // GROUPS
    for group in range(GROUPS):
        answer = connection.query(DATABASE, CONTAINER, f"SELECT VALUE COUNT(1) FROM c WHERE c['group'] = {group}")
        if answer.status != 200 or answer.json()["Documents"] != [expected]:
            yield f"a count of {expected} documents was answered {answer}: {answer.body[:200]}"
