"""The servers as stores of telemetry: how each is filled, asked, and measured."""

import json
import math
import os
import subprocess

from . import cosmos_rest
from .peers import READ, CosmosdbServer, Partita, Postgres, Workload
from .telemetry import cosmos_body, documents, postgres_indexes, postgres_line

BULK_OPERATIONS = 100  # as many as SDKs put into a request
ROWS_MAX = 100_000  # of an answer
QUERY_HEADERS = {
    "content-type": "application/query+json",
    "x-ms-documentdb-isquery": "True",
    "x-ms-documentdb-query-enablecrosspartition": "True",
    "x-partita-fidelity": "extended",
    "x-ms-max-item-count": str(ROWS_MAX),
}
BULK_HEADERS = {
    "content-type": "application/json",
    "prefer": "return=minimal",
    "x-ms-cosmos-is-batch-request": "True",
    "x-ms-cosmos-batch-atomic": "False",
    "x-ms-cosmos-batch-continue-on-error": "True",
    "x-ms-documentdb-partitionkeyrangeid": "0",
}


def _comparable(value):
    if isinstance(value, dict) and "id" in value:
        return value["id"]
    if isinstance(value, dict):
        return tuple(_comparable(part) for part in value.values())
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


def is_same_answer(left, right):
    """Of two answers of ask(). Sums of the same numbers in another order differ in their last digits."""
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(is_same_answer, left, right))
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-9)
    return left == right


class Store:
    """One peer with a number of telemetry documents."""

    writes_at_stop = False  # only then everything is in its files

    def __init__(self, peer, count):
        self.peer = peer
        self.count = count

    def path(self, name):
        return os.path.join(self.peer.directory, name.replace(" ", "-"))

    def workload(self, question):
        """Writes the file of its requests."""
        with open(self.path(question.name), "w") as file:
            for choice in question.choices(self.count):
                file.write(self.line(question, choice) + "\n")
        return Workload(self.peer.name, question.name, READ,
                        (*self.arguments(question), "--operation", "post", "--requests", self.path(question.name)))


class CosmosStore(Store):
    def create_schema(self):
        cosmos_rest.create_schema(self.peer.port, ["telemetry"], throughput=10000, partition_key="/deviceId")

    def line(self, question, choice):
        return cosmos_body(question, choice)

    def arguments(self, question):
        return self._http(QUERY_HEADERS)

    def _http(self, headers):
        arguments = ["--protocol", "http", "--port", str(self.peer.port), "--key", cosmos_rest.WELL_KNOWN_KEY,
                     "--container", "telemetry"]
        for name, value in headers.items():
            arguments += ["--header", f"{name}: {value}"]
        return arguments

    def ask(self, question, choice):
        """The rows, in a form that does not depend on the server, sorted."""
        body = json.loads(cosmos_body(question, choice))
        status, text = cosmos_rest.request(self.peer.port, "POST", "dbs/bench/colls/telemetry", "docs", body, QUERY_HEADERS, 120)
        if status != 200:
            raise RuntimeError(f"{question.name}: {status} {text[:300]}")
        rows = json.loads(text)["Documents"]
        return sorted((_comparable(row) if isinstance(row, dict) else (_comparable(row),) for row in rows), key=str)

    def _post(self, client, lines, headers, connections):
        with open(self.path("load"), "w") as file:
            written = sum(1 for line in lines if file.write(line + "\n"))
        arguments = [*self._http(headers), "--operation", "post", "--requests", self.path("load")]
        result, seconds = client.post_all(arguments, connections, written, self.peer.server)
        os.remove(self.path("load"))
        if result["errors"]:
            raise RuntimeError(f"{result['errors']} requests failed: {result['first_error']}")
        return seconds


class PartitaStore(CosmosStore):
    writes_at_stop = True

    def load(self, client):
        """Processor seconds. Durable, every path indexed."""
        return self._post(client, self._bulks(), BULK_HEADERS, connections=8)

    def _bulks(self):
        operations = []
        for number, document in enumerate(documents(self.count), 1):
            operations.append({"operationType": "Create", "partitionKey": json.dumps([document["deviceId"]]),
                               "resourceBody": document})
            if len(operations) == BULK_OPERATIONS or number == self.count:
                yield json.dumps(operations, separators=(",", ":"))
                operations = []

    def disk(self):
        """Everything in its directory."""
        files = [os.path.join(folder, name) for folder, _, names in os.walk(self.peer.data) for name in names]
        return [("documents and the index of every path", sum(map(os.path.getsize, files)))]


    def point_reads(self, client):
        """Reads of 1 KB documents in a container of their own."""
        definition = {"id": "points", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}
        cosmos_rest.create(self.peer.port, "dbs/bench", "colls", definition, {"x-ms-offer-throughput": "10000"})
        workload = Workload(self.peer.name, "read", READ, self.peer.http("read", "points"))
        client.load(workload)
        return workload


class CosmosdbServerStore(CosmosStore):
    def load(self, client):
        lines = (json.dumps(document, separators=(",", ":")) for document in documents(self.count))
        return self._post(client, lines, {"content-type": "application/json"}, connections=16)

    def disk(self):
        return []


class PostgresStore(Store):
    gin = "USING gin (doc jsonb_path_ops)"

    def create_schema(self):
        self.peer.execute("CREATE TABLE t (doc jsonb NOT NULL);")
        self.peer.execute(f"CREATE INDEX gin_index ON t {self.gin};")

    def load(self, client):
        """By COPY, its fastest way, with the index of every path in place; the B-trees come later and are not counted."""
        before = self.peer.server.processor_seconds()
        copy = subprocess.Popen(["psql", "-q", "-v", "ON_ERROR_STOP=1", "-c", r"COPY t FROM STDIN", self.peer.connection],
                                stdin=subprocess.PIPE, text=True)
        for document in documents(self.count):
            copy.stdin.write(json.dumps(document, separators=(",", ":")) + "\n")
        copy.stdin.close()
        if copy.wait() != 0:
            raise RuntimeError("COPY failed")
        self.peer.execute("SELECT gin_clean_pending_list('gin_index');")
        seconds = self.peer.server.processor_seconds() - before
        for index in postgres_indexes():
            if index != self.gin:
                self.peer.execute(f"CREATE INDEX ON t {index};")
        self.peer.execute("VACUUM ANALYZE t;")
        return seconds

    def line(self, question, choice):
        return postgres_line(choice)

    def arguments(self, question):
        return ["--protocol", "postgres", "--postgres", self.peer.connection, "--statement", question.postgres]

    def ask(self, question, choice):
        values = ", ".join(f"'{value}'" for value in choice.values())
        call = f"EXECUTE question({values});" if values else "EXECUTE question;"
        lines = self.peer.execute(f"PREPARE question AS {question.postgres}; {call}").splitlines()
        rows = [_comparable(json.loads(line)) if line.startswith("{") else tuple(map(_comparable, line.split("\t")))
                for line in lines]
        return sorted(rows, key=str)

    def disk(self):
        sizes = self.peer.execute("SELECT pg_table_size('t'), pg_relation_size('gin_index'), pg_total_relation_size('t');")
        table, gin, total = map(int, sizes.split())
        return [("documents and GIN", table + gin), ("with a B-tree for every question", total)]


STORES = {Partita.name: PartitaStore, Postgres.name: PostgresStore, CosmosdbServer.name: CosmosdbServerStore}
