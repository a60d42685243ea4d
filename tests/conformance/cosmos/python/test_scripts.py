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
