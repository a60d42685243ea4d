import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "./support.js";

const scope = await openDatabase();
const container = await scope.newContainer("/pk", { throughput: 25_000 });

const create = (id, body = {}) => ({ operationType: "Create", resourceBody: { id, pk: "x", ...body } });
const statuses = (response) => response.result.map((result) => result.statusCode);

test("a batch runs all its operations, each after the ones before it", async () => {
  const response = await container.items.batch(
    [
      create("all", { n: 1 }),
      { operationType: "Upsert", resourceBody: { id: "other", pk: "x" } },
      { operationType: "Patch", id: "all", resourceBody: { operations: [{ op: "incr", path: "/n", value: 1 }] } },
      { operationType: "Read", id: "all" },
      { operationType: "Replace", id: "other", resourceBody: { id: "other", pk: "x", replaced: true } },
      { operationType: "Delete", id: "all" },
    ],
    "x",
  );
  assert.equal(response.code, 200);
  assert.deepEqual(statuses(response), [201, 201, 200, 200, 200, 204]);
  assert.equal(response.result[3].resourceBody.n, 2);
  assert.equal(response.result[4].eTag, response.result[4].resourceBody._etag);
  assert.ok(response.result.every((result) => result.requestCharge > 0));
  assert.equal((await container.item("all", "x").read()).statusCode, 404);
  assert.equal((await container.item("other", "x").read()).resource.replaced, true);
});

test("when one operation fails, nothing has happened and the others say 424", async () => {
  await container.items.create({ id: "taken", pk: "x" });
  const response = await container.items.batch([create("fresh"), create("taken"), { operationType: "Delete", id: "taken" }], "x");
  assert.equal(response.code, 207);
  assert.deepEqual(statuses(response), [424, 409, 424]);
  assert.equal((await container.item("fresh", "x").read()).statusCode, 404);
});

test("etags guard operations of a batch", async () => {
  const { etag } = await container.items.create({ id: "guarded", pk: "x" });
  const replace = [{ operationType: "Replace", id: "guarded", ifMatch: etag, resourceBody: { id: "guarded", pk: "x" } }];
  assert.deepEqual(statuses(await container.items.batch(replace, "x")), [200]);
  assert.deepEqual(statuses(await container.items.batch(replace, "x")), [412]);
});

test("a hundred operations are a batch, a hundred and one are not", async () => {
  const many = Array.from({ length: 100 }, (_, i) => create(`many-${i}`));
  const response = await container.items.batch(many, "x");
  assert.equal(response.code, 200);
  assert.equal(response.result.length, 100);
  await assert.rejects(container.items.batch([...many, create("one too many")], "x")); // by the SDK itself
});

test("documents of another key do not belong into a batch", async () => {
  const response = await container.items.batch([create("stranger", { pk: "y" })], "x");
  assert.deepEqual(statuses(response), [400]);
});

test("transfers by many clients at once keep the total", async () => {
  const accounts = 4;
  for (let i = 0; i < accounts; ++i) await container.items.create({ id: `account-${i}`, pk: "bank", balance: 0 });
  const move = (id, amount) => ({
    operationType: "Patch",
    id: `account-${id}`,
    resourceBody: { operations: [{ op: "incr", path: "/balance", value: amount }] },
  });
  const transfers = Array.from({ length: 100 }, (_, i) => [i % accounts, (i * 7 + 1) % accounts, i]);
  const responses = await Promise.all(
    transfers.map(([from, to, amount]) => container.items.batch([move(from, -amount), move(to, amount)], "bank")),
  );
  assert.ok(responses.every((response) => response.code === 200));
  const expected = new Array(accounts).fill(0);
  for (const [from, to, amount] of transfers) {
    expected[from] -= amount;
    expected[to] += amount;
  }
  for (let i = 0; i < accounts; ++i) {
    assert.equal((await container.item(`account-${i}`, "bank").read()).resource.balance, expected[i]);
  }
});

test("bulk spreads operations over partitions and reports each", async () => {
  const operations = Array.from({ length: 250 }, (_, i) => ({
    operationType: "Create",
    partitionKey: `bulk-${i % 20}`,
    resourceBody: { id: `${i}`, pk: `bulk-${i % 20}` },
  }));
  const created = await container.items.executeBulkOperations(operations);
  assert.ok(created.every((result) => result.response?.statusCode === 201));
  const again = await container.items.executeBulkOperations([
    ...operations.slice(0, 3),
    { operationType: "Read", partitionKey: "bulk-0", id: "0" },
    { operationType: "Delete", partitionKey: "bulk-1", id: "1" },
    { operationType: "Read", partitionKey: "bulk-2", id: "none" },
  ]);
  assert.deepEqual(
    again.map((result) => result.response?.statusCode ?? result.error.code),
    [409, 409, 409, 200, 204, 404],
  );
});
