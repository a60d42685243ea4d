"""A program goes on while the partitions under it are split and merged: no error reaches it, no answer is wrong."""

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

STILL = [{"id": f"still-{n}", "pk": f"key {n % 20}", "kind": "still", "n": n * 37 % 60} for n in range(60)]
WRITERS = 3
ROUNDS = 2


def _ask(method, name, body=None):
    date = formatdate(usegmt=True)
    signed = f"{method.lower()}\npartita\n{name}\n{date.lower()}\n\n"
    signature = base64.b64encode(hmac.new(base64.b64decode(KEY), signed.encode(), hashlib.sha256).digest()).decode()
    token = urllib.parse.quote(f"type=master&ver=1.0&sig={signature}", safe="")
    request = urllib.request.Request(
        urllib.parse.urljoin(ENDPOINT, f"/_partita/{name}"),
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"authorization": token, "x-ms-date": date},
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


async def reshape(kind, database, container, range_id):
    order = {"database": database.id, "container": container.id, "range": range_id}
    return await asyncio.to_thread(_ask, "POST", kind, order)


@pytest.fixture(autouse=True)
def _needs_splits_on_demand():
    try:
        _ask("GET", "reshapes")
    except (urllib.error.URLError, ValueError):
        pytest.skip("the account does not split on demand")


async def _write(writer, container, model, is_over):
    """Counts up documents of its own and reads every one back; `model` has what must be there."""
    n = 0
    while not is_over.is_set():
        pk = f"key {n % 20}"
        identifier = f"w{writer}-{n % 25} {pk}"
        if n % 9 == 8 and identifier in model:
            await container.delete_item(identifier, partition_key=pk)
            del model[identifier]
        else:
            await container.upsert_item({"id": identifier, "pk": pk, "kind": "moving", "n": n})
            model[identifier] = n
            assert (await container.read_item(identifier, partition_key=pk))["n"] == n
        n += 1


def _query_all(container, query, **options):
    """Only the synchronous SDK must be told that all partitions are meant."""
    if isinstance(container, Awaitable):
        options["enable_cross_partition_query"] = True
    return container.query_items(query, **options)


async def _query_in_order(container, is_over):
    """Documents that nobody changes must always come complete and in order, page by page."""
    expected = sorted(item["n"] for item in STILL)
    is_first = True
    while is_first or not is_over.is_set():
        is_first = False
        query = "SELECT c.n FROM c WHERE c.kind = 'still' ORDER BY c.n"
        rows = _query_all(container, query, max_item_count=7)
        assert [row["n"] async for row in rows] == expected


async def test_writers_readers_and_queries_go_on_through_splits_and_merges(database, new_container):
    container = await new_container(offer_throughput=25000)
    for item in STILL:
        await container.create_item(item)
    is_over = asyncio.Event()
    models = [{} for _ in range(WRITERS)]
    work = [asyncio.create_task(_write(writer, container, model, is_over)) for writer, model in enumerate(models)]
    work.append(asyncio.create_task(_query_in_order(container, is_over)))
    first = "0"
    for _ in range(ROUNDS):
        children = (await reshape("split", database, container, first))["children"]
        assert len(children) == 2
        first = (await reshape("merge", database, container, children[0]))["children"][0]
        first = (await reshape("split", database, container, first))["children"][0]
    is_over.set()
    await asyncio.gather(*work)
    query = "SELECT c.id, c.n FROM c WHERE c.kind = 'moving'"
    found = {row["id"]: row["n"] async for row in _query_all(container, query)}
    assert found == {identifier: n for model in models for identifier, n in model.items()}
