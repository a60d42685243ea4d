"""The server is killed while many clients move amounts in transactional batches: each batch is there wholly or not at all."""

import itertools
import random
import threading
import time
from collections import namedtuple

from cases import Place
from testbed.account import Broken, Connection

DATABASE, CONTAINER = "bank", "accounts"
KEYS = 5
CLIENTS = 12
DEFINITION = {
    "id": CONTAINER,
    "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
    "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/number"]}]},
}

Transfer = namedtuple("Transfer", "pk number amount")


def run_batch_kills(tally, binary, seed, kills):
    with Place(binary) as place:
        bank = Bank(seed)
        bank.open(place.start().port)
        for i in range(1, kills + 1):
            bank.transfer_until_killed(place.server)
            problems = place.check()
            place.start()
            problems += bank.verify(place.server.port)
            tally.add(f"kill among batches {i}", problems, f"{len(bank.acknowledged)} batches acknowledged")


class Bank:
    """Two accounts per key, and a journal with an entry per transfer; entries have numbers that are unique in their key."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self._numbers = itertools.count(1)
        self.acknowledged = []

    def open(self, port):
        connection = Connection(port)
        assert connection.create_database(DATABASE).status == 201
        assert connection.create_container(DATABASE, DEFINITION, throughput=20_000).status == 201
        for k in range(KEYS):
            accounts = [create({"id": name, "pk": f"k{k}", "number": -n, "balance": 0}) for n, name in ((1, "a"), (2, "b"))]
            assert connection.batch(DATABASE, CONTAINER, f"k{k}", accounts).status == 200
        connection.close()

    def transfer_until_killed(self, server):
        clients = [threading.Thread(target=self._transfer, args=(server.port, self._random.random())) for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        wanted = len(self.acknowledged) + self._random.randrange(20, 400)
        while len(self.acknowledged) < wanted and any(client.is_alive() for client in clients):
            time.sleep(0.001)
        server.kill()
        for client in clients:
            client.join()

    def _transfer(self, port, seed):
        choose = random.Random(seed)
        connection = Connection(port)
        try:
            while True:
                transfer = Transfer(f"k{choose.randrange(KEYS)}", next(self._numbers), choose.randrange(1, 100))
                if self._run(connection, transfer, fails=choose.random() < 0.2):
                    self.acknowledged.append(transfer)
        except Broken:
            connection.close()

    @staticmethod
    def _run(connection, transfer, fails):
        """A batch that is meant to fail claims a number that is taken, as its last step."""
        entry = {"id": f"t{transfer.number}", "pk": transfer.pk, "number": transfer.number, "amount": transfer.amount}
        steps = [move("a", -transfer.amount), create(entry), move("b", transfer.amount)]
        if fails:
            steps.append(create({"id": f"f{transfer.number}", "pk": transfer.pk, "number": -1}))
        answer = connection.batch(DATABASE, CONTAINER, transfer.pk, steps)
        assert answer.status == (207 if fails else 200), answer
        return not fails

    def verify(self, port):
        connection = Connection(port)
        documents = connection.documents(DATABASE, CONTAINER)
        connection.close()
        return list(self._problems({(document["pk"], document["id"]): document for document in documents}))

    def _problems(self, documents):
        for transfer in self.acknowledged:
            if (transfer.pk, f"t{transfer.number}") not in documents:
                yield f"the acknowledged {transfer} is lost"
        for k in range(KEYS):
            moved = sum(document["amount"] for (pk, _), document in documents.items() if pk == f"k{k}" and "amount" in document)
            balances = [documents[f"k{k}", name]["balance"] for name in ("a", "b")]
            if balances != [-moved, moved]:
                yield f"key k{k}: the journal says {moved}, the accounts {balances}"
        for pk, name in documents:
            if name.startswith("f"):
                yield f"{name} of {pk} comes from a batch that failed"


def create(document):
    return {"operationType": "Create", "resourceBody": document}


def move(account, amount):
    return {"operationType": "Patch", "id": account, "resourceBody": {"operations": [{"op": "incr", "path": "/balance", "value": amount}]}}
