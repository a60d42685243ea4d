import base64

from azure.cosmos import PartitionKey

from conftest import fails, open_client, unique_id


async def test_a_created_database_has_system_properties_and_is_read_back(client):
    database = await client.create_database(unique_id())
    try:
        properties = await database.read()
        assert properties["id"] == database.id
        assert len(base64.b64decode(properties["_rid"].replace("-", "/"))) == 4
        assert properties["_self"] == f"dbs/{properties['_rid']}/"
        assert properties["_etag"].startswith('"')
        assert properties["_colls"] == "colls/"
        assert isinstance(properties["_ts"], int)
    finally:
        await client.delete_database(database.id)


async def test_creating_a_database_twice_conflicts(client, database):
    with fails(409):
        await client.create_database(database.id)


async def test_create_if_not_exists_finds_what_is_there(client, database):
    found = await client.create_database_if_not_exists(database.id)
    assert (await found.read())["_rid"] == (await database.read())["_rid"]


async def test_a_deleted_database_is_gone(client):
    database = await client.create_database(unique_id())
    await client.delete_database(database.id)
    with fails(404):
        await database.read()
    with fails(404):
        await client.delete_database(database.id)


async def test_databases_are_listed_one_per_page(client, database):
    seen = []
    async for page in client.list_databases(max_item_count=1).by_page():
        entries = [entry async for entry in page]
        assert len(entries) <= 1
        seen += [entry["id"] for entry in entries]
    assert database.id in seen
    assert len(seen) == len(set(seen))


async def test_a_database_id_may_hold_spaces_and_unicode(client):
    name = f"{unique_id()} with spaces 鱀 é"
    database = await client.create_database(name)
    try:
        assert (await database.read())["id"] == name
        await database.create_container("c", PartitionKey(path="/pk"))
    finally:
        await client.delete_database(name)


async def test_a_wrong_key_is_401(request, client):
    kind = request.node.callspec.params["client"]
    wrong = base64.b64encode(b"not the key of this account").decode()
    with fails(401) as failure:
        async with open_client(kind, wrong) as opened:
            await opened.get_database_client("any").read()
    assert "Unauthorized" in failure.error.message or "authorization" in failure.error.message
