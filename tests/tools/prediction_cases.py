"""advise: what it predicts of a candidate, against what the server measures once the documents are loaded with exactly that key."""

import json
import subprocess
import tarfile

from key_under_test import advice_on, candidate_of, generated, load, measured_skews

DEVIATION_MAX = 0.1
PACKAGE = "vega-datasets@3.2.1"


def _compared(site, advice, lines, name):
    candidate = candidate_of(advice, name)
    database, _ = load(site, lines, candidate["paths"], candidate.get("computedProperties", ()))
    predicted = candidate["storageSkew"], candidate["requestSkew"]
    for what, expected, measured in zip(("storage", "request"), predicted, measured_skews(site, database, len(lines))):
        text = f"{name}: {what} skew {expected:.3f} predicted, {measured:.3f} measured"
        print(f"  {text}", flush=True)
        if abs(expected - measured) > DEVIATION_MAX * measured:
            yield text


def recommended_keys_are_as_even_as_predicted(site):
    for kind in ("iot", "profiles", "time-series", "tenants"):
        documents, queries = generated(site, kind)
        advice = advice_on(site, documents, "--queries", queries)
        best = advice["candidates"][0]
        if best["verdict"] != "recommended" or (kind == "tenants" and best["paths"] != ["/tenantId", "/userId"]):
            yield f"{kind}: {best['name']} is {best['verdict']}"
        yield from _compared(site, advice, documents.read_text().splitlines(), best["name"])


def uneven_keys_are_as_uneven_as_predicted(site):
    for kind, name in (("time-series", "/date"), ("iot", "/battery"), ("tenants", "/tenantId")):
        documents, _ = generated(site, kind)
        yield from _compared(site, advice_on(site, documents), documents.read_text().splitlines(), name)


def synthetic_keys_are_as_even_as_predicted(site):
    """With the computed properties that the candidate itself names."""
    documents, queries = generated(site, "time-series")
    advice = advice_on(site, documents, "--queries", queries)
    lines = documents.read_text().splitlines()
    for kind in ("concatenation", "hashSuffix"):
        candidate = next((each for each in advice["candidates"] if each["kind"] == kind), None)
        if candidate is None or not candidate["computedProperties"]:
            yield f"there is no candidate of kind {kind}"
            continue
        yield from _compared(site, advice, lines, candidate["name"])


def a_day_is_hot_whatever_its_average(site):
    documents, queries = generated(site, "time-series")
    day = candidate_of(advice_on(site, documents, "--queries", queries), "/date")
    if not day["isHotNow"] or day["verdict"] != "avoid" or day["requestSkewOverTime"] < 3.5 or day["requestSkew"] > 1.6:
        yield f"the day is {day}"
    one_day = [line for line in documents.read_text().splitlines() if '"date":"2026-03-07"' in line]
    _, measured = measured_skews(site, load(site, one_day, "/date")[0], len(one_day))
    if abs(day["requestSkewOverTime"] - measured) > DEVIATION_MAX * measured:
        yield f"{day['requestSkewOverTime']} predicted at one time, {measured} measured with one day's writes"


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
    best = advice_on(site, folder / "flights")["candidates"][0]
    if best["paths"] != ["/id"] or not best["textbook"].startswith("time series: a key of high cardinality"):
        yield f"flights without queries: {best['paths']} {best['textbook']}"
    advice = advice_on(site, folder / "flights", "--queries", folder / "queries")
    if advice["candidates"][0]["paths"][0] != "/origin":
        yield f"flights asked for by origin: {advice['candidates'][0]['paths']}"
    yield from _compared(site, advice, flights, "/origin")
    movies = [json.dumps({"id": str(n), **movie}) for n, movie in enumerate(json.loads(texts["movies"]))]
    (folder / "movies").write_text("\n".join(movies))
    advice = advice_on(site, folder / "movies")
    if advice["candidates"][0]["paths"] != ["/id"]:
        yield f"movies: {advice['candidates'][0]['paths']}"
    yield from _compared(site, advice, movies, "/id")


CASES = [recommended_keys_are_as_even_as_predicted, uneven_keys_are_as_uneven_as_predicted, synthetic_keys_are_as_even_as_predicted,
         a_day_is_hot_whatever_its_average, real_data_is_understood]
