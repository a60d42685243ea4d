"""advise: known answers, what is in a container, reports and formats."""

import gzip
import json
import pathlib
import re
import tempfile

from key_under_test import advice_on, candidate_of, generated, load

# What the guidance says: which key, and which textbook case.
KNOWN = {
    "iot": (["/deviceId"], "IoT"),
    "profiles": (["/id"], "profiles"),
    "time-series": (["/sensorId"], "IoT"),
    "tenants": (["/tenantId", "/userId"], "tenants"),
}


def known_answers_are_found(site):
    for kind, (paths, textbook) in KNOWN.items():
        documents, queries = generated(site, kind)
        best = advice_on(site, documents, "--queries", queries)["candidates"][0]
        if best["paths"] != paths or best["verdict"] != "recommended" or not best["textbook"].startswith(textbook):
            yield f"{kind}: {best['paths']} {best['verdict']} {best['textbook']}"


def a_giant_tenant_is_named(site):
    documents, queries = generated(site, "tenants")
    advice = advice_on(site, documents, "--queries", queries)
    if not any("Tiers" in note and "tenant-000" in note for note in advice["notes"]):
        yield f"the notes are {advice['notes']}"


def a_container_is_read(site):
    documents, queries = generated(site, "iot", 600)
    database, container = load(site, documents.read_text().splitlines(), "/id")
    advice = advice_on(site, "--database", database, "--container", container, "--queries", queries)
    if advice["documents"] != 600 or advice["candidates"][0]["paths"] != ["/deviceId"]:
        yield f"{advice['documents']} documents, the best is {advice['candidates'][0]}"
    done = site.run("advise", "--database", database, "--container", "none")
    if done.code != 1 or not done.err.startswith("partita: "):
        yield f"of a container that is not there: {done}"


def a_container_brings_its_workload(site):
    documents, _ = generated(site, "iot", 600)
    database, container = load(site, documents.read_text().splitlines(), "/id")
    connection = site.connection()
    link = f"dbs/{database}/colls/{container}"
    for number in range(200):
        body = {"query": "SELECT * FROM c WHERE c.deviceId = 'secret' AND c.battery > 4711", "parameters": []}
        headers = {"x-ms-documentdb-isquery": "true", "content-type": "application/query+json", "x-ms-documentdb-query-enablecrosspartition": "true"}
        answer = connection.request("POST", f"/{link}/docs", "docs", link, body, headers)
        if answer.status != 200:
            yield f"query {number}: {answer}"
            return
    advice = advice_on(site, "--database", database, "--container", container)
    if advice["candidates"][0]["paths"] != ["/deviceId"] or advice["candidates"][0]["queries"]["inOnePartition"] != 1:
        yield f"the best is {advice['candidates'][0]}"


def a_container_brings_its_transactions(site):
    """Batches of two documents each, of one key value: a key that cuts them is told apart from one that does not."""
    database, container = site.new_container(path="/orderId", throughput=40_000)
    connection = site.connection()
    for number in range(300):
        order = f"o{number:03}"
        steps = [{"operationType": "Create", "resourceBody": {"id": f"{order}-{line}", "orderId": order, "articleId": f"a{(number * 7 + line) % 97:02}"}}
                 for line in range(2)]
        answer = connection.batch(database, container, order, steps)
        if answer.status != 200:
            yield f"batch {number}: {answer}"
            return
    advice = advice_on(site, "--database", database, "--container", container)
    seen = {name: candidate_of(advice, name)["transactions"] for name in ("/orderId", "/articleId", "/id")}
    # One request in eight is looked at, of each partition some.
    if any(not each or each["seen"] < 10 for each in seen.values()):
        yield f"transactions that were seen: {seen}"
    elif seen["/orderId"]["cut"] != 0 or seen["/id"]["cut"] != seen["/id"]["seen"] or seen["/articleId"]["cut"] == 0:
        yield f"transactions that are cut: {seen}"
    if advice["candidates"][0]["paths"] != ["/orderId"]:
        yield f"the best is {advice['candidates'][0]['name']}"


def reports_are_tidy(site):
    documents, queries = generated(site, "time-series")
    page = site.new_folder() / "page.html"
    done = site.run("advise", documents, "--queries", queries, "--html", page)
    if done.code != 0 or "/sensorId" not in done.out or "hot" in done.err:
        yield f"advise {done}"
    for line in done.out.splitlines():
        if len(line) > 80 or line != line.rstrip():
            yield f"{len(line)} columns: {line!r}"
    long = "".join(json.dumps({"id": f"{n}", "user": f"u{n % 50}" + "x" * 300, "text": "</script><b>" + "y" * 2000}) + "\n" for n in range(500))
    (folder := site.new_folder()).joinpath("long.ndjson").write_text(long)
    done = site.run("advise", folder / "long.ndjson")
    if done.code != 0 or any(len(line) > 80 for line in done.out.splitlines()):
        yield f"long values: {done}"
    text = page.read_text()
    if "<svg" not in text or "http" in text or "<script" in text:
        yield "the page has no picture, or asks others for something"


def files_of_every_format_are_read(site):
    rows = [{"user": f"u{i % 40}", "day": f"2026-01-{i % 28 + 1:02}", "total": i} for i in range(400)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    table = "user,day,total\n" + "".join(f"{row['user']},{row['day']},{row['total']}\n" for row in rows)
    files = {"a.ndjson": lines.encode(), "a.json": json.dumps(rows).encode(), "a.csv": table.encode(), "a.ndjson.gz": gzip.compress(lines.encode())}
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = pathlib.Path(folder, name)
            path.write_bytes(content)
            done = site.run("advise", str(path), "--json")
            if done.code != 0:
                yield f"advise of {name} {done}"
                return
            answers.append([candidate["paths"] for candidate in json.loads(done.out)["candidates"]])
        done = site.run("advise", "-", "--json", stdin=lines)
        if done.code != 0:
            yield f"advise of standard input {done}"
            return
        answers.append([candidate["paths"] for candidate in json.loads(done.out)["candidates"]])
    if any(answer != answers[0] for answer in answers):
        yield f"the same documents in other formats got other advice: {answers}"


def people_see_how_far_it_is(site):
    """On a terminal a line says how much was read, of files and of containers, and is gone at the end; scripts get none."""
    lines = "".join(json.dumps({"id": f"d{n}", "user": f"u{n % 700}"}) + "\n" for n in range(12_000))
    (folder := site.new_folder()).joinpath("many.ndjson").write_text(lines)
    database = site.new_database()
    done = site.run("import", folder / "many.ndjson", "--database", database, "--container", "c", "--partition-key", "/id", "--throughput", 40_000)
    if done.code != 0:
        yield f"import {done}"
    # Of a file counts what was taken from it, which may be ahead of the documents.
    for source, share in (([folder / "many.ndjson"], r"\d+"), (["--database", database, "--container", "c"], "83")):
        code, shown = site.run_on_terminal("advise", *source)
        progress = re.search(rf"\r10000 documents read, {share} %", shown)
        if code != 0 or not progress or "12000 documents, " not in shown.partition("\r\x1b[K")[2]:
            yield f"advise {source} on a terminal ended with {code}: {shown[:300]!r}"
    done = site.run("advise", folder / "many.ndjson")
    if done.code != 0 or done.err:
        yield f"advise without a terminal {done}"


def mistakes_are_named(site):
    for arguments, code, message in ((["nothing.ndjson"], 1, "there is no file nothing.ndjson"), ([], 2, "give files, or --database and --container"),
                                     (["-", "--queries", "none"], 1, "cannot read none"), (["a", "--throughput", "3"], 2, "invalid --throughput '3'")):
        done = site.run("advise", *arguments)
        if done.code != code or message not in done.err:
            yield f"advise {arguments} {done}"
    done = site.run("advise", "-", stdin='{"a":1}\n{"a"\n')
    if done.code != 1 or "line 2: " not in done.err:
        yield f"advise of a broken line {done}"


CASES = [known_answers_are_found, a_giant_tenant_is_named, a_container_is_read, a_container_brings_its_workload, a_container_brings_its_transactions,
         reports_are_tidy, files_of_every_format_are_read, people_see_how_far_it_is, mistakes_are_named]
