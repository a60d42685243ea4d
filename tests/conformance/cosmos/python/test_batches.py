"""Patch, transactional batch and change feed."""

import asyncio

import pytest
from azure.cosmos.exceptions import CosmosBatchOperationError

from conftest import fails


async def test_a_patch_applies_its_operations_in_order(container):
    await container.create_item({"id": "patched", "pk": "x", "n": 1, "list": [1], "gone": True})
    patched = await container.patch_item(
        "patched",
        "x",
        [
            {"op": "incr", "path": "/n", "value": 41},
            {"op": "add", "path": "/list/-", "value": 2},
            {"op": "remove", "path": "/gone"},
            {"op": "set", "path": "/new", "value": {"deep": []}},
        ],
    )
    assert (patched["n"], patched["list"], patched["new"]) == (42, [1, 2], {"deep": []})
    assert "gone" not in patched


async def test_a_patch_whose_condition_does_not_hold_is_412(container):
    await container.create_item({"id": "conditional", "pk": "x", "n": 1})
    change = [{"op": "set", "path": "/n", "value": 2}]
    await container.patch_item("conditional", "x", change, filter_predicate="from c where c.n = 1")
    with fails(412):
        await container.patch_item("conditional", "x", change, filter_predicate="from c where c.n = 1")


async def test_what_names_an_item_cannot_be_patched(container):
    await container.create_item({"id": "named", "pk": "x"})
    for path in ("/id", "/pk", "/_ts"):
        with fails(400):
            await container.patch_item("named", "x", [{"op": "set", "path": path, "value": "y"}])


async def test_a_batch_runs_all_its_operations(container):
    results = await container.execute_item_batch(
        [
            ("create", ({"id": "batched", "pk": "x", "n": 1},)),
            ("upsert", ({"id": "upserted", "pk": "x"},)),
            ("patch", ("batched", [{"op": "incr", "path": "/n", "value": 1}])),
            ("read", ("batched",)),
            ("replace", ("upserted", {"id": "upserted", "pk": "x", "replaced": True})),
            ("delete", ("batched",)),
        ],
        "x",
    )
    assert [result["statusCode"] for result in results] == [201, 201, 200, 200, 200, 204]
    assert results[3]["resourceBody"]["n"] == 2
    with fails(404):
        await container.read_item("batched", "x")


async def test_a_batch_happens_wholly_or_not_at_all(container):
    await container.create_item({"id": "taken", "pk": "x"})
    with pytest.raises(CosmosBatchOperationError) as failure:
        await container.execute_item_batch(
            [("create", ({"id": "fresh", "pk": "x"},)), ("create", ({"id": "taken", "pk": "x"},))], "x"
        )
    assert failure.value.error_index == 1
    assert [result["statusCode"] for result in failure.value.operation_responses] == [424, 409]
    with fails(404):
        await container.read_item("fresh", "x")


async def test_concurrent_batches_keep_a_total(container):
    for name in ("a", "b"):
        await container.create_item({"id": f"total-{name}", "pk": "total", "n": 0})

    def move(amount):
        change = lambda name, by: ("patch", (f"total-{name}", [{"op": "incr", "path": "/n", "value": by}]))
        return container.execute_item_batch([change("a", -amount), change("b", amount)], "total")

    await asyncio.gather(*(move(amount) for amount in range(20)))
    assert (await container.read_item("total-a", "total"))["n"] == -190
    assert (await container.read_item("total-b", "total"))["n"] == 190


async def test_the_change_feed_gives_each_item_as_it_is_now(new_container):
    container = await new_container("/pk", offer_throughput=25_000)
    for number in range(12):
        await container.create_item({"id": str(number), "pk": f"k{number % 5}", "n": 0})
    await container.patch_item("3", "k3", [{"op": "set", "path": "/n", "value": 1}])
    await container.delete_item("4", "k4")
    changes = [item async for item in container.query_items_change_feed(start_time="Beginning")]
    assert sorted(int(item["id"]) for item in changes) == [number for number in range(12) if number != 4]
    assert [item["n"] for item in changes if item["id"] == "3"] == [1]
    assert all(item["_lsn"] > 0 for item in changes)


async def test_the_change_feed_goes_on_from_its_position(new_container):
    container = await new_container()
    await container.create_item({"id": "first", "pk": "x"})
    feed = container.query_items_change_feed(start_time="Beginning", partition_key="x")
    assert [item["id"] async for item in feed] == ["first"]
    position = container.client_connection.last_response_headers["etag"]
    await container.create_item({"id": "second", "pk": "x"})
    feed = container.query_items_change_feed(continuation=position)
    assert [item["id"] async for item in feed] == ["second"]


async def test_all_versions_and_deletes_are_given_in_their_order(new_container):
    container = await new_container("/pk", change_feed_policy={"retentionDuration": 10})
    feed = container.query_items_change_feed(mode="AllVersionsAndDeletes")
    assert [change async for change in feed] == []
    position = container.client_connection.last_response_headers["etag"]
    await container.create_item({"id": "a", "pk": "x", "n": 1})
    await container.upsert_item({"id": "a", "pk": "x", "n": 2})
    await container.delete_item("a", "x")
    feed = container.query_items_change_feed(continuation=position, mode="AllVersionsAndDeletes")
    changes = [change async for change in feed]
    assert [change["metadata"]["operationType"] for change in changes] == ["create", "replace", "delete"]
    assert [change["current"].get("n") for change in changes] == [1, 2, None]
    assert changes[2]["metadata"]["previousImageLSN"] == changes[1]["metadata"]["lsn"]
    assert (changes[2]["metadata"]["id"], changes[2]["metadata"]["partitionKey"]) == ("a", {"pk": "x"})
