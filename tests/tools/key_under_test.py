"""Documents of which the right key is known, what `advise` says of them, and containers that have a candidate's key."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from site_under_test import json_key
from testbed.server import Failed

DOCUMENTS = 2500
THROUGHPUT = 40_000  # four partitions
LOADERS = 8
SECONDS_MAX = 30


def generated(site, kind, count=DOCUMENTS):
    """Files: documents of tests/tools/advise/make-documents, and the queries that are asked of them."""
    program = [sys.executable, str(site.root / "tests/tools/advise/make-documents"), kind]
    folder = site.new_folder()
    for name, argument in (("documents", str(count)), ("queries", "--queries")):
        with (folder / name).open("w") as out:
            subprocess.run([*program, argument], stdout=out, check=True)
    return folder / "documents", folder / "queries"


def advice_on(site, *arguments):
    done = site.run("advise", *arguments, "--throughput", THROUGHPUT, "--json")
    if done.code != 0:
        raise Failed(f"advise {done}")
    return json.loads(done.out)


def candidate_of(advice, name):
    found = [each for each in advice["candidates"] if each["name"] == name]
    if not found:
        raise Failed(f"{name} is no candidate; there are {[each['name'] for each in advice['candidates']]}")
    return found[0]


def load(site, lines, paths, computed=()):
    """(database, container) with this key and these documents, several at a time. A computed key is left to the server."""
    paths = [paths] if isinstance(paths, str) else paths
    database, container = site.new_container(path=paths, throughput=THROUGHPUT, computed=computed)
    link = f"dbs/{database}/colls/{container}"

    def load_part(part):
        connection = site.connection()
        for line in part:
            document = json.loads(line)
            headers = {"x-ms-documentdb-partitionkey": json_key(document, *paths)}
            answer = connection.request("POST", f"/{link}/docs", "docs", link, document, headers)
            if answer.status != 201:
                raise Failed(f"a document could not be created: {answer}")
        connection.close()

    with ThreadPoolExecutor(LOADERS) as pool:
        list(pool.map(load_part, [lines[at::LOADERS] for at in range(LOADERS)]))
    return database, container


def measured_skews(site, database, documents):
    """Storage and request skew, as the server's statistics have them once they count every request."""
    connection = site.connection()
    end = time.monotonic() + SECONDS_MAX
    while True:
        answer = connection.request("GET", "/_partita/statistics", "partita", "statistics")
        container = next(each for each in answer.json()["containers"] if each["database"] == database)
        if sum(each["total"]["requests"] for each in container["partitions"]) >= documents:
            break
        if time.monotonic() > end:
            raise Failed(f"the statistics do not count {documents} requests")
        time.sleep(0.1)

    def skew(values):
        return max(values) * len(values) / sum(values)

    parts = container["partitions"]
    return skew([each["bytes"] for each in parts]), skew([each["total"]["requestUnits"] for each in parts])
