"""import into containers whose partition key the server computes or draws: an importer does not know where its documents are."""

import json
import re

from transfers import Tool, count_in, lines_of, place_of, stored_in

DOCUMENTS = 4_000
COMPUTED = "bucket=SELECT VALUE CONCAT(c.device, '-', ToString(HASH_BUCKET(c.number, 20))) FROM c"
DRAWN = "bucket=SELECT VALUE CONCAT(c.device, '-', ToString(RANDOM_BUCKET(20))) FROM c"


def _documents(version=1):
    """Four devices, one after the other, count their readings from the same number: ids are unique only together with the device."""
    return [{"id": f"d{number % (DOCUMENTS // 4)}", "device": f"device{number // (DOCUMENTS // 4)}", "number": number, "v": version}
            for number in range(DOCUMENTS)]


def _import(site, file, database, computed, *more, parallel=100):
    return Tool(site, site.endpoint, "import", file, *place_of(database), "--partition-key", "/bucket", "--computed", computed,
                "--parallel", parallel, *more)


def ids_are_unique_only_with_the_computed_key(site):
    """Killed half-way: what is in doubt must not be taken for another device's document."""
    for computed in (COMPUTED, DRAWN):
        file = site.new_folder() / "in.ndjson"
        file.write_text(lines_of(_documents()))
        database = site.new_database()
        connection = site.connection()
        tool = _import(site, file, database, computed)
        kills = sum(tool.kill_when(lambda share=share: count_in(connection, database) > share * DOCUMENTS) for share in (0.1, 0.4, 0.7))
        connection.close()
        code, output = tool.finish()
        if kills < 2 or code != 0 or f"verified: {DOCUMENTS} documents" not in output:
            yield f"{computed}: after {kills} kills it ended with {code}: {output[-1000:]}"
        numbers = sorted(document["number"] for document in stored_in(site, database))
        if numbers != list(range(DOCUMENTS)):
            yield f"{computed}: {len(numbers)} documents are there"


def what_is_in_doubt_is_written_again_by_its_mode(site):
    for mode in ("upsert", "replace"):
        folder = site.new_folder()
        (folder / "old.ndjson").write_text(lines_of(_documents()))
        (folder / "new.ndjson").write_text(lines_of(_documents(2)))
        database = site.new_database()
        code, output = _import(site, folder / "old.ndjson", database, COMPUTED).finish()
        if code != 0:
            yield f"the first import ended with {code}: {output[-1000:]}"
        connection = site.connection()
        link = f"dbs/{database}/colls/c"
        count = {"query": "SELECT VALUE COUNT(1) FROM c WHERE c.v = 2"}

        def written():
            headers = {"content-type": "application/query+json", "x-ms-documentdb-isquery": "true",
                       "x-ms-documentdb-query-enablecrosspartition": "true", "x-partita-fidelity": "extended"}
            return connection.request("POST", f"/{link}/docs", "docs", link, count, headers).json()["Documents"][0]

        tool = _import(site, folder / "new.ndjson", database, COMPUTED, "--mode", mode)
        kills = sum(tool.kill_when(lambda share=share: written() > share * DOCUMENTS) for share in (0.1, 0.4, 0.7))
        connection.close()
        code, output = tool.finish()
        stored = stored_in(site, database)
        if kills < 2 or code != 0:
            yield f"{mode}: after {kills} kills it ended with {code}: {output[-1000:]}"
        if len(stored) != DOCUMENTS or any(document["v"] != 2 for document in stored):
            yield f"{mode}: {len(stored)} documents are there, not all of them new"


def nothing_is_doubled_where_keys_are_drawn(site):
    folder = site.new_folder()
    (folder / "in.ndjson").write_text(lines_of(_documents()[:100]))
    database = site.new_database()
    call = ("import", folder / "in.ndjson", *place_of(database), "--partition-key", "/bucket", "--computed", DRAWN)
    for mode in ("upsert", "skip"):
        done = site.run(*call, "--mode", mode)
        if done.code != 1 or "at random (RANDOM_BUCKET)" not in done.err or "--mode replace" not in done.err:
            yield f"--mode {mode} into a new container: {done}"
    connection = site.connection()
    if connection.container("GET", database, "c").status != 404:
        yield "a container was made all the same"
    done = site.run(*call)
    if done.code != 0:
        yield f"--mode insert: {done}"
    done = site.run(*call, "--upsert")
    if done.code != 1 or "at random (RANDOM_BUCKET)" not in done.err:
        yield f"--upsert: {done}"
    done = site.run("export", folder / "out.ndjson", *place_of(database))
    documents = [{**json.loads(line), "v": 2} for line in (folder / "out.ndjson").read_text().splitlines()]
    (folder / "changed.ndjson").write_text(lines_of(documents))
    done = site.run("import", folder / "changed.ndjson", *place_of(database), "--mode", "replace")
    stored = stored_in(site, database)
    if done.code != 0 or [document["v"] for document in stored] != [2] * 100:
        yield f"--mode replace: {len(stored)} documents; {done}"


def as_many_connections_as_single_requests_need(site):
    file = site.new_folder() / "in.ndjson"
    file.write_text(lines_of({**document, "id": f"r{document['number']}"} for document in _documents()))
    connection = site.connection()

    def open_now():
        metrics = connection.request("GET", "/_metrics").body.decode()
        return int(re.search(r"^partita_connections_open (\d+)", metrics, re.MULTILINE)[1])

    database = site.new_database()
    before, most = open_now(), 0
    process = _import(site, file, database, COMPUTED, parallel=1000).start()
    while process.poll() is None:
        most = max(most, open_now() - before)
    output = process.communicate()[0].decode()
    connection.close()
    if process.returncode != 0:
        yield f"it ended with {process.returncode}: {output[-1000:]}"
    if most < 60:
        yield f"it had {most} connections"


CASES = [ids_are_unique_only_with_the_computed_key, what_is_in_doubt_is_written_again_by_its_mode, nothing_is_doubled_where_keys_are_drawn,
         as_many_connections_as_single_requests_need]
