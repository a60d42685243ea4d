"""As much of the Cosmos DB REST protocol as it takes to create a database and containers."""

import base64
import hashlib
import hmac
import http.client
import json
import urllib.parse
from email.utils import formatdate

# Published by the vendor for its emulator, and Partita's default on loopback.
WELL_KNOWN_KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="


def _authorization(verb, resource_type, link, date):
    payload = f"{verb.lower()}\n{resource_type}\n{link}\n{date.lower()}\n\n"
    digest = hmac.new(base64.b64decode(WELL_KNOWN_KEY), payload.encode(), hashlib.sha256).digest()
    return urllib.parse.quote(f"type=master&ver=1.0&sig={base64.b64encode(digest).decode()}", safe="")


class Connection:
    """A connection that is kept; every request on it is signed."""

    def __init__(self, port, timeout_s=20):
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)

    def close(self):
        self._http.close()

    def request(self, verb, parent, resource_type, body=None, headers=None):
        """(status, body). A parent that ends in a resource of its own type, such as dbs/d/colls/c/sprocs/p, is what is addressed."""
        date = formatdate(usegmt=True)
        all_headers = {
            "authorization": _authorization(verb, resource_type, parent, date),
            "x-ms-date": date,
            "x-ms-version": "2020-07-15",
            "content-type": "application/json",
            **(headers or {}),
        }
        is_resource = f"/{resource_type}/" in f"/{parent}"
        path = "/" + "/".join(part for part in (parent, "" if is_resource else resource_type) if part)
        self._http.request(verb, path, json.dumps(body) if body is not None else None, all_headers)
        answer = self._http.getresponse()
        return answer.status, answer.read().decode()

    def expect(self, expected, verb, parent, resource_type, body=None, headers=None):
        status, text = self.request(verb, parent, resource_type, body, headers)
        if status != expected:
            raise RuntimeError(f"{verb} {resource_type}: {status} {text}")


def request(port, verb, parent, resource_type, body=None, headers=None, timeout_s=20):
    """One signed request on a connection of its own: (status, body)."""
    connection = Connection(port, timeout_s)
    try:
        return connection.request(verb, parent, resource_type, body, headers)
    finally:
        connection.close()


def administer(port, what, body):
    """An operator's order to Partita: (status, body)."""
    date = formatdate(usegmt=True)
    headers = {"authorization": _authorization("POST", "partita", what, date), "x-ms-date": date}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        connection.request("POST", f"/_partita/{what}", json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def answers(port):
    """Whether an authenticated read of the account succeeds now."""
    try:
        return request(port, "GET", "", "")[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def create(port, parent, resource_type, body, headers=None):
    status, text = request(port, "POST", parent, resource_type, body, headers)
    if status != 201:
        raise RuntimeError(f"creating {resource_type} {body['id']}: {status} {text}")


def create_schema(port, containers, throughput, partition_key="/pk"):
    """Database "bench" with containers that have the default indexing policy: every path."""
    create(port, "", "dbs", {"id": "bench"})
    for container in containers:
        definition = {"id": container, "partitionKey": {"paths": [partition_key], "kind": "Hash", "version": 2}}
        create(port, "dbs/bench", "colls", definition, {"x-ms-offer-throughput": str(throughput)})
