"""A hostile or careless tenant: each kind of misuse as a program of its own, so that it does not slow down those who measure.

    attackers.py --port N --kind endless-queries --seconds 10

Everything it does is allowed to a client with an account key, and is about the database "noisy" and new ones of its own. It prints "ready" when it is
at work, stops by itself, and prints what answers it got as one line of JSON.
"""

import argparse
import collections
import json
import os
import selectors
import socket
import sys
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[1]))

from testbed.account import Broken, Connection, signed_headers  # noqa: E402

DATABASE, CONTAINER = "noisy", "c"
LINK = f"dbs/{DATABASE}/colls/{CONTAINER}"
KEY = {"x-ms-documentdb-partitionkey": '["a"]'}
QUERY = {
    "content-type": "application/query+json",
    "x-ms-documentdb-isquery": "true",
    "x-ms-documentdb-query-enablecrosspartition": "true",
    "x-partita-fidelity": "extended",  # what the server merges is worse to bear than what clients merge
}
NUMBERS = 2_000  # in the array that queries multiply with itself
BODY_BYTES = 15 << 20
WAITING_FEEDS_PER_THREAD = 150
FEED_DOCUMENTS, FEED_DOCUMENT_BYTES = 40, 100_000
ALLIES = [f"noisy-ally-{number}" for number in range(6)]  # more databases than a small machine has workers
ERASED_KEY = {"x-ms-documentdb-partitionkey": '["erased"]'}
SCRIPTS_PER_ERASED_KEY, ERASURES_PER_KEY = 3, 3

ENDLESS_QUERY = {"query": "SELECT VALUE COUNT(1) FROM c JOIN x IN c.numbers JOIN y IN c.numbers JOIN z IN c.numbers WHERE x + y * z = 0.5"}
SORTING_QUERY = {"query": "SELECT x, y FROM c JOIN x IN c.numbers JOIN y IN c.numbers ORDER BY c.id"}
FUNCTION_QUERY = {"query": "SELECT VALUE udf.spin(c.id) FROM c"}
METADATA_QUERY = {
    "query": "SELECT VALUE COUNT(1) FROM c JOIN x IN @a JOIN y IN @a JOIN z IN @a WHERE x + y * z = 0.5",
    "parameters": [{"name": "@a", "value": list(range(500))}],
}
LONG_QUERY = {"query": "SELECT * FROM c WHERE " + " AND ".join(f"c.p{i} = {i}" for i in range(15_000))}
PROCEDURES = {
    "spin": "function spin() { while (true) {} }",
    "hoard": """function hoard(pk) {
      const text = 'x'.repeat(100000);
      let n = 0;
      const next = () => __.createDocument(__.getSelfLink(), { id: 'h' + n++, pk, text }, (error) => { if (error) throw error; next(); });
      next();
    }""",
}


def expect(answer, *statuses):
    if answer.status not in statuses:
        raise SystemExit(f"attackers.py could not prepare: {answer}")
    return answer


def prepare(port):
    """What the attacks are about; once, before any of them."""
    connection = Connection(port)
    expect(connection.create_database(DATABASE), 201)
    expect(connection.create_container(DATABASE, {"id": CONTAINER, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}, 10_000), 201)
    for name, body in PROCEDURES.items():
        expect(connection.request("POST", f"/{LINK}/sprocs", "sprocs", LINK, {"id": name, "body": body}), 201)
    expect(connection.request("POST", f"/{LINK}/udfs", "udfs", LINK, {"id": "spin", "body": PROCEDURES["spin"]}), 201)
    expect(connection.request("POST", f"/{LINK}/docs", "docs", LINK, {"id": "n", "pk": "a", "numbers": list(range(NUMBERS))}, KEY), 201)
    for number in range(FEED_DOCUMENTS):
        body = {"id": f"f{number}", "pk": "a", "text": "x" * FEED_DOCUMENT_BYTES}
        expect(connection.request("POST", f"/{LINK}/docs", "docs", LINK, body, KEY), 201)
    for ally in ALLIES:
        prepare_ally(connection, ally)
    connection.close()


def prepare_ally(connection, database):
    link = f"dbs/{database}/colls/{CONTAINER}"
    expect(connection.create_database(database), 201)
    expect(connection.create_container(database, {"id": CONTAINER, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}), 201)
    expect(connection.request("POST", f"/{link}/udfs", "udfs", link, {"id": "spin", "body": PROCEDURES["spin"]}), 201)
    expect(connection.request("POST", f"/{link}/docs", "docs", link, {"id": "n", "pk": "a"}, KEY), 201)
    expect(connection.request("POST", f"/{link}/docs", "docs", link, {"id": "e", "pk": "erased"}, ERASED_KEY), 201)
    expect(connection.request("POST", f"/{link}/sprocs", "sprocs", link, {"id": "spin", "body": PROCEDURES["spin"]}), 201)


class Attack:
    """Threads that repeat one thing until the time is up. Answers are counted by status; connections that end are counted, too."""

    def __init__(self, port, seconds):
        self.port = port
        self.deadline = time.monotonic() + seconds
        self.statuses = collections.Counter()

    def is_over(self):
        return time.monotonic() >= self.deadline

    def repeat(self, request):
        """request(connection, number of the repetition) -> Answer"""
        connection, number = Connection(self.port), 0
        while not self.is_over():
            try:
                answer = request(connection, number)
                self.statuses[answer.status] += 1
                if answer.status in (429, 503):
                    time.sleep(0.01)  # not even a hostile client gains by spinning on refusals
            except Broken:
                self.statuses["broken"] += 1
            number += 1
        connection.close()

    def query(self, path, kind, link, body):
        return lambda connection, _: connection.request("POST", path, kind, link, body, QUERY)

    def endless_queries(self, _):
        self.repeat(self.query(f"/{LINK}/docs", "docs", LINK, ENDLESS_QUERY))

    def sorting_queries(self, _):
        self.repeat(self.query(f"/{LINK}/docs", "docs", LINK, SORTING_QUERY))

    def long_queries(self, _):
        self.repeat(self.query(f"/{LINK}/docs", "docs", LINK, LONG_QUERY))

    def function_queries(self, _):
        self.repeat(self.query(f"/{LINK}/docs", "docs", LINK, FUNCTION_QUERY))

    def allied_functions(self, thread):
        """Functions that never end, in several databases at once: each of them alone keeps to its share."""
        link = f"dbs/{ALLIES[thread % len(ALLIES)]}/colls/{CONTAINER}"
        self.repeat(self.query(f"/{link}/docs", "docs", link, FUNCTION_QUERY))

    def erasures(self, thread):
        """Deletions of key values that endless scripts keep for themselves, one after the other, in several databases."""
        link = f"dbs/{ALLIES[thread % len(ALLIES)]}/colls/{CONTAINER}"
        if thread < len(ALLIES) * SCRIPTS_PER_ERASED_KEY:
            script = f"{link}/sprocs/spin"
            self.repeat(lambda connection, _: connection.request("POST", f"/{script}", "sprocs", script, [], ERASED_KEY))
            return
        time.sleep(0.3)
        self.repeat(lambda connection, _: connection.request("POST", f"/{link}/operations/partitionkeydelete", "partitionkey", link, b"", ERASED_KEY))

    def metadata_queries(self, _):
        self.repeat(self.query("/dbs", "dbs", "", METADATA_QUERY))

    def execute(self, procedure, thread):
        """On a partition key of its own, so that it does not wait for the others of its kind."""
        link = f"{LINK}/sprocs/{procedure}"
        headers = {"x-ms-documentdb-partitionkey": f'["k{thread}"]'}
        self.repeat(lambda connection, _: connection.request("POST", f"/{link}", "sprocs", link, [f"k{thread}"], headers))

    def endless_scripts(self, thread):
        self.execute("spin", thread)

    def hoarding_scripts(self, thread):
        self.execute("hoard", thread)

    def metadata_changes(self, thread):
        def change(connection, number):
            name = f"noisy-{thread}-{number}"
            connection.create_database(name)
            for container in ("c", "d"):
                connection.create_container(name, {"id": container, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}})
            return connection.delete_database(name)

        self.repeat(change)

    def huge_bodies(self, thread):
        """Half of them whole, half of them slowly and never to their end."""
        body = b'{"id":"b","pk":"a","text":"' + b"x" * (BODY_BYTES - 64) + b'"}'
        if thread % 2 == 0:
            self.repeat(lambda connection, _: connection.request("POST", f"/{LINK}/docs", "docs", LINK, body, KEY))
            return
        while not self.is_over():
            self.send_slowly(body)

    def send_slowly(self, body):
        head = "".join(f"{name}: {value}\r\n" for name, value in signed_headers("POST", "docs", LINK).items())
        text = f"POST /{LINK}/docs HTTP/1.1\r\nHost: localhost:{self.port}\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode()
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=10) as client:
                client.sendall(text + body[: BODY_BYTES // 2])
                while not self.is_over():
                    client.sendall(body[:100])
                    time.sleep(0.1)
            self.statuses["half sent"] += 1
        except OSError:
            self.statuses["broken"] += 1
            time.sleep(0.05)

    def slow_readers(self, _):
        """Ask for four megabytes again and again, and read nothing."""
        signed = "".join(f"{name}: {value}\r\n" for name, value in signed_headers("GET", "docs", LINK).items())
        request = f"GET /{LINK}/docs HTTP/1.1\r\nHost: localhost:{self.port}\r\nx-ms-max-item-count: 1000\r\n{signed}\r\n".encode()
        while not self.is_over():
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=10) as client:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                    client.sendall(request * 4)
                    while not self.is_over():
                        client.recv(256)
                        time.sleep(0.2)
                self.statuses["slow"] += 1
            except OSError:
                self.statuses["broken"] += 1
                time.sleep(0.05)

    def waiting_feeds(self, thread):
        """Many requests that wait for changes, and one who makes some now and then, so that all of them are answered and come again."""
        if thread == 0:
            upsert = {**KEY, "x-ms-documentdb-is-upsert": "true"}

            def change(connection, number):
                time.sleep(0.2)
                return connection.request("POST", f"/{LINK}/docs", "docs", LINK, {"id": "change", "pk": "a", "number": number}, upsert)

            self.repeat(change)
            return
        signed = "".join(f"{name}: {value}\r\n" for name, value in signed_headers("GET", "docs", LINK).items())
        waits = "A-IM: Incremental feed\r\nIf-None-Match: *\r\nPrefer: wait=60\r\n"
        request = f"GET /{LINK}/docs HTTP/1.1\r\nHost: localhost:{self.port}\r\n{waits}{signed}\r\n".encode()
        waiting = selectors.DefaultSelector()
        while not self.is_over():
            if len(waiting.get_map()) < WAITING_FEEDS_PER_THREAD:
                self.begin_waiting(waiting, request)
            for key, _ in waiting.select(0 if len(waiting.get_map()) < WAITING_FEEDS_PER_THREAD else 0.1):
                self.go_on_waiting(waiting, key.fileobj, request)

    def begin_waiting(self, waiting, request):
        try:
            client = socket.create_connection(("127.0.0.1", self.port), timeout=10)
            client.sendall(request)
            waiting.register(client, selectors.EVENT_READ)
        except OSError:
            self.statuses["broken"] += 1
            time.sleep(0.05)

    def go_on_waiting(self, waiting, client, request):
        try:
            answer = client.recv(1 << 20)
            if not answer:
                raise OSError
            self.statuses[int(answer[9:12])] += 1
            if answer[9:12] in (b"429", b"503"):
                raise OSError  # and comes again as another one
            client.sendall(request)
        except (OSError, ValueError):
            waiting.unregister(client)
            client.close()


# How many connections each kind uses at the same time.
KINDS = {
    "endless-queries": (Attack.endless_queries, 8),
    "sorting-queries": (Attack.sorting_queries, 4),
    "long-queries": (Attack.long_queries, 4),
    "function-queries": (Attack.function_queries, 24),
    "allied-functions": (Attack.allied_functions, 4 * len(ALLIES)),
    "metadata-queries": (Attack.metadata_queries, 6),
    "endless-scripts": (Attack.endless_scripts, 10),
    "hoarding-scripts": (Attack.hoarding_scripts, 4),
    "metadata-changes": (Attack.metadata_changes, 4),
    "huge-bodies": (Attack.huge_bodies, 24),
    "slow-readers": (Attack.slow_readers, 40),
    "waiting-feeds": (Attack.waiting_feeds, 9),  # threads; all but one have many connections each
    "erasures": (Attack.erasures, len(ALLIES) * (SCRIPTS_PER_ERASED_KEY + ERASURES_PER_KEY)),
}


def run_program(attack_type, kinds, description):
    """One kind of attack, as the command line says."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--kind", choices=sorted(kinds), required=True)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    work, threads = kinds[options.kind]
    attack = attack_type(options.port, options.seconds)
    running = [threading.Thread(target=work, args=(attack, number), daemon=True) for number in range(threads)]
    for thread in running:
        thread.start()
    print("ready", flush=True)
    for thread in running:
        thread.join(max(0, attack.deadline + 1 - time.monotonic()))
    print(json.dumps({str(status): count for status, count in attack.statuses.items()}), flush=True)
    os._exit(0)  # threads that still wait for an answer are not waited for


if __name__ == "__main__":
    run_program(Attack, KINDS, __doc__)
