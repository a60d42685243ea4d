from conftest import fails, open_client, unique_id


async def test_a_permission_lets_its_user_read_and_no_more(request, client, database, new_container):
    container = await new_container("/pk")
    await container.create_item({"id": "1", "pk": "a"})
    user = await database.create_user({"id": unique_id("u")})
    properties = await container.read()
    permission = await user.create_permission({"id": "p", "permissionMode": "Read", "resource": properties["_self"]})
    token = permission.properties["_token"]
    link = f"dbs/{database.id}/colls/{container.id}"
    kind = request.node.callspec.params["client"]
    async with open_client(kind, {link: token, container.id: token}) as limited:
        reader = limited.get_database_client(database.id).get_container_client(container.id)
        assert (await reader.read_item("1", "a"))["id"] == "1"
        with fails(403):
            await reader.create_item({"id": "2", "pk": "a"})
    await user.delete_permission("p")
    assert [each async for each in user.list_permissions()] == []


async def test_users_are_renamed_and_listed(database):
    first = unique_id("u")
    await database.create_user({"id": first})
    with fails(409):
        await database.create_user({"id": first})
    renamed = await database.replace_user(first, {"id": first + "2"})
    assert renamed.id == first + "2"
    assert first + "2" in [user["id"] async for user in database.list_users()]
    await database.delete_user(first + "2")
    with fails(404):
        await database.get_user_client(first + "2").read()
