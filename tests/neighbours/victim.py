"""A tenant that behaves: point reads, point writes, an indexed query, one that scans, and a stored procedure, one after the other, each timed.

    victim.py --port N --seconds 10

It prints "ready", measures, and prints one line of JSON: for each operation how many there were, and the median, p99 and longest time in milliseconds.
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[1]))

from testbed.account import Broken, Connection  # noqa: E402

DATABASE, CONTAINER = "quiet", "c"
LINK = f"dbs/{DATABASE}/colls/{CONTAINER}"
DOCUMENTS = 500
PROCEDURE = "function add(a, b) { getContext().getResponse().setBody(a + b); }"


def key(number):
    return {"x-ms-documentdb-partitionkey": json.dumps([f"k{number % 50}"])}


def document(number):
    return {"id": str(number), "pk": f"k{number % 50}", "group": number % 10, "text": "x" * 500}


def prepare(port):
    connection = Connection(port)
    answers = [
        connection.create_database(DATABASE),
        connection.create_container(DATABASE, {"id": CONTAINER, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}, 10_000),
        connection.request("POST", f"/{LINK}/sprocs", "sprocs", LINK, {"id": "add", "body": PROCEDURE}),
    ]
    answers += [connection.request("POST", f"/{LINK}/docs", "docs", LINK, document(number), key(number)) for number in range(DOCUMENTS)]
    connection.close()
    wrong = [str(answer) for answer in answers if answer.status != 201]
    if wrong:
        raise SystemExit(f"victim.py could not prepare: {wrong[0]}")


class Victim:
    def __init__(self, port):
        self._port = port
        self._connection = Connection(port)
        self._number = 0

    def read(self):
        link = f"{LINK}/docs/{self._number % DOCUMENTS}"
        return self._connection.request("GET", f"/{link}", "docs", link, None, key(self._number % DOCUMENTS))

    def write(self):
        number = self._number % DOCUMENTS
        headers = {**key(number), "x-ms-documentdb-is-upsert": "true"}
        return self._connection.request("POST", f"/{LINK}/docs", "docs", LINK, document(number), headers)

    def query(self):
        return self._connection.query(DATABASE, CONTAINER, "SELECT c.id FROM c WHERE c.group = 3")

    def scan(self):
        """A query that no index answers: it takes longer than a connection's thread may wait for it."""
        return self._connection.query(DATABASE, CONTAINER, "SELECT VALUE COUNT(1) FROM c WHERE LENGTH(c.text) + c.group > 505")

    def procedure(self):
        return self._connection.request("POST", f"/{LINK}/sprocs/add", "sprocs", f"{LINK}/sprocs/add", [1, 2], key(1))

    def health(self):
        return self._connection.request("GET", "/_health/ready")

    def new_connection(self):
        """The account's own answer, on a connection of its own."""
        self._connection.close()
        return self._connection.request("GET", "/")

    def measure(self, seconds):
        operations = {"read": self.read, "write": self.write, "query": self.query, "scan": self.scan, "procedure": self.procedure, "health": self.health,
                      "new connection": self.new_connection}
        times = {name: [] for name in operations}
        wrong = []
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._number += 1
            for name, operation in operations.items():
                began = time.monotonic()
                try:
                    answer = operation()
                    if answer.status not in (200, 201):
                        wrong.append(f"{name}: {answer}")
                except Broken as reason:
                    wrong.append(f"{name}: {reason}")
                times[name].append(time.monotonic() - began)
        return {"wrong": len(wrong), "first wrong": wrong[0] if wrong else None,
                "operations": {name: describe(each) for name, each in times.items() if each}}


def describe(seconds):
    in_order = sorted(seconds)
    return {"count": len(in_order), "median": in_order[len(in_order) // 2] * 1e3, "p99": in_order[int(len(in_order) * 0.99)] * 1e3,
            "longest": in_order[-1] * 1e3}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    victim = Victim(options.port)
    victim.measure(0.5)  # warm up
    print("ready", flush=True)
    print(json.dumps(victim.measure(options.seconds)), flush=True)


if __name__ == "__main__":
    main()
