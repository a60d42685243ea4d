import pytest
from azure.cosmos.partition_key import NonePartitionKeyValue, NullPartitionKeyValue

from conftest import fails, partition_key_header, set_header, unique_id


async def exercise(container, item, key):
    """Creates, reads, replaces, upserts and deletes one item by its full primary key."""
    name = item["id"]
    await container.create_item({**item, "step": "created"})
    assert (await container.read_item(name, key))["step"] == "created"
    await container.replace_item(name, {**item, "step": "replaced"})
    assert (await container.read_item(name, key))["step"] == "replaced"
    await container.upsert_item({**item, "step": "upserted"})
    assert (await container.read_item(name, key))["step"] == "upserted"
    await container.delete_item(name, key)
    with fails(404):
        await container.read_item(name, key)


SHAPES = {
    "property": ("/department", {"department": "Sales"}, "Sales"),
    "nested": ("/properties/name", {"properties": {"name": "n"}}, "n"),
    "quoted": ('/"department name"', {"department name": "R&D"}, "R&D"),
    "id": ("/id", {}, "a"),
    "number": ("/pk", {"pk": 42.5}, 42.5),
    "boolean": ("/pk", {"pk": True}, True),
    "null": ("/pk", {"pk": None}, NullPartitionKeyValue),
    "undefined": ("/pk", {}, NonePartitionKeyValue),
    "unicode": ("/pk", {"pk": "é鱀"}, "é鱀"),
    "long": ("/pk", {"pk": "k" * 1500}, "k" * 1500),
    "two levels": (["/tenant", "/user"], {"tenant": "t", "user": 7}, ["t", 7]),
    "three levels": (["/a", "/b", "/c"], {"a": "1", "b": "2", "c": "3"}, ["1", "2", "3"]),
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_items_are_stored_by_their_key(new_container, shape):
    path, properties, key = SHAPES[shape]
    await exercise(await new_container(path), {"id": "a", **properties}, key)


async def test_keys_of_every_type_live_side_by_side_over_physical_partitions(new_container):
    container = await new_container(offer_throughput=25000)
    keys = ["text", "", "é鱀", 42, -0.5, True, False] + [f"key-{n}" for n in range(20)]
    for key in keys:
        await container.create_item({"id": "same", "pk": key, "of": repr(key)})
    for key in keys:
        assert (await container.read_item("same", key))["of"] == repr(key)


async def test_another_key_does_not_find_the_item(container):
    await container.create_item({"id": "elsewhere", "pk": "right"})
    with fails(404):
        await container.read_item("elsewhere", "wrong")
    with fails(404):
        await container.delete_item("elsewhere", "wrong")
    assert (await container.read_item("elsewhere", "right"))["pk"] == "right"


async def test_a_key_in_the_header_that_is_not_the_bodys_is_400_with_substatus_1001(container):
    item = {"id": "mismatch", "pk": "body"}
    with fails(400, 1001):
        await container.create_item(item, raw_request_hook=partition_key_header('["header"]'))
    with fails(404):
        await container.read_item("mismatch", "body")


@pytest.mark.parametrize("header", ["not json", '"bare"', '["two","keys"]', '[{"an":"object"}]', "[["])
async def test_a_malformed_key_header_is_400(container, header):
    with fails(400):
        await container.create_item({"id": "bad", "pk": "x"}, raw_request_hook=partition_key_header(header))


async def test_replace_cannot_move_an_item_to_another_key(container):
    item = await container.create_item({"id": "moving", "pk": "x"})
    with fails(400):
        await container.replace_item(
            item, {"id": "moving", "pk": "y"}, raw_request_hook=partition_key_header('["x"]')
        )
    assert (await container.read_item("moving", "x"))["pk"] == "x"


async def new_single_partition_container(database):
    """As clients before 2018-12-31 made them: no partition key, `id` the whole primary key."""
    name = unique_id("single")
    await database.create_container(name, None, raw_request_hook=set_header("x-ms-version", "2018-06-18"))
    container = database.get_container_client(name)
    await container.read()  # the SDK remembers the answer to the creation, in which the old version shows no key
    return container


async def test_single_partition_containers_show_the_system_key(database):
    properties = await (await new_single_partition_container(database)).read()
    assert properties["partitionKey"]["paths"] == ["/_partitionKey"]
    assert properties["partitionKey"]["systemKey"] is True


async def test_single_partition_containers_store_items_by_id_alone(database):
    container = await new_single_partition_container(database)
    await exercise(container, {"id": "a", "pk": "ignored"}, NonePartitionKeyValue)
    await container.create_item({"id": "once", "pk": "x"})
    with fails(409):
        await container.create_item({"id": "once", "pk": "y"})
