import pytest_asyncio
from azure.cosmos import PartitionKey

from conftest import unique_id

IDS = [f"item-{n:02}" for n in range(25)]


@pytest_asyncio.fixture(scope="module")
async def spread(database):
    """25 items, each under a key of its own, over three physical partitions."""
    container = await database.create_container(unique_id("c"), PartitionKey(path="/pk"), offer_throughput=25000)
    for name in IDS:
        await container.create_item({"id": name, "pk": name})
    return container


@pytest_asyncio.fixture(scope="module")
async def single(database):
    """The same items in one physical partition."""
    container = await database.create_container(unique_id("c"), PartitionKey(path="/pk"))
    for name in IDS:
        await container.create_item({"id": name, "pk": "one"})
    return container


async def test_reading_all_items_gives_each_once(spread):
    assert sorted([item["id"] async for item in spread.read_all_items()]) == IDS


async def test_pages_hold_at_most_the_asked_number(spread):
    seen = []
    async for page in spread.read_all_items(max_item_count=4).by_page():
        names = [item["id"] async for item in page]
        assert len(names) <= 4
        seen += names
    assert sorted(seen) == IDS


async def test_one_physical_partition_is_read_in_insertion_order_in_full_pages(single):
    pages = []
    async for page in single.read_all_items(max_item_count=10).by_page():
        pages.append([item["id"] async for item in page])
    assert pages == [IDS[:10], IDS[10:20], IDS[20:]]


async def test_reading_resumes_from_a_continuation_token(single):
    pages = single.read_all_items(max_item_count=10).by_page()
    first = await pages.__anext__()
    assert [item["id"] async for item in first] == IDS[:10]
    token = pages.continuation_token
    assert token
    rest = []
    async for page in single.read_all_items(max_item_count=100).by_page(token):
        rest += [item["id"] async for item in page]
    assert rest == IDS[10:]


async def test_an_empty_container_has_an_empty_feed(new_container):
    container = await new_container()
    assert [item async for item in container.read_all_items()] == []
