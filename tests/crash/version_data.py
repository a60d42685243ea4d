"""A small account with something of everything that is kept on disk: made once by each version's server, and compared by every later one."""

import json

from testbed.account import Connection
from testbed.server import Failed, run_command

DATABASE = "shop"
LINK = f"dbs/{DATABASE}"
ORDERS = f"{LINK}/colls/orders"
EVENTS = f"{LINK}/colls/events"
HIERARCHICAL_VERSION = "2020-07-15"

ORDERS_DEFINITION = {
    "id": "orders",
    "partitionKey": {"paths": ["/customer"], "kind": "Hash", "version": 2},
    "defaultTtl": -1,
    "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/number"]}]},
    "indexingPolicy": {
        "indexingMode": "consistent",
        "includedPaths": [{"path": "/*"}],
        "excludedPaths": [{"path": "/note/?"}],
        "compositeIndexes": [[{"path": "/city", "order": "ascending"}, {"path": "/total", "order": "descending"}]],
        "spatialIndexes": [{"path": "/place/?", "types": ["Point"]}],
    },
}
EVENTS_DEFINITION = {
    "id": "events",
    "partitionKey": {"paths": ["/tenant", "/user"], "kind": "MultiHash", "version": 2},
}
SCRIPTS = {
    "sprocs": {"id": "greet", "body": "function (name) { getContext().getResponse().setBody('Hello ' + name); }"},
    "triggers": {"id": "stamp", "body": "function () {}", "triggerType": "Pre", "triggerOperation": "Create"},
    "udfs": {"id": "double", "body": "function (x) { return 2 * x; }"},
}
VALUES = [None, True, False, 0, -1, 2 ** 53 - 1, 1.5e-300, -1.7976931348623157e308, "", "é\U0001f600\u0000x", [], {}, [1, [2, {"a": [None]}]]]
QUERIES = [
    (ORDERS, "SELECT VALUE c.id FROM c WHERE c.total >= 20 ORDER BY c.total DESC"),
    (ORDERS, "SELECT VALUE c.id FROM c ORDER BY c.city ASC, c.total DESC"),
    (ORDERS, "SELECT VALUE COUNT(1) FROM c WHERE ST_DISTANCE(c.place, {'type': 'Point', 'coordinates': [10, 50]}) < 400000"),
    (ORDERS, "SELECT c.id, udf.double(c.total) AS twice FROM c WHERE c.customer = 'c1' ORDER BY c.id"),
    (EVENTS, "SELECT VALUE c.id FROM c WHERE c.tenant = 't1' ORDER BY c.id"),
]


def _orders():
    for number, value in enumerate(VALUES):
        yield {"id": f"o{number}", "customer": f"c{number % 3}", "number": number, "city": ["Oslo", "Bonn"][number % 2], "total": number * 5,
               "value": value, "note": "n" * number, "place": {"type": "Point", "coordinates": [10 + number, 50]}}


def _events():
    for number in range(12):
        yield {"id": f"e{number}", "tenant": f"t{number % 2}", "user": number % 3, "text": "x" * 100}


def _expect(answer, *statuses):
    if answer.status not in statuses:
        raise Failed(f"the data could not be made: {answer}")
    return answer


class Maker:
    """Fills a server's empty account."""

    def __init__(self, port):
        self._wire = Connection(port)

    def begin(self):
        """What is split before the rest is made."""
        _expect(self._wire.create_database(DATABASE), 201)
        _expect(self._wire.create_container(DATABASE, EVENTS_DEFINITION, throughput=400, version=HIERARCHICAL_VERSION), 201)
        for event in _events():
            self._post(EVENTS, "docs", event, [event["tenant"], event["user"]])

    def complete(self):
        _expect(self._wire.create_container(DATABASE, ORDERS_DEFINITION, throughput=1200), 201)
        for kind, script in SCRIPTS.items():
            self._post(ORDERS, kind, script)
        for order in _orders():
            self._post(ORDERS, "docs", order, [order["customer"]])
        self._post(LINK, "users", {"id": "reader"})
        self._post(f"{LINK}/users/reader", "permissions", {"id": "read", "permissionMode": "Read", "resource": ORDERS})
        self._post(f"{ORDERS}/docs/o1", "attachments", {"id": "scan", "contentType": "image/png", "media": "https://example.org/scan.png"}, ["c1"])
        link = f"{ORDERS}/docs/o2"
        _expect(self._wire.request("DELETE", "/" + link, "docs", link, None, _key(["c2"])), 204)
        link = f"{ORDERS}/docs/o3"
        _expect(self._wire.request("PUT", "/" + link, "docs", link, {**list(_orders())[3], "total": 99}, _key(["c0"])), 200)

    def _post(self, link, kind, body, key=None):
        return _expect(self._wire.request("POST", f"/{link}/{kind}", kind, link, body, _key(key)), 201)


def _key(key):
    return {"x-ms-documentdb-partitionkey": json.dumps(key)} if key else {}


def observe(port):
    """What a client sees of the account: of every resource its own answer, and the answers to some queries."""
    wire = Connection(port)
    seen = {}

    def get(path, kind, link, key=None):
        seen[f"GET /{path}"] = _stripped(_expect(wire.request("GET", "/" + path, kind, link, None, _key(key)), 200).json())

    get(LINK, "dbs", LINK)
    for container in (ORDERS, EVENTS):
        get(container, "colls", container)
        get(f"{container}/pkranges", "pkranges", container)
    for kind in SCRIPTS:
        get(f"{ORDERS}/{kind}", kind, ORDERS)
    get(f"{LINK}/users/reader/permissions", "permissions", f"{LINK}/users/reader")
    get("offers", "offers", "")
    get(f"{ORDERS}/docs/o1/attachments", "attachments", f"{ORDERS}/docs/o1", ["c1"])
    for order in _orders():
        if order["id"] != "o2":
            get(f"{ORDERS}/docs/{order['id']}", "docs", f"{ORDERS}/docs/{order['id']}", [order["customer"]])
    for container in (ORDERS, EVENTS):
        documents = wire.documents(DATABASE, container.rsplit("/", 1)[1])
        seen[f"documents of {container}"] = sorted(documents, key=lambda document: document["id"])
    for container, text in QUERIES:
        seen[f"{container}: {text}"] = _stripped(_expect(wire.query(DATABASE, container.rsplit("/", 1)[1], text), 200).json())
    link = f"{ORDERS}/sprocs/greet"
    seen["greet"] = _expect(wire.request("POST", "/" + link, "sprocs", link, ["you"], _key(["c1"])), 200).json()
    return seen


def _stripped(body):
    """Without what changes from answer to answer: tokens, and figures of the moment."""
    if isinstance(body, dict):
        return {name: _stripped(value) for name, value in body.items() if name not in ("_token", "throughputFraction", "_count")}
    if isinstance(body, list):
        return [_stripped(value) for value in body]
    return body


def differences(expected, seen):
    for what, body in expected.items():
        if seen.get(what) != body:
            yield f"{what}: was {json.dumps(body)[:600]}, is {json.dumps(seen.get(what))[:600]}"


def split_events(binary, data):
    """With the server stopped: two ranges more to remember."""
    code, output = run_command(binary, "split", "--data", data, DATABASE, "events", "0", "--at", "10")
    if code != 0:
        raise Failed(f"`partita split` ended with {code}: {output}")
