"""Programs of the official SDKs that go on while a server or the network is hurt (`Ledger` in their suites), from outside."""

import subprocess
import threading
import time
from collections import Counter

END_SECONDS_MAX = 120


class Ledger:
    """One such program and what it says. It writes to a container of its own."""

    def __init__(self, suite, target, log, database, container):
        self.name = suite.name
        command, environment = suite.ledger(target, database, container)
        with open(log, "ab") as errors:
            self._process = subprocess.Popen(
                command, cwd=suite.folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        self._heard = threading.Condition()
        self._answered = {}  # when each writer was last answered as it should be
        self._answers = 0
        self._failures = Counter()
        self._wrongs = []
        self._acknowledged = None
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self):
        for line in self._process.stdout:
            kind, _, rest = line.rstrip("\n").partition(" ")
            with self._heard:
                if kind == "ok":
                    self._answered[rest] = time.monotonic()
                    self._answers += 1
                elif kind == "failed":
                    self._failures[rest.partition(" ")[2]] += 1
                elif kind == "end":
                    self._acknowledged = int(rest)
                else:
                    self._wrongs.append(f"{self.name}: {line.rstrip()}")
                self._heard.notify_all()
        with self._heard:
            self._heard.notify_all()

    @property
    def answers(self):
        return self._answers

    def wait_for_answers(self, more, seconds_max):
        """Until so many more operations were answered. False if that does not happen; so for the other."""
        with self._heard:
            wanted = self._answers + more
            return self._heard.wait_for(lambda: self._answers >= wanted or self._is_gone(), seconds_max) and not self._is_gone()

    def wait_until_back(self, since, writers, seconds_max):
        """Until every one of its writers was answered after that moment: how many seconds after it, or None."""

        def is_back():
            return sum(moment > since for moment in self._answered.values()) == writers

        with self._heard:
            self._heard.wait_for(lambda: is_back() or self._is_gone(), seconds_max)
            return max(self._answered.values()) - since if is_back() else None

    def take_wrongs(self):
        with self._heard:
            taken, self._wrongs = self._wrongs, []
            return taken

    def take_failures(self):
        """How many operations have ended without an answer, by what the program was told of them."""
        with self._heard:
            taken, self._failures = self._failures, Counter()
            return taken

    def end(self):
        """Lets it read everything once more. What is wrong, and how many writes it was told of."""
        self._process.stdin.close()
        try:
            status = self._process.wait(END_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
            return [*self.take_wrongs(), f"{self.name}: it did not end"], 0
        self._listener.join()
        problems = self.take_wrongs()
        if status != 0 or self._acknowledged is None:
            problems.append(f"{self.name}: it ended with {status}, and without its last word")
        return problems, self._acknowledged or 0

    def kill(self):
        self._process.kill()
        self._process.wait()

    def _is_gone(self):
        return self._process.poll() is not None
