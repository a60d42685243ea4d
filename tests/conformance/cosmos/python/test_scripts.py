import pytest

from conftest import fails

ADD = """function add(id, amount) {
  const c = getContext().getCollection();
  c.readDocument(c.getAltLink() + '/docs/' + id, (error, found) => {
    if (error && error.number !== 404) throw error;
    const document = found || { id, pk: 'x', total: 0 };
    document.total += amount;
    c.upsertDocument(c.getSelfLink(), document, (failure) => {
      if (failure) throw failure;
      getContext().getResponse().setBody(document.total);
    });
  });
}"""


async def test_a_procedure_adds_up_in_one_transaction_each(container):
    scripts = container.scripts
    await scripts.create_stored_procedure({"id": "add", "body": ADD})
    for total in (1, 2, 3):
        assert await scripts.execute_stored_procedure("add", partition_key="x", parameters=["counter", 1]) == total
    assert (await container.read_item("counter", "x"))["total"] == 3
    with fails(404):
        await scripts.execute_stored_procedure("none", partition_key="x", parameters=[])


async def test_an_error_rolls_back(container):
    scripts = container.scripts
    body = "function () { __.createDocument(__.getSelfLink(), { id: 'lost', pk: 'x' }, () => { throw new Error('no'); }); }"
    await scripts.create_stored_procedure({"id": "lose", "body": body})
    with fails(400):
        await scripts.execute_stored_procedure("lose", partition_key="x")
    with fails(404):
        await container.read_item("lost", "x")


async def test_triggers_and_functions(container):
    scripts = container.scripts
    trigger = "function () { const d = __.request.getBody(); d.stamp = 1; __.request.setBody(d); }"
    await scripts.create_trigger(
        {"id": "stamp", "body": trigger, "triggerType": "Pre", "triggerOperation": "All"})
    created = await container.create_item({"id": "stamped", "pk": "x"}, pre_trigger_include="stamp")
    assert created["stamp"] == 1
    await scripts.create_user_defined_function({"id": "next", "body": "function (x) { return x + 1; }"})
    rows = container.query_items("SELECT VALUE udf.next(c.stamp) FROM c WHERE c.id = 'stamped'", partition_key="x")
    assert [row async for row in rows] == [2]


SCRIPTS = {
    "stored_procedure": {"body": "function () { getContext().getResponse().setBody(1); }"},
    "trigger": {"body": "function () {}", "triggerType": "Post", "triggerOperation": "Create"},
    "user_defined_function": {"body": "function () { return 1; }"},
}


@pytest.mark.parametrize("kind", SCRIPTS)
async def test_scripts_are_created_read_listed_queried_replaced_and_deleted(container, kind):
    def call(verb, plural=""):
        return getattr(container.scripts, f"{verb}_{kind}{plural}")

    definition = {"id": f"life of a {kind}", **SCRIPTS[kind]}
    created = await call("create")(definition)
    assert created["body"] == definition["body"]
    with fails(409):
        await call("create")(definition)
    assert (await call("get")(definition["id"]))["_rid"] == created["_rid"]
    assert definition["id"] in [each["id"] async for each in call("list", "s")()]
    query = {"query": "SELECT * FROM r WHERE r.id = @id", "parameters": [{"name": "@id", "value": definition["id"]}]}
    found = [each async for each in call("query", "s")(query["query"], parameters=query["parameters"])]
    assert [each["id"] for each in found] == [definition["id"]]
    replaced = await call("replace")(definition["id"], {**definition, "body": "function () { return 2; }"})
    assert replaced["body"] == "function () { return 2; }"
    assert replaced["_etag"] != created["_etag"]
    await call("delete")(definition["id"])
    with fails(404):
        await call("get")(definition["id"])


async def test_the_number_of_a_thrown_error_is_the_sub_status(container):
    scripts = container.scripts
    await scripts.create_stored_procedure({"id": "throw", "body": "function () { throw new Error(4711, 'no'); }"})
    with fails(400, 4711):
        await scripts.execute_stored_procedure("throw", partition_key="x")


async def test_a_trigger_of_another_operation_is_refused(container):
    await container.scripts.create_trigger(
        {"id": "deletes", "body": "function () {}", "triggerType": "Pre", "triggerOperation": "Delete"})
    with fails(400):
        await container.create_item({"id": "wrong trigger", "pk": "x"}, pre_trigger_include="deletes")
    with fails(404):
        await container.read_item("wrong trigger", "x")
