"""The server under test: started on a data directory, killed, stopped, and its directory checked."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

from testbed.account import Broken, Connection

START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 60


class Failed(Exception):
    """The server did not do what the case needs to go on."""


class Server:
    """One process. `environment` adds variables, such as the shim to load. Unless told otherwise it is ready once constructed."""

    def __init__(self, binary, data, log, environment=None, waits=True, options=(), port=0):
        self._log = Path(log)
        # Only this life's output counts in output().
        self._log_start = self._log.stat().st_size if self._log.exists() else 0
        started = time.monotonic()
        with open(log, "ab") as output:
            self._process = subprocess.Popen(
                [binary, "serve", "--data", data, "--port", str(port), "--bind", "127.0.0.1", "--no-rate-limit", *options],
                stdout=output, stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})})
        if not waits:
            return
        try:
            self.port = self._wait_until_ready(started + START_SECONDS_MAX)
        except BaseException:
            self.kill()
            raise
        self.start_seconds = time.monotonic() - started

    @property
    def pid(self):
        return self._process.pid

    def output(self):
        with open(self._log, "rb") as log:
            log.seek(self._log_start)
            return log.read().decode("utf-8", "replace")

    def is_alive(self):
        return self._process.poll() is None

    def wait_for_end(self):
        """Of a server that is about to be killed by somebody else."""
        self._process.wait(STOP_SECONDS_MAX)

    def kill(self):
        """SIGKILL: the process gets no chance to do anything."""
        self._process.kill()
        self._process.wait()

    def stop(self):
        """SIGTERM; the exit code, or None when it had to be killed in the end."""
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def _wait_until_ready(self, deadline):
        port = None
        while self.is_alive() and time.monotonic() < deadline:
            endpoint = re.search(r"http://[^:/\s]+:(\d+)/", self.output())
            port = int(endpoint[1]) if endpoint else None
            if port and is_ready(port):
                return port
            time.sleep(0.01)
        raise Failed(f"the server did not become ready; it said: {self.output().strip() or 'nothing'}")


def is_ready(port):
    """Whether the server says that reads and writes work."""
    connection = Connection(port)
    try:
        return connection.ready().status == 200
    except Broken:
        return False
    finally:
        connection.close()


def run_command(binary, *arguments):
    """A partita command that is expected to end by itself; (exit code, output)."""
    done = subprocess.run([binary, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=STOP_SECONDS_MAX * 5,
                          stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def check_directory(binary, data):
    """What `partita check` complains about; nothing when all is consistent."""
    code, output = run_command(binary, "check", "--data", data)
    return None if code == 0 else f"`partita check` ended with {code}: {output.strip()[-1500:]}"
