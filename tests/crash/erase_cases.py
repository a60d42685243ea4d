"""The server is killed while it deletes all documents of a partition key: they go wholly or not at all, also what was left at the kill."""

import json
import random
import threading
import time

from cases import Place
from testbed.account import Broken, Connection

DATABASE, CONTAINER = "shop", "orders"
DEFINITION = {"id": CONTAINER, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}
LINK = f"dbs/{DATABASE}/colls/{CONTAINER}"
ERASED = 2_000  # many more than one transaction deletes
KEPT = 20
SETTLED_WITHIN_SECONDS = 60


def run_erase_kills(tally, binary, seed, kills):
    choose = random.Random(seed)
    for i in range(1, kills + 1):
        with Place(binary) as place:
            fill(place.start().port)
            left = kill_while_erasing(place.server, choose)
            problems = place.check()
            place.start()
            problems += settle(place.server.port)
            problems += verify_the_rest(place.server.port)
            tally.add(f"kill among deletions {i}", problems, f"{left} of {ERASED} documents were left shortly before")


def fill(port):
    connection = Connection(port)
    assert connection.create_database(DATABASE).status == 201
    assert connection.create_container(DATABASE, DEFINITION, throughput=10_000).status == 201
    for first in range(0, ERASED, 100):
        create_all(connection, "gone", range(first, first + 100))
    create_all(connection, "kept", range(KEPT))
    connection.close()


def create_all(connection, pk, numbers):
    steps = [{"operationType": "Create", "resourceBody": {"id": str(n), "pk": pk, "text": "x" * 200}} for n in numbers]
    headers = {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True", "x-ms-documentdb-partitionkey": json.dumps([pk])}
    answer = connection.request("POST", f"/{LINK}/docs", "docs", LINK, steps, headers)
    assert answer.status == 200, answer


def kill_while_erasing(server, choose):
    """Kills at a random share of the deletion, or at its end when that is faster. How many documents were left a moment before."""
    eraser = threading.Thread(target=erase, args=(server.port,))
    eraser.start()
    connection = Connection(server.port)
    stop_at = choose.randrange(1, ERASED)
    left = ERASED
    while left > stop_at and eraser.is_alive():
        left = count(connection, "gone")
    server.kill()
    eraser.join()
    connection.close()
    return left


def erase(port):
    connection = Connection(port)
    try:
        connection.request("POST", f"/{LINK}/operations/partitionkeydelete", "partitionkey", LINK, b"", {"x-ms-documentdb-partitionkey": '["gone"]'})
    except Broken:
        connection.close()


def count(connection, pk):
    headers = {"content-type": "application/query+json", "x-ms-documentdb-isquery": "true", "x-ms-documentdb-partitionkey": json.dumps([pk])}
    answer = connection.request("POST", f"/{LINK}/docs", "docs", LINK, {"query": "SELECT VALUE COUNT(1) FROM c"}, headers)
    assert answer.status == 200, answer
    return answer.json()["Documents"][0]


def settle(port):
    """What was begun is finished in the background; what was not journaled has not begun."""
    connection = Connection(port)
    deadline = time.monotonic() + SETTLED_WITHIN_SECONDS
    while (left := count(connection, "gone")) not in (0, ERASED) and time.monotonic() < deadline:
        time.sleep(0.05)
    connection.close()
    return [] if left in (0, ERASED) else [f"{left} of {ERASED} documents are still there"]


def verify_the_rest(port):
    connection = Connection(port)
    kept = count(connection, "kept")
    create_all(connection, "gone", range(ERASED, ERASED + 1))  # the key can be used again
    connection.close()
    return [] if kept == KEPT else [f"{kept} of {KEPT} documents of another key are there"]
