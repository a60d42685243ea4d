"""Commands that ask a running server do so over http and over https, and want a certificate of whoever is not on this machine."""

import json

from testbed.server import Server

DOCUMENTS = [{"id": f"d{n}", "pk": f"k{n}", "tenant": f"t{n % 7}"} for n in range(40)]


def _calls(folder, database, container):
    """Every command that talks to a server, as little of it as shows that it did; the last ones change the container's partitions."""
    place = ["--database", database, "--container", container]
    return [
        (["top", "--once"], " partitions, "),
        (["query", "SELECT VALUE COUNT(1) FROM c", *place, "--format", "lines"], "40\n"),
        (["shell", database, container], ""),
        (["explain", database, container, "SELECT * FROM c"], "40 documents"),
        (["advise", *place], "40 documents"),
        (["plan-split", database, container, "--partition-key", "/tenant"], "Side by side:"),
        (["export", folder / "out.ndjson", *place], "verified: 40 documents"),
        (["import", folder / "out.ndjson", *place, "--upsert"], "40 documents"),
        (["copy", "--from-database", database, "--from-container", container, "--database", database, "--container", "copy", "--partition-key",
          "/tenant", "--state", folder / "copy"], "verified: 40 documents"),
        (["bench", "--database", database, "--container", "bench", "--workload", "insert", "--count", "20", "--warm-up", "0", "--cleanup"], "insert"),
        (["split", database, container, "0"], "0 became 1, 2"),
        (["merge", database, container, "1"], "1, 2 became 3"),
        (["migrate", database, container, "/tenant", "--yes"], "40 documents"),
    ]


def every_command_works_over_https(site):
    database, container = site.new_container(documents=DOCUMENTS)
    for call, shown in _calls(site.new_folder(), database, container):
        done = site.run(*call, environment={"PARTITA_ENDPOINT": site.https_endpoint})
        if done.code != 0 or shown not in done.out:
            yield f"{call} {done}"


def a_certificate_of_nobody_is_refused_unless_that_is_wanted(site):
    """0.0.0.0 is this machine, but no loopback address."""
    server = Server(site.binary, site.new_folder() / "data", site.new_folder() / "log", options=("--allow-host", "0.0.0.0"))
    try:
        folder = site.new_folder()
        endpoint = f"https://0.0.0.0:{server.port}/"
        (folder / "in.ndjson").write_text("".join(json.dumps(each) + "\n" for each in DOCUMENTS))
        prepared = site.run("import", folder / "in.ndjson", "--database", "d", "--container", "c", "--partition-key", "/pk",
                            environment={"PARTITA_ENDPOINT": f"http://127.0.0.1:{server.port}/"})
        if prepared.code != 0:
            yield f"import {prepared}"
        for call, shown in _calls(folder, "d", "c"):
            done = site.run(*call, environment={"PARTITA_ENDPOINT": endpoint})
            if done.code != 1 or "certificate" not in done.err:
                yield f"nobody vouches for it, but {call} {done}"
            done = site.run(*call, "--insecure", *(["--from-insecure"] if call[0] == "copy" else []), environment={"PARTITA_ENDPOINT": endpoint})
            if done.code != 0 or shown not in done.out:
                yield f"--insecure {call} {done}"
    finally:
        server.stop()


def a_plain_port_is_no_https(site):
    done = site.run("top", "--once", "--endpoint", "https://127.0.0.1:1/")
    if done.code == 0 or "does not answer: Connection refused" not in done.err:
        yield f"nobody listens there, but top {done}"


CASES = [every_command_works_over_https, a_certificate_of_nobody_is_refused_unless_that_is_wanted, a_plain_port_is_no_https]
