import base64

import pytest
from azure.cosmos import PartitionKey

from conftest import fails, unique_id


async def test_a_created_container_has_the_default_indexing_policy(new_container):
    container = await new_container()
    properties = await container.read()
    assert properties["partitionKey"]["paths"] == ["/pk"]
    assert properties["partitionKey"]["kind"] == "Hash"
    assert properties["indexingPolicy"]["indexingMode"] == "consistent"
    assert properties["indexingPolicy"]["automatic"] is True
    assert [entry["path"] for entry in properties["indexingPolicy"]["includedPaths"]] == ["/*"]
    assert [entry["path"] for entry in properties["indexingPolicy"]["excludedPaths"]] == ['/"_etag"/?']
    assert len(base64.b64decode(properties["_rid"].replace("-", "/"))) == 8


async def test_creating_a_container_twice_conflicts(database, container):
    with fails(409):
        await database.create_container(container.id, PartitionKey(path="/pk"))


async def test_create_if_not_exists_finds_what_is_there(database, container):
    found = await database.create_container_if_not_exists(container.id, PartitionKey(path="/pk"))
    assert (await found.read())["_rid"] == (await container.read())["_rid"]


async def test_a_missing_container_and_one_of_a_missing_database_are_not_found(client, database):
    with fails(404):
        await database.get_container_client("missing").read()
    with fails(404):
        await client.get_database_client(unique_id()).create_container("c", PartitionKey(path="/pk"))


async def test_a_deleted_container_is_gone_with_its_items(database, new_container):
    container = await new_container()
    await container.create_item({"id": "a", "pk": "x"})
    await database.delete_container(container.id)
    with fails(404):
        await container.read()
    again = await database.create_container(container.id, PartitionKey(path="/pk"))
    with fails(404):
        await again.read_item("a", "x")


async def test_containers_are_listed_page_by_page(client):
    database = await client.create_database(unique_id())
    try:
        names = [unique_id("c") for _ in range(5)]
        for name in names:
            await database.create_container(name, PartitionKey(path="/pk"))
        pages = []
        async for page in database.list_containers(max_item_count=2).by_page():
            pages.append([entry["id"] async for entry in page])
        assert [len(page) for page in pages] == [2, 2, 1]
        assert sorted(sum(pages, [])) == sorted(names)
    finally:
        await client.delete_database(database.id)


async def test_replacing_a_container_changes_its_indexing_policy_and_ttl(database, new_container):
    container = await new_container()
    policy = {"indexingMode": "consistent", "includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/big/*"}]}
    await database.replace_container(
        container.id, PartitionKey(path="/pk"), indexing_policy=policy, default_ttl=3600
    )
    properties = await container.read()
    assert properties["defaultTtl"] == 3600
    assert "/big/*" in [entry["path"] for entry in properties["indexingPolicy"]["excludedPaths"]]


async def test_a_new_indexing_policy_says_how_far_its_indexes_are(database, new_container):
    container = await new_container()
    for number in range(30):
        await container.create_item({"id": str(number), "pk": "x", "group": number % 3})
    policy = {"indexingMode": "consistent", "includedPaths": [{"path": "/group/?"}], "excludedPaths": [{"path": "/*"}]}
    await database.replace_container(container.id, PartitionKey(path="/pk"), indexing_policy=policy)
    progress = 0
    while progress < 100:
        found = [item async for item in container.query_items("SELECT c.id FROM c WHERE c['group'] = 1", partition_key="x")]
        assert len(found) == 10
        headers = {}
        await container.read(populate_quota_info=True, response_hook=lambda seen, _: headers.update(seen))
        now = int(headers["x-ms-documentdb-collection-index-transformation-progress"])
        assert progress <= now <= 100
        progress = now


async def test_the_partition_key_of_a_container_cannot_be_changed(database, new_container):
    container = await new_container()
    with fails(400):
        await database.replace_container(container.id, PartitionKey(path="/other"))


async def test_throughput_is_read_and_replaced(new_container):
    container = await new_container(offer_throughput=1000)
    assert (await container.get_throughput()).offer_throughput == 1000
    replaced = await container.replace_throughput(1200)
    assert replaced.offer_throughput == 1200
    throughput = await container.get_throughput()
    assert throughput.offer_throughput == 1200
    assert throughput.properties["offerVersion"] == "V2"
    assert throughput.properties["offerResourceId"] == (await container.read())["_rid"]


@pytest.mark.parametrize("throughput", [450, 300])
async def test_throughput_must_be_a_multiple_of_100_and_at_least_400(database, new_container, throughput):
    container = await new_container(offer_throughput=400)
    with fails(400):
        await container.replace_throughput(throughput)
    with fails(400):
        await database.create_container(unique_id("c"), PartitionKey(path="/pk"), offer_throughput=throughput)
    assert (await container.get_throughput()).offer_throughput == 400


async def test_a_database_shares_its_throughput(client):
    database = await client.create_database(unique_id(), offer_throughput=800)
    try:
        assert (await database.get_throughput()).offer_throughput == 800
        assert (await database.replace_throughput(1000)).offer_throughput == 1000
    finally:
        await client.delete_database(database.id)


async def test_the_number_of_physical_partitions_follows_the_throughput(new_container):
    container = await new_container(offer_throughput=25000)
    assert len([entry async for entry in container.read_feed_ranges()]) == 3


@pytest.mark.parametrize("version", [1, 2])
async def test_the_version_of_a_partition_key_is_shown_as_it_was_given(database, version):
    container = await database.create_container(unique_id(), PartitionKey(path="/pk", version=version))
    assert (await container.read())["partitionKey"]["version"] == version


async def test_there_are_no_conflicts(container):
    query = "SELECT * FROM c WHERE c.resourceType = 'document'"
    assert [conflict async for conflict in container.query_conflicts(query, partition_key="x")] == []
    with fails(404):
        await container.delete_conflict("missing", partition_key="x")
