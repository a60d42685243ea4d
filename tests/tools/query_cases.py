"""`partita query`: rows for scripts, in every format, from all partitions."""

import csv
import io
import json

DOCUMENTS = [{"id": f"d{n}", "pk": f"k{n % 5}", "city": ("Oslo", "東京")[n % 2], "total": n, "tags": ["a", n]} for n in range(250)]


def _query(site, place, text, *options):
    return site.run("query", text, "--database", place[0], "--container", place[1], *options)


def rows_of_all_partitions_in_every_format(site):
    place = site.new_container(documents=DOCUMENTS, throughput=20000)
    text = "SELECT c.id, c.city, c.total FROM c ORDER BY c.total DESC"
    expected = [{key: each[key] for key in ("id", "city", "total")} for each in reversed(DOCUMENTS)]
    if (rows := json.loads(_query(site, place, text, "--json").out)) != expected:
        yield f"--json gave {len(rows)} rows, the first is {rows[:1]}"
    lines = [json.loads(line) for line in _query(site, place, text, "--format", "lines").out.splitlines()]
    if lines != expected:
        yield f"lines are {lines[:2]}"
    table = list(csv.DictReader(io.StringIO(_query(site, place, text, "--format", "csv").out)))
    if [{**each, "total": int(each["total"])} for each in table] != expected:
        yield f"csv is {table[:2]}"
    vertical = _query(site, place, text, "--format", "vertical").out
    if not vertical.startswith("-- 1 --\nid     d249\ncity   東京\ntotal  249\n-- 2 --\n"):
        yield f"vertical is {vertical[:200]}"
    head = _query(site, place, text).out.splitlines()[:3]
    if head != ["id    city  total", "----  ----  -----", "d249  東京    249"]:
        yield f"the table begins with {head}"


def parameters_partition_key_and_charge(site):
    place = site.new_container(documents=DOCUMENTS[:20])
    done = _query(site, place, "SELECT VALUE c.id FROM c WHERE c.city = @city AND c.total < @most", "-p", '@city="Oslo"', "-p", "@most=4",
                  "--json", "--charge")
    if json.loads(done.out) != ["d0", "d2"] or " RU\n" not in done.err:
        yield f"with parameters {done}"
    done = _query(site, place, "SELECT VALUE COUNT(1) FROM c", "--partition-key", '"k1"', "--format", "lines")
    if done.out != "4\n" or done.err:
        yield f"with a partition key {done}"
    done = _query(site, place, "SELECT * FROM c WHERE false", "--json")
    if json.loads(done.out) != []:
        yield f"without rows {done}"


def mistakes_are_pointed_at(site):
    place = site.new_container()
    done = _query(site, place, "SELECT *\nFROM c WHERE c.total = = 3")
    if done.code != 1 or done.out or "  FROM c WHERE c.total = = 3\n                         ^" not in done.err:
        yield f"a mistake {done}"
    done = _query(site, (place[0], "none"), "SELECT * FROM c")
    if done.code != 1 or done.out or "show containers" not in done.err:
        yield f"no such container {done}"
    for call in (["query"], ["query", "SELECT 1"], ["query", "SELECT 1", "--database", "a", "--container", "b", "--format", "xml"]):
        if (done := site.run(*call)).code != 2:
            yield f"{call} {done}"
    done = site.run("query", "--help")
    if done.code != 0 or "Examples:" not in done.out:
        yield f"--help {done}"


CASES = [rows_of_all_partitions_in_every_format, parameters_partition_key_and_charge, mistakes_are_pointed_at]
