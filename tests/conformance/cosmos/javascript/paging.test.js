import assert from "node:assert/strict";
import { test } from "node:test";
import { newClient, openDatabase } from "./support.js";

const scope = await openDatabase();
const total = 25;
const ids = Array.from({ length: total }, (_, n) => `item-${String(n).padStart(2, "0")}`);
// Three physical partitions, every item under a key of its own; and all items under one key.
const container = await scope.newContainer("/pk", { throughput: 25000 });
const single = await scope.newContainer();
for (const id of ids) {
  await container.items.create({ id, pk: id });
  await single.items.create({ id, pk: "one" });
}

test("pages hold at most the asked number, and together every item once", async () => {
  const seen = [];
  for await (const page of container.items.readAll({ maxItemCount: 4 }).getAsyncIterator()) {
    assert.ok(page.resources.length <= 4);
    assert.ok(page.requestCharge > 0);
    seen.push(...page.resources.map((item) => item.id));
  }
  assert.deepEqual(seen.sort(), ids);
});

test("fetchAll gathers all pages", async () => {
  const { resources } = await container.items.readAll({ maxItemCount: 3 }).fetchAll();
  assert.deepEqual(resources.map((item) => item.id).sort(), ids);
});

test("one partition key is read in insertion order, in full pages", async () => {
  const pages = [];
  for await (const page of single.items.readAll({ maxItemCount: 10, partitionKey: "one" }).getAsyncIterator()) {
    pages.push(page.resources.map((item) => item.id));
  }
  assert.deepEqual(pages, [ids.slice(0, 10), ids.slice(10, 20), ids.slice(20)]);
});

test("another client resumes from a continuation token", async () => {
  const first = await single.items.readAll({ maxItemCount: 10, partitionKey: "one" }).fetchNext();
  assert.equal(first.resources.length, 10);
  assert.ok(first.continuationToken);
  const client = newClient();
  try {
    const options = { maxItemCount: 100, partitionKey: "one", continuationToken: first.continuationToken };
    const rest = await client.database(scope.database.id).container(single.id).items.readAll(options).fetchAll();
    assert.deepEqual(rest.resources.map((item) => item.id), ids.slice(10));
  } finally {
    client.dispose();
  }
});

test("an empty container has an empty feed", async () => {
  const empty = await scope.newContainer();
  assert.deepEqual((await empty.items.readAll().fetchAll()).resources, []);
});
