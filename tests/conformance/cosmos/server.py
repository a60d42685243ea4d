"""The judged server: starting and stopping one, and the address and trust a client needs to reach it."""

import os
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from copy import copy
from pathlib import Path
from urllib.parse import urlsplit

WELL_KNOWN_KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="
# So small that a test can fill a partition until it is split.
PARTITION_BYTES_MAX = "4MB"
# What an account can have other than Session, which the others are judged with.
OTHER_CONSISTENCY_LEVELS = ("Strong", "BoundedStaleness", "ConsistentPrefix", "Eventual")
READY_SECONDS_MAX = 30
STOP_SECONDS_MAX = 30


class Target:
    """One address of an account, its key, how clients reach it, and the certificate to trust if it is self-signed.

    `others` are the endpoints of accounts with other consistency levels, by level.
    """

    def __init__(self, endpoint, key, folder, others=None):
        self.endpoint = endpoint
        self.key = key
        self.others = others or {}
        self.scheme = urlsplit(endpoint).scheme
        self.mode = "gateway"
        self._folder = folder
        self.certificate = self._unknown_certificate() if self.scheme == "https" else None

    @property
    def name(self):
        return self.scheme if self.mode == "gateway" else f"{self.scheme}-{self.mode}"

    @property
    def is_for_a_sample(self):
        """Whether a part of each suite is enough: behind http, direct mode is what it is behind https."""
        return self.name == "http-direct"

    def can_be_reached_by(self, mode):
        """Direct mode is never without TLS, not even where the endpoint is one of http."""
        return mode == "gateway" or self.scheme == "https" or self._speaks_tls()

    def reached_by(self, mode):
        other = copy(self)
        other.mode = mode
        if mode == "direct" and self.scheme == "http":
            other.certificate = self._unknown_certificate()
        return other

    def _authority(self):
        parts = urlsplit(self.endpoint)
        return parts.hostname, parts.port or (443 if self.scheme == "https" else 80)

    def _speaks_tls(self):
        try:
            ssl.get_server_certificate(self._authority())
        except OSError:
            return False
        return True

    def _unknown_certificate(self):
        """The presented certificate as a file, unless the system trusts it anyway. Clients then verify against it."""
        try:
            with socket.create_connection(self._authority()) as plain:
                with ssl.create_default_context().wrap_socket(plain, server_hostname=self._authority()[0]):
                    return None
        except ssl.SSLCertVerificationError:
            path = Path(self._folder) / "server.pem"
            with tempfile.NamedTemporaryFile("w", dir=self._folder, delete=False) as fresh:
                fresh.write(ssl.get_server_certificate(self._authority()))
            os.replace(fresh.name, path)  # others may read it at this moment
            return path


class Server:
    """A server of its own for one run, on a free port, with a data directory that goes away."""

    def __init__(self, binary, log, options=()):
        self._binary = binary
        self.log = log
        self._options = options
        self.exit_status = None

    def __enter__(self):
        if not self._binary.exists():
            raise SystemExit(f"{self._binary} is not built")
        self._data = tempfile.TemporaryDirectory(prefix="partita-conformance-")
        self.port = _free_port()
        command = [self._binary, "serve", "--data", self._data.name, "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--partition-bytes-max", PARTITION_BYTES_MAX, *self._options]
        with open(self.log, "wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            self._wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGTERM)
        try:
            self.exit_status = self._process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            self.exit_status = "timeout"
        self._data.cleanup()

    def same_identity(self):
        """Options for a server that whoever trusts this one trusts."""
        tls = Path(self._data.name) / "tls"
        return ["--cert", tls / "certificate.pem", "--cert-key", tls / "private-key.pem"]

    def is_alive(self):
        return self._process.poll() is None

    def _wait_until_ready(self):
        deadline = time.monotonic() + READY_SECONDS_MAX
        while self.is_alive() and time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/_health/ready", timeout=5) as response:
                    if response.status == 200:
                        return
            except (urllib.error.URLError, OSError):
                pass
            time.sleep(0.02)
        raise SystemExit(f"the server did not become ready; its output:\n{Path(self.log).read_text(errors='replace')}")


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
