"""A program goes on while the partitions under it are split and merged: no error reaches it, no answer is wrong."""

import asyncio

import pytest

from admin import ask, needs_splits_on_demand, query_all, reshape  # noqa: F401 (one is a fixture)
from awaitable import Awaitable
from conftest import open_client

STILL = [{"id": f"still-{n}", "pk": f"key {n % 20}", "kind": "still", "n": n * 37 % 60} for n in range(60)]
WRITERS = 3
ROUNDS = 2
FILLER_BYTES = 400_000
FILLERS = 13  # more than a partition may hold, and less than its two halves may: it is split once
PROBES_MAX = 20_000


async def ranges(database, container):
    """In the order of their hashes."""
    link = f"dbs/{database.id}/colls/{container.id}"
    answer = await asyncio.to_thread(ask, "GET", "pkranges", link, f"/{link}/pkranges")
    return sorted(answer["PartitionKeyRanges"], key=lambda each: each["minInclusive"])


async def _alone(work, database, container, *arguments):
    """`work` with a client of its own: one client keeps the headers of its last answer, where other threads would change them."""
    async with open_client("sync" if isinstance(container, Awaitable) else "async") as client:
        await work(client.get_database_client(database.id).get_container_client(container.id), *arguments)


async def _write(container, writer, model, is_over):
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


async def _query_in_order(container, is_over):
    """Documents that nobody changes must always come complete and in order, page by page."""
    expected = sorted(item["n"] for item in STILL)
    is_first = True
    while is_first or not is_over.is_set():
        is_first = False
        query = "SELECT c.n FROM c WHERE c.kind = 'still' ORDER BY c.n"
        rows = query_all(container, query, max_item_count=7)
        assert [row["n"] async for row in rows] == expected


async def _read_changes(container, seen, is_over):
    """Reads the change feed until all changes have come; `seen` has the newest of each document."""
    start = {"start_time": "Beginning"}
    was_over = False
    while True:
        count = 0
        async for item in container.query_items_change_feed(max_item_count=20, **start):
            count += 1
            assert seen.get(item["id"], -1) <= item["n"], f"{item['id']} goes back"
            seen[item["id"]] = item["n"]
        start = {"continuation": container.client_connection.last_response_headers["etag"]}
        if count == 0:
            if was_over:
                return
            was_over = is_over.is_set()
            await asyncio.sleep(0)


async def _fill_first_partition(database, container, first):
    """Large documents with key values of the first partition; then waits until the account has split it."""
    fillers = 0
    for n in range(PROBES_MAX):
        pk = f"key {n % 20}"
        probe = await container.upsert_item({"id": f"probe {pk}", "pk": pk, "kind": "filler", "n": n})
        if probe.get_response_headers()["x-ms-session-token"].startswith(f"{first['id']}:"):
            if fillers == FILLERS:
                continue
            fillers += 1
            await container.create_item({"id": f"filler {n}", "pk": pk, "kind": "filler", "n": n, "filler": "x" * FILLER_BYTES})
        elif all(each["id"] != first["id"] for each in await ranges(database, container)):
            return
    pytest.fail(f"the partition was not split, though it has {fillers} large documents")


async def test_writers_readers_queries_and_the_change_feed_go_on_when_a_full_partition_is_split(database, new_container):
    container = await new_container(offer_throughput=25000)
    for item in STILL:
        await container.create_item(item)
    before = await ranges(database, container)
    assert len(before) == 3
    is_over, is_written = asyncio.Event(), asyncio.Event()
    models, seen = [{} for _ in range(WRITERS)], {}
    writing = [asyncio.create_task(_alone(_write, database, container, writer, model, is_over)) for writer, model in enumerate(models)]
    reading = [
        asyncio.create_task(_alone(_query_in_order, database, container, is_over)),
        asyncio.create_task(_alone(_read_changes, database, container, seen, is_written)),
    ]
    try:
        await _fill_first_partition(database, container, before[0])
    finally:
        is_over.set()
        await asyncio.gather(*writing)
        is_written.set()
        await asyncio.gather(*reading)
    now = await ranges(database, container)
    assert [each["parents"] for each in now] == [[before[0]["id"]], [before[0]["id"]], [], []]
    query = "SELECT c.id, c.n FROM c WHERE c.kind = 'moving'"
    found = {row["id"]: row["n"] async for row in query_all(container, query)}
    expected = {identifier: n for model in models for identifier, n in model.items()}
    assert found == expected
    expected |= {item["id"]: item["n"] for item in STILL}
    assert {identifier: seen.get(identifier) for identifier in expected} == expected


async def test_writers_readers_and_queries_go_on_through_splits_and_merges(database, new_container):
    container = await new_container(offer_throughput=25000)
    for item in STILL:
        await container.create_item(item)
    is_over = asyncio.Event()
    models = [{} for _ in range(WRITERS)]
    work = [asyncio.create_task(_alone(_write, database, container, writer, model, is_over)) for writer, model in enumerate(models)]
    work.append(asyncio.create_task(_alone(_query_in_order, database, container, is_over)))
    first = "0"
    for _ in range(ROUNDS):
        children = (await reshape("split", database, container, first))["children"]
        assert len(children) == 2
        first = (await reshape("merge", database, container, children[0]))["children"][0]
        first = (await reshape("split", database, container, first))["children"][0]
    is_over.set()
    await asyncio.gather(*work)
    query = "SELECT c.id, c.n FROM c WHERE c.kind = 'moving'"
    found = {row["id"]: row["n"] async for row in query_all(container, query)}
    assert found == {identifier: n for model in models for identifier, n in model.items()}
