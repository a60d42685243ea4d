"""How long the worst requests that are allowed keep a connection's thread busy, by its processor time."""

import re

from testbed.account import Broken, Connection
from testbed.cases import Place

BUSY_US_MAX = 20_000  # the rule is 150 us; this is what no machine is slow enough to exceed with it
DATABASE, CONTAINER = "loops", "c"
CONTAINERS_OF_MANY, PARTITIONS_OF_EACH = 8, 500
MEMORY_MB = "8192"  # for so many partitions; it is not used
LINK = f"dbs/{DATABASE}/colls/{CONTAINER}"
KEY = {"x-ms-documentdb-partitionkey": '["a"]'}
QUERY = {
    "content-type": "application/query+json",
    "x-ms-documentdb-isquery": "true",
    "x-ms-documentdb-query-enablecrosspartition": "true",
    "x-partita-fidelity": "extended",
}
PLAN = {**QUERY, "x-ms-cosmos-is-query-plan-request": "True", "x-ms-cosmos-supported-query-features": "OrderBy"}
ENDLESS = {
    "query": "SELECT VALUE COUNT(1) FROM c JOIN x IN @a JOIN y IN @a JOIN z IN @a WHERE x + y * z = 0.5",
    "parameters": [{"name": "@a", "value": list(range(300))}],
}
LONG_TEXTS = {
    "a conjunction": " AND ".join(f"c.p{i} = {i}" for i in range(20_000)),
    "a disjunction": " OR ".join(f"c.p{i} = {i}" for i in range(20_000)),
    "a list": "c.p IN (" + ",".join(map(str, range(60_000))) + ")",
    "parentheses": "(" * 40_000 + "c.p = 1" + " OR c.p = 2)" * 40_000,
    "excluded values": " AND ".join(f"c.p != {i}" for i in range(20_000)),
}
# In a container with a hierarchical key: which of its keys are meant?
LISTS = "SELECT VALUE 1 FROM c WHERE c.a IN ({0}) AND c.b IN ({0})".format(",".join(map(str, range(260))))
SHORT_TEXTS = {
    "large values": "SELECT VALUE REPLACE(REPLICATE('a', 9999), 'a', REPLICATE('b', 9999)) FROM c",
    "many rows": "SELECT VALUE 1 FROM c JOIN x IN c.numbers JOIN y IN c.numbers JOIN z IN c.numbers WHERE x + y * z = 0.5",
}


def feeds():
    """Every feed of resources that can be queried: path, type, link."""
    yield "/dbs", "dbs", ""
    yield "/offers", "offers", ""
    yield f"/dbs/{DATABASE}/colls", "colls", f"dbs/{DATABASE}"
    yield f"/dbs/{DATABASE}/users", "users", f"dbs/{DATABASE}"
    yield f"/dbs/{DATABASE}/users/u/permissions", "permissions", f"dbs/{DATABASE}/users/u"
    yield f"/dbs/{DATABASE}/clientencryptionkeys", "clientencryptionkeys", f"dbs/{DATABASE}"
    for kind in ("sprocs", "triggers", "udfs", "conflicts"):
        yield f"/{LINK}/{kind}", kind, LINK
    yield f"/{LINK}/docs/small/attachments", "attachments", f"{LINK}/docs/small"


class Account:
    def __init__(self, port):
        self._connection = Connection(port)

    def send(self, method, path, kind, link, body=None, headers=None):
        try:
            return self._connection.request(method, path, kind, link, body, headers)
        except Broken as reason:
            raise RuntimeError(f"{method} {path}: {reason}") from reason

    def document(self, body):
        return self.send("POST", f"/{LINK}/docs", "docs", LINK, body, {**KEY, "x-ms-documentdb-is-upsert": "true"})

    def one(self, method, name, body=None):
        return self.send(method, f"/{LINK}/docs/{name}", "docs", f"{LINK}/docs/{name}", body, KEY)

    def query(self, body, headers=QUERY):
        return self.send("POST", f"/{LINK}/docs", "docs", LINK, body, headers)

    def metric(self, name):
        text = self._connection.request("GET", "/_metrics").body.decode()
        return float(re.search(re.escape(name) + r" ([0-9.e+]+)", text).group(1))


def prepare(account):
    account.send("POST", "/dbs", "dbs", "", {"id": DATABASE})
    definition = {"id": CONTAINER, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}
    account.send("POST", f"/dbs/{DATABASE}/colls", "colls", f"dbs/{DATABASE}", definition)
    account.send("POST", f"/dbs/{DATABASE}/users", "users", f"dbs/{DATABASE}", {"id": "u"})
    hierarchical = {"id": "h", "partitionKey": {"paths": ["/a", "/b"], "kind": "MultiHash", "version": 2}}
    account.send("POST", f"/dbs/{DATABASE}/colls", "colls", f"dbs/{DATABASE}", hierarchical)
    account.document({"id": "small", "pk": "a"})


def metadata(account):
    for path, kind, link in feeds():
        account.send("GET", path, kind, link, None, KEY)
        account.send("POST", path, kind, link, ENDLESS, {**QUERY, **KEY})


def texts(account):
    for text in LONG_TEXTS.values():
        for headers in (QUERY, PLAN, {**QUERY, "x-ms-documentdb-populateindexmetrics": "true", "x-ms-max-item-count": "1"}):
            account.query({"query": "SELECT * FROM c WHERE " + text}, headers)
    for text in SHORT_TEXTS.values():
        account.query({"query": text})
    link = f"dbs/{DATABASE}/colls/h"
    for headers in (QUERY, PLAN):
        account.send("POST", f"/{link}/docs", "docs", link, {"query": LISTS}, headers)


def documents(account):
    """Large ones, and many."""
    account.document({"id": "numbers", "pk": "a", "numbers": list(range(500))})
    account.document({"id": "fields", "pk": "a", **{f"field{i}": i for i in range(60_000)}})
    account.document({"id": "text", "pk": "a", "text": "x" * 2_000_000})
    for name in ("fields", "text"):
        account.one("GET", name)
    account.one("PATCH", "fields", {"operations": [{"op": "set", "path": "/x", "value": 1}]})
    account.one("PATCH", "fields", {"operations": [{"op": "set", "path": "/x", "value": 2}], "condition": "FROM c WHERE c.field1 = 1"})
    account.one("PUT", "fields", {"id": "fields", "pk": "a"})
    account.document({"id": "fields", "pk": "a", **{f"field{i}": i for i in range(60_000)}})
    account.document({"id": "fields", "pk": "a"})
    account.document({"id": "fields", "pk": "a", **{f"field{i}": i for i in range(60_000)}})
    account.one("DELETE", "fields")
    steps = [{"operationType": "Upsert", "resourceBody": {"id": f"b{i}", "pk": "a", "text": "x" * 15_000}} for i in range(100)]
    for headers in ({"x-ms-cosmos-batch-atomic": "True"}, {"x-ms-cosmos-batch-continue-on-error": "True"}):
        account.send("POST", f"/{LINK}/docs", "docs", LINK, steps, {**KEY, **headers, "x-ms-cosmos-is-batch-request": "True"})
    in_order = [{**step, "partitionKey": '["a"]'} for step in steps]
    account.send("POST", f"/{LINK}/docs", "docs", LINK, in_order, {"x-ms-cosmos-is-batch-request": "True"})


def many_pages(account):
    for headers in ({}, {"A-IM": "Incremental feed"}, {**KEY}):
        account.send("GET", f"/{LINK}/docs", "docs", LINK, None, {**headers, "x-ms-max-item-count": "10000"})
    account.query({"query": "SELECT * FROM c"})


def catalogue(account):
    body = "function f() { return 1; } // " + "x" * 200_000
    for kind, extra in {"sprocs": {}, "triggers": {"triggerType": "Pre", "triggerOperation": "All"}, "udfs": {}}.items():
        account.send("POST", f"/{LINK}/{kind}", kind, LINK, {"id": "s", "body": body, **extra})
        account.send("DELETE", f"/{LINK}/{kind}/s", kind, f"{LINK}/{kind}/s")
    paths = {"includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": f"/p{i}/*"} for i in range(500)]}
    definition = {"id": "policy", "partitionKey": {"paths": ["/pk"], "kind": "Hash"}, "indexingPolicy": paths}
    account.send("POST", f"/dbs/{DATABASE}/colls", "colls", f"dbs/{DATABASE}", definition)
    account.send("DELETE", f"/dbs/{DATABASE}/colls/policy", "colls", f"dbs/{DATABASE}/colls/policy")
    account.send("GET", "/_partita/statistics?sizes=true&history=true", "partita", "statistics")
    account.send("GET", "/_explorer/", "", "")
    account.send("POST", f"/{LINK}/operations/partitionkeydelete", "partitionkey", LINK, b"", KEY)


def large_definitions(account):
    """What describes a resource may have two megabytes, and every query on a container is compiled with its computed properties."""
    text, database = "x" * 1_900_000, f"dbs/{DATABASE}"
    numbers = {f"p{i}": i for i in range(100_000)}
    key = {"paths": ["/pk"], "kind": "Hash", "version": 2}
    known = ",".join(map(str, range(5_000)))
    computed = [{"name": f"known{i}", "query": f"SELECT VALUE c.n IN ({known}) FROM c"} for i in range(2)]
    made = [
        account.send("POST", f"/{LINK}/sprocs", "sprocs", LINK, {"id": "large", "body": "// " + text}),
        account.send("POST", f"/{database}/users", "users", database, {"id": "large", "numbers": numbers}),
        account.send("POST", f"/{database}/colls", "colls", database, {"id": "large", "partitionKey": key, "numbers": numbers}),
        account.send("POST", f"/{database}/colls", "colls", database, {"id": "computed", "partitionKey": key, "computedProperties": computed}),
    ]
    refused = [answer for answer in made if answer.status != 201]
    if refused:
        raise RuntimeError(f"not created: {refused[0]}")
    for _ in range(3):
        account.send("GET", f"/{LINK}/sprocs/large", "sprocs", f"{LINK}/sprocs/large")
        account.send("GET", f"/{database}/users/large", "users", f"{database}/users/large")
        account.send("GET", f"/{database}/colls/large", "colls", f"{database}/colls/large")
        for headers in (QUERY, PLAN, KEY | QUERY):
            link = f"{database}/colls/computed"
            account.send("POST", f"/{link}/docs", "docs", link, {"query": "SELECT * FROM c WHERE c.known0 AND c.known1"}, headers)


def many_offers(account):
    """Each of its own database, and a database whose throughput is shared."""
    account.send("POST", "/dbs", "dbs", "", {"id": "shared"}, {"x-ms-offer-throughput": "400"})
    definition = {"partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}
    for number in range(300):
        account.send("POST", "/dbs/shared/colls", "colls", "dbs/shared", {"id": f"c{number}", **definition})
        account.send("POST", "/dbs", "dbs", "", {"id": f"o{number}"}, {"x-ms-offer-throughput": "400"})
    offers = account.send("GET", "/offers", "offers", "").json()["Offers"]
    for offer in offers[:20]:
        rid = offer["_rid"]
        answer = account.send("GET", f"/offers/{rid}", "offers", rid.lower())
        if answer.status != 200:
            raise RuntimeError(f"the offer {rid} cannot be read: {answer}")


def many_partitions(account):
    """What tells about partitions, where there are very many of them."""
    for number in range(CONTAINERS_OF_MANY):
        definition = {"id": f"many{number}", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}
        throughput = {"x-ms-offer-throughput": str(PARTITIONS_OF_EACH * 1_000)}
        account.send("POST", f"/dbs/{DATABASE}/colls", "colls", f"dbs/{DATABASE}", definition, throughput)
    link = f"dbs/{DATABASE}/colls/many0"
    ranges = account.send("GET", f"/{link}/pkranges", "pkranges", link)
    found = len(ranges.json()["PartitionKeyRanges"])
    if found != PARTITIONS_OF_EACH:
        raise RuntimeError(f"the container has {found} partitions: {ranges}")
    account.send("GET", f"/{link}/pkranges/0", "pkranges", f"{link}/pkranges/0")
    account.send("GET", f"/{link}", "colls", link, None, {"x-ms-documentdb-populatequotainfo": "true"})
    account.send("GET", f"/{link}/docs", "docs", link)
    account.send("GET", f"/{link}/docs", "docs", link, None, {"A-IM": "Incremental feed"})
    for text in ("SELECT * FROM c", "SELECT VALUE COUNT(1) FROM c", "SELECT * FROM c ORDER BY c._ts"):
        account.send("POST", f"/{link}/docs", "docs", link, {"query": text}, QUERY)
        account.send("POST", f"/{link}/docs", "docs", link, {"query": text}, PLAN)
    account.send("GET", "/_metrics", "", "")
    account.send("GET", "/_explorer/", "", "")
    for what in ("statistics", "reshapes"):
        account.send("GET", f"/_partita/{what}", "partita", what)
    account.send("POST", "/_partita/reset-budgets", "partita", "reset-budgets", b"")
    account.send("GET", "/", "", "")


def offenders(log):
    """The requests that the server complains about, with the longest time of each."""
    longest = {}
    for what, us in re.findall(r"(\w+ \S+) kept a connection's thread busy for (\d+) us", log.read_text(errors="replace")):
        longest[what] = max(longest.get(what, 0), int(us))
    return sorted(longest.items(), key=lambda entry: -entry[1])


def run_loops(tally, binary):
    with Place(binary) as place:
        place.start({"PARTITA_WATCH_EVENT_LOOPS": "1", "PARTITA_NEW_PARTITION_THROUGHPUT": "1000", "PARTITA_MEMORY_MB": MEMORY_MB})
        account = Account(place.server.port)
        prepare(account)
        for case in (metadata, texts, documents, many_pages, catalogue, large_definitions, many_offers, many_partitions):
            case(account)
            busy_us = account.metric('partita_event_loop_longest_microseconds{time="processor"}')
            problems = [] if busy_us <= BUSY_US_MAX else [f"something kept a thread busy for {busy_us:.0f} us: {offenders(place.log)[:5]}"]
            telling_us = account.metric('partita_committer_longest_microseconds{time="processor"}')
            if telling_us > BUSY_US_MAX:
                problems.append(f"to tell writers that they are durable took {telling_us:.0f} us")
            detail = f"longest so far {busy_us:.0f} us of processor time, to tell writers {telling_us:.0f} us"
            tally.add(f"threads of connections and of the committer are free: {case.__name__}", problems, detail)
        tally.add("the server ends in order", [] if place.server.stop() == 0 else ["it did not"], str(offenders(place.log)[:8]))
