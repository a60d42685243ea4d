"""The server is killed while clients attach media to documents and delete both: what was acknowledged is there, and nothing without its document."""

import json
import random
import threading

from cases import Place
from testbed.account import Broken, Connection

DATABASE, CONTAINER = "shop", "orders"
DEFINITION = {"id": CONTAINER, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}
LINK = f"dbs/{DATABASE}/colls/{CONTAINER}"
CLIENTS = 4
STEPS_MAX = 400


def run_attachment_kills(tally, binary, seed, kills):
    choose = random.Random(seed)
    with Place(binary) as place:
        connection = Connection(place.start().port)
        assert connection.create_database(DATABASE).status == 201
        assert connection.create_container(DATABASE, DEFINITION, throughput=10_000).status == 201
        connection.close()
        clients = [AttachmentClient(number, choose.randrange(1 << 32)) for number in range(CLIENTS)]
        for i in range(1, kills + 1):
            acknowledged = work_until_killed(place.server, clients, choose)
            problems = place.check()
            place.start()
            for client in clients:
                problems += client.verify(place.server.port)
            tally.add(f"kill among attachments {i}", problems, f"{acknowledged} changes acknowledged")


def work_until_killed(server, clients, choose):
    stop_at = choose.randrange(1, STEPS_MAX)
    enough = threading.Semaphore(0)
    threads = [threading.Thread(target=client.work, args=(server.port, enough)) for client in clients]
    for thread in threads:
        thread.start()
    for _ in range(stop_at):
        enough.acquire(timeout=30)
    server.kill()
    for thread in threads:
        thread.join()
    return stop_at


class AttachmentClient:
    """Owns one document. Knows its attachments (id to media), or which two states are possible after an answer that never came."""

    def __init__(self, number, seed):
        self.pk = f"p{number}"
        self.random = random.Random(seed)
        self.possible = [None]  # None: the document is not there

    def work(self, port, done):
        connection = Connection(port)
        try:
            while True:
                self.step(connection)
                done.release()
        except Broken:
            connection.close()

    def step(self, connection):
        before = self.possible[0]
        if before is None:
            return self.change({}, lambda: self.send(connection, "POST", "docs", "docs", LINK, {"id": "d", "pk": self.pk}))
        choice = self.random.random()
        if choice < 0.1:
            return self.change(None, lambda: self.send(connection, "DELETE", "docs/d", "docs", f"{LINK}/docs/d"))
        if choice < 0.4 and before:
            name = self.random.choice(sorted(before))
            after = {key: value for key, value in before.items() if key != name}
            path = f"docs/d/attachments/{name}"
            return self.change(after, lambda: self.send(connection, "DELETE", path, "attachments", f"{LINK}/{path}"))
        name, media = f"a{self.random.randrange(20)}", "m" * self.random.randrange(1, 3_000)
        headers = {"slug": name, "content-type": "text/plain", "x-ms-documentdb-is-upsert": "true"}
        return self.change({**before, name: media}, lambda: self.send(connection, "POST", "docs/d/attachments", "attachments", f"{LINK}/docs/d", media.encode(), headers))

    def change(self, after, request):
        self.possible.append(after)
        answer = request()
        assert answer.status in (200, 201, 204), answer
        self.possible = [after]

    def send(self, connection, method, path, kind, link, body=None, headers=None):
        return connection.request(method, f"/{LINK}/{path}", kind, link, body, {"x-ms-documentdb-partitionkey": json.dumps([self.pk]), **(headers or {})})

    def verify(self, port):
        connection = Connection(port)
        found = self.read(connection)
        connection.close()
        if found not in self.possible:
            return [f"{self.pk} has {describe(found)}, which is none of {[describe(state) for state in self.possible]}"]
        self.possible = [found]
        return []

    def read(self, connection):
        answer = self.send(connection, "GET", "docs/d/attachments", "attachments", f"{LINK}/docs/d")
        if answer.status == 404:
            return None
        media = {}
        for attachment in answer.json()["Attachments"]:
            rid = attachment["_rid"].lower()
            media[attachment["id"]] = connection.request("GET", attachment["media"], "media", rid).body.decode()
        return media


def describe(state):
    return "no document" if state is None else {name: len(media) for name, media in sorted(state.items())}
