"""The servers that are compared. Each knows how to start, when it answers, how to get its schema, and what it can do."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
from dataclasses import dataclass, field

from . import cosmos_rest
from .processes import Server, free_port

POSTGRES_PROGRAMS = "/usr/lib/postgresql/15/bin"

# What an acknowledged write has behind it. Ratios are printed inside one class only.
READ = "–"  # nothing is written
GROUP = "group"  # on disk (fdatasync) before the answer; one sync may serve several writers
NONE = "none"  # memory only


@dataclass(frozen=True)
class Workload:
    """One operation of one peer, and the load generator's arguments for it."""

    peer: str
    operation: str  # "read" or "insert"
    durability: str
    arguments: tuple = field(hash=False)

    @property
    def is_insert(self):
        return self.operation == "insert"


class Peer:
    """Base: one server on one port with one directory, started and stopped any number of times."""

    name = ""
    note = ""

    def __init__(self, directory, processor):
        self.directory = directory
        self.processor = processor
        self.port = free_port()
        self.server = None

    def prepare(self):
        """What must exist before the first start."""

    def command(self):
        raise NotImplementedError

    def start(self):
        self.server = Server(self.command(), self.log_path, self.processor)

    def stop(self):
        if self.server:
            self.server.stop()
            self.server = None

    def answers(self):
        return cosmos_rest.answers(self.port)

    def create_schema(self):
        """Databases, containers, tables; the server runs."""

    def forget(self):
        """Remove what it stored, so that the next start is the first one."""

    def workloads(self):
        raise NotImplementedError

    @property
    def log_path(self):
        return os.path.join(self.directory, "log")

    def http(self, operation, container, *more):
        kind = "read" if operation == "read" else "create"
        return ("--protocol", "http", "--port", str(self.port), "--key", cosmos_rest.WELL_KNOWN_KEY,
                "--operation", kind, "--container", container, *more)


class HttpCeiling(Peer):
    name = "bare epoll HTTP"
    note = "fixed 1 KB answer, ten headers, one thread, nothing parsed or checked"

    def __init__(self, directory, processor, program):
        super().__init__(directory, processor)
        self._program = program

    def command(self):
        return [self._program, str(self.port)]

    def workloads(self):
        return [Workload(self.name, "read", READ, self.http("read", "c", "--fixed-answer"))]


class Partita(Peer):
    name = "Partita"
    note = "signature checked, every path indexed, fdatasync before the answer"

    def __init__(self, directory, processor, program):
        super().__init__(directory, processor)
        self._program = program
        self.data = os.path.join(directory, "data")

    def command(self):
        return [self._program, "serve", "--data", self.data, "--port", str(self.port), "--no-rate-limit"]

    def create_schema(self):
        cosmos_rest.create_schema(self.port, ["c", "inserts"], throughput=10000)

    def forget(self):
        shutil.rmtree(self.data, ignore_errors=True)

    def workloads(self):
        return [
            Workload(self.name, "read", READ, self.http("read", "c")),
            Workload(self.name, "insert", GROUP, self.http("insert", "inserts")),
        ]


class CosmosdbServer(Peer):
    name = "cosmosdb-server"
    note = "@vercel/cosmosdb-server, kept connections; no signature check, no index, memory only"

    def __init__(self, directory, processor, node_folder):
        super().__init__(directory, processor)
        self._node_folder = node_folder

    def command(self):
        wrapper = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cosmosdb_server.js")
        return [shutil.which("node"), wrapper, self._node_folder, str(self.port)]

    def create_schema(self):
        cosmos_rest.create_schema(self.port, ["c", "inserts"], throughput=10000)

    def workloads(self):
        return [
            Workload(self.name, "read", READ, self.http("read", "c")),
            Workload(self.name, "insert", NONE, self.http("insert", "inserts")),
        ]


class Postgres(Peer):
    name = "PostgreSQL JSONB"
    gin_name = "PostgreSQL JSONB+GIN"
    note = "version 15, prepared statements, fsync on, otherwise the package's defaults; +GIN indexes every path"

    def __init__(self, directory, processor):
        super().__init__(directory, processor)
        self.data = os.path.join(directory, "data")
        self._user = _unprivileged_user()

    def prepare(self):
        if self._user:
            os.chown(self.directory, pwd.getpwnam(self._user).pw_uid, -1)
        command = [f"{POSTGRES_PROGRAMS}/initdb", "--auth=trust", "--username=bench", "--encoding=UTF8",
                   "--locale=C.UTF-8", "-D", self.data]
        done = subprocess.run(command, user=self._user, cwd="/", capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)

    def command(self):
        return [f"{POSTGRES_PROGRAMS}/postgres", "-D", self.data, "-c", "listen_addresses=127.0.0.1",
                "-c", f"port={self.port}", "-c", f"unix_socket_directories={self.directory}", "-c", "fsync=on"]

    def start(self):
        self.server = Server(self.command(), self.log_path, self.processor, self._user, stop_signal=signal.SIGINT)

    def answers(self):
        """Whether a session can be opened: the start-up message of the protocol, up to ReadyForQuery."""
        parameters = b"user\0bench\0database\0postgres\0\0"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5) as session:
            session.sendall(struct.pack(">II", len(parameters) + 8, 3 << 16) + parameters)
            answer = b""
            while part := session.recv(4096):
                answer += part
                if answer.endswith(b"Z\0\0\0\5I"):
                    return True
        return False

    def create_schema(self):
        table = "CREATE TABLE {} (pk text, id text, doc jsonb NOT NULL, PRIMARY KEY (pk, id));"
        sql = "".join(table.format(name) for name in ("c", "inserts", "indexed_inserts"))
        sql += "CREATE INDEX ON indexed_inserts USING gin (doc jsonb_path_ops);"
        self.execute(sql)

    def execute(self, sql):
        """What it prints: a line per row, columns separated by tabs."""
        command = ["psql", "-qAt", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-f", "-", self.connection]
        return subprocess.run(command, check=True, input=sql, capture_output=True, text=True).stdout

    def workloads(self):
        return [
            Workload(self.name, "read", READ, self._libpq("read", "c")),
            Workload(self.name, "insert", GROUP, self._libpq("create", "inserts")),
            Workload(self.gin_name, "insert", GROUP, self._libpq("create", "indexed_inserts")),
        ]

    @property
    def connection(self):
        return f"host=127.0.0.1 port={self.port} user=bench dbname=postgres sslmode=disable"

    def _libpq(self, operation, table):
        return ("--protocol", "postgres", "--postgres", self.connection, "--operation", operation, "--table", table)


def _unprivileged_user():
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise RuntimeError("neither the user postgres nor nobody exists")


def new_directory(parent, name):
    """On a real disk, and reachable by the unprivileged user."""
    directory = os.path.join(parent, name)
    os.makedirs(directory)
    os.chmod(directory, 0o755)
    return directory


def new_workspace(parent):
    directory = tempfile.mkdtemp(prefix="partita-bench-", dir=parent)
    os.chmod(directory, 0o755)
    return directory
