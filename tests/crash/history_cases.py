"""Hundreds of clients run procedures and batches that read, change and write on the same and on different keys: undisturbed, while partitions are
split and merged, and while the server is killed. Whatever they were told must be the outcome of some order, one after the other."""

import json
import random
import threading
import time

from cases import Place
from history import History, Look, Operation, proofs
from testbed.account import Broken, Connection

DATABASE, CONTAINER = "ledgers", "counters"
LINK = f"dbs/{DATABASE}/colls/{CONTAINER}"
CLIENTS = 200
KEYS = 12  # a third of all operations go to the first
OPERATIONS_UNDISTURBED = 3000
OPERATIONS_BETWEEN_RESHAPES = 150
RESHAPES = 12
RANGES_MAX = 5
DEFINITION = {
    "id": CONTAINER,
    "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
    "indexingPolicy": {"includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/order/*"}]},
}

ADD = """async function add(number, amount, fails) {
  const all = (method, ...given) => new Promise((resolve, reject) => {
    const takes = __[method](...given, (error, answer) => (error ? reject(error) : resolve(answer)));
    if (!takes) reject(new Error("not accepted"));
  });
  const counter = await all("readDocument", `${__.getAltLink()}/docs/counter`);
  await all("createDocument", __.getSelfLink(), { id: `e${number}`, pk: counter.pk, number });
  counter.order.push(number);
  counter.total += amount;
  await all("replaceDocument", counter._self, counter);
  if (fails) throw new Error("on purpose");
  __.response.setBody(counter.order.length);
}"""

LOOK = """function look() {
  __.readDocument(`${__.getAltLink()}/docs/counter`, (error, counter) => {
    if (error) throw error;
    __.queryDocuments(__.getSelfLink(), "SELECT VALUE COUNT(1) FROM c WHERE IS_DEFINED(c.number)", (failure, counts) => {
      if (failure) throw failure;
      __.response.setBody({ seen: counter.order.length, entries: counts[0] });
    });
  });
}"""


def run_histories(tally, binary, seed, kills):
    tally.run("the checker of histories can object", proofs)
    with Place(binary) as place:
        counters = Counters(seed)
        counters.open(place.start().port)
        tally.run(f"{CLIENTS} clients with procedures and batches", _run_undisturbed, place, counters)
        tally.run(f"{CLIENTS} clients while partitions are split and merged", _run_among_reshapes, place, counters)
        for i in range(1, kills + 1):
            tally.run(f"kill among {CLIENTS} clients with procedures and batches {i}", _run_until_killed, place, counters)
        for i in range(1, kills + 1):
            tally.run(f"kill among {CLIENTS} clients and their partitions' splits and merges {i}", _run_until_killed_in_reshape, place, counters)


def _run_undisturbed(place, counters):
    crowd = Crowd(counters, place.server.port)
    crowd.wait_for(OPERATIONS_UNDISTURBED)
    return crowd.stop() + counters.verify(place.server.port)


def _run_among_reshapes(place, counters):
    crowd = Crowd(counters, place.server.port)
    connection = Connection(place.server.port)
    refused = []
    for _ in range(RESHAPES):
        crowd.wait_for(OPERATIONS_BETWEEN_RESHAPES)
        answer = _reshape(connection, counters.random)
        if answer.status != 200:
            refused.append(f"a reshape was answered {answer}")
    crowd.wait_for(OPERATIONS_BETWEEN_RESHAPES)
    connection.close()
    return refused + crowd.stop() + counters.verify(place.server.port)


def _run_until_killed(place, counters):
    crowd = Crowd(counters, place.server.port)
    crowd.wait_for(counters.random.randrange(20, 400))
    place.server.kill()
    problems = crowd.join() + place.check()
    place.start()
    return problems + counters.verify(place.server.port)


def _run_until_killed_in_reshape(place, counters):
    """Partitions are split and merged without a pause, so that the server is killed somewhere in it."""
    crowd = Crowd(counters, place.server.port)
    reshapes = threading.Thread(target=_reshape_until_killed, args=(place.server.port, counters.random.random()), daemon=True)
    reshapes.start()
    crowd.wait_for(counters.random.randrange(50, 400))
    place.server.kill()
    reshapes.join()
    problems = crowd.join() + place.check()
    place.start()
    return problems + counters.verify(place.server.port)


def _reshape_until_killed(port, seed):
    choose = random.Random(seed)
    connection = Connection(port)
    try:
        while True:
            _reshape(connection, choose)
    except Broken:
        connection.close()


def _reshape(connection, choose):
    """Splits a range while there are few of them, else merges two."""
    ranges = sorted(connection.ranges(DATABASE, CONTAINER), key=lambda each: each["minInclusive"])
    if len(ranges) < RANGES_MAX:
        chosen = choose.choice(ranges)
        kind, order = "split", {"range": chosen["id"], "at": _middle(chosen)}
    else:
        kind, order = "merge", {"range": choose.choice(ranges[:-1])["id"]}
    return connection.reshape(kind, {"database": DATABASE, "container": CONTAINER, **order})


def _middle(key_range):
    """Of its first 16 bits."""
    low, high = (int((key_range[end] or "").ljust(4, "0")[:4], 16) for end in ("minInclusive", "maxExclusive"))
    return f"{(low + min(high, 0x4000)) // 2:04X}"


class Counters:
    """A document per key with the order of the operations on it and their sum; every operation also leaves a document of its own."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.histories = {f"k{k}": History() for k in range(KEYS)}
        self.amounts = {}
        self._lock = threading.Lock()

    def open(self, port):
        connection = Connection(port)
        assert connection.create_database(DATABASE).status == 201
        assert connection.create_container(DATABASE, DEFINITION, throughput=25_000).status == 201
        for source in (ADD, LOOK):
            name = "add" if source is ADD else "look"
            assert connection.request("POST", f"/{LINK}/sprocs", "sprocs", LINK, {"id": name, "body": source}).status == 201
        for pk in self.histories:
            counter = {"id": "counter", "pk": pk, "order": [], "total": 0}
            assert connection.request("POST", f"/{LINK}/docs", "docs", LINK, counter, _key(pk)).status == 201
        connection.close()

    def next_number(self, amount):
        with self._lock:
            number = len(self.amounts) + 1
            self.amounts[number] = amount
            return number

    def verify(self, port):
        connection = Connection(port)
        documents = connection.documents(DATABASE, CONTAINER)
        connection.close()
        problems = []
        for pk, history in self.histories.items():
            counter = next(document for document in documents if (document["pk"], document["id"]) == (pk, "counter"))
            entries = {document["number"] for document in documents if document["pk"] == pk and "number" in document}
            problems += [f"{pk}: {said}" for said in history.problems(counter["order"], entries, counter["total"], self.amounts)]
        return problems


class Crowd:
    """The clients while one server lives."""

    def __init__(self, counters, port):
        self._counters = counters
        self._port = port
        self._problems = []
        self._is_broken = False  # a connection ended
        self._is_stopping = False
        self._done = 0
        self._progress = threading.Condition()
        seeds = [counters.random.random() for _ in range(CLIENTS)]
        self._threads = [threading.Thread(target=self._run, args=(random.Random(seed),), daemon=True) for seed in seeds]
        for thread in self._threads:
            thread.start()

    def wait_for(self, more):
        with self._progress:
            target = self._done + more
            self._progress.wait_for(lambda: self._done >= target or not any(thread.is_alive() for thread in self._threads))

    def stop(self):
        self._is_stopping = True
        problems = self.join()
        return problems + (["a client's connection broke"] if self._is_broken else [])

    def join(self):
        for thread in self._threads:
            thread.join()
        return self._problems

    def _run(self, choose):
        connection = Connection(self._port)
        try:
            while not self._is_stopping:
                pk = "k0" if choose.random() < 1 / 3 else f"k{choose.randrange(1, KEYS)}"
                if choose.random() < 0.1:
                    self._look(connection, pk)
                else:
                    self._add(connection, choose, pk)
        except Broken:
            self._is_broken = True
        finally:
            connection.close()
            with self._progress:
                self._progress.notify_all()

    def _add(self, connection, choose, pk):
        amount, fails = choose.randrange(1, 100), choose.random() < 0.1
        number = self._counters.next_number(amount)
        send = _send_procedure if choose.random() < 0.5 else _send_batch
        history = self._counters.histories[pk]
        started = time.monotonic()
        try:
            answer, seen = _answered(lambda: send(connection, pk, number, amount, fails))
        except Broken:
            if not fails:
                history.operations.append(Operation(number, None, started, time.monotonic()))
            raise
        if self._is_expected(answer, (400, 207) if fails else (200,)) and not fails:
            history.operations.append(Operation(number, seen, started, time.monotonic()))
        self._count()

    def _look(self, connection, pk):
        started = time.monotonic()
        answer, seen = _answered(lambda: _execute(connection, "look", pk, []))
        if self._is_expected(answer, (200,)):
            self._counters.histories[pk].looks.append(Look(seen["seen"], seen["entries"], started, time.monotonic()))
        self._count()

    def _is_expected(self, answer, statuses):
        if answer.status not in statuses:
            self._problems.append(f"expected {statuses}, got {answer}")
        return answer.status in statuses

    def _count(self):
        with self._progress:
            self._done += 1
            self._progress.notify_all()


def _answered(send):
    """Again as long as the server is too busy; then nothing has happened."""
    while True:
        answer, seen = send()
        if answer.status not in (429, 503):
            return answer, seen
        time.sleep(float(answer.headers.get("x-ms-retry-after-ms", 20)) / 1000)


def _send_procedure(connection, pk, number, amount, fails):
    return _execute(connection, "add", pk, [number, amount, fails])


def _execute(connection, name, pk, arguments):
    link = f"{LINK}/sprocs/{name}"
    answer = connection.request("POST", f"/{link}", "sprocs", link, arguments, _key(pk))
    return answer, answer.json() if answer.status == 200 else None


def _send_batch(connection, pk, number, amount, fails):
    """One that is meant to fail deletes what is not there, as its last step."""
    changes = [{"op": "incr", "path": "/total", "value": amount}, {"op": "add", "path": "/order/-", "value": number}]
    steps = [
        {"operationType": "Patch", "id": "counter", "resourceBody": {"operations": changes}},
        {"operationType": "Create", "resourceBody": {"id": f"e{number}", "pk": pk, "number": number}},
        {"operationType": "Read", "id": "counter"},
    ]
    if fails:
        steps.append({"operationType": "Delete", "id": "nobody"})
    headers = {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True", **_key(pk)}
    answer = connection.request("POST", f"/{LINK}/docs", "docs", LINK, steps, headers)
    return answer, len(answer.json()[2]["resourceBody"]["order"]) if answer.status == 200 else None


def _key(pk):
    return {"x-ms-documentdb-partitionkey": json.dumps([pk])}
