"""advise: known answers, real data, and what it predicts against what the server measures after loading with that key."""

import gzip
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from site_under_test import json_key
from testbed.server import Failed

DOCUMENTS = 2500
THROUGHPUT = 40_000  # four partitions
DEVIATION_MAX = 0.1
LOADERS = 8
SECONDS_MAX = 30
PACKAGE = "vega-datasets@3.2.1"

# What the guidance says: which key, and which textbook case.
KNOWN = {
    "iot": (["/deviceId"], "IoT"),
    "profiles": (["/id"], "profiles"),
    "time-series": (["/sensorId"], "IoT"),
    "tenants": (["/tenantId", "/userId"], "tenants"),
}


def _generated(site, kind, count=DOCUMENTS):
    program = [sys.executable, str(site.root / "tests/tools/advise/make-documents"), kind]
    folder = site.new_folder()
    for name, argument in (("documents", str(count)), ("queries", "--queries")):
        with (folder / name).open("w") as out:
            subprocess.run([*program, argument], stdout=out, check=True)
    return folder / "documents", folder / "queries"


def _advice(site, *arguments):
    done = site.run("advise", *arguments, "--throughput", THROUGHPUT, "--json")
    if done.code != 0:
        raise Failed(f"advise {done}")
    return json.loads(done.out)


def _candidate(advice, name):
    return next(each for each in advice["candidates"] if each["name"] == name)


def _load(site, lines, path):
    """(database, container) with these documents, several at a time."""
    database, container = site.new_container(path=path, throughput=THROUGHPUT)
    link = f"dbs/{database}/colls/{container}"

    def load(part):
        connection = site.connection()
        for line in part:
            document = json.loads(line)
            headers = {"x-ms-documentdb-partitionkey": json_key(document, path)}
            answer = connection.request("POST", f"/{link}/docs", "docs", link, document, headers)
            if answer.status != 201:
                raise Failed(f"a document could not be created: {answer}")
        connection.close()

    with ThreadPoolExecutor(LOADERS) as pool:
        list(pool.map(load, [lines[at::LOADERS] for at in range(LOADERS)]))
    return database, container


def _measured(site, database, documents):
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


def _compared(site, advice, lines, path):
    database, _ = _load(site, lines, path)
    candidate = _candidate(advice, path)
    for what, predicted, measured in zip(("storage", "request"), (candidate["storageSkew"], candidate["requestSkew"]), _measured(site, database, len(lines))):
        print(f"  {path}: {what} skew {predicted:.3f} predicted, {measured:.3f} measured", flush=True)
        if abs(predicted - measured) > DEVIATION_MAX * measured:
            yield f"{path}: {what} skew {predicted:.3f} predicted, {measured:.3f} measured"


def known_answers_are_found(site):
    for kind, (paths, textbook) in KNOWN.items():
        documents, queries = _generated(site, kind)
        best = _advice(site, documents, "--queries", queries)["candidates"][0]
        if best["paths"] != paths or best["verdict"] != "recommended" or not best["textbook"].startswith(textbook):
            yield f"{kind}: {best['paths']} {best['verdict']} {best['textbook']}"


def a_day_is_hot_whatever_its_average(site):
    documents, queries = _generated(site, "time-series")
    day = _candidate(_advice(site, documents, "--queries", queries), "/date")
    if not day["isHotNow"] or day["verdict"] != "avoid" or day["requestSkewOverTime"] < 3.5 or day["requestSkew"] > 1.6:
        yield f"the day is {day}"
    one_day = [line for line in documents.read_text().splitlines() if '"date":"2026-03-07"' in line]
    _, measured = _measured(site, _load(site, one_day, "/date")[0], len(one_day))
    if abs(day["requestSkewOverTime"] - measured) > DEVIATION_MAX * measured:
        yield f"{day['requestSkewOverTime']} predicted at one time, {measured} measured with one day's writes"


def a_giant_tenant_is_named(site):
    documents, queries = _generated(site, "tenants")
    advice = _advice(site, documents, "--queries", queries)
    if not any("Tiers" in note and "tenant-000" in note for note in advice["notes"]):
        yield f"the notes are {advice['notes']}"


def predictions_are_what_the_server_measures(site):
    for kind, path in (("iot", "/deviceId"), ("profiles", "/id"), ("time-series", "/sensorId"), ("time-series", "/date"), ("tenants", "/userId"),
                       ("iot", "/battery")):
        documents, _ = _generated(site, kind)
        yield from _compared(site, _advice(site, documents), documents.read_text().splitlines(), path)


def real_data_is_understood(site):
    folder = site.new_folder()
    packed = subprocess.run(["npm", "pack", PACKAGE, "--silent"], cwd=folder, capture_output=True, text=True, check=False)
    if packed.returncode != 0:
        yield f"npm pack {PACKAGE}: {packed.stderr}"
        return
    with tarfile.open(folder / packed.stdout.split()[-1]) as archive:
        texts = {name: archive.extractfile(f"package/data/{name}.json").read() for name in ("flights-10k", "movies")}
    flights = [json.dumps({"id": str(n), **flight}) for n, flight in enumerate(json.loads(texts["flights-10k"])[::4])]
    (folder / "flights").write_text("\n".join(flights))
    (folder / "queries").write_text("9 SELECT * FROM c WHERE c.origin = @from AND c.date > @since\n1 SELECT * FROM c WHERE c.date = @date\n")
    best = _advice(site, folder / "flights")["candidates"][0]
    if best["paths"] != ["/id"] or not best["textbook"].startswith("time series: a key of high cardinality"):
        yield f"flights without queries: {best['paths']} {best['textbook']}"
    advice = _advice(site, folder / "flights", "--queries", folder / "queries")
    if advice["candidates"][0]["paths"][0] != "/origin":
        yield f"flights asked for by origin: {advice['candidates'][0]['paths']}"
    yield from _compared(site, advice, flights, "/origin")
    movies = [json.dumps({"id": str(n), **movie}) for n, movie in enumerate(json.loads(texts["movies"]))]
    (folder / "movies").write_text("\n".join(movies))
    advice = _advice(site, folder / "movies")
    if advice["candidates"][0]["paths"] != ["/id"]:
        yield f"movies: {advice['candidates'][0]['paths']}"
    yield from _compared(site, advice, movies, "/id")


def a_container_is_read(site):
    documents, queries = _generated(site, "iot", 600)
    database, container = _load(site, documents.read_text().splitlines(), "/id")
    advice = _advice(site, "--database", database, "--container", container, "--queries", queries)
    if advice["documents"] != 600 or advice["candidates"][0]["paths"] != ["/deviceId"]:
        yield f"{advice['documents']} documents, the best is {advice['candidates'][0]}"
    done = site.run("advise", "--database", database, "--container", "none")
    if done.code != 1 or not done.err.startswith("partita: "):
        yield f"of a container that is not there: {done}"


def a_container_brings_its_workload(site):
    documents, _ = _generated(site, "iot", 600)
    database, container = _load(site, documents.read_text().splitlines(), "/id")
    connection = site.connection()
    link = f"dbs/{database}/colls/{container}"
    for number in range(200):
        body = {"query": "SELECT * FROM c WHERE c.deviceId = 'secret' AND c.battery > 4711", "parameters": []}
        headers = {"x-ms-documentdb-isquery": "true", "content-type": "application/query+json", "x-ms-documentdb-query-enablecrosspartition": "true"}
        answer = connection.request("POST", f"/{link}/docs", "docs", link, body, headers)
        if answer.status != 200:
            yield f"query {number}: {answer}"
            return
    advice = _advice(site, "--database", database, "--container", container)
    if advice["candidates"][0]["paths"] != ["/deviceId"] or advice["candidates"][0]["queries"]["inOnePartition"] != 1:
        yield f"the best is {advice['candidates'][0]}"


def reports_are_tidy(site):
    documents, queries = _generated(site, "time-series")
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
    if any(answer != answers[0] for answer in answers):
        yield f"the same documents in other formats got other advice: {answers}"


def mistakes_are_named(site):
    for arguments, code, message in ((["nothing.ndjson"], 1, "there is no file nothing.ndjson"), ([], 2, "give files, or --database and --container"),
                                     (["-", "--queries", "none"], 1, "cannot read none"), (["a", "--throughput", "3"], 2, "invalid --throughput '3'")):
        done = site.run("advise", *arguments)
        if done.code != code or message not in done.err:
            yield f"advise {arguments} {done}"
    done = site.run("advise", "-", stdin='{"a":1}\n{"a"\n')
    if done.code != 1 or "line 2: " not in done.err:
        yield f"advise of a broken line {done}"


CASES = [known_answers_are_found, a_day_is_hot_whatever_its_average, a_giant_tenant_is_named, predictions_are_what_the_server_measures,
         real_data_is_understood, a_container_is_read, a_container_brings_its_workload, reports_are_tidy, files_of_every_format_are_read,
         mistakes_are_named]
