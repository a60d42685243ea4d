"""Containers whose partition key the server computes from other properties."""

import json
import statistics
from collections import Counter

import pytest

from admin import needs_splits_on_demand, query_all  # noqa: F401 (one is a fixture)
from azure.cosmos import PartitionKey
from azure.cosmos.partition_key import NonePartitionKeyValue
from conftest import fails, set_header, unique_id

SUFFIXES = 400
DAY = "2018-07-12"


def vin_of(n):
    return f"5YJ3E1EA7KF{n:06}"


def murmur3(text):
    """MurmurHash3 x86-32 with seed 0, as docs/synthetic-keys.md has it."""
    data = text.encode()
    mask = 0xFFFFFFFF

    def rotated(x, r):
        return (x << r | x >> (32 - r)) & mask

    def mixed(k):
        return rotated(k * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask

    value, whole = 0, len(data) - len(data) % 4
    for at in range(0, whole, 4):
        value = (rotated(value ^ mixed(int.from_bytes(data[at : at + 4], "little")), 13) * 5 + 0xE6546B64) & mask
    value ^= mixed(int.from_bytes(data[whole:], "little")) ^ len(data)
    value = (value ^ value >> 16) * 0x85EBCA6B & mask
    value = (value ^ value >> 13) * 0xC2B2AE35 & mask
    return value ^ value >> 16


def hash_bucket(text, count):
    return 1 + murmur3(text) % count


async def new_container(database, expression):
    return await database.create_container(
        unique_id("c"),
        PartitionKey(path="/partitionKey"),
        offer_throughput=40000,
        computed_properties=[{"name": "partitionKey", "query": f"SELECT VALUE {expression} FROM c"}],
    )


async def test_a_concatenated_key_is_computed_and_stored(database):
    container = await new_container(database, "CONCAT(c.deviceId, '-', ToString(c.date))")
    item = {"id": "1", "deviceId": "abc-123", "date": 2018}
    assert (await container.create_item(item))["partitionKey"] == "abc-123-2018"
    stored = await container.read_item("1", "abc-123-2018")
    await container.upsert_item({**item, "n": 1})
    await container.replace_item("1", {**item, "n": 2})
    assert (await container.read_item("1", "abc-123-2018"))["n"] == 2
    with fails(400):
        await container.replace_item("1", {**stored, "date": 2019})
    with fails(400):
        await container.create_item({**item, "id": "2", "partitionKey": "other"})
    await container.patch_item("1", "abc-123-2018", [{"op": "set", "path": "/n", "value": 3}])
    with fails(400):
        await container.patch_item("1", "abc-123-2018", [{"op": "set", "path": "/date", "value": 2019}])
    await container.execute_item_batch([("create", ({"id": "3", "deviceId": "abc-123", "date": 2018},))], "abc-123-2018")
    found = [row async for row in query_all(container, "SELECT VALUE c.id FROM c WHERE c.deviceId = 'abc-123' AND c.date = 2018")]
    assert sorted(found) == ["1", "3"]


@pytest.mark.parametrize("suffix", [f"RANDOM_BUCKET({SUFFIXES})", f"HASH_BUCKET(c.vin, {SUFFIXES})"])
async def test_suffixes_spread_one_day_over_all_partitions_and_its_query_is_complete(database, suffix, capsys):
    container = await new_container(database, f"CONCAT(c.date, '.', ToString({suffix}))")
    writes = Counter()

    def count(headers, _result=None):
        writes[headers["x-ms-documentdb-partitionkeyrangeid"]] += 1

    for n in range(400):
        await container.create_item({"id": f"t{n}", "vin": vin_of(n), "date": DAY}, response_hook=count)
    assert len(writes) == 4
    variation = statistics.pstdev(writes.values()) / statistics.mean(writes.values())
    with capsys.disabled():
        print(f"\nnote: {suffix} writes by partition {dict(writes)}, coefficient of variation {variation:.3f}")
    assert variation < 0.4
    for where in (f"c.date = '{DAY}'", f"c.date >= '{DAY}' AND c.date < '2018-07-13'"):
        found = [row async for row in query_all(container, f"SELECT VALUE c.id FROM c WHERE {where}")]
        assert len(found) == len(set(found)) == 400


async def test_a_point_read_by_vin_and_date_needs_no_other_key(database):
    container = await new_container(database, f"CONCAT(c.date, '.', ToString(HASH_BUCKET(c.vin, {SUFFIXES})))")
    await container.create_item({"id": "t", "vin": vin_of(1), "date": DAY})
    key = f"{DAY}.{hash_bucket(vin_of(1), SUFFIXES)}"
    assert (await container.read_item("t", key))["partitionKey"] == key
    sources = set_header("x-partita-key-of", json.dumps({"date": DAY, "vin": vin_of(1)}))
    assert (await container.read_item("t", NonePartitionKeyValue, raw_request_hook=sources))["partitionKey"] == key
    other = set_header("x-partita-key-of", json.dumps({"date": DAY, "vin": vin_of(2)}))
    with fails(404):
        await container.delete_item("t", NonePartitionKeyValue, raw_request_hook=other)
    await container.delete_item("t", NonePartitionKeyValue, raw_request_hook=sources)
    with fails(404):
        await container.read_item("t", key)


async def test_a_query_for_vin_and_date_asks_one_partition(database):
    container = await new_container(database, f"CONCAT(c.date, '.', ToString(HASH_BUCKET(c.vin, {SUFFIXES})))")
    for n in range(20):
        await container.create_item({"id": f"t{n}", "vin": vin_of(n), "date": DAY})
    metrics = []

    def note(response):
        if text := response.http_response.headers.get("x-ms-documentdb-query-metrics"):
            metrics.append(dict(each.split("=") for each in text.split(";")))

    query = f"SELECT VALUE c.id FROM c WHERE c.date = '{DAY}' AND c.vin = '{vin_of(7)}'"
    found = [row async for row in container.query_items(query, populate_query_metrics=True, raw_response_hook=note)]
    assert found == ["t7"]
    assert [each["retrievedDocumentCount"] for each in metrics] == ["1"]
