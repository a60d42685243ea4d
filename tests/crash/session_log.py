"""The session LSNs that answers tell."""

import base64
import re
import threading

DATABASE_ID_BYTES = 4

_SESSION_TOKEN = re.compile(r"^(\w+):(?:-?\d+#)?(\d+)$")


def _container_of(answer):
    """The resource id of the container that an answer tells about; a container's own answer has that of its database in the header."""
    owner = answer.headers.get("x-ms-content-path")
    if not owner or len(base64.b64decode(owner.replace("-", "/"))) > DATABASE_ID_BYTES:
        return owner
    return answer.json().get("_rid") if answer.status in (200, 201) and answer.body else None


class SessionLog:
    """The greatest LSN told so far for each physical partition; no later answer may tell a smaller one. Thread-safe."""

    def __init__(self, findings):
        self._findings = findings
        self._lock = threading.Lock()
        self._told = {}

    def floors(self):
        with self._lock:
            return dict(self._told)

    def hear(self, answer, floors_when_sent, what):
        token = _SESSION_TOKEN.match(answer.headers.get("x-ms-session-token", ""))
        container = _container_of(answer)
        if not token or not container:
            return
        partition, lsn = (container, token[1]), int(token[2])
        floor = floors_when_sent.get(partition, 0)
        if lsn < floor:
            self._findings.add(f"the session LSN of partition {partition} went back from {floor} to {lsn} ({what})")
        with self._lock:
            self._told[partition] = lsn if lsn < floor else max(lsn, self._told.get(partition, 0))  # one finding, not one per answer
