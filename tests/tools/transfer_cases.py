"""import, export and copy: what is read and written, what is refused, and that nothing is lost or doubled whoever is killed."""

import csv
import gzip
import io
import json
import signal
import struct

from testbed.account import Connection
from testbed.server import Failed, Server
from transfers import SECONDS_MAX, Tool, by_id, count_in, free_port, lines_of, made_documents, place_of, stored_in

KILLED_DOCUMENTS = 20_000


def _bson(documents):
    """Of strings and whole numbers only."""
    text = b""
    for document in documents:
        body = b""
        for name, value in document.items():
            if isinstance(value, str):
                raw = value.encode() + b"\0"
                body += b"\x02" + name.encode() + b"\0" + struct.pack("<i", len(raw)) + raw
            else:
                body += b"\x12" + name.encode() + b"\0" + struct.pack("<q", value)
        text += struct.pack("<i", len(body) + 5) + body + b"\0"
    return text


def every_format_comes_in(site):
    folder = site.new_folder()
    documents = [{"id": f"d{number}", "pk": f"k{number}", "n": number} for number in range(300)]
    table = io.StringIO()
    writer = csv.DictWriter(table, documents[0].keys())
    writer.writeheader()
    writer.writerows(documents)
    lines = lines_of(documents).encode()
    dumped = [{"_id": document["id"], "pk": document["pk"], "n": document["n"]} for document in documents]
    files = {"a.ndjson": lines, "b.json": json.dumps(documents, indent=1).encode(), "c.csv": table.getvalue().encode(),
             "d.tsv": table.getvalue().replace(",", "\t").encode(), "e.bson": _bson(dumped), "f.ndjson.gz": gzip.compress(lines[:5000]) +
             gzip.compress(lines[5000:]), "g.csv.gz": gzip.compress(table.getvalue().encode())}
    for name, content in files.items():
        path = folder / name
        path.write_bytes(content)
        database = site.new_database()
        done = site.run("import", path, *place_of(database), "--partition-key", "/pk")
        if done.code != 0 or "verified: 300 documents" not in done.out:
            yield f"{name}: import {done}"
        elif stored_in(site, database) != by_id(documents):
            yield f"{name}: other documents came in"
        if (folder / f"{name}.partita-import").exists():
            yield f"{name}: the state was left behind"


def directories_and_standard_input_come_in(site):
    folder = site.new_folder()
    documents = list(made_documents(200))
    (folder / "a.ndjson").write_text(lines_of(documents[:100]))
    (folder / "b.json").write_text(json.dumps(documents[100:]))
    (folder / "b.metadata.json").write_text("{}")
    (folder / "notes.txt").write_text("not documents")
    database = site.new_database()
    done = site.run("import", folder, *place_of(database), "--partition-key", "/pk", "--state", site.new_folder() / "state")
    if done.code != 0 or stored_in(site, database) != by_id(documents):
        yield f"a directory: {done}"
    database = site.new_database()
    done = site.run("import", "-", *place_of(database), "--partition-key", "/pk,/id", "--json", "--state", folder / "state",
                    stdin=lines_of(documents))
    if done.code != 0 or stored_in(site, database) != by_id(documents):
        yield f"standard input: {done}"
    elif json.loads(done.out)["stored"] != 200 or not json.loads(done.out)["verification"]["isEqual"]:
        yield f"the report is {done.out}"


def every_format_goes_out_and_comes_back(site):
    folder = site.new_folder()
    documents = list(made_documents(1200))
    (folder / "in.ndjson").write_text(lines_of(documents))
    database = site.new_database()
    done = site.run("import", folder / "in.ndjson", *place_of(database), "--partition-key", "/pk")
    if done.code != 0:
        yield f"import {done}"
    for name in ("out.ndjson", "out.json", "out.csv", "out.tsv.gz", "out.json.zst"):
        done = site.run("export", folder / name, *place_of(database))
        if done.code != 0 or "verified: 1200 documents" not in done.out:
            yield f"export to {name} {done}"
        again = site.new_database()
        done = site.run("import", folder / name, *place_of(again), "--partition-key", "/pk")
        if done.code != 0 or stored_in(site, again) != by_id(documents):
            yield f"import of {name} {done}"
    done = site.run("export", "-", *place_of(database), "--quiet")
    if done.code != 0 or done.err or by_id(map(json.loads, done.out.splitlines())) != by_id(documents):
        yield f"export to standard output: {done}"
    done = site.run("export", "-", *place_of(database), "--quiet", "--system-properties")
    if "_etag" not in json.loads(done.out.splitlines()[0]):
        yield "there are no system properties"


def what_is_refused_is_told_with_its_line(site):
    folder = site.new_folder()
    (folder / "in.ndjson").write_text('{"id":"a","pk":1}\n{"id":\n\n{"id":5}\n{"id":"a","pk":1}\n{"id":"b","pk":2}\n')
    database = site.new_database()
    call = ("import", folder / "in.ndjson", *place_of(database), "--partition-key", "/pk", "--errors", folder / "errors")
    done = site.run(*call)
    errors = [json.loads(line) for line in (folder / "errors").read_text().splitlines()]
    if done.code != 1 or "3 REFUSED" not in done.out or "verified: 2 documents" not in done.out:
        yield f"import {done}"
    if [(each["line"], each.get("status")) for each in errors] != [(2, None), (4, None), (5, 409)]:
        yield f"the errors are {errors}"
    if any(not each["reason"] for each in errors):
        yield f"there is no reason in {errors}"
    done = site.run(*call, "--max-errors", "1")
    if done.code != 1 or "more than --max-errors 1" not in done.err or "goes on where it stopped" not in done.err:
        yield f"with --max-errors 1: {done}"


def modes_decide_about_what_is_there(site):
    folder = site.new_folder()
    old = [{"id": f"d{number}", "pk": "k", "v": 1} for number in range(10)]
    new = [{"id": f"d{number}", "pk": "k", "v": 2} for number in range(5, 15)]
    (folder / "old.ndjson").write_text(lines_of(old))
    (folder / "new.ndjson").write_text(lines_of(new))
    expected = {"insert": (1, [1] * 10 + [2] * 5), "skip": (0, [1] * 10 + [2] * 5), "upsert": (0, [1] * 5 + [2] * 10),
                "replace": (1, [1] * 5 + [2] * 5)}
    for mode, (code, values) in expected.items():
        database = site.new_database()
        site.run("import", folder / "old.ndjson", *place_of(database), "--partition-key", "/pk")
        done = site.run("import", folder / "new.ndjson", *place_of(database), "--mode", mode)
        found = sorted(document["v"] for document in stored_in(site, database))
        if done.code != code or found != values or f"verified: {len(values)} documents" not in done.out:
            yield f"{mode}: {found} {done}"


def a_container_is_copied_and_gets_another_key(site):
    folder = site.new_folder()
    documents = list(made_documents(2000))
    (folder / "in.ndjson").write_text(lines_of(documents))
    connection = site.connection()
    database = site.new_database()
    definition = {"id": "c"}
    if connection.create_container(database, definition, version="2018-06-18").status != 201:
        raise Failed("no container without partition key")
    done = site.run("import", folder / "in.ndjson", *place_of(database))
    if done.code != 0:
        yield f"import into a container without key: {done}"
    done = site.run("copy", "--from-database", database, "--from-container", "c", *place_of(database, "new"),
                    "--partition-key", "/pk,/number", "--state", folder / "state")
    if done.code != 0 or "verified: 2000 documents" not in done.out or stored_in(site, database, "new") != by_id(documents):
        yield f"copy {done}"
    paths = connection.container("GET", database, "new").json()["partitionKey"]["paths"]
    if paths != ["/pk", "/number"]:
        yield f"the copy has the key {paths}"


def wrong_calls_and_missing_things_are_told(site):
    folder = site.new_folder()
    (folder / "in.ndjson").write_text('{"id":"a"}\n')
    database = site.new_database()
    for call, code, reason in (
            (["import", folder / "in.ndjson"], 2, "--database is required"),
            (["import", folder / "in.ndjson", *place_of(database), "--mode", "merge"], 2, "invalid --mode 'merge'"),
            (["import", folder / "in.ndjson", *place_of(database), "--columns", "a:text"], 2, "not of the form NAME:TYPE"),
            (["import", folder / "none", *place_of(database)], 1, "there is no file"),
            (["import", folder / "in.ndjson", *place_of(database)], 1, "--partition-key /path makes one"),
            (["export", folder / "out", *place_of(database)], 1, "container c of database")):
        done = site.run(*call)
        if done.code != code or reason not in done.err or done.out or "goes on where it stopped" in done.err:
            yield f"{call} {done}"


def a_killed_import_goes_on(site):
    """Without ids in the file: a second try of a document must find the id of the first."""
    connection = site.connection()
    for has_ids, mode in ((False, "insert"), (True, "upsert")):
        folder = site.new_folder()
        documents = list(made_documents(KILLED_DOCUMENTS, has_ids))
        (folder / "in.ndjson").write_text(lines_of(documents))
        database = site.new_database()
        tool = Tool(site, site.endpoint, "import", folder / "in.ndjson", *place_of(database), "--partition-key", "/pk", "--mode", mode,
                     "--parallel", "400")
        kills = 0
        for share in (0.05, 0.2, 0.4, 0.6, 0.8):
            kills += tool.kill_when(lambda share=share: count_in(connection, database) > share * KILLED_DOCUMENTS)
        code, output = tool.finish()
        stored = stored_in(site, database)
        if kills < 3:
            yield f"{mode}: it was killed {kills} times only"
        if code != 0 or f"verified: {KILLED_DOCUMENTS} documents" not in output:
            yield f"{mode}: it ended with {code}: {output[-1000:]}"
        if sorted(document["number"] for document in stored) != list(range(KILLED_DOCUMENTS)):
            yield f"{mode}: {len(stored)} documents are there"


def a_killed_import_with_a_random_key_goes_on(site):
    """A document that is written twice would get two keys, and be there twice."""
    folder = site.new_folder()
    documents = list(made_documents(KILLED_DOCUMENTS // 5))
    (folder / "in.ndjson").write_text(lines_of(documents))
    database = site.new_database()
    connection = site.connection()
    tool = Tool(site, site.endpoint, "import", folder / "in.ndjson", *place_of(database), "--partition-key", "/bucket",
                 "--computed", "bucket=SELECT VALUE CONCAT(c.pk, '-', ToString(RANDOM_BUCKET(20))) FROM c", "--parallel", "100")
    kills = sum(tool.kill_when(lambda share=share: count_in(connection, database) > share * len(documents)) for share in (0.1, 0.4, 0.7))
    code, output = tool.finish()
    stored = stored_in(site, database)
    if kills < 2 or code != 0 or f"verified: {len(documents)} documents" not in output:
        yield f"after {kills} kills it ended with {code}: {output[-1000:]}"
    if sorted(document["number"] for document in stored) != list(range(len(documents))):
        yield f"{len(stored)} documents are there"
    if len({document.get("bucket") for document in stored}) < 100:
        yield "there are too few partition keys"


def an_import_survives_the_death_of_its_server(site):
    folder = site.new_folder()
    documents = list(made_documents(KILLED_DOCUMENTS))
    (folder / "in.ndjson").write_text(lines_of(documents))
    port = free_port()
    server = Server(site.binary, folder / "data", folder / "log", port=port)
    try:
        tool = Tool(site, f"http://127.0.0.1:{port}/", "import", folder / "in.ndjson", *place_of("db"), "--partition-key", "/pk", "--parallel", "400")
        process = tool.start()
        kills = 0
        for share in (0.1, 0.4, 0.7):
            connection = Connection(port)
            while process.poll() is None and count_in(connection, "db") < share * KILLED_DOCUMENTS:
                pass
            connection.close()
            if process.poll() is None:
                kills += 1
                server.kill()
                server = Server(site.binary, folder / "data", folder / "log", port=port)
        output = process.communicate(timeout=SECONDS_MAX)[0].decode()
        connection = Connection(port)
        stored = by_id(connection.documents("db", "c"))
        connection.close()
        if kills < 2:
            yield f"the server was killed {kills} times only"
        if process.returncode != 0 or f"verified: {KILLED_DOCUMENTS} documents" not in output:
            yield f"it ended with {process.returncode}: {output[-1000:]}"
        if stored != by_id(documents):
            yield f"{len(stored)} documents are there"
    finally:
        server.kill()


def a_killed_export_goes_on(site):
    folder = site.new_folder()
    documents = list(made_documents(KILLED_DOCUMENTS))
    (folder / "in.ndjson").write_text(lines_of(documents))
    database = site.new_database()
    site.run("import", folder / "in.ndjson", *place_of(database), "--partition-key", "/pk")
    for name in ("out.ndjson", "out.json.gz"):
        out = folder / name
        tool = Tool(site, site.endpoint, "export", out, *place_of(database))
        for _ in range(3):
            tool.kill_when(lambda out=out: out.exists() and out.stat().st_size > 0)
        code, output = tool.finish()
        text = gzip.decompress(out.read_bytes()) if name.endswith(".gz") else out.read_bytes()
        found = json.loads(text) if ".json" in name else [json.loads(line) for line in text.splitlines()]
        if code != 0 or by_id(found) != by_id(documents):
            yield f"{name}: {len(found)} documents; it ended with {code}: {output[-1000:]}"


def an_export_goes_on_when_partitions_were_merged(site):
    folder = site.new_folder()
    documents = [{**document, "more": "x" * 16_000} for document in made_documents(1500)]
    (folder / "in.ndjson").write_text(lines_of(documents))
    database = site.new_database()
    done = site.run("import", folder / "in.ndjson", *place_of(database), "--partition-key", "/pk,/number", "--throughput", "40000",
                    "--throughput-after", "10000")
    if done.code != 0:
        yield f"import {done}"
    out, state = folder / "out.ndjson", folder / "state"
    tool = Tool(site, site.endpoint, "export", out, *place_of(database), "--state", state)
    for _ in range(10):  # it may end before it is stopped
        out.unlink(missing_ok=True)
        tool.kill_when(lambda: out.exists() and out.stat().st_size > 0, signal.SIGINT)
        if state.exists():
            break
    if not state.exists():
        yield "the export could not be stopped half-way"
    connection = site.connection()
    before = connection.ranges(database, "c")
    merged = connection.reshape("merge", {"database": database, "container": "c", "range": before[0]["id"]})
    if merged.status != 200:
        yield f"the merge was answered {merged}"
    connection.close()
    code, output = tool.finish()
    found = [json.loads(line) for line in out.read_text().splitlines()]
    if code != 0 or by_id(found) != by_id(documents):
        yield f"{len(found)} documents; it ended with {code}: {output[-1000:]}"


CASES = [every_format_comes_in, directories_and_standard_input_come_in, every_format_goes_out_and_comes_back,
         what_is_refused_is_told_with_its_line, modes_decide_about_what_is_there, a_container_is_copied_and_gets_another_key,
         wrong_calls_and_missing_things_are_told, a_killed_import_goes_on, a_killed_import_with_a_random_key_goes_on,
         an_import_survives_the_death_of_its_server, a_killed_export_goes_on, an_export_goes_on_when_partitions_were_merged]
