import json

import pytest
import pytest_asyncio
from azure.cosmos import PartitionKey

from awaitable import Awaitable
from conftest import EXTENDED, fails, unique_id

TOTAL = 60
NUMBERS = list(range(TOTAL))
ITEMS = [
    {"id": f"item-{n:02}", "pk": f"key-{n}", "n": n, "mod": n % 7, "tags": [f"t{n % 3}", f"u{n % 4}"], "nested": {"half": n / 2}}
    for n in NUMBERS
]


@pytest_asyncio.fixture(scope="module")
async def spread(database):
    """60 items, each under a key of its own, over five physical partitions."""
    container = await database.create_container(unique_id("c"), PartitionKey(path="/pk"), offer_throughput=50000)
    for item in ITEMS:
        await container.create_item(item)
    return container


# How partitions come together: by the SDK, as with the service, or by the server, if it is one that can.
WAYS = {"by the SDK": {}, "by the server": EXTENDED}


def query_all(container, query, **options):
    """Over all partitions: the synchronous client wants to be told so, the asynchronous one needs no key."""
    if isinstance(container, Awaitable):
        options["enable_cross_partition_query"] = True
    return container.query_items(query, **options)


async def rows_of(container, query, **options):
    return [row async for row in query_all(container, query, **options)]


CASES = {
    "order by": ("SELECT VALUE c.n FROM c ORDER BY c.n", NUMBERS),
    "order by descending": ("SELECT VALUE c.n FROM c ORDER BY c.n DESC", NUMBERS[::-1]),
    "order by a nested property": ("SELECT VALUE c.n FROM c ORDER BY c.nested.half", NUMBERS),
    "top": ("SELECT TOP 5 VALUE c.n FROM c ORDER BY c.n DESC", [59, 58, 57, 56, 55]),
    "offset limit": ("SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 10 LIMIT 7", NUMBERS[10:17]),
    "count": ("SELECT VALUE COUNT(1) FROM c", [TOTAL]),
    "sum": ("SELECT VALUE SUM(c.n) FROM c", [sum(NUMBERS)]),
    "avg": ("SELECT VALUE AVG(c.n) FROM c", [sum(NUMBERS) / TOTAL]),
    "min": ("SELECT VALUE MIN(c.n) FROM c", [0]),
    "max": ("SELECT VALUE MAX(c.id) FROM c", ["item-59"]),
    "distinct": ("SELECT DISTINCT VALUE c.mod FROM c ORDER BY c.mod", [0, 1, 2, 3, 4, 5, 6]),
    "join": ("SELECT VALUE c.n FROM c JOIN t IN c.tags WHERE t = 't1' ORDER BY c.n", NUMBERS[1::3]),
    "sub-query": (
        "SELECT VALUE c.n FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'u2') ORDER BY c.n",
        NUMBERS[2::4],
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("page", [1000, 3])
@pytest.mark.parametrize("way", WAYS)
async def test_partitions_are_merged(spread, name, page, way):
    query, expected = CASES[name]
    assert await rows_of(spread, query, max_item_count=page, **WAYS[way]) == expected


@pytest.mark.parametrize("aggregate", ["MIN", "MAX", "AVG"])
async def test_an_aggregate_over_nothing_is_what_the_sdk_makes_of_it(spread, aggregate):
    query = f"SELECT VALUE {aggregate}(c.n) FROM c WHERE c.n < 0"
    assert await rows_of(spread, query) == [None]
    assert await rows_of(spread, query, **EXTENDED) == []


async def test_groups_are_made_by_the_server_alone(spread):
    query = "SELECT c.mod, COUNT(1) AS count, MAX(c.n) AS max FROM c GROUP BY c.mod"
    with fails(400):
        await rows_of(spread, query)
    expected = [{"mod": m, "count": len(NUMBERS[m::7]), "max": NUMBERS[m::7][-1]} for m in range(7)]
    rows = await rows_of(spread, query, **EXTENDED)
    assert sorted(rows, key=json.dumps) == sorted(expected, key=json.dumps)


async def test_an_aggregate_with_a_name_needs_the_server(spread):
    query = "SELECT COUNT(1) AS count FROM c"
    with fails(400):
        await rows_of(spread, query)
    assert await rows_of(spread, query, **EXTENDED) == [{"count": TOTAL}]


async def test_parameters(spread):
    query = "SELECT VALUE c.n FROM c WHERE c.n >= @least AND ARRAY_CONTAINS(@mods, c.mod) ORDER BY c.n"
    parameters = [{"name": "@least", "value": 20}, {"name": "@mods", "value": [1, 5]}]
    expected = [n for n in NUMBERS if n >= 20 and n % 7 in (1, 5)]
    assert await rows_of(spread, query, parameters=parameters) == expected


async def test_an_order_is_resumed_from_a_token(spread):
    query = "SELECT VALUE c.n FROM c ORDER BY c.n DESC"
    pages = query_all(spread, query, max_item_count=10, **EXTENDED).by_page()
    first = await pages.__anext__()
    assert [n async for n in first] == NUMBERS[::-1][:10]
    token = pages.continuation_token
    assert token
    rest = []
    async for page in query_all(spread, query, max_item_count=25, **EXTENDED).by_page(token):
        rest += [n async for n in page]
    assert rest == NUMBERS[::-1][10:]


async def test_a_token_of_another_query_is_refused(spread):
    pages = query_all(spread, "SELECT * FROM c", max_item_count=10).by_page()
    [item async for item in await pages.__anext__()]
    other = query_all(spread, "SELECT c.id FROM c").by_page(pages.continuation_token)
    with fails(400):
        [item async for item in await other.__anext__()]
