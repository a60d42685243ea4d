"""The tools with a server that is not ours: @vercel/cosmosdb-server, which knows no plans, no indexing and one partition."""

import json
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager

from testbed.account import Broken, Connection
from testbed.server import Failed
from transfers import by_id, free_port, lines_of, made_documents, place_of, stored_in

DOCUMENTS = 300
SECONDS_MAX = 60


@contextmanager
def _their_server(site):
    """Its port. The package is kept for later runs."""
    sys.path.append(str(site.root / "bench"))
    from harness.install import cosmosdb_server  # noqa: PLC0415

    packages = site.root / "build/cosmosdb-server"
    cosmosdb_server(str(packages))
    port = free_port()
    command = [shutil.which("node"), str(site.root / "bench/cosmosdb_server.js"), str(packages), str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + SECONDS_MAX
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > end:
                raise Failed("@vercel/cosmosdb-server does not start")
            time.sleep(0.05)
        yield port
    finally:
        process.kill()
        process.wait()


def _answers(port):
    connection = Connection(port)
    try:
        return connection.list_databases().status == 200
    except Broken:
        return False
    finally:
        connection.close()


def _stored(port, database):
    connection = Connection(port)
    try:
        return by_id(connection.documents(database, "c"))
    finally:
        connection.close()


def documents_come_in_and_go_out(site):
    folder = site.new_folder()
    documents = list(made_documents(DOCUMENTS))
    (folder / "in.ndjson").write_text(lines_of(documents))
    (folder / "new.ndjson").write_text(lines_of({**document, "v": 2} for document in documents[:100]))
    with _their_server(site) as port:
        endpoint = {"PARTITA_ENDPOINT": f"http://127.0.0.1:{port}/"}
        for number, options in enumerate(([], ["--single"])):
            done = site.run("import", folder / "in.ndjson", *place_of(f"db{number}"), "--partition-key", "/pk", *options, environment=endpoint)
            if done.code != 0 or f"verified: {DOCUMENTS} documents" not in done.out or _stored(port, f"db{number}") != by_id(documents):
                yield f"import {options} {done}"
            done = site.run("import", folder / "in.ndjson", *place_of(f"db{number}"), "--mode", "skip", *options, environment=endpoint)
            if done.code != 0 or f"skipped {DOCUMENTS}" not in done.out:
                yield f"import --mode skip {options} {done}"
            done = site.run("import", folder / "new.ndjson", *place_of(f"db{number}"), "--upsert", *options, environment=endpoint)
            if done.code != 0 or sum("v" in document for document in _stored(port, f"db{number}")) != 100:
                yield f"import --upsert {options} {done}"
        out = folder / "out.ndjson"
        done = site.run("export", out, *place_of("db0"), environment=endpoint)
        if done.code != 0 or by_id(map(json.loads, out.read_text().splitlines())) != _stored(port, "db0"):
            yield f"export {done}"


def a_container_is_copied_to_and_fro(site):
    folder = site.new_folder()
    documents = list(made_documents(DOCUMENTS))
    database, _ = site.new_container(documents=documents)
    with _their_server(site) as port:
        theirs = f"http://127.0.0.1:{port}/"
        done = site.run("copy", "--from-endpoint", site.endpoint, "--from-database", database, "--from-container", "c", "--endpoint", theirs,
                        *place_of("db"), "--partition-key", "/pk", "--state", folder / "state")
        if done.code != 0 or f"verified: {DOCUMENTS} documents" not in done.out or _stored(port, "db") != by_id(documents):
            yield f"a copy to them {done}"
        done = site.run("copy", "--from-endpoint", theirs, "--from-database", "db", "--from-container", "c", *place_of(database, "back"),
                        "--partition-key", "/pk,/number", "--state", folder / "state")
        if done.code != 0 or f"verified: {DOCUMENTS} documents" not in done.out or stored_in(site, database, "back") != by_id(documents):
            yield f"a copy from them {done}"


def queries_are_answered(site):
    folder = site.new_folder()
    (folder / "in.ndjson").write_text(lines_of(made_documents(DOCUMENTS)))
    with _their_server(site) as port:
        endpoint = {"PARTITA_ENDPOINT": f"http://127.0.0.1:{port}/"}
        done = site.run("import", folder / "in.ndjson", *place_of("db"), "--partition-key", "/pk", environment=endpoint)
        if done.code != 0:
            yield f"import {done}"
        for query, expected in (("SELECT VALUE c.number FROM c ORDER BY c.number", list(range(DOCUMENTS))),
                                ("SELECT VALUE COUNT(1) FROM c", [DOCUMENTS]),
                                ("SELECT VALUE c.number FROM c WHERE c.pk = @pk AND c.number < 100 ORDER BY c.number", [7, 57])):
            for more in ([], ["--partition-key", '"k7"']) if "@pk" in query else ([],):
                done = site.run("query", query, "-p", '@pk="k7"', *place_of("db"), *more, "--json", environment=endpoint)
                if done.code != 0 or json.loads(done.out) != expected:
                    yield f"query {query} {more} {done}"
        script = "show databases\nshow containers\nshow container\n\\ranges\nSELECT c.id FROM c WHERE c.number = 7;\n"
        done = site.run("shell", "db", "c", stdin=script, environment=endpoint)
        if done.code != 0 or any(part not in done.out for part in ("db\n", "/pk", "FF", "d7")):
            yield f"shell {done}"


CASES = [documents_come_in_and_go_out, a_container_is_copied_to_and_fro, queries_are_answered]
