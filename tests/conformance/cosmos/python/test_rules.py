"""What a container demands of its items: unique keys, time to live; and deleting all items of a key."""

import asyncio

from conftest import fails


async def test_a_unique_key_holds_within_a_partition_key(new_container):
    container = await new_container("/pk", unique_key_policy={"uniqueKeys": [{"paths": ["/u"]}]})
    await container.create_item({"id": "1", "pk": "x", "u": 1})
    with fails(409):
        await container.create_item({"id": "2", "pk": "x", "u": 1})
    with fails(409):
        await container.upsert_item({"id": "2", "pk": "x", "u": 1})
    await container.create_item({"id": "2", "pk": "y", "u": 1})
    await container.delete_item("1", "x")
    await container.create_item({"id": "2", "pk": "x", "u": 1})


async def test_a_batch_cannot_share_a_unique_value(new_container):
    container = await new_container("/pk", unique_key_policy={"uniqueKeys": [{"paths": ["/u"]}]})
    await container.create_item({"id": "1", "pk": "x", "u": 1})
    results = await container.execute_item_batch(
        [("delete", ("1",)), ("create", ({"id": "2", "pk": "x", "u": 1},))], "x"
    )
    assert [result["statusCode"] for result in results] == [204, 201]


async def test_an_item_expires(new_container):
    container = await new_container("/pk", default_ttl=-1)
    await container.create_item({"id": "short", "pk": "x", "ttl": 1})
    await container.create_item({"id": "long", "pk": "x", "ttl": 1000})
    for _ in range(100):
        found = [item["id"] async for item in container.read_all_items()]
        if found == ["long"]:
            break
        await asyncio.sleep(0.1)
    assert found == ["long"]
    with fails(404):
        await container.read_item("short", "x")


async def test_all_items_of_a_key_are_deleted(new_container):
    container = await new_container()
    for number in range(20):
        await container.create_item({"id": str(number), "pk": "gone" if number % 2 else "kept"})
    await container.delete_all_items_by_partition_key("gone")
    assert {item["pk"] async for item in container.read_all_items()} == {"kept"}
