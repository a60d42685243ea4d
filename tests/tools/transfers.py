"""What the cases of import, export and copy share: documents, and a tool that can be killed."""

import json
import os
import signal
import socket
import subprocess
import time

from testbed.account import WELL_KNOWN_KEY, Broken

SECONDS_MAX = 100


def made_documents(count, has_ids=True):
    for number in range(count):
        document = {"pk": f"k{number % 50}", "number": number, "share": number / 7, "text": f"\u00e4 \"{number}\"\n", "nested": {"a": [1, None, True]}}
        yield {"id": f"d{number}", **document} if has_ids else document


def lines_of(documents):
    return "".join(json.dumps(document) + "\n" for document in documents)


def plain(document):
    return {name: value for name, value in document.items() if not name.startswith("_")}


def by_id(documents):
    return sorted((plain(document) for document in documents), key=lambda document: document["id"])


def stored_in(site, database, container="c"):
    connection = site.connection()
    try:
        return by_id(connection.documents(database, container))
    finally:
        connection.close()


def place_of(database, container="c"):
    return "--database", database, "--container", container


class Tool:
    """A transfer that is killed as often as wanted and goes on."""

    def __init__(self, site, endpoint, *arguments):
        self._call = [str(site.binary), *map(str, arguments), "--quiet"]
        self._environment = {**os.environ, "PARTITA_ENDPOINT": endpoint, "PARTITA_KEY": WELL_KNOWN_KEY}

    def start(self):
        return subprocess.Popen(self._call, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self._environment)

    def kill_when(self, is_time, how=signal.SIGKILL):
        """Whether it was killed before it ended."""
        process = self.start()
        end = time.monotonic() + SECONDS_MAX
        while process.poll() is None and time.monotonic() < end:
            if is_time():
                process.send_signal(how)
                process.communicate()
                return True
        process.communicate()
        return False

    def finish(self):
        process = self.start()
        output = process.communicate(timeout=SECONDS_MAX)[0].decode()
        return process.returncode, output


def count_in(connection, database):
    """How many documents there are; none while the container or the server is missing."""
    try:
        answer = connection.query(database, "c", "SELECT VALUE COUNT(1) FROM c")
    except Broken:
        return 0
    return answer.json()["Documents"][0] if answer.status == 200 else 0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
