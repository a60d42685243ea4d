"""Clients that write and read until told to stop or until the server dies, and keep the ledger of what they were told."""

import random
import threading

from testbed.account import Broken
from workload import CONTAINERS, DATABASE, INDEXING_POLICIES, SMALL_DOCUMENT_BYTES, make_body, scratch_container, scratch_key, settle_with

PATIENCE_SECONDS = 60  # a backstop for a server that hangs
REFUSALS = {403, 503}  # nothing was done: the container is closed for writing; the disk fails, or the container is closed altogether


class Refusals:
    """Answers of REFUSALS, which some cases expect. Thread-safe."""

    def __init__(self):
        self._lock = threading.Lock()
        self.count = 0
        self.messages = []

    def add(self, answer):
        with self._lock:
            self.count += 1
            if len(self.messages) < 1000:
                self.messages.append(answer.body.decode("utf-8", "replace"))


class Round:
    """The clients while one server lives. They end by themselves when it dies, or when stop() is called."""

    def __init__(self, workload, port, changes_catalog=True):
        self.workload = workload
        self.port = port
        self.refusals = Refusals()
        self._stopping = threading.Event()
        self._progress = threading.Condition()
        self._acknowledged = 0
        self._catalog_changes = 0  # sent, not necessarily answered
        seed = workload.random.getrandbits(64)
        tasks = [(self._write, owned) for owned in workload.owned] + [(self._read, None)] * workload.readers
        if changes_catalog:
            tasks.append((self._change_catalog, None))
        self._threads = [threading.Thread(target=self._run, args=(task, argument, random.Random(seed + i)), daemon=True)
                         for i, (task, argument) in enumerate(tasks)]
        for thread in self._threads:
            thread.start()

    @property
    def acknowledged(self):
        return self._acknowledged

    def wait_for_acknowledged(self, more):
        """Until so many more writes were acknowledged. False when that does not happen; so for the others."""
        return self._wait_for(lambda: self._acknowledged, more)

    def wait_for_refusals(self, more):
        return self._wait_for(lambda: self.refusals.count, more)

    def wait_for_answers(self, more):
        return self._wait_for(lambda: self._acknowledged + self.refusals.count, more)

    def wait_for_catalog_change(self):
        return self._wait_for(lambda: self._catalog_changes, 1)

    def _wait_for(self, count, more):
        with self._progress:
            target = count() + more
            self._progress.wait_for(lambda: count() >= target or not self._is_running(), PATIENCE_SECONDS)
            return count() >= target

    def stop(self):
        """Lets every client finish what it is doing."""
        self._stopping.set()
        self.join()

    def join(self):
        for thread in self._threads:
            thread.join()

    def _is_running(self):
        return any(thread.is_alive() for thread in self._threads)

    def _run(self, task, argument, chance):
        connection = self.workload.connect(self.port)
        try:
            while not self._stopping.is_set():
                task(connection, argument, chance)
        except Broken:
            pass  # the server has died; whatever was in flight is in the ledger
        except Exception as defect:  # a defect of the test itself must not pass silently
            self.workload.findings.add(f"the test failed: {type(defect).__name__}: {defect}")
        finally:
            connection.close()
            with self._progress:
                self._progress.notify_all()

    def _note_acknowledged(self):
        with self._progress:
            self._acknowledged += 1
            self._progress.notify_all()

    def _note_refused(self, answer, what):
        if not self.workload.expects_refusals:
            self.workload.findings.add(f"{what} was refused: {answer}")
        self.refusals.add(answer)
        with self._progress:
            self._progress.notify_all()
        self._stopping.wait(0.01)  # a client that is refused does not hammer

    def _make_body(self, key, chance):
        large = self.workload.large_bytes if chance.random() < self.workload.large_share else None
        return make_body(key, chance, *(large or SMALL_DOCUMENT_BYTES))

    # One operation each.

    def _write(self, connection, owned, chance):
        if chance.random() < 0.1:
            return self._increment(connection, chance.choice(self.workload.shared))
        record = chance.choice(owned)
        current = record.current
        if current is None:
            return self._resolve(connection, record)
        if chance.random() < 0.05:
            return self._write_what_must_fail(connection, record, current, chance)
        body = None if current.body and chance.random() < 0.2 else self._make_body(record.key, chance)
        etag = current.etag if chance.random() < 0.5 else None
        version = record.begin(body)
        if body is None:
            answer, expected = connection.delete(record.key, etag), {204}
        elif current.body is None:
            answer, expected = connection.create(record.key, body, upsert=chance.random() < 0.5), {201}
        elif chance.random() < 0.5:
            answer, expected = connection.create(record.key, body, upsert=True), {200}
        else:
            answer, expected = connection.replace(record.key, body, etag), {200}
        if answer.status in expected:
            record.acknowledge(version, None if body is None else self._confirmed(record, version, answer))
            return self._note_acknowledged()
        if answer.status in REFUSALS:
            return self._note_refused(answer, f"a write of {record.key}")
        self.workload.findings.add(f"{record.key}: {version} on {current} answered {answer}")
        self._resolve(connection, record)

    def _increment(self, connection, shared):
        """Several writers add one to the same document, each on condition that it is as they have read it."""
        floor = shared.acknowledged
        read = connection.read(shared.key)
        if read.status in REFUSALS:
            return self._note_refused(read, f"a read of {shared.key}")
        if read.status != 200:
            return self.workload.findings.add(f"{shared.key}: a read answered {read}")
        count = read.json()["count"]
        self._report(shared.tell(count, floor))
        shared.attempt(count + 1)
        answer = connection.replace(shared.key, shared.body(count + 1), read.etag)
        if answer.status == 200:
            self._report(shared.acknowledge(count + 1))
            self._note_acknowledged()
        elif answer.status in REFUSALS:
            self._note_refused(answer, f"a write of {shared.key}")
        elif answer.status != 412:
            self.workload.findings.add(f"{shared.key}: an increment answered {answer}")

    def _confirmed(self, record, version, answer):
        document = answer.json()
        if answer.etag != document.get("_etag"):
            self.workload.findings.add(f"{record.key}: the answer's etag header {answer.etag} is not the document's {document.get('_etag')}")
        if not version.is_shown_by(document):
            self.workload.findings.add(f"{record.key}: {version} was acknowledged with another body")
        return document

    def _write_what_must_fail(self, connection, record, current, chance):
        """Conflicts and failed preconditions tell the client something, too: that the other state is there."""
        body = self._make_body(record.key, chance)
        version = record.begin(body)
        if current.body is None:
            answer, expected = connection.replace(record.key, body), 404
        elif chance.random() < 0.5:
            answer, expected = connection.create(record.key, body), 409
        else:
            answer, expected = connection.replace(record.key, body, '"00000000-0000-0000-0000-000000000000"'), 412
        if answer.status in REFUSALS:
            return self._note_refused(answer, f"a write of {record.key}")
        if answer.status != expected:
            self.workload.findings.add(f"{record.key}: a write on {current} that must fail with {expected} answered {answer}")
            return self._resolve(connection, record)
        record.refuse(version)

    def _resolve(self, connection, record):
        answer = connection.read(record.key)
        if answer.status in REFUSALS:
            return self._note_refused(answer, f"a read of {record.key}")
        self._report(settle_with(record, answer))

    def _read(self, connection, _, chance):
        if chance.random() < 0.05:
            return self._read_feed(connection, chance.choice(list(CONTAINERS)))
        record = chance.choice(self.workload.records)
        before = record.before_reading()
        answer = connection.read(record.key)
        if answer.status in REFUSALS:
            return self._note_refused(answer, f"a read of {record.key}")
        if answer.status not in (200, 404):
            return self.workload.findings.add(f"{record.key}: a read answered {answer}")
        self._report(record.tell(answer.json() if answer.status == 200 else None, before))

    def _read_feed(self, connection, container):
        """The first page; in a container with one partition, whoever is missing before its last document is absent."""
        befores = {record.key.id: (record, record.before_reading()) for record in self.workload.records if record.key.container == container}
        answer = connection.page(DATABASE, container)
        if answer.status in REFUSALS:
            return self._note_refused(answer, f"a page of {container}")
        if answer.status != 200:
            return self.workload.findings.add(f"{container}: a page answered {answer}")
        documents = {document["id"]: document for document in answer.json()["Documents"]}
        is_whole = "x-ms-continuation" not in answer.headers
        for identifier, (record, before) in befores.items():
            if identifier in documents or is_whole:
                self._report(record.tell(documents.get(identifier), before))

    def _change_catalog(self, connection, _, chance):
        with self._progress:
            self._catalog_changes += 1
            self._progress.notify_all()
        if chance.random() < 0.4:
            self._replace_policy(connection, chance)
        else:
            self._change_scratch(connection, chance)
        self._stopping.wait(chance.random() * 0.1)

    def _replace_policy(self, connection, chance):
        policy = self.workload.policy
        wanted = chance.randrange(len(INDEXING_POLICIES))
        definition, _, _ = CONTAINERS["wide"]
        policy.possible.add(wanted)
        answer = connection.container("PUT", DATABASE, "wide", {**definition, "indexingPolicy": INDEXING_POLICIES[wanted]})
        if answer.status == 200:
            policy.possible = {wanted}
        elif answer.status in REFUSALS:
            self._note_refused(answer, "a new indexing policy")
        else:
            self.workload.findings.add(f"a new indexing policy was answered {answer}")

    def _change_scratch(self, connection, chance):
        """Makes a database with a container and a document, or deletes one; at most a few exist."""
        scratch = self.workload.scratch
        existing = [name for name, states in scratch.possible.items() if states == {"document"}]
        if len(existing) > 3 or (existing and chance.random() < 0.4):
            return self._delete_scratch(connection, chance.choice(existing), chance)
        scratch.number += 1
        name = f"scratch-{scratch.number}"
        scratch.possible[name] = {"absent"}
        steps = [
            ("database", lambda: connection.create_database(name)),
            ("container", lambda: connection.create_container(name, scratch_container(), 20000)),
            ("document", lambda: connection.create(scratch_key(name), {"id": "only", "pk": name, "text": "x" * 100})),
        ]
        for state, step in steps:
            self._step(scratch.possible[name], state, step)
            if scratch.possible[name] != {state}:
                return

    def _delete_scratch(self, connection, name, chance):
        states = self.workload.scratch.possible[name]
        if chance.random() < 0.5:
            self._step(states, "database", lambda: connection.container("DELETE", name, "box"), 204)
            if states != {"database"}:
                return
        self._step(states, "absent", lambda: connection.delete_database(name), 204)

    def _step(self, states, wanted, send, expected=201):
        states.add(wanted)
        answer = send()
        if answer.status == expected:
            states.clear()
            states.add(wanted)
        elif answer.status in REFUSALS:
            self._note_refused(answer, f"a change towards '{wanted}'")
        else:
            self.workload.findings.add(f"a change towards '{wanted}' was answered {answer}")

    def _report(self, problem):
        if problem:
            self.workload.findings.add(problem)
