"""`partita bench` against a running server: what it reports is what the server has."""

import json

from testbed.server import Server

COMMON = ("bench", "--warm-up", "0", "--json")


def bench(site, *arguments, **more):
    """(what is wrong, the report)"""
    done = site.run(*COMMON, "--database", site.new_database(), *arguments, **more)
    if done.code != 0:
        return [str(done)], None
    return [], json.loads(done.out)


def counts_of(report):
    return {kind["name"]: kind["operations"] for kind in report["operations"]}


def documents_in(site, database, query="SELECT VALUE COUNT(1) FROM c"):
    connection = site.connection()
    link = f"dbs/{database}/colls/bench"
    headers = {"x-ms-documentdb-isquery": "true", "x-ms-documentdb-query-enablecrosspartition": "true",
               "content-type": "application/query+json", "x-partita-fidelity": "extended"}
    answer = connection.request("POST", f"/{link}/docs", "docs", link, {"query": query}, headers)
    connection.close()
    return answer.json()["Documents"]


def inserts_are_all_there(site):
    wrong, report = bench(site, "--workload", "insert", "--count", "500", "--connections", "7")
    yield from wrong
    if not report:
        return
    database = report["settings"]["container"].split("/")[0]
    stored = documents_in(site, database)[0]
    if counts_of(report) != {"insert": 500} or stored != 500:
        yield f"the report says {counts_of(report)}, the server has {stored}"
    if report["totals"]["requestUnits"] <= 0 or report["statuses"] != {"201": 500}:
        yield f"500 inserts cost {report['totals']['requestUnits']} RU and were answered {report['statuses']}"
    if sum(partition["requests"] for partition in report["partitions"]) != 500:
        yield f"the requests of the partitions are {report['partitions']}"


def every_workload_succeeds(site):
    for workload in ("read", "update", "query", "scan", "a", "b", "c", "d", "e", "f"):
        wrong, report = bench(site, "--workload", workload, "--documents", "300", "--count", "200", "--cleanup")
        yield from (f"{workload}: {each}" for each in wrong)
        if report and (report["totals"]["operations"] != 200 or report["totals"]["errors"] != 0):
            yield f"{workload}: {report['totals']}, first error {report['firstError']}"


def documents_have_the_size_and_shape_of_the_template(site):
    template = site.folder / "order.json"
    template.write_text('{"customer":{"id":"c-{{zipf 20}}"},"total":"{{decimal 1 99 2}}","note":"{{padding}}"}')
    wrong, report = bench(site, "--workload", "insert", "--count", "100", "--template", template, "--partition-key", "/customer/id",
                          "--document-bytes", "2kb")
    yield from wrong
    if not report:
        return
    database = report["settings"]["container"].split("/")[0]
    for document in documents_in(site, database, "SELECT * FROM c"):
        own = {name: value for name, value in document.items() if not name.startswith("_")}
        size = len(json.dumps(own, separators=(",", ":")))
        # A number may have lost zeros behind its point.
        if not isinstance(own["total"], (int, float)) or not own["customer"]["id"].startswith("c-") or not 2045 <= size <= 2048:
            yield f"a document of {size} bytes: {str(own)[:200]}"
            return


def cleaned_up_means_gone(site):
    wrong, report = bench(site, "--workload", "insert", "--count", "10", "--cleanup")
    yield from wrong
    if not report:
        return
    done = site.run(*COMMON, "--database", report["settings"]["container"].split("/")[0], "--workload", "insert", "--count", "10")
    if done.code != 0:
        yield f"a second run {done}"


def a_used_container_is_not_touched_without_being_told(site):
    database = site.new_database()
    first = site.run(*COMMON, "--database", database, "--workload", "insert", "--count", "10")
    second = site.run(*COMMON, "--database", database, "--workload", "insert", "--count", "10")
    third = site.run(*COMMON, "--database", database, "--workload", "insert", "--count", "10", "--reuse")
    if first.code != 0 or third.code != 0:
        yield f"{first}; with --reuse {third}"
    if second.code != 1 or "--reuse runs in it" not in second.err:
        yield f"without --reuse {second}"
    if documents_in(site, database) != [20]:
        yield f"there are {documents_in(site, database)} documents"


def throttled_requests_are_counted(site):
    server = Server(site.binary, site.folder / "throttled", site.folder / "throttled.log", options=("--no-rate-limit=false",))
    try:
        done = site.run(*COMMON, "--endpoint", f"http://127.0.0.1:{server.port}/", "--workload", "insert", "--throughput", "400", "--count", "300",
                        "--document-bytes", "8kb")
    finally:
        server.stop()
    totals = json.loads(done.out)["totals"] if done.code == 0 else {}
    if not totals or totals["operations"] != 300 or totals["throttles"] == 0:
        yield f"at 400 RU/s: {totals or done}"


def an_open_loop_keeps_its_rate(site):
    wrong, report = bench(site, "--workload", "read", "--documents", "50", "--rate", "200", "--arrivals", "fixed", "--duration", "1s")
    yield from wrong
    if report and report["totals"]["operations"] + report["missed"] not in (199, 200):
        yield f"200 a second for a second were {report['totals']['operations']}, missed {report['missed']}"


def reports_are_kept_and_compared(site):
    page, first, second = (site.folder / name for name in ("report.html", "a.json", "b.json"))
    for file, connections in ((first, 2), (second, 4)):
        done = site.run("bench", "--workload", "insert", "--count", "50", "--warm-up", "0", "--connections", connections, "--save", file,
                        "--html", page, "--database", site.new_database())
        if done.code != 0 or "insert " not in done.out or any(len(line) > 80 for line in done.out.splitlines()):
            yield f"bench {done}"
    if "<polyline" not in page.read_text():
        yield "the page has no chart"
    done = site.run("bench", "compare", first, second)
    if done.code != 0 or "2 connections, closed loop → 4 connections, closed loop" not in done.out or "op/s" not in done.out:
        yield f"compare {done}"
    done = site.run("bench", "compare", first, page)
    if done.code != 1 or "no report of partita bench" not in done.err:
        yield f"compare with a page {done}"


def https_works(site):
    wrong, report = bench(site, "--workload", "insert", "--count", "20", "--endpoint", site.https_endpoint)
    yield from wrong
    if report and counts_of(report) != {"insert": 20}:
        yield f"{report['totals']}"


def absurd_arguments_are_refused_with_a_sentence(site):
    for arguments, sentence in ((("--connections", "0"), "a number from 1 to 10000"), (("--rate", "-5"), "such as 5000"),
                                (("--duration", "forever"), "such as 30s"), (("--mix", "fly=1"), "operations are insert"),
                                (("--workload", "z"), "insert, read"), (("--zipf-exponent", "1"), "such as 0.99"),
                                (("--template", "/nowhere"), "cannot read the template /nowhere"), (("--documents", "0"), "needs documents"),
                                (("--partition-key", "pk"), "pk"), (("--document-bytes", "9GB"), "2097152")):
        done = site.run("bench", *arguments)
        if done.code == 0 or done.out or sentence not in done.err:
            yield f"bench {arguments} {done}"


CASES = [inserts_are_all_there, every_workload_succeeds, documents_have_the_size_and_shape_of_the_template, cleaned_up_means_gone,
         a_used_container_is_not_touched_without_being_told, throttled_requests_are_counted, an_open_loop_keeps_its_rate,
         reports_are_kept_and_compared, https_works, absurd_arguments_are_refused_with_a_sentence]
