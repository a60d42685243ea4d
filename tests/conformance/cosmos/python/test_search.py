"""Vectors, full text, hybrid search and computed properties, over five physical partitions."""

import pytest_asyncio
from azure.cosmos import PartitionKey

from conftest import fails, unique_id
from test_queries import query_all

TEXTS = ["I like to swim", "She swims and he runs", "Running in the rain", "The rain in Spain", "Nothing to see here"]
EMBEDDINGS = {"vectorEmbeddings": [{"path": "/v", "dataType": "float32", "dimensions": 2, "distanceFunction": "euclidean"}]}
COMPUTED = [{"name": "cp_upper", "query": "SELECT VALUE UPPER(c.text) FROM c"}]


@pytest_asyncio.fixture(scope="module")
async def searched(database):
    container = await database.create_container(
        unique_id("c"),
        PartitionKey(path="/pk"),
        offer_throughput=50000,
        vector_embedding_policy=EMBEDDINGS,
        full_text_policy={"defaultLanguage": "en-US", "fullTextPaths": [{"path": "/text", "language": "en-US"}]},
        computed_properties=COMPUTED,
        indexing_policy={"vectorIndexes": [{"path": "/v", "type": "flat"}], "fullTextIndexes": [{"path": "/text"}]},
    )
    for n, text in enumerate(TEXTS):
        await container.create_item({"id": str(n), "pk": f"key-{n}", "text": text, "v": [n, 0]})
    return container


async def rows_of(container, query, **options):
    return [row async for row in query_all(container, query, **options)]


async def test_nearest_vectors_come_first(searched):
    rows = await rows_of(searched, "SELECT TOP 3 c.id FROM c ORDER BY VectorDistance(c.v, [2.4, 0])")
    assert [row["id"] for row in rows] == ["2", "3", "1"]


async def test_texts_are_ranked_by_relevance(searched):
    rows = await rows_of(searched, "SELECT TOP 2 c.id FROM c ORDER BY RANK FullTextScore(c.text, 'swim')")
    assert sorted(row["id"] for row in rows) == ["0", "1"]


async def test_hybrid_search_ranks_both(searched):
    query = "SELECT TOP 3 c.id FROM c ORDER BY RANK RRF(FullTextScore(c.text, @word), VectorDistance(c.v, @vector))"
    parameters = [{"name": "@word", "value": "rain"}, {"name": "@vector", "value": [2, 0]}]
    rows = await rows_of(searched, query, parameters=parameters)
    assert len(rows) == 3
    assert rows[0]["id"] == "2"


async def test_full_text_filters(searched):
    rows = await rows_of(searched, "SELECT VALUE c.id FROM c WHERE FullTextContainsAny(c.text, 'swimming', 'spain')")
    assert sorted(rows) == ["0", "1", "3"]


async def test_computed_properties_have_values(searched):
    assert await rows_of(searched, "SELECT VALUE c.id FROM c WHERE c.cp_upper = 'I LIKE TO SWIM'") == ["0"]
    assert (await searched.read())["computedProperties"] == COMPUTED


async def test_policies_are_checked(database):
    key = PartitionKey(path="/pk")
    with fails(400) as failure:
        await database.create_container(unique_id("c"), key, indexing_policy={"vectorIndexes": [{"path": "/v", "type": "flat"}]})
    assert "not matching in Embedding's path" in failure.error.message
    with fails(400):
        await database.create_container(unique_id("c"), key, full_text_policy={"defaultLanguage": "xx-XX"})
    with fails(400):
        await database.create_container(unique_id("c"), key, computed_properties={"name": "x"})
