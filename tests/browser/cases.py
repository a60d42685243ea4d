"""What pages try, and what must come of it."""

import json
import re
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager

from pages import PageServer, page
from testbed.account import signed_headers
from testbed.cases import Place
from testbed.server import Failed

QUERY = {"x-ms-documentdb-isquery": "true", "x-ms-documentdb-query-enablecrosspartition": "true", "content-type": "application/query+json"}


@contextmanager
def running(binary, *options):
    """A server on a directory of its own; its port."""
    with Place(binary) as place:
        yield place.start(options=("--durability", "relaxed", *options)).port


def signed(method, path):
    """As an SDK signs: for the resource's type and its link, or that of the feed's owner."""
    segments = path.strip("/").split("/")
    is_feed = len(segments) % 2 == 1
    return signed_headers(method, segments[-1] if is_feed else segments[-2], "/".join(segments[:-1] if is_feed else segments))


def send(port, method, path, body=None):
    """As an SDK sends it: signed, without an origin."""
    headers = signed(method, path)
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method, headers=headers, data=json.dumps(body).encode() if body else None)
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read())


def databases(port):
    return [database["id"] for database in send(port, "GET", "/dbs")["Databases"]]


def counted(port):
    """How often the server has answered for the account, or turned away, with each kind of status, as its metrics say."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/_metrics") as answer:
        lines = re.findall(r'partita_requests_total\{method="(\w+)",status="(\w+)"\} (\d+)', answer.read().decode())
    return {(method, status): int(count) for method, status, count in lines if int(count) > 0}


def attacks(port, host="localhost"):
    """JavaScript of a page that has the key, as everybody has on this machine, but no business with the server."""
    base = f"http://{host}:{port}"
    listing = json.dumps({"headers": signed("GET", "/dbs")})
    creation = json.dumps({"method": "POST", "headers": signed("POST", "/dbs"), "body": '{"id":"stolen"}'})
    return f"""
await attempt("reads with the key", async () => seen(await fetch("{base}/dbs", {listing})));
await attempt("writes with the key", async () => seen(await fetch("{base}/dbs", {creation})));
await attempt("reads without asking", async () => seen(await fetch("{base}/dbs")));
await attempt("reads the overview", async () => seen(await fetch("{base}/_explorer/")));
await attempt("reads metrics", async () => seen(await fetch("{base}/_metrics")));
await attempt("reads the health", async () => seen(await fetch("{base}/_health/ready")));
await attempt("sends blindly", async () => seen(await fetch("{base}/dbs", {{ method: "POST", mode: "no-cors", body: '{{"id":"stolen"}}' }})));
await attempt("orders a split blindly", async () => seen(await fetch("{base}/_partita/split", {{ method: "POST", mode: "no-cors", body: "{{}}" }})));
await attempt("submits a form", () => submitForm("{base}/dbs", '{{"id":"stolen"}}'));
await attempt("shows an image", () => element("img", {{ src: "{base}/_metrics" }}));
await attempt("runs a script", () => element("script", {{ src: "{base}/_metrics" }}));
await attempt("has a frame", () => element("iframe", {{ src: "{base}/_explorer/" }}));
await attempt("writes from a sandbox", () => fromSandbox("{base}/dbs", {creation}));
"""


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def expect_nothing_gained(results, is_same_origin=False):
    """Of every attempt the page has seen an error, or nothing."""
    for name, result in results.items():
        if name in ("shows an image", "runs a script"):
            expect(result == {"loaded": False}, f"{name}: {result}")
        elif name in ("submits a form", "has a frame"):
            inside = result.get("inside")
            expect(not inside or "Forbidden" in inside, f"{name}: {result}")
        else:
            is_refused = result.get("status") == 403 if is_same_origin else False
            expect("error" in result or result.get("type") == "opaque" or is_refused, f"{name}: {result}")
    expect(len(results) == 13, f"only {sorted(results)} were tried")


def try_foreign_page(binary, browser, show, host, options=()):
    with running(binary, *options) as port:
        pages = PageServer()
        pages.page = page(attacks(port))
        expect(browser.open(f"http://{host}:{pages.port}/page", pages.reported, hosts=[host]), "the page did not report")
        pages.close()
        if show:
            print(json.dumps(pages.report, indent=2))
        expect_nothing_gained(pages.report)
        statuses = counted(port)
        expect({status for _, status in statuses} == {"4xx"}, f"answered: {statuses}")
        expect(all(statuses.get((method, "4xx")) for method in ("GET", "POST", "OPTIONS")), f"something has not come: {statuses}")
        expect(databases(port) == [], "the page has made a database")


def try_rebound_name(binary, browser, show):
    """The attacker's name leads to the server once the page is there: one origin, half of whose answers are the server's."""
    host = "rebound.example"
    with running(binary) as port:
        pages = PageServer(behind=port)
        pages.page = page(attacks(port, host))
        expect(browser.open(f"http://{host}:{port}/page", pages.reported, proxy=pages.port), "the page did not report")
        pages.close()
        if show:
            print(json.dumps(pages.report, indent=2))
        expect_nothing_gained(pages.report, is_same_origin=True)
        expect(pages.report["reads with the key"].get("status") == 403, f"{pages.report['reads with the key']}")
        expect(databases(port) == [], "the page has made a database")


def try_named_page(binary, browser, show):
    pages = PageServer()
    with running(binary, "--cors-origin", f"http://localhost:{pages.port}") as port:
        requests = [("POST", "/dbs", {}, {"id": "shop"}),
                    ("POST", "/dbs/shop/colls", {}, {"id": "orders", "partitionKey": {"paths": ["/customer"], "kind": "Hash", "version": 2}}),
                    ("POST", "/dbs/shop/colls/orders/docs", {"x-ms-documentdb-partitionkey": '["ada"]'}, {"id": "1", "customer": "ada"}),
                    ("GET", "/dbs/shop/colls/orders/docs/1", {"x-ms-documentdb-partitionkey": '["ada"]'}, None),
                    ("POST", "/dbs/shop/colls/orders/docs", QUERY, {"query": "SELECT VALUE c.customer FROM c"}),
                    ("DELETE", "/dbs/shop/colls/orders/docs/1", {"x-ms-documentdb-partitionkey": '["ada"]'}, None)]
        body = ""
        for number, (method, path, headers, sent) in enumerate(requests):
            init = {"method": method, "headers": {**signed(method, path), **headers}, **({"body": json.dumps(sent)} if sent else {})}
            body += f'await attempt("{number}", async () => seen(await fetch("http://127.0.0.1:{port}{path}", {json.dumps(init)})));\n'
        body += f'await attempt("metrics", async () => seen(await fetch("http://127.0.0.1:{port}/_metrics")));\n'
        pages.page = page(body)
        expect(browser.open(f"http://localhost:{pages.port}/page", pages.reported), "the page did not report")
        pages.close()
        report = pages.report
        if show:
            print(json.dumps(report, indent=2))
        statuses = [report[str(number)].get("status") for number in range(len(requests))]
        expect(statuses == [201, 201, 201, 200, 200, 204], f"answered: {report}")
        expect('"Documents":["ada"]' in report["4"]["text"], f"the query gave {report['4']}")
        expect(float(report["3"]["charge"]) > 0, f"the page cannot read the charge: {report['3']}")
        expect("error" in report["metrics"], f"a named page reads metrics: {report['metrics']}")


def try_overview(binary, browser):
    with running(binary) as port:
        shown = browser.text_of(f"http://localhost:{port}/_explorer/")
        expect("There is no database yet" in shown, f"the overview is {shown[:300]!r}")
        hidden = browser.text_of(f"http://rebound.example:{port}/_explorer/", hosts=["rebound.example"])
        expect("is not known as" in hidden and "database yet" not in hidden, f"under another name it is {hidden[:300]!r}")


def try_to_see_a_breach(binary, browser):
    """A server that lets all pages in must fail the test."""
    try:
        try_foreign_page(binary, browser, False, "evil.example", ("--cors-origin", "*"))
    except AssertionError as failure:
        return expect("reads with the key" in str(failure), f"it failed otherwise: {failure}")
    raise AssertionError("a page that gets in is not seen")


def run_cases(binary, browser, show):
    """Why each case failed, by its name; None where it did not."""
    cases = {
        "a page of another port gets nothing": lambda: try_foreign_page(binary, browser, show, "localhost"),
        "a page of another site gets nothing": lambda: try_foreign_page(binary, browser, show, "evil.example"),
        "a page that gets in would be seen": lambda: try_to_see_a_breach(binary, browser),
        "a page whose name leads here gets nothing": lambda: try_rebound_name(binary, browser, show),
        "a page that is named uses the account": lambda: try_named_page(binary, browser, show),
        "the overview is shown under the server's own name": lambda: try_overview(binary, browser),
    }
    failures = {}
    for name, case in cases.items():
        try:
            case()
            failures[name] = None
        except (AssertionError, Failed, urllib.error.URLError, subprocess.TimeoutExpired) as failure:
            failures[name] = str(failure)
    return failures
