"""plan-split, migrate, simulate and explain, and what all commands have in common: exit codes, JSON, 80 columns, nothing for terminals."""

import json

COLUMNS = 80
WRONG_KEY = "bm90IHRoZSBrZXkgb2YgdGhpcyBzZXJ2ZXIsIGJ5IGZhcg=="
COMMANDS = ["check", "split", "merge", "migrate", "top", "explain", "simulate", "plan-split", "import", "export", "copy", "query", "shell",
            "advise", "bench"]


def _documents(count=30):
    return [{"id": f"d{n}", "pk": f"k{n % 3}", "tenant": f"t{n % 7}", "user": f"u{n}", **({"rare": 1} if n < 3 else {})} for n in range(count)]


def _untidy(text):
    for line in text.splitlines():
        if len(line) > COLUMNS:
            yield f"{len(line)} columns: {line}"
        if line != line.rstrip():
            yield f"blanks at the end: {line!r}"
        if "\x1b" in line or "\r" in line:
            yield f"something for terminals: {line!r}"


def every_command_explains_itself(site):
    for command in COMMANDS:
        done = site.run(command, "--help")
        if done.code != 0 or "Example" not in done.out or f"partita {command}" not in done.out:
            yield f"{command} --help {done}"


def wrong_calls_end_with_2(site):
    for call in ([], ["nonsense"], ["explain"], ["top", "--lines", "0"], ["simulate", "--partitions", "0"], ["simulate", "--partitions", "-1"],
                 ["simulate", "--partitions", "1000000000000"], ["plan-split", "a", "b", "--throughput", "0"], ["migrate", "a", "b", "tenant"],
                 ["split", "a", "b", "0", "--at", "xy"]):
        done = site.run(*call)
        if done.code != 2 or done.out or not done.err.startswith("partita: "):
            yield f"{call} {done}"


def files_that_are_missing_are_no_wrong_calls(site):
    missing = site.new_folder() / "missing"
    place = ("--database", "db", "--container", "c")
    for call in (["import", missing, *place], ["advise", missing], ["simulate", "--shares", missing],
                 ["bench", "--template", missing], ["bench", "compare", missing, missing],
                 ["import", __file__, *place, "--partition-key", "/pk", "--indexing-policy", missing]):
        done = site.run(*call)
        if done.code != 1 or done.out or not done.err.startswith("partita: ") or str(missing) not in done.err:
            yield f"{call} {done}"


def plans_compare_keys_side_by_side(site):
    database, container = site.new_container(documents=_documents())
    done = site.run("plan-split", database, container, "--partition-key", "/user", "--partition-key", "/tenant,/user")
    if done.code != 0 or "Side by side:" not in done.out or "Migrate to /user" not in done.out:
        yield f"plan-split {done}"
    yield from _untidy(done.out)
    plan = json.loads(site.run("plan-split", "--database", database, "--container", container, "--partition-key", "/rare", "--json").out)
    if plan["candidates"][0]["documentsWithoutValue"] != 27 or plan["present"]["documents"] != 30:
        yield f"the plan is {plan}"


def a_migration_is_shown_and_needs_a_yes(site):
    database, container = site.new_container(documents=_documents())
    done = site.run("migrate", database, container, "/tenant,/user")
    if done.code != 2 or "/pk becomes /tenant,/user" not in done.out or "add --yes" not in done.err:
        yield f"without --yes: {done}"
    yield from _untidy(done.out)
    done = site.run("migrate", database, container, "/rare", "--yes")
    if done.code != 1 or "27 (90.0%)" not in done.out or "most documents have no value at /rare" not in done.err:
        yield f"to a rare property: {done}"
    done = site.run("migrate", database, container, "/tenant,/user", "--yes", "--json")
    if done.code != 0 or json.loads(done.out)["documents"] != 30:
        yield f"with --yes: {done}"
    answer = site.connection().container("GET", database, container).json()
    if answer["partitionKey"]["paths"] != ["/tenant", "/user"]:
        yield f"the key is {answer['partitionKey']}"


def computed_keys_are_planned_as_others(site):
    database, container = site.new_container(documents=_documents())
    place = ["migrate", database, container, "/key", "--computed"]
    done = site.run(*place, "key=SELECT VALUE CONCAT(c.tenant, '-', c.user) FROM c")
    shown = "/pk becomes /key", "computed         key=SELECT VALUE", "documents        30 (", "without a value  0 (0.0%)", "3 now, 30 then"
    if done.code != 2 or any(part not in done.out for part in shown) or "add --yes" not in done.err:
        yield f"without --yes: {done}"
    yield from _untidy(done.out)
    done = site.run(*place, "key=SELECT VALUE CONCAT(ToString(c.rare), c.user) FROM c", "--yes")
    if done.code != 1 or "27 (90.0%)" not in done.out or "as they lack what it is computed from" not in done.err:
        yield f"from a rare property: {done}"
    if site.connection().container("GET", database, container).json()["partitionKey"]["paths"] != ["/pk"]:
        yield "the key was changed although it was refused"
    done = site.run(*place, "other=SELECT VALUE c.user FROM c", "--yes")
    if done.code != 1 or "names the computed property 'other'" not in done.err:
        yield f"a property that is no path: {done}"
    done = site.run(*place, "key=SELECT VALUE CONCAT(c.tenant, '-', c.user) FROM c", "--yes", "--json")
    if done.code != 0 or json.loads(done.out)["documents"] != 30 or "30 then" not in done.err:
        yield f"with --yes: {done}"
    rows = site.run("query", "SELECT VALUE c.key FROM c WHERE c.id = 'd8'", "--database", database, "--container", container, "--json")
    if '"t1-u8"' not in rows.out:
        yield f"the key of a document is not stored: {rows}"


def people_are_asked_before_a_migration(site):
    database, container = site.new_container(documents=_documents())
    for answer, code, paths in (("n", 1, ["/pk"]), ("", 1, ["/pk"]), ("y", 0, ["/tenant"])):
        ended, shown = site.run_on_terminal("migrate", database, container, "/tenant", typed=answer + "\n")
        key = site.connection().container("GET", database, container).json()["partitionKey"]["paths"]
        if ended != code or key != paths or "Change the partition key? [y/N]" not in shown:
            yield f"the answer {answer!r} ended with {ended}, the key is {key}: {shown}"


def simulations_are_compared_and_take_a_distribution(site):
    shares = site.new_folder() / "shares.txt"
    shares.write_text("1000\n" + "1\n" * 99)
    done = site.run("simulate", "--partitions", "2,5", "--hours", "1", "--shares", shares)
    if done.code != 0 or "partitions                      2          5\n" not in done.out or "partition key" not in done.out:
        yield f"simulate {done}"
    yield from _untidy(done.out)
    totals = json.loads(site.run("simulate", "--partitions", "3", "--hours", "1", "--json").out)
    if [each["partitionsBefore"] for each in totals] != [3]:
        yield f"the totals are {totals}"
    shares.write_text("1\nmany\n")
    done = site.run("simulate", "--shares", shares)
    if done.code != 1 or "shares.txt:2 is no number" not in done.err:
        yield f"simulate with a broken file {done}"


def _explained_as_refused(site, database, container):
    """What the service refuses although no index is missing: with which status, why, and what serves it."""
    plan, extended = "SDKs that ask for a query plan", "'x-partita-fidelity: extended'"
    for query, heading, reason, remedies in (
            ("SELECT VALUE t FROM c JOIN t IN c.tags ORDER BY t", "Clients are refused this query (400)", "Order-by over correlated collections", [extended]),
            ("SELECT VALUE COUNT(1) + 1 FROM c", "Clients are refused this query (400)", "Compositions of aggregates", [extended]),
            ("SELECT COUNT(1) FROM c", "Clients that merge no partitions are refused this query (400)", "'VALUE <AggregateFunc>'", [plan, extended]),
            ("SELECT TOP 1 * FROM c", "Clients that merge no partitions are refused this query (400/1004)", "cross partition query", [plan, extended])):
        done = site.run("explain", database, container, query)
        words = " ".join(done.out.split())
        is_said = done.out.startswith(heading + "\n") and reason in words and all(remedy in words for remedy in remedies)
        if done.code != 0 or not is_said or "index that it needs" in words or (plan in words) != (plan in remedies):
            yield f"explain {query!r} {done}"
        yield from _untidy(done.out)


def explain_says_first_what_is_refused(site):
    database, container = site.new_container(documents=_documents())
    refused = "SELECT * FROM c ORDER BY c.tenant, c.user"
    done = site.run("explain", refused, "--database", database, "--container", container)
    if done.code != 0 or not done.out.startswith("Clients are refused this query (400)\n"):
        yield f"explain {done}"
    if "Below is the index that it needs." not in done.out:
        yield f"explain {done}"
    yield from _untidy(done.out.split("Indexes that would help")[0])
    yield from _explained_as_refused(site, database, container)
    done = site.run("explain", database, container, "SELECT * FROM c")
    if done.code != 0 or not done.out.startswith("Plan\n"):
        yield f"explain {done}"


def errors_are_sentences(site):
    database, container = site.new_container()
    for call, reason, environment in (
            (["plan-split", "none", "c"], "'none' does not exist", {}),
            (["explain", database, "none", "SELECT 1"], "404", {}),
            (["top", "--once"], "give the account's key with --key or PARTITA_KEY", {"PARTITA_KEY": WRONG_KEY}),
            (["top", "--once"], "host.invalid", {"PARTITA_ENDPOINT": "http://host.invalid:8081/"}),
            (["top", "--once"], "does not answer", {"PARTITA_ENDPOINT": "http://127.0.0.1:1/"})):
        done = site.run(*call, environment=environment)
        if done.code != 1 or reason not in done.err or done.out:
            yield f"{call} {done}"


CASES = [every_command_explains_itself, wrong_calls_end_with_2, files_that_are_missing_are_no_wrong_calls,
         plans_compare_keys_side_by_side, a_migration_is_shown_and_needs_a_yes, computed_keys_are_planned_as_others,
         people_are_asked_before_a_migration, simulations_are_compared_and_take_a_distribution,
         explain_says_first_what_is_refused, errors_are_sentences]
