"""Change feeds that wait for changes. No SDK for Python asks for it, so these are plain requests."""

import base64
import hashlib
import hmac
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from email.utils import formatdate

import pytest

from conftest import ENDPOINT, KEY

WAIT_SECONDS = 20


def read_changes(database, container, headers):
    """Status, headers and body."""
    link, date = f"dbs/{database.id}/colls/{container.id}", formatdate(usegmt=True)
    signed = f"get\ndocs\n{link}\n{date.lower()}\n\n"
    signature = base64.b64encode(hmac.new(base64.b64decode(KEY), signed.encode(), hashlib.sha256).digest()).decode()
    token = urllib.parse.quote(f"type=master&ver=1.0&sig={signature}", safe="")
    own = {"authorization": token, "x-ms-date": date, "x-ms-version": "2020-07-15", "A-IM": "Incremental feed"}
    request = urllib.request.Request(urllib.parse.urljoin(ENDPOINT, f"/{link}/docs"), headers={**own, **headers})
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.headers, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


class Waiting(threading.Thread):
    def __init__(self, *arguments):
        super().__init__(daemon=True)
        self._arguments = arguments
        self.started, self.seconds, self.answer = time.monotonic(), None, None
        self.start()

    def run(self):
        self.answer = read_changes(*self._arguments)
        self.seconds = time.monotonic() - self.started


@pytest.mark.parametrize("asks", [{"Prefer": f"wait={WAIT_SECONDS}"}, {"x-ms-cosmos-max-polling-interval": str(WAIT_SECONDS * 1000)}])
async def test_a_feed_that_waits_is_answered_with_the_change(database, new_container, asks):
    container = await new_container("/pk")
    await container.create_item({"id": "before", "pk": "a"})
    status, headers, _ = read_changes(database, container, {"If-None-Match": "*"})
    assert status == 304
    waiting = Waiting(database, container, {"If-None-Match": headers["etag"], **asks})
    waiting.join(0.5)
    if waiting.answer and waiting.answer[0] == 304:
        pytest.skip("the account does not wait for changes")
    assert waiting.answer is None, waiting.answer
    await container.create_item({"id": "after", "pk": "b"})
    waiting.join(WAIT_SECONDS)
    status, _, body = waiting.answer
    assert status == 200
    assert '"after"' in body and '"before"' not in body
    assert waiting.seconds < WAIT_SECONDS


async def test_a_feed_without_changes_says_so_in_the_end(database, new_container):
    container = await new_container("/pk")
    waiting = Waiting(database, container, {"If-None-Match": "*", "Prefer": "wait=1"})
    waiting.join(30)
    status, headers, _ = waiting.answer
    if "preference-applied" not in headers:
        pytest.skip("the account does not wait for changes")
    assert status == 304 and headers["preference-applied"] == "wait=1" and headers["etag"]
    assert waiting.seconds >= 1
