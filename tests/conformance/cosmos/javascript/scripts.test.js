import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, newClient, openDatabase } from "./support.js";

const scope = await openDatabase();
const container = await scope.newContainer();
const { scripts } = container;

// A procedure from a function of this file, run once.
async function runOnce(id, body, key, parameters = [], options = {}) {
  await scripts.storedProcedures.create({ id, body: String(body) });
  return scripts.storedProcedure(id).execute(key, parameters, options);
}

// Reads a number, adds to it, writes it back.
const add = function (id, pk, amount) {
  const c = getContext().getCollection();
  c.readDocument(c.getAltLink() + "/docs/" + id, (error, found) => {
    if (error && error.number !== 404) throw error;
    const document = found || { id, pk, total: 0 };
    document.total += amount;
    c.upsertDocument(c.getSelfLink(), document, (failure, written) => {
      if (failure) throw failure;
      getContext().getResponse().setBody(written.total);
    });
  });
};

test("scripts of every kind are created, read, replaced, listed, queried and deleted", async () => {
  const kinds = [
    [scripts.storedProcedures, (id) => scripts.storedProcedure(id), {}],
    [scripts.triggers, (id) => scripts.trigger(id), { triggerType: "Pre", triggerOperation: "All" }],
    [scripts.userDefinedFunctions, (id) => scripts.userDefinedFunction(id), {}],
  ];
  for (const [feed, one, more] of kinds) {
    const { resource, statusCode } = await feed.create({ id: "kept", body: "function () { return 1; }", ...more });
    assert.equal(statusCode, 201);
    assert.match(resource._self, /^dbs\/[^/]+\/colls\/[^/]+\/(sprocs|triggers|udfs)\/[^/]+\/$/);
    await assertFails(feed.create({ id: "kept", body: "function () {}", ...more }), 409);
    const replaced = await one("kept").replace({ id: "kept", body: "function () { return 2; }", ...more });
    assert.equal(replaced.resource.body, "function () { return 2; }");
    assert.notEqual(replaced.resource._etag, resource._etag);
    assert.deepEqual((await one("kept").read()).resource, replaced.resource);
    assert.deepEqual((await feed.readAll().fetchAll()).resources.map(({ id }) => id), ["kept"]);
    const { resources } = await feed.query("SELECT VALUE r.id FROM r WHERE r.id = 'kept'").fetchAll();
    assert.deepEqual(resources, ["kept"]);
    assert.equal((await one("kept").delete()).statusCode, 204);
    await assertFails(one("kept").read(), 404);
  }
});

test("what is no function fails when it is run", async () => {
  await scripts.storedProcedures.create({ id: "broken", body: "function ( {" });
  const error = await assertFails(scripts.storedProcedure("broken").execute("x", []), 400);
  assert.equal(error.substatus, 65535);
  assert.match(error.message, /Encountered exception while compiling Javascript\. Exception = SyntaxError/);
});

test("the number of an error that nobody catches is the sub-status", async () => {
  const error = await assertFails(runOnce("numbered", () => { throw new Error(1234, "on purpose"); }, "x"), 400);
  assert.equal(error.substatus, 1234);
});

test("a function that does not exist is refused before any document is read", async () => {
  const query = container.items.query("SELECT VALUE udf.missing(c) FROM c", { partitionKey: "nobody" });
  await assertFails(query.fetchAll(), 400);
});

test("a procedure gets arguments and answers with what it leaves in the response", async () => {
  const body = (a, b) => getContext().getResponse().setBody({ sum: a + b.n });
  const { resource, headers, requestCharge } = await runOnce("sum", body, "x", [1, { n: 2 }]);
  assert.deepEqual(resource, { sum: 3 });
  assert.ok(requestCharge > 0);
  assert.match(headers["x-ms-session-token"], /^\d+:-?\d+#\d+/);
});

test("a procedure that does not exist cannot be run", async () => {
  await assertFails(scripts.storedProcedure("missing").execute("x"), 404);
});

test("an error rolls everything back and says where it came from", async () => {
  const body = function thrower() {
    const c = getContext().getCollection();
    c.createDocument(c.getSelfLink(), { id: "rolled-back", pk: "x" }, () => {
      throw new Error("on purpose");
    });
  };
  const error = await assertFails(runOnce("throws", body, "x"), 400);
  assert.match(error.message, /Encountered exception while executing function\. Exception = Error: on purpose/);
  assert.match(error.message, /Stack trace: /);
  assert.equal((await container.item("rolled-back", "x").read()).statusCode, 404);
});

test("a procedure sees its own writes, also in queries", async () => {
  const body = () => {
    const c = getContext().getCollection();
    c.createDocument(c.getSelfLink(), { id: "own", pk: "own", n: 1 });
    c.queryDocuments(c.getSelfLink(), { query: "SELECT VALUE c.id FROM c WHERE c.n = @n", parameters: [{ name: "@n", value: 1 }] },
      (error, rows) => getContext().getResponse().setBody(rows));
  };
  assert.deepEqual((await runOnce("own", body, "own")).resource, ["own"]);
});

test("what a procedure logs is told when it is asked for", async () => {
  const body = () => console.log("%s is %s", "x", 1);
  const quiet = await runOnce("logs", body, "x");
  assert.equal(quiet.headers["x-ms-documentdb-script-log-results"], undefined);
  const told = await scripts.storedProcedure("logs").execute("x", [], { enableScriptLogging: true });
  assert.equal(decodeURIComponent(told.headers["x-ms-documentdb-script-log-results"]), "x is 1");
});

test("triggers run before and after a write, in its transaction", async () => {
  await scripts.triggers.create({
    id: "stamp",
    body: String(function () {
      const d = getContext().getRequest().getBody();
      d.stamped = getContext().getRequest().getOperationType();
      getContext().getRequest().setBody(d);
    }),
    triggerType: "Pre",
    triggerOperation: "Create",
  });
  await scripts.triggers.create({
    id: "audit",
    body: String(function () {
      const c = getContext().getCollection();
      const d = getContext().getResponse().getBody();
      c.createDocument(c.getSelfLink(), { id: "audit-" + d.id, pk: d.pk }, (error) => {
        if (error) throw error;
      });
    }),
    triggerType: "Post",
    triggerOperation: "All",
  });
  const both = { preTriggerInclude: ["stamp"], postTriggerInclude: ["audit"] };
  const { resource, statusCode } = await container.items.create({ id: "t1", pk: "t" }, both);
  assert.equal(statusCode, 201);
  assert.equal(resource.stamped, "Create");
  assert.equal((await container.item("audit-t1", "t").read()).statusCode, 200);
  await container.items.create({ id: "audit-t2", pk: "t" });
  await assertFails(container.items.create({ id: "t2", pk: "t" }, both), 400);
  assert.equal((await container.item("t2", "t").read()).statusCode, 404);
  await assertFails(container.item("t1", "t").delete({ preTriggerInclude: ["stamp"] }), 400);
});

test("user defined functions stand in queries wherever an expression may", async () => {
  await scripts.userDefinedFunctions.create({ id: "twice", body: "function (x) { return x === undefined ? undefined : 2 * x; }" });
  for (let n = 1; n <= 5; ++n) await container.items.create({ id: `udf-${n}`, pk: "udf", n });
  const query = "SELECT VALUE udf.twice(c.n) FROM c WHERE udf.twice(c.n) > 4 ORDER BY c.n DESC";
  const { resources } = await container.items.query(query, { partitionKey: "udf" }).fetchAll();
  assert.deepEqual(resources, [10, 8, 6]);
  await assertFails(container.items.query("SELECT VALUE udf.none(c.n) FROM c", { partitionKey: "udf" }).fetchAll(), 400);
});

test("a procedure that never ends is ended, and nobody else notices", async () => {
  // What a script does is charged while it runs: with 400 RU/s, others of this container would be throttled.
  const rich = await scope.newContainer("/pk", { throughput: 10_000 });
  await rich.scripts.storedProcedures.create({ id: "endless", body: String(() => { for (;;); }) });
  const endless = assertFails(rich.scripts.storedProcedure("endless").execute("endless"), 408);
  let isOver = false;
  endless.finally(() => { isOver = true; });
  let others = 0;
  while (!isOver) {
    await rich.items.upsert({ id: "neighbour", pk: "neighbour", others });
    await rich.item("neighbour", "neighbour").read();
    ++others;
  }
  await endless;
  assert.ok(others > 20, `${others} neighbours`);
});

test("hundreds of procedures add to the same and to different documents, and none is lost", async () => {
  const clients = Array.from({ length: 8 }, () => newClient());
  await scripts.storedProcedures.create({ id: "add", body: String(add) });
  const runs = 240;
  const keys = ["k0", "k1", "k2", "k3"];
  const expected = Object.fromEntries(keys.map((key) => [key, 0]));
  await Promise.all(Array.from({ length: runs }, async (_, i) => {
    const key = i % 2 === 0 ? "k0" : keys[1 + ((i - 1) / 2) % (keys.length - 1)];
    expected[key] += i;
    const own = clients[i % clients.length].database(scope.database.id).container(container.id);
    await own.scripts.storedProcedure("add").execute(key, ["total", key, i]);
  }));
  for (const key of keys) {
    assert.equal((await container.item("total", key).read()).resource.total, expected[key]);
  }
  for (const client of clients) client.dispose();
});
