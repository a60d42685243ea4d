"""What the clients work on: the containers, the documents and who owns which, and what is known about all of it."""

import random

from ledger import Findings, Key, Record, SharedRecord
from session_log import SessionLog
from testbed.account import Connection

DATABASE = "crash"
CONTAINERS = {
    # name: (definition, RU/s, API version that can create it)
    "single": ({"id": "single"}, None, "2018-06-18"),
    "wide": ({"id": "wide", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
              "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/serial"]}]}, "defaultTtl": -1}, 25000, None),
    "tree": ({"id": "tree", "partitionKey": {"paths": ["/tenant", "/user"], "kind": "MultiHash", "version": 2}}, None, None),
}
INDEXING_POLICIES = [
    {"indexingMode": "consistent", "automatic": True, "includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/\"_etag\"/?"}]},
    {"indexingMode": "consistent", "automatic": True, "includedPaths": [{"path": "/*"}],
     "excludedPaths": [{"path": "/text/?"}, {"path": "/\"_etag\"/?"}]},
]
RECORDS_PER_WRITER_AND_CONTAINER = 25
WIDE_KEYS = 23  # several in each partition of `wide`, so that each can be split
SMALL_DOCUMENT_BYTES = (10, 1_500)
LARGE_DOCUMENT_SHARE = 0.02
LARGE_DOCUMENT_BYTES = (20_000, 200_000)
SHARED_DOCUMENTS = 3
TTL_SECONDS = 1_000_000  # nothing expires, but is known to


class Workload:
    """The state of the world according to its clients. Survives the server; a `Round` runs the clients against one life of it."""

    def __init__(self, seed, writers=4, readers=2, records=RECORDS_PER_WRITER_AND_CONTAINER, large_share=LARGE_DOCUMENT_SHARE,
                 large_bytes=LARGE_DOCUMENT_BYTES):
        self.findings = Findings()
        self.session_log = SessionLog(self.findings)
        self.random = random.Random(seed)
        self.owned = [self._make_records(writer, records) for writer in range(writers)]
        self.records = [record for owned in self.owned for record in owned]
        self.readers = readers
        self.large_share = large_share
        self.large_bytes = large_bytes
        self.shared = [SharedRecord(Key(DATABASE, "wide", f"shared-{i}", {"pk": "shared"})) for i in range(SHARED_DOCUMENTS)]
        self.policy = PolicyRecord()
        self.scratch = ScratchRecord()
        self.expects_refusals = False
        self.others = []  # containers that a case looks after itself

    @staticmethod
    def _make_records(writer, count):
        records = []
        for i in range(count):
            name = f"w{writer}-{i}"
            records.append(Record(Key(DATABASE, "single", name, {})))
            records.append(Record(Key(DATABASE, "wide", name, {"pk": f"pk {i % WIDE_KEYS}"})))
            records.append(Record(Key(DATABASE, "tree", name, {"tenant": f"t{i % 3}", "user": i % 5})))
        return records

    def connect(self, port):
        return Connection(port, self.session_log)

    def create_containers(self, port):
        connection = self.connect(port)
        answers = [connection.create_database(DATABASE)]
        for definition, throughput, version in CONTAINERS.values():
            answers.append(connection.create_container(DATABASE, definition, throughput, version))
        answers += [connection.create(shared.key, shared.body(0)) for shared in self.shared]
        connection.close()
        for answer in answers:
            if answer.status != 201:
                raise RuntimeError(f"preparing the containers failed: {answer}")


class PolicyRecord:
    """Which indexing policies the container `wide` may have now; numbers into INDEXING_POLICIES. One thread changes it."""

    def __init__(self):
        self.possible = {0}


class ScratchRecord:
    """Databases that come and go, each with one container that has a few documents. One thread changes it."""

    def __init__(self):
        self.number = 0
        self.possible = {}  # database: set of "absent", "database", "container", "document"


def scratch_container():
    return {"id": "box", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}


def scratch_key(database):
    return Key(database, "box", "only", {"pk": database})


def make_body(key, chance, bytes_min, bytes_max):
    size = chance.randrange(bytes_min, bytes_max)
    life = {"ttl": TTL_SECONDS + chance.randrange(9)} if chance.random() < 0.5 else {}
    return {"id": key.id, **key.properties, **life, "serial": key.id, "n": 0, "flag": chance.random() < 0.5, "price": chance.random() * 1000,
            "tags": [f"tag {chance.randrange(5)}" for _ in range(chance.randrange(4))], "nested": {"a": {"b": chance.randrange(9)}},
            "text": chance.randbytes(size // 2).hex()}


def settle_with(record, answer):
    if answer.status not in (200, 404):
        return f"{record.key}: a read answered {answer}"
    return record.settle(answer.json() if answer.status == 200 else None)
