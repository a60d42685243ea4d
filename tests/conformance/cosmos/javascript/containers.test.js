import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, uniqueId, openDatabase } from "./support.js";

const scope = await openDatabase();

test("a created container has the default indexing policy and system properties", async () => {
  const response = await scope.database.containers.create({ id: uniqueId("c"), partitionKey: "/pk" });
  assert.equal(response.statusCode, 201);
  assert.ok(response.requestCharge > 0);
  const definition = response.resource;
  assert.deepEqual(definition.partitionKey.paths, ["/pk"]);
  assert.equal(definition.partitionKey.kind, "Hash");
  assert.equal(definition.indexingPolicy.indexingMode, "consistent");
  assert.equal(definition.indexingPolicy.automatic, true);
  assert.deepEqual(definition.indexingPolicy.includedPaths.map((entry) => entry.path), ["/*"]);
  assert.deepEqual(definition.indexingPolicy.excludedPaths.map((entry) => entry.path), ['/"_etag"/?']);
  assert.match(definition._self, /^dbs\/[^/]+\/colls\/[^/]+\/$/);
  assert.equal(Buffer.from(definition._rid.replace("-", "/"), "base64").length, 8);
  assert.equal(definition._docs, "docs/");
});

test("reading a container answers what was created", async () => {
  const container = await scope.newContainer("/pk", { defaultTtl: 3600 });
  const { resource, statusCode } = await container.read();
  assert.equal(statusCode, 200);
  assert.equal(resource.id, container.id);
  assert.equal(resource.defaultTtl, 3600);
});

test("creating a container twice conflicts", async () => {
  const container = await scope.newContainer();
  await assertFails(scope.database.containers.create({ id: container.id, partitionKey: "/pk" }), 409);
});

test("createIfNotExists creates, then finds", async () => {
  const definition = { id: uniqueId("c"), partitionKey: "/pk" };
  assert.equal((await scope.database.containers.createIfNotExists(definition)).statusCode, 201);
  assert.equal((await scope.database.containers.createIfNotExists(definition)).statusCode, 200);
});

test("a missing container, and a container of a missing database, are not found", async () => {
  await assertFails(scope.database.container("missing").read(), 404);
  await assertFails(scope.client.database(uniqueId()).containers.create({ id: "c", partitionKey: "/pk" }), 404);
});

test("a deleted container is gone, with its items", async () => {
  const container = await scope.newContainer();
  await container.items.create({ id: "a", pk: "x" });
  assert.equal((await container.delete()).statusCode, 204);
  await assertFails(container.read(), 404);
  await scope.database.containers.create({ id: container.id, partitionKey: "/pk" });
  assert.equal((await container.item("a", "x").read()).statusCode, 404);
});

test("containers are listed page by page", async () => {
  const { database } = await scope.client.databases.create({ id: uniqueId() });
  try {
    const created = [];
    for (let i = 0; i < 5; ++i) {
      created.push((await database.containers.create({ id: uniqueId("c"), partitionKey: "/pk" })).container.id);
    }
    const pages = [];
    for await (const page of database.containers.readAll({ maxItemCount: 2 }).getAsyncIterator()) pages.push(page.resources);
    assert.deepEqual(pages.map((page) => page.length), [2, 2, 1]);
    assert.deepEqual(pages.flat().map((entry) => entry.id).sort(), created.sort());
  } finally {
    await database.delete();
  }
});

test("replacing a container changes its indexing policy and its etag", async () => {
  const container = await scope.newContainer();
  const { resource: before } = await container.read();
  const changed = { ...before, indexingPolicy: { ...before.indexingPolicy, excludedPaths: [{ path: "/big/*" }] } };
  const { resource: after, statusCode } = await container.replace(changed);
  assert.equal(statusCode, 200);
  assert.ok(after.indexingPolicy.excludedPaths.some((entry) => entry.path === "/big/*"));
  assert.notEqual(after._etag, before._etag);
  assert.equal(after._rid, before._rid);
});

test("the partition key of a container cannot be changed", async () => {
  const container = await scope.newContainer();
  const { resource } = await container.read();
  await assertFails(container.replace({ ...resource, partitionKey: { ...resource.partitionKey, paths: ["/other"] } }), 400);
});

test("a container id may hold spaces and unicode", async () => {
  const id = "container with spaces 鱀 é";
  const { container } = await scope.database.containers.create({ id, partitionKey: "/pk" });
  assert.equal((await container.read()).resource.id, id);
  await container.items.create({ id: "a", pk: "x" });
  assert.equal((await container.item("a", "x").read()).statusCode, 200);
});

for (const path of ["pk", "/pk/*", "/a//b", '/"unclosed']) {
  test(`the partition key path ${path} is refused`, async () => {
    await assertFails(scope.database.containers.create({ id: uniqueId("c"), partitionKey: { paths: [path] } }), 400);
  });
}

test("the number of physical partitions follows the throughput", async () => {
  const container = await scope.newContainer("/pk", { throughput: 25000 });
  const { resources: ranges } = await container.readPartitionKeyRanges().fetchAll();
  assert.equal(ranges.length, 3);
  const sorted = [...ranges].sort((a, b) => (a.minInclusive < b.minInclusive ? -1 : 1));
  assert.equal(sorted[0].minInclusive, "");
  assert.equal(sorted[2].maxExclusive, "FF");
  assert.equal(sorted[0].maxExclusive, sorted[1].minInclusive);
  assert.equal(sorted[1].maxExclusive, sorted[2].minInclusive);
});
