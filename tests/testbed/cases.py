"""What every case needs: a place to work in, and its verdict."""

import shutil
import tempfile
import time
import traceback
from pathlib import Path

from testbed.server import Failed, Server, check_directory


class Tally:
    """Prints a line per case and counts."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def add(self, name, problems, detail=""):
        print(f"{'ok    ' if not problems else 'FAILED'} {name}{'  ' + detail if detail else ''}", flush=True)
        for problem in problems:
            print(f"       {problem}", flush=True)
        if problems:
            self.failed += 1
        else:
            self.passed += 1

    def run(self, name, case, *arguments):
        """Runs a case that returns what is wrong; that it could not be finished is wrong, too."""
        started = time.monotonic()
        try:
            problems = list(case(*arguments))
        except Failed as reason:
            problems = [str(reason)]
        except Exception:  # whatever it is, the other cases should run
            problems = [traceback.format_exc()]
        self.add(name, problems, f"({time.monotonic() - started:.1f} s)")


class Place:
    """A data directory and the server on it; nothing of it is left behind."""

    def __init__(self, binary):
        self.binary = binary
        self.folder = Path(tempfile.mkdtemp(prefix="partita-test-"))
        self.data = self.folder / "data"
        self.log = self.folder / "server.log"
        self.server = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.server and self.server.is_alive():
            self.server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, environment=None, options=(), waits=True):
        self.server = Server(self.binary, self.data, self.log, environment, waits, options)
        return self.server

    def check(self):
        return [problem for problem in [check_directory(self.binary, self.data)] if problem]
