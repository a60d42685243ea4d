"""Servers that lie: whatever they answer, a command ends soon, with an exit code, in bounded memory, and sends nothing of theirs to a terminal."""

import json
import resource
import socket
import subprocess
import threading
import time
from contextlib import contextmanager

from testbed.account import WELL_KNOWN_KEY

SECONDS_MAX = 60
MEMORY_MAX = 700 << 20
EVIL = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e"
ACTIVE = ("\x1b", "\x07", "\u009b", "\u202e")
NOT_DOCUMENTS = [1, None, "x", [], True, {}, {"id": 7}, {"id": EVIL, "_rid": 5, "_etag": []}]
RANGES = [{"id": "0", "minInclusive": "", "maxExclusive": "FF", "parents": []}]
DEFINITION = {"id": "c", "_rid": "AAAAAAAAAAA=", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}, "indexingPolicy": {}}
LISTS = ("Documents", "PartitionKeyRanges", "DocumentCollections", "Databases", "Offers", "StoredProcedures", "containers", "requests", "queries")


def _http(status, body, headers=""):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body


def _plausible(path, documents):
    """What leads a command on to the documents."""
    if "/pkranges" in path:
        return _http(200, {"PartitionKeyRanges": RANGES})
    if path.endswith("/colls/c"):
        return _http(200, DEFINITION)
    if "/docs" in path:
        return _http(200, documents)
    return _http(200, {"id": "d", "_rid": "AAAA", **{name: [] for name in LISTS}})


def _garbage(_):
    return b"\x00\xff SSH-2.0 no HTTP at all\r\n\r\n" * 10


def _endless_body(_):
    yield b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
    piece = b"10000\r\n" + b"[" * 0x10000 + b"\r\n"
    while True:
        yield piece


def _endless_headers(_):
    yield b"HTTP/1.1 200 X\r\n"
    while True:
        yield b"x-more: and more\r\n" * 1000


def _huge_promise(_):
    return b"HTTP/1.1 200 X\r\nContent-Length: 9223372036854775807\r\n\r\n{"


def _deep(_):
    return _http(200, b"[" * 200_000 + b"]" * 200_000)


def _scalars(_):
    return _http(200, {name: NOT_DOCUMENTS for name in LISTS})


def _wrong_types(_):
    return _http(200, {"id": 5, "partitionKey": [], "indexingPolicy": 7, "computedProperties": {}, **{name: {"a": 1} for name in LISTS}})


def _no_documents(path):
    return _plausible(path, {"Documents": NOT_DOCUMENTS, "rows": 5, "plan": "x", "partitionedQueryExecutionInfoVersion": "x", "queryRanges": 1})


def _partitions_of_nothing(path):
    if "/pkranges" in path:
        return _http(200, {"PartitionKeyRanges": [{"id": EVIL, "minInclusive": "zz", "maxExclusive": "", "parents": [EVIL, 5]}]})
    return _plausible(path, {"Documents": []})


def _evil_refusal(_):
    message = json.dumps({"errors": [{"message": EVIL, "code": EVIL, "location": {"start": -5, "end": 2**60}}]})
    return _http(400, {"code": EVIL, "message": f"Message: {message}\r\n{EVIL}"})


def _wait_for_ever(_):
    return _http(429, {}, "x-ms-retry-after-ms: 9223372036854775807\r\n")


def _evil_headers(_):
    return _http(200, {}, "x-ms-request-charge: nan\r\nx-ms-session-token: :::,0:9#" + "9" * 60 + ",\r\nx-ms-continuation: \xff\r\netag: \xfe\r\n")


LIARS = [_garbage, _endless_body, _endless_headers, _huge_promise, _deep, _scalars, _wrong_types, _no_documents, _partitions_of_nothing,
         _evil_refusal, _wait_for_ever, _evil_headers]


@contextmanager
def _server_that(answer):
    """Its port; every request is answered by `answer`, which gets the path and gives bytes, or pieces without an end."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(connection):
        with connection:
            reader = connection.makefile("rb")
            while request := reader.readline():
                length = 0
                while (header := reader.readline()).strip():
                    if header.lower().startswith(b"content-length:"):
                        length = int(header.split(b":")[1])
                reader.read(length)
                given = answer(request.split()[1].decode("latin-1"))
                for piece in [given] if isinstance(given, bytes) else given:
                    connection.sendall(piece)
                if answer in (_garbage, _huge_promise):
                    return

    def serve_quietly(connection):
        try:
            serve(connection)
        except OSError:
            pass  # the command has seen enough

    def accept():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve_quietly, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _calls(folder):
    place = ["--database", "d", "--container", "c"]
    patience = ["--patience", "2", "--state", folder / "state"]
    script = "show databases\nshow containers\nshow container\n\\ranges\n\\explain SELECT 1\n\\run p --key 1\n\\edit a b\nSELECT * FROM c;\n"
    return [
        (["query", "SELECT * FROM c", *place], ""), (["query", "SELECT c.a FROM c ORDER BY c.a", *place, "--format", "csv"], ""),
        *((["shell", "d", "c"], line + "\n") for line in script.splitlines()),
        (["explain", "d", "c", "SELECT * FROM c"], ""), (["top", "--once"], ""), (["plan-split", "d", "c"], ""), (["split", "d", "c", "0"], ""),
        (["migrate", "d", "c", "/a", "--yes"], ""), (["advise", *place], ""), (["advise", *place, "--json"], ""),
        (["export", folder / "out.ndjson", *place, *patience], ""), (["export", folder / "out.csv", *place, *patience], ""),
        (["import", folder / "in.ndjson", *place, *patience], ""), (["import", folder / "in.ndjson", *place, *patience, "--single", "--mode", "skip"], ""),
        (["copy", "--from-database", "d", "--from-container", "c", *place, *patience], ""),
        (["bench", *place, "--workload", "a", "--documents", "5", "--duration", "0.2s", "--warm-up", "0", "--reuse"], ""),
    ]


def _run(site, port, call, stdin):
    """(exit code or None, output, errors)"""
    environment = {"PATH": "/usr/bin:/bin", "PARTITA_ENDPOINT": f"http://127.0.0.1:{port}/", "PARTITA_KEY": WELL_KNOWN_KEY, "EDITOR": "true"}
    process = subprocess.Popen([str(site.binary), *map(str, call)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
    try:
        said = process.communicate(stdin.encode(), timeout=SECONDS_MAX)
        code = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        said = process.communicate()
        code = None
    return code, *(each.decode("utf-8", "replace") for each in said)


def no_lie_ends_a_command_badly(site):
    folder = site.new_folder()
    (folder / "in.ndjson").write_text('{"id":"1","pk":"a"}\n{"id":"2","pk":"b"}\n')
    for liar in LIARS:
        with _server_that(liar) as port:
            for call, stdin in _calls(folder):
                for left in ("state", "out.ndjson", "out.csv"):
                    (folder / left).unlink(missing_ok=True)
                begun = time.monotonic()
                code, out, err = _run(site, port, call, stdin)
                what = f"{liar.__name__.strip('_')}: {call[0]} {stdin.strip()} ended with {code} after {time.monotonic() - begun:.0f} s: {(out + err)[-600:]!r}"
                # A container with another partition key than `bench` was told is a mistake in the command.
                if code not in (0, 1) and "give it as --partition-key" not in err:
                    yield what
                # In a pipe, rows are what is stored.
                elif any(active in (err if call[0] in ("query", "shell") or "--json" in call else out + err) for active in ACTIVE):
                    yield f"it speaks to terminals: {what}"
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    if peak > MEMORY_MAX:
        yield f"a command took {peak >> 20} MB"


CASES = [no_lie_ends_a_command_badly]
