"""What tests of physical partitions need: the account's admin API, which no SDK knows."""

import asyncio
import base64
import hashlib
import hmac
import json
import urllib.error
import urllib.parse
import urllib.request
from email.utils import formatdate

import pytest

from awaitable import Awaitable
from conftest import ENDPOINT, KEY


def ask(method, kind, link, path, body=None):
    date = formatdate(usegmt=True)
    signed = f"{method.lower()}\n{kind}\n{link}\n{date.lower()}\n\n"
    signature = base64.b64encode(hmac.new(base64.b64decode(KEY), signed.encode(), hashlib.sha256).digest()).decode()
    token = urllib.parse.quote(f"type=master&ver=1.0&sig={signature}", safe="")
    request = urllib.request.Request(
        urllib.parse.urljoin(ENDPOINT, path),
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"authorization": token, "x-ms-date": date, "x-ms-version": "2020-07-15"},
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


async def reshape(kind, database, container, range_id):
    order = {"database": database.id, "container": container.id, "range": range_id}
    return await asyncio.to_thread(ask, "POST", "partita", kind, f"/_partita/{kind}", order)


@pytest.fixture(autouse=True)
def needs_splits_on_demand():
    try:
        ask("GET", "partita", "reshapes", "/_partita/reshapes")
    except (urllib.error.URLError, ValueError):
        pytest.skip("the account does not split on demand")


def query_all(container, query, **options):
    """Only the synchronous SDK must be told that all partitions are meant."""
    if isinstance(container, Awaitable):
        options["enable_cross_partition_query"] = True
    return container.query_items(query, **options)
