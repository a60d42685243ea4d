"""What is known about every document: what the server promised, what it may have done, what readers were told.

A document's operations are numbered 1, 2, 3, ... by the one writer that owns it; its body carries the number. What is possible is a
list of versions: one when the last operation was acknowledged or read back, more while operations have an unknown outcome.
"""

import json
import threading


class Findings:
    """Broken promises. Thread-safe."""

    def __init__(self):
        self._lock = threading.Lock()
        self._all = []

    def add(self, text):
        with self._lock:
            self._all.append(text)

    def take(self):
        with self._lock:
            taken, self._all = self._all, []
            return taken


class Key:
    """Where a document is: container, id and partition key values (None in a container without partition key)."""

    def __init__(self, database, container, identifier, properties):
        self.database = database
        self.container = container
        self.id = identifier
        self.properties = properties  # the partition key properties and their values, in the key's order

    def headers(self):
        if not self.properties:
            return {}
        return {"x-ms-documentdb-partitionkey": json.dumps(list(self.properties.values()))}

    def __str__(self):
        return f"{self.container}/{self.id}"


class Version:
    """One possible state: after operation `number`, with this body (None: no such document). When the server has
    confirmed it, `confirmed` is the whole document as it answered, system properties included."""

    def __init__(self, number, body, confirmed=None):
        self.number = number
        self.body = body
        self.confirmed = confirmed

    @property
    def etag(self):
        return self.confirmed["_etag"] if self.confirmed else None

    def is_shown_by(self, document):
        if self.body is None or document is None:
            return self.body is None and document is None
        if self.confirmed:
            return document == self.confirmed
        return _without_system_properties(document) == self.body

    def __str__(self):
        if self.body is None:
            return f"#{self.number} absent"
        return f"#{self.number} {'etag ' + self.etag if self.etag else 'never confirmed'}"


def _without_system_properties(document):
    return {name: value for name, value in document.items() if not name.startswith("_")}


class Record:
    """Everything known about one document. Thread-safe; only the owning writer changes what is possible."""

    def __init__(self, key):
        self.key = key
        self._lock = threading.Lock()
        self._possible = [Version(0, None)]
        self._deletions = []  # numbers of all deletions ever sent
        self._told_number = 0  # readers have seen the effect of this operation
        self.last_number = 0

    @property
    def current(self):
        """The one possible version, or None when the outcome of an operation is unknown."""
        with self._lock:
            return self._possible[0] if len(self._possible) == 1 else None

    def begin(self, body):
        """Notes an operation before it is sent; `body` gets its number. Returns the version it may lead to."""
        with self._lock:
            self.last_number += 1
            if body is None:
                self._deletions.append(self.last_number)
            else:
                body["n"] = self.last_number
            version = Version(self.last_number, body)
            self._possible.append(version)
            return version

    def acknowledge(self, version, confirmed):
        with self._lock:
            version.confirmed = confirmed
            self._possible = [version]

    def refuse(self, version):
        """The server said that it did nothing, for a reason that rules the operation out."""
        with self._lock:
            self._possible.remove(version)

    def settle(self, document):
        """Compares a stored document (None: absent) with what is possible. Returns what is wrong, or None after settling on it."""
        with self._lock:
            matches = [version for version in self._possible if version.is_shown_by(document)]
            if not matches:
                return f"{self.key}: found {_describe(document)}, possible: {', '.join(map(str, self._possible))}"
            version = matches[-1]
            if version.number < self._told_number:
                return f"{self.key}: a reader was told the effect of operation #{self._told_number}, now it is {version}"
            if version.body is not None:
                version.confirmed = document
            self._possible = [version]
            return None

    # Readers other than the owner.

    def before_reading(self):
        """What a reader needs to know of the moment before its request."""
        with self._lock:
            oldest = self._possible[0]
            return oldest.number, oldest.body is not None

    def tell(self, document, before):
        """A reader got this document (None: absent). What it implies must never be undone. Returns what is wrong, or None."""
        number_before, was_present = before
        with self._lock:
            if document is not None:
                number = document.get("n", 0)
                if number > self.last_number:
                    return f"{self.key}: a reader got operation #{number}, which was never sent"
            elif was_present:
                deletions = [deletion for deletion in self._deletions if deletion > number_before]
                if not deletions:
                    return f"{self.key}: a reader got nothing, but #{number_before} was present and nobody has deleted it"
                number = deletions[0]
            else:
                number = number_before
            if number < number_before:
                return f"{self.key}: a reader got operation #{number} after #{number_before} was acknowledged"
            self._told_number = max(self._told_number, number)
            return None


class SharedRecord:
    """A count that several writers raise by one, each conditionally: every value is acknowledged to at most one. Thread-safe."""

    def __init__(self, key):
        self.key = key
        self._lock = threading.Lock()
        self._attempted = 0
        self._granted = set()
        self.acknowledged = 0  # the greatest count anybody was told

    def body(self, count):
        return {"id": self.key.id, **self.key.properties, "serial": self.key.id, "count": count}

    def attempt(self, count):
        with self._lock:
            self._attempted = max(self._attempted, count)

    def acknowledge(self, count):
        with self._lock:
            is_second = count in self._granted
            self._granted.add(count)
            self.acknowledged = max(self.acknowledged, count)
        return f"{self.key}: two writers were told that they made it {count}" if is_second else None

    def tell(self, count, floor):
        """Somebody has read this count, when it was known to be at least `floor`. Returns what is wrong, or None."""
        with self._lock:
            if not floor <= count <= self._attempted:
                return f"{self.key}: the count is {count}, but {floor} was told and {self._attempted} attempted"
            self.acknowledged = max(self.acknowledged, count)
            return None


def _describe(document):
    if document is None:
        return "nothing"
    text = json.dumps(document)
    return text if len(text) < 300 else f"{text[:300]}... ({len(text)} characters)"
