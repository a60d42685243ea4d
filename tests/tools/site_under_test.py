"""A server, the program, and a folder of its own: what every case gets."""

import itertools
import json
import os
import pty
import shutil
import subprocess
import tempfile
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

from testbed.account import WELL_KNOWN_KEY, Connection
from testbed.server import Failed, Server

COMMAND_SECONDS_MAX = 120


@dataclass
class Done:
    """A command that ended."""

    code: int
    out: str
    err: str

    def __str__(self):
        return f"ended with {self.code}: {(self.out + self.err).strip()[-1500:]}"


class Site:
    """One server for all cases; each makes databases of its own."""

    def __init__(self, binary, root, endpoint=None):
        self.binary = binary
        self.root = root
        self.folder = Path(tempfile.mkdtemp(prefix="partita-tools-"))
        self.server = None
        if not endpoint:
            try:
                self.server = Server(binary, self.folder / "data", self.folder / "server.log")
            except BaseException:
                shutil.rmtree(self.folder, ignore_errors=True)
                raise
            endpoint = f"http://127.0.0.1:{self.server.port}/"
        self.endpoint = endpoint
        self.https_endpoint = endpoint.replace("http://", "https://")
        self._numbers = itertools.count(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.server and self.server.is_alive():
            self.server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *arguments, stdin="", environment=None, program=None, seconds=COMMAND_SECONDS_MAX):
        """Runs a command to its end; PARTITA_ENDPOINT and PARTITA_KEY name the server."""
        variables = {**os.environ, "PARTITA_ENDPOINT": self.endpoint, "PARTITA_KEY": WELL_KNOWN_KEY, **(environment or {})}
        done = subprocess.run([str(program or self.binary), *map(str, arguments)], input=stdin, capture_output=True, text=True,
                              env=variables, timeout=seconds, check=False)
        return Done(done.returncode, done.stdout, done.stderr)

    def run_on_terminal(self, *arguments, typed=""):
        """Runs a command on a pseudo-terminal, types something, and gives its exit code and all that was shown."""
        main, other = pty.openpty()
        environment = {**os.environ, "PARTITA_ENDPOINT": self.endpoint, "PARTITA_KEY": WELL_KNOWN_KEY}
        process = subprocess.Popen([str(self.binary), *map(str, arguments)], stdin=other, stdout=other, stderr=other, env=environment)
        os.close(other)
        os.write(main, typed.encode())
        shown = b""
        try:
            while piece := os.read(main, 65536):
                shown += piece
        except OSError:
            pass  # the other side is closed
        os.close(main)
        return process.wait(COMMAND_SECONDS_MAX), shown.decode()

    def connection(self):
        """Signed requests without any tool."""
        return Connection(urllib.parse.urlsplit(self.endpoint).port)

    def new_database(self):
        """The name of a database that exists and is nobody else's."""
        name = f"db{next(self._numbers)}"
        connection = self.connection()
        answer = connection.create_database(name)
        connection.close()
        if answer.status != 201:
            raise Failed(f"the database could not be created: {answer}")
        return name

    def new_container(self, path="/pk", documents=(), throughput=None, computed=()):
        """(database, container) with these documents in it. Several paths, as a list, are a hierarchical key; `computed` are computed properties."""
        paths = [path] if isinstance(path, str) else list(path)
        database = self.new_database()
        connection = self.connection()
        definition = {"id": "c", "partitionKey": {"paths": paths, "kind": "Hash" if len(paths) == 1 else "MultiHash", "version": 2}}
        if computed:
            definition["computedProperties"] = list(computed)
        answer = connection.create_container(database, definition, throughput)
        if answer.status != 201:
            raise Failed(f"the container could not be created: {answer}")
        link = f"dbs/{database}/colls/c"
        for document in documents:
            headers = {"x-ms-documentdb-partitionkey": json_key(document, *paths)}
            answer = connection.request("POST", f"/{link}/docs", "docs", link, document, headers)
            if answer.status != 201:
                raise Failed(f"a document could not be created: {answer}")
        connection.close()
        return database, "c"

    def new_folder(self):
        folder = self.folder / f"folder{next(self._numbers)}"
        folder.mkdir()
        return folder


def json_key(document, *paths):
    """As a request's header; what the document lacks is undefined, as SDKs send it."""
    return json.dumps([_value(document, path) for path in paths])


def _value(document, path):
    value = document
    for step in path.strip("/").split("/"):
        value = value.get(step, {}) if isinstance(value, dict) else {}
    return value
