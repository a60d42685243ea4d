"""The wire: signed requests over kept-alive connections."""

import base64
import hashlib
import hmac
import http.client
import json
import urllib.parse
from email.utils import formatdate

WELL_KNOWN_KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="
API_VERSION = "2018-12-31"
ANSWER_SECONDS_MAX = 30  # a backstop for a server that hangs


class Broken(Exception):
    """The connection ended before the whole answer came: nobody knows what became of the request."""


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)

    @property
    def etag(self):
        return self.headers.get("etag")

    def __str__(self):
        return f"{self.status} {self.body[:300].decode('utf-8', 'replace')}"


def signed_headers(method, resource_type, link, key=WELL_KNOWN_KEY):
    """What somebody who has the key sends with a request."""
    date = formatdate(usegmt=True)
    payload = f"{method.lower()}\n{resource_type}\n{link}\n{date.lower()}\n\n"
    signature = base64.b64encode(hmac.new(base64.b64decode(key), payload.encode(), hashlib.sha256).digest()).decode()
    return {
        "authorization": urllib.parse.quote(f"type=master&ver=1.0&sig={signature}", safe=""),
        "x-ms-date": date,
        "x-ms-version": API_VERSION,
    }


class Connection:
    """One client's connection; used by one thread. `session_log`, if there is one, hears every answer."""

    def __init__(self, port, session_log=None, key=WELL_KNOWN_KEY):
        self._port = port
        self._session_log = session_log
        self._key = key
        self._http = None

    def close(self):
        if self._http:
            self._http.close()
            self._http = None

    def request(self, method, path, resource_type="", link="", body=None, headers=None):
        """Sends one request; `path` is not yet percent-encoded. Raises Broken."""
        floors = self._session_log.floors() if self._session_log else {}
        raw = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        all_headers = {**signed_headers(method, resource_type, link, self._key), **(headers or {})}
        try:
            if not self._http:
                self._http = http.client.HTTPConnection("127.0.0.1", self._port, timeout=ANSWER_SECONDS_MAX)
            self._http.request(method, urllib.parse.quote(path), raw, all_headers)
            response = self._http.getresponse()
            answer = Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        except (OSError, http.client.HTTPException) as reason:
            self.close()
            raise Broken(f"{type(reason).__name__}: {reason}") from reason
        if self._session_log:
            self._session_log.hear(answer, floors, f"{method} {path}")
        return answer

    # Databases and containers.

    def create_database(self, database):
        return self.request("POST", "/dbs", "dbs", "", {"id": database})

    def read_database(self, database):
        return self.request("GET", f"/dbs/{database}", "dbs", f"dbs/{database}")

    def delete_database(self, database):
        return self.request("DELETE", f"/dbs/{database}", "dbs", f"dbs/{database}")

    def list_databases(self):
        return self.request("GET", "/dbs", "dbs", "")

    def create_container(self, database, definition, throughput=None, version=None):
        headers = {"x-ms-offer-throughput": str(throughput)} if throughput else {}
        if version:
            headers["x-ms-version"] = version
        return self.request("POST", f"/dbs/{database}/colls", "colls", f"dbs/{database}", definition, headers)

    def container(self, method, database, container, body=None):
        link = f"dbs/{database}/colls/{container}"
        return self.request(method, "/" + link, "colls", link, body)

    def list_containers(self, database):
        return self.request("GET", f"/dbs/{database}/colls", "colls", f"dbs/{database}")

    # Documents. `key` has database, container, id and header (the partition key as a header value, or None).

    def create(self, key, body, upsert=False):
        headers = {"x-ms-documentdb-is-upsert": "True"} if upsert else {}
        link = f"dbs/{key.database}/colls/{key.container}"
        return self.request("POST", f"/{link}/docs", "docs", link, body, {**headers, **key.headers()})

    def read(self, key):
        return self._item("GET", key)

    def replace(self, key, body, etag=None):
        return self._item("PUT", key, body, etag)

    def delete(self, key, etag=None):
        return self._item("DELETE", key, None, etag)

    def _item(self, method, key, body=None, etag=None):
        link = f"dbs/{key.database}/colls/{key.container}/docs/{key.id}"
        headers = {**key.headers(), **({"If-Match": etag} if etag else {})}
        return self.request(method, "/" + link, "docs", link, body, headers)

    def batch(self, database, container, pk, steps):
        return self._batch(database, container, {"x-ms-documentdb-partitionkey": json.dumps([pk])}, steps)

    def read_by_batch(self, key):
        return self._batch(key.database, key.container, key.headers(), [{"operationType": "Read", "id": key.id}])

    def _batch(self, database, container, key_headers, steps):
        link = f"dbs/{database}/colls/{container}"
        headers = {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True", **key_headers}
        return self.request("POST", f"/{link}/docs", "docs", link, steps, headers)

    def query(self, database, container, text):
        link = f"dbs/{database}/colls/{container}"
        headers = {
            "content-type": "application/query+json",
            "x-ms-documentdb-isquery": "true",
            "x-ms-documentdb-query-enablecrosspartition": "true",
            "x-partita-fidelity": "extended",
        }
        return self.request("POST", f"/{link}/docs", "docs", link, {"query": text}, headers)

    def page(self, database, container, continuation=None):
        link = f"dbs/{database}/colls/{container}"
        headers = {"x-ms-max-item-count": "100"}
        if continuation:
            headers["x-ms-continuation"] = continuation
        return self.request("GET", f"/{link}/docs", "docs", link, None, headers)

    def documents(self, database, container):
        """All of them, page by page."""
        documents, continuation = [], None
        while True:
            page = self.page(database, container, continuation)
            documents += page.json()["Documents"]
            continuation = page.headers.get("x-ms-continuation")
            if not continuation:
                return documents

    # All there is, as (documents, None), or (documents so far, the first answer that is no success).

    def query_all(self, database, container, text):
        return self._collect(lambda range_id, continuation: self._query_page(database, container, text, range_id, continuation),
                             self._range_ids(database, container))

    def all_pages(self, database, container):
        return self._collect(lambda _, continuation: self.page(database, container, continuation), [None])

    def changes(self, database, container):
        """From the beginning; without what is only told of changes."""
        link = f"dbs/{database}/colls/{container}"

        def page(range_id, etag):
            headers = {"A-IM": "Incremental feed", "x-ms-documentdb-partitionkeyrangeid": range_id, "x-ms-max-item-count": "100"}
            return self.request("GET", f"/{link}/docs", "docs", link, None, {**headers, **({"If-None-Match": etag} if etag else {})})

        documents, refusal = self._collect(page, self._range_ids(database, container), next_of=lambda answer: answer.etag)
        return [{name: value for name, value in document.items() if name != "_lsn"} for document in documents], refusal

    def _range_ids(self, database, container):
        return [each["id"] for each in self.ranges(database, container)]

    def _query_page(self, database, container, text, range_id, continuation):
        link = f"dbs/{database}/colls/{container}"
        headers = {
            "content-type": "application/query+json",
            "x-ms-documentdb-isquery": "true",
            "x-ms-documentdb-query-enablecrosspartition": "true",
            "x-ms-documentdb-partitionkeyrangeid": range_id,
            "x-ms-max-item-count": "100",
        }
        if continuation:
            headers["x-ms-continuation"] = continuation
        return self.request("POST", f"/{link}/docs", "docs", link, {"query": text}, headers)

    @staticmethod
    def _collect(page_of, range_ids, next_of=lambda answer: answer.headers.get("x-ms-continuation")):
        documents = []
        for range_id in range_ids:
            continuation, is_first = None, True
            while continuation or is_first:
                answer = page_of(range_id, continuation)
                if answer.status == 304:  # of a change feed: no more
                    break
                if answer.status != 200:
                    return documents, answer
                documents += answer.json()["Documents"]
                continuation, is_first = next_of(answer), False
        return documents, None

    # Partitions.

    def reshape(self, kind, order):
        return self.request("POST", f"/_partita/{kind}", "partita", kind, order)

    def reshapes(self):
        return self.request("GET", "/_partita/reshapes", "partita", "reshapes").json()["reshapes"]

    def ranges(self, database, container):
        link = f"dbs/{database}/colls/{container}"
        return self.request("GET", f"/{link}/pkranges", "pkranges", link).json()["PartitionKeyRanges"]

    def ready(self):
        return self.request("GET", "/_health/ready")
