import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, newClientThat, uniqueId, openDatabase } from "./support.js";

const scope = await openDatabase();

// Creates, reads, replaces, upserts and deletes one item by its full primary key.
async function exercise(container, item, partitionKey) {
  const at = () => container.item(item.id, partitionKey);
  assert.equal((await container.items.create({ ...item, step: "created" })).statusCode, 201);
  assert.equal((await at().read()).resource.step, "created");
  assert.equal((await at().replace({ ...item, step: "replaced" })).statusCode, 200);
  assert.equal((await container.items.upsert({ ...item, step: "upserted" })).statusCode, 200);
  assert.equal((await at().read()).resource.step, "upserted");
  assert.equal((await at().delete()).statusCode, 204);
  assert.equal((await at().read()).statusCode, 404);
}

const shapes = [
  { name: "a property", key: "/department", item: { department: "Sales" }, value: "Sales" },
  { name: "a nested property", key: "/properties/name", item: { properties: { name: "n" } }, value: "n" },
  { name: "a quoted property", key: '/"department name"', item: { "department name": "R&D" }, value: "R&D" },
  { name: "the id", key: "/id", item: {}, value: "the id" },
  { name: "version 1 hashing", key: { paths: ["/pk"], version: 1 }, item: { pk: "v1" }, value: "v1" },
  { name: "a long value", key: { paths: ["/pk"], version: 2 }, item: { pk: "k".repeat(1500) }, value: "k".repeat(1500) },
  {
    name: "two levels",
    key: { paths: ["/tenant", "/user"], kind: "MultiHash", version: 2 },
    item: { tenant: "t", user: 7 },
    value: ["t", 7],
  },
  {
    name: "three levels",
    key: { paths: ["/tenant", "/user", "/session"], kind: "MultiHash", version: 2 },
    item: { tenant: "t", user: "u", session: "s" },
    value: ["t", "u", "s"],
  },
];

for (const { name, key, item, value } of shapes) {
  test(`items keyed by ${name}`, async () => {
    const container = await scope.newContainer(key);
    await exercise(container, { id: "the id", ...item }, value);
  });
}

test("items keyed by every type of value live side by side", async () => {
  const container = await scope.newContainer("/pk", { throughput: 25000 });
  const keys = ["text", "", "鱀 é", 42, -0.5, 0, true, false, null];
  for (const pk of keys) await container.items.create({ id: "same", pk, is: JSON.stringify(pk) });
  await container.items.create({ id: "same", is: "undefined" });
  for (const pk of keys) assert.equal((await container.item("same", pk).read()).resource.is, JSON.stringify(pk));
  assert.equal((await container.item("same", undefined).read()).resource.is, "undefined");
});

test("the number 1 and the text 1 are different keys", async () => {
  const container = await scope.newContainer();
  await container.items.create({ id: "a", pk: 1 });
  assert.equal((await container.item("a", "1").read()).statusCode, 404);
  assert.equal((await container.item("a", 1).read()).statusCode, 200);
});

test("many keys over three physical partitions are all found again", async () => {
  const container = await scope.newContainer("/pk", { throughput: 25000 });
  const keys = Array.from({ length: 60 }, (_, n) => `key-${n}`);
  const ranges = new Set();
  for (const pk of keys) {
    const { headers } = await container.items.create({ id: "a", pk });
    ranges.add(headers["x-ms-session-token"].split(":")[0]);
  }
  assert.equal(ranges.size, 3);
  for (const pk of keys) assert.equal((await container.item("a", pk).read()).resource.pk, pk);
});

test("reading, replacing or deleting with another key does not find the item", async () => {
  const container = await scope.newContainer();
  await container.items.create({ id: "a", pk: "right" });
  assert.equal((await container.item("a", "wrong").read()).statusCode, 404);
  await assertFails(container.item("a", "wrong").delete(), 404);
  assert.equal((await container.item("a", "right").read()).statusCode, 200);
});

test("a key in the header that is not the body's is 400 with substatus 1001", async () => {
  const container = await scope.newContainer();
  const client = newClientThat((request) => {
    if (request.resourceType === "docs") request.headers["x-ms-documentdb-partitionkey"] = '["other"]';
  });
  try {
    const mismatched = client.database(scope.database.id).container(container.id);
    const error = await assertFails(mismatched.items.create({ id: "a", pk: "body" }), 400, 1001);
    assert.match(error.message, /partition ?key/i);
    assert.equal((await container.item("a", "body").read()).statusCode, 404);
  } finally {
    client.dispose();
  }
});

test("a point read without a partition key is refused", async () => {
  const container = await scope.newContainer();
  await container.items.create({ id: "a", pk: "x" });
  const client = newClientThat((request) => {
    if (request.resourceType === "docs") delete request.headers["x-ms-documentdb-partitionkey"];
  });
  try {
    await assertFails(client.database(scope.database.id).container(container.id).item("a", "x").read(), 400);
  } finally {
    client.dispose();
  }
});

test("replace cannot move an item to another key", async () => {
  const container = await scope.newContainer();
  await container.items.create({ id: "a", pk: "x" });
  await assertFails(container.item("a", "x").replace({ id: "a", pk: "y" }), 400);
  assert.equal((await container.item("a", "x").read()).resource.pk, "x");
});

test("a hierarchical key with a level missing addresses nothing", async () => {
  const container = await scope.newContainer({ paths: ["/tenant", "/user"], kind: "MultiHash", version: 2 });
  await container.items.create({ id: "a", tenant: "t", user: "u" });
  await assertFails(container.item("a", ["t"]).read(), 400);
});

// A container as clients before 2018-12-31 made them: no partition key, one partition, `id` the whole primary key.
test("single-partition containers", async (t) => {
  const legacy = newClientThat((request) => {
    if (request.resourceType === "colls" && request.method === "POST") {
      request.body = JSON.stringify({ id: JSON.parse(request.body).id });
    }
    request.headers["x-ms-version"] = "2018-06-18";
  });
  const id = uniqueId("single");
  await legacy.database(scope.database.id).containers.create({ id });
  legacy.dispose();
  const container = scope.database.container(id);

  await t.test("show the system partition key to new clients", async () => {
    const { resource } = await container.read();
    assert.deepEqual(resource.partitionKey.paths, ["/_partitionKey"]);
    assert.equal(resource.partitionKey.systemKey, true);
  });
  await t.test("store items by id alone", () => exercise(container, { id: "a", pk: "ignored" }, undefined));
  await t.test("know each id once", async () => {
    await container.items.create({ id: "once", pk: "x" });
    await assertFails(container.items.create({ id: "once", pk: "y" }), 409);
  });
  await t.test("have one physical partition", async () => {
    const { resources } = await container.readPartitionKeyRanges().fetchAll();
    assert.equal(resources.length, 1);
  });
});
