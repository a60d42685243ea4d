"""copy between two servers: whose key counts, and that a killed copy goes on."""

from contextlib import contextmanager

from testbed.account import Connection
from testbed.server import Server
from transfers import Tool, by_id, count_in, lines_of, made_documents, place_of, stored_in

DOCUMENTS = 20_000
THEIR_KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="


@contextmanager
def _other_server(site, documents):
    """Its endpoint; it takes only THEIR_KEY, and has these documents in the database `theirs`."""
    folder = site.new_folder()
    server = Server(site.binary, folder / "data", folder / "log", options=("--key", THEIR_KEY))
    try:
        endpoint = f"http://127.0.0.1:{server.port}/"
        (folder / "in.ndjson").write_text(lines_of(documents))
        done = site.run("import", folder / "in.ndjson", "--endpoint", endpoint, "--key", THEIR_KEY, *place_of("theirs"), "--partition-key", "/pk")
        yield endpoint, None if done.code == 0 else f"the import {done}"
    finally:
        server.kill()


def _source(database="theirs"):
    return "--from-database", database, "--from-container", "c"


def the_server_to_read_has_a_key_of_its_own(site):
    documents = list(made_documents(500))
    with _other_server(site, documents) as (endpoint, problem):
        if problem:
            yield problem
        state = site.new_folder() / "state"
        for number, (options, environment) in enumerate((
                (["--from-endpoint", endpoint, "--from-key", THEIR_KEY], {}),
                ([], {"PARTITA_FROM_ENDPOINT": endpoint, "PARTITA_FROM_KEY": THEIR_KEY}))):
            database = site.new_database()
            done = site.run("copy", *options, *_source(), *place_of(database), "--partition-key", "/pk,/number", "--state", state,
                            environment=environment)
            if done.code != 0 or "verified: 500 documents" not in done.out or stored_in(site, database) != by_id(documents):
                yield f"copy {number}: {done}"
        done = site.run("copy", "--from-endpoint", endpoint, *_source(), *place_of(site.new_database()), "--partition-key", "/pk", "--state", state)
        if done.code != 1 or done.out or "partita: " not in done.err:
            yield f"with another server's key: {done}"


def a_key_without_a_server_is_for_the_one_that_is_written(site):
    database, container = site.new_container(documents=[{"id": "a", "pk": "k"}])
    state = site.new_folder() / "state"
    for options, code in ((["--from-key", THEIR_KEY], 1), ([], 0)):
        done = site.run("copy", *options, *_source(database), *place_of(database, "new"), "--partition-key", "/pk", "--state", state)
        if done.code != code:
            yield f"copy {options} {done}"


def a_killed_copy_goes_on(site):
    """Also when both are killed: the server that is written to, too."""
    documents = list(made_documents(DOCUMENTS))
    folder = site.new_folder()
    with _other_server(site, documents) as (endpoint, problem):
        if problem:
            yield problem
        server = Server(site.binary, folder / "data", folder / "log")
        try:
            port = server.port
            tool = Tool(site, f"http://127.0.0.1:{port}/", "copy", "--from-endpoint", endpoint, "--from-key", THEIR_KEY, *_source(),
                        *place_of("ours"), "--partition-key", "/pk", "--state", folder / "state", "--parallel", "400")
            kills = 0
            for share in (0.05, 0.3, 0.6, 0.8):
                connection = Connection(port)
                kills += tool.kill_when(lambda share=share, connection=connection: count_in(connection, "ours") > share * DOCUMENTS)
                connection.close()
                if share == 0.3:
                    server.kill()
                    server = Server(site.binary, folder / "data", folder / "log", port=port)
            code, output = tool.finish()
            connection = Connection(port)
            stored = by_id(connection.documents("ours", "c"))
            connection.close()
        finally:
            server.kill()
    if kills < 2:
        yield f"it was killed {kills} times only"
    if code != 0 or f"verified: {DOCUMENTS} documents" not in output:
        yield f"it ended with {code}: {output[-1000:]}"
    if stored != by_id(documents):
        yield f"{len(stored)} documents are there"


CASES = [the_server_to_read_has_a_key_of_its_own, a_key_without_a_server_is_for_the_one_that_is_written, a_killed_copy_goes_on]
