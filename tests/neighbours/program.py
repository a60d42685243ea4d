"""The clients of this folder, each in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Program:
    """A client that runs beside the test; its last line of output is JSON."""

    def __init__(self, name, *arguments):
        # The clients that misbehave are somebody else's machines: their own work shall not be what the quiet one waits for.
        command = [*(["nice", "-n", "19"] if name == "attackers.py" else []), sys.executable, str(HERE / name), *map(str, arguments)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)

    def wait_until_ready(self):
        if self._process.stdout.readline() != "ready\n":
            raise RuntimeError("a client could not begin")

    def kill(self):
        self._process.kill()
        self._process.communicate()

    def result(self):
        output = self._process.stdout.read()  # it ends by itself
        self._process.wait()
        return json.loads(output.splitlines()[-1])
