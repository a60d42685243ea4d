"""Clients that make a server hold as much memory as they can: each kind a program of its own, bounded in time.

    memory_attacks.py --port N --kind unsigned-bodies --seconds 10

Prints "ready" when it is at work, and what answers it got as one line of JSON. Beside those of attackers.py, whose database it uses.
"""

import json
import resource
import selectors
import socket
import sys
import time

sys.dont_write_bytecode = True

import attackers  # noqa: E402
from attackers import KEY, LINK, QUERY, Attack  # noqa: E402
from testbed.account import Connection, signed_headers  # noqa: E402

CONNECTIONS = 300
READING_CONNECTIONS = 2_000
READ_AT_ONCE_SECONDS = 1
UNSIGNED_BYTES = 16 << 20
SIGNED_BYTES = 2_000_000
PIECE = b"x" * 65_536
LARGE_DOCUMENT_BYTES = 1_900_000


def signed_head(port, body_bytes, more=None):
    headers = {**signed_headers("POST", "docs", LINK), **KEY, **(more or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST /{LINK}/docs HTTP/1.1\r\nHost: localhost:{port}\r\n{lines}Content-Length: {body_bytes}\r\n\r\n".encode()


class Sender:
    """One connection that sends a head and then a body in pieces, and looks for an answer meanwhile."""

    def __init__(self, port, head, body_bytes):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.socket.setblocking(False)
        self._unsent = memoryview(head)
        self._left = body_bytes
        self._begin = b'{"id":"b","pk":"a","text":"'

    def send_more(self):
        """False when there is nothing more to send."""
        if not self._unsent and self._left > 0:
            piece = (self._begin + PIECE)[: min(self._left, len(PIECE))]
            self._begin = b""
            self._left -= len(piece)
            self._unsent = memoryview(piece)
        if not self._unsent:
            return False
        self._unsent = self._unsent[self.socket.send(self._unsent):]
        return True

    def received(self):
        """The status of an answer, "closed", or None."""
        try:
            answer = self.socket.recv(65_536)
        except BlockingIOError:
            return None
        except OSError:
            return "closed"
        return int(answer[9:12]) if answer[:5] == b"HTTP/" else "closed" if not answer else None


def prepare(port):
    """What is read by these attacks, besides what others have; once, before any of them."""
    connection = Connection(port)
    document = {"id": "read", "pk": "a", "text": "x" * LARGE_DOCUMENT_BYTES}
    attackers.expect(connection.request("POST", f"/{LINK}/docs", "docs", LINK, document, KEY), 201)
    connection.close()


class MemoryAttack(Attack):
    def send_bodies(self, head, body_bytes, pause):
        """Many connections at once; each that is answered or closed is followed by a new one."""
        waiting = selectors.DefaultSelector()
        while not self.is_over():
            while len(waiting.get_map()) < CONNECTIONS:
                try:
                    sender = Sender(self.port, head(), body_bytes)
                except OSError:
                    self.statuses["not connected"] += 1
                    time.sleep(0.01)
                    break
                waiting.register(sender.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, sender)
            for key, events in waiting.select(0.1):
                self.serve(waiting, key, events)
            time.sleep(pause)

    def serve(self, waiting, key, events):
        sender, is_over = key.data, False
        try:
            if events & selectors.EVENT_WRITE and not sender.send_more():
                waiting.modify(sender.socket, selectors.EVENT_READ, sender)
            if events & selectors.EVENT_READ:
                status = sender.received()
                is_over = status is not None
                if is_over:
                    self.statuses[status] += 1
        except OSError:
            self.statuses["broken"] += 1
            is_over = True
        if is_over:
            waiting.unregister(sender.socket)
            sender.socket.close()

    def unsigned_bodies(self, _):
        head = f"POST /{LINK}/docs HTTP/1.1\r\nHost: localhost\r\nauthorization: nobody\r\nContent-Length: {UNSIGNED_BYTES}\r\n\r\n".encode()
        self.send_bodies(lambda: head, UNSIGNED_BYTES, 0)

    def signed_bodies(self, _):
        self.send_bodies(lambda: signed_head(self.port, SIGNED_BYTES), SIGNED_BYTES, 0)

    def slow_bodies(self, _):
        self.send_bodies(lambda: signed_head(self.port, SIGNED_BYTES), SIGNED_BYTES, 0.2)

    def large_heads(self, _):
        head = f"GET /{LINK} HTTP/1.1\r\nHost: localhost\r\n".encode() + b"".join(b"a%d: %s\r\n" % (i, b"x" * 1000) for i in range(58))
        self.send_bodies(lambda: head, 0, 0.05)

    def large_documents(self, thread):
        """Of few large values, and of very many small ones, each of which is indexed."""
        text = {"id": f"large{thread}", "pk": f"l{thread}", "text": "x" * LARGE_DOCUMENT_BYTES}
        terms = {"id": f"large{thread}", "pk": f"l{thread}", "numbers": [number % 10 for number in range(LARGE_DOCUMENT_BYTES // 3)]}
        names = {"id": f"large{thread}", "pk": f"l{thread}", "names": {f"p{number}": number for number in range(LARGE_DOCUMENT_BYTES // 17)}}
        bodies = [json.dumps(body).encode() for body in (text, terms, names)]
        headers = {"x-ms-documentdb-partitionkey": f'["l{thread}"]', "x-ms-documentdb-is-upsert": "True"}
        self.repeat(lambda connection, number: connection.request("POST", f"/{LINK}/docs", "docs", LINK, bodies[number % 3], headers))

    def large_reads(self, _):
        """One large document, asked for on very many connections at once, by clients that do not read the answers."""
        link = f"{LINK}/docs/read"
        lines = "".join(f"{name}: {value}\r\n" for name, value in {**signed_headers("GET", "docs", link), **KEY}.items())
        request = f"GET /{link} HTTP/1.1\r\nHost: localhost:{self.port}\r\n{lines}\r\n".encode()
        while not self.is_over():
            self.ask_at_once(request)

    def ask_at_once(self, request):
        clients = []
        while len(clients) < READING_CONNECTIONS and not self.is_over():
            try:
                client = socket.create_connection(("127.0.0.1", self.port), timeout=10)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                clients.append(client)
            except OSError:
                self.statuses["not connected"] += 1
                break
        for client in clients:
            try:
                client.sendall(request)
            except OSError:
                self.statuses["broken"] += 1
        time.sleep(READ_AT_ONCE_SECONDS)
        for client in clients:
            client.setblocking(False)
            try:
                self.statuses[int(client.recv(64)[9:12])] += 1
            except BlockingIOError:
                self.statuses["unanswered"] += 1
            except (OSError, ValueError):
                self.statuses["broken"] += 1
            client.close()

    def batches(self, thread):
        steps = [{"operationType": "Upsert", "resourceBody": {"id": f"b{number}", "pk": f"b{thread}", "text": "x" * 18_000}} for number in range(100)]
        body = json.dumps(steps).encode()
        headers = {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True", "x-ms-documentdb-partitionkey": f'["b{thread}"]'}
        self.repeat(lambda connection, _: connection.request("POST", f"/{LINK}/docs", "docs", LINK, body, headers))

    def grouping_queries(self, thread):
        query = ["SELECT x, y, COUNT(1) AS n FROM c JOIN x IN c.numbers JOIN y IN c.numbers GROUP BY x, y",
                 "SELECT DISTINCT VALUE CONCAT(TOSTRING(x), TOSTRING(y)) FROM c JOIN x IN c.numbers JOIN y IN c.numbers",
                 "SELECT VALUE REPLICATE(c.text, 100) FROM c"][thread % 3]
        headers = {**QUERY, "x-ms-max-item-count": "1000"}
        self.repeat(lambda connection, _: connection.request("POST", f"/{LINK}/docs", "docs", LINK, {"query": query}, headers))


# How many threads each kind has.
KINDS = {
    "unsigned-bodies": (MemoryAttack.unsigned_bodies, 1),
    "signed-bodies": (MemoryAttack.signed_bodies, 1),
    "slow-bodies": (MemoryAttack.slow_bodies, 1),
    "large-heads": (MemoryAttack.large_heads, 1),
    "large-documents": (MemoryAttack.large_documents, 8),
    "large-reads": (MemoryAttack.large_reads, 1),
    "batches": (MemoryAttack.batches, 8),
    "grouping-queries": (MemoryAttack.grouping_queries, 9),
    **{kind: attackers.KINDS[kind] for kind in ("sorting-queries", "hoarding-scripts", "metadata-changes")},
    "slow-readers": (MemoryAttack.slow_readers, 200),
}


if __name__ == "__main__":
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    attackers.run_program(MemoryAttack, KINDS, __doc__)
