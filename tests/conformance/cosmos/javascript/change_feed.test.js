import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangeFeedMode, ChangeFeedPolicy, ChangeFeedRetentionTimeSpan, ChangeFeedStartFrom } from "@azure/cosmos";
import { assertFails, openDatabase } from "./support.js";

const scope = await openDatabase();

// All pages up to the first that says that nothing is new, and the position then.
async function drain(iterator) {
  const items = [];
  let position;
  for await (const page of iterator.getAsyncIterator()) {
    position = page.continuationToken;
    if (page.statusCode === 304) break;
    items.push(...page.result);
  }
  return { items, position };
}

test("the feed gives every document once, as it is now, and goes on from its position", async () => {
  const container = await scope.newContainer("/pk", { throughput: 25_000 });
  for (let i = 0; i < 30; ++i) await container.items.create({ id: `${i}`, pk: `k${i % 7}`, n: 0 });
  await container.item("3", "k3").patch([{ op: "set", path: "/n", value: 1 }]);
  await container.item("4", "k4").delete();
  const options = { maxItemCount: 4, changeFeedStartFrom: ChangeFeedStartFrom.Beginning() };
  const { items, position } = await drain(container.items.getChangeFeedIterator(options));
  assert.deepEqual(items.map((item) => Number(item.id)).sort((a, b) => a - b), [...Array(30).keys()].filter((id) => id !== 4));
  assert.equal(items.find((item) => item.id === "3").n, 1);
  assert.ok(items.every((item) => item._lsn > 0));
  await container.items.upsert({ id: "5", pk: "k5", n: 2 });
  const resumed = container.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Continuation(position) });
  assert.deepEqual((await drain(resumed)).items.map((item) => [item.id, item.n]), [["5", 2]]);
});

test("a feed of one key follows the order of its writes", async () => {
  const container = await scope.newContainer();
  for (const id of ["a", "b", "c"]) await container.items.create({ id, pk: "x" });
  await container.items.create({ id: "stranger", pk: "y" });
  await container.items.upsert({ id: "a", pk: "x", again: true });
  const iterator = container.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Beginning("x") });
  assert.deepEqual((await drain(iterator)).items.map((item) => item.id), ["b", "c", "a"]);
});

test("a feed that starts now knows nothing of before", async () => {
  const container = await scope.newContainer();
  await container.items.create({ id: "before", pk: "x" });
  const iterator = container.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Now() });
  const first = await drain(iterator);
  assert.deepEqual(first.items, []);
  await container.items.create({ id: "after", pk: "x" });
  assert.deepEqual((await drain(iterator)).items.map((item) => item.id), ["after"]);
});

test("documents of one transaction share their LSN", async () => {
  const container = await scope.newContainer();
  const create = (id) => ({ operationType: "Create", resourceBody: { id, pk: "x" } });
  await container.items.batch([create("a"), create("b"), create("c")], "x");
  const iterator = container.items.getChangeFeedIterator({ maxItemCount: 1, changeFeedStartFrom: ChangeFeedStartFrom.Beginning("x") });
  const page = await iterator.readNext();
  assert.equal(page.result.length, 3);
  assert.equal(new Set(page.result.map((item) => item._lsn)).size, 1);
});

test("all versions and deletes are given in their order, from the moment on that a reader begins", async () => {
  const changeFeedPolicy = new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(5));
  const container = await scope.newContainer("/pk", { changeFeedPolicy });
  await container.items.create({ id: "before", pk: "x" });
  const options = { changeFeedStartFrom: ChangeFeedStartFrom.Now(), changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes };
  const iterator = container.items.getChangeFeedIterator(options);
  const { items: none, position } = await drain(iterator);
  assert.deepEqual(none, []);
  await container.items.create({ id: "a", pk: "x", n: 1 });
  await container.items.upsert({ id: "a", pk: "x", n: 2 });
  await container.item("a", "x").delete();
  const { items } = await drain(iterator);
  assert.deepEqual(items.map((item) => [item.metadata.operationType, item.current.n]), [["create", 1], ["replace", 2], ["delete", undefined]]);
  assert.equal(items[2].metadata.previousImageLSN, items[1].metadata.lsn);
  assert.equal(items[2].metadata.id, "a");
  assert.deepEqual(items[2].metadata.partitionKey, { pk: "x" });
  const resumed = { ...options, changeFeedStartFrom: ChangeFeedStartFrom.Continuation(position) };
  assert.deepEqual((await drain(container.items.getChangeFeedIterator(resumed))).items, items);
});

test("all versions and deletes cannot be read from the beginning, nor where they are not kept", async () => {
  const mode = { changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes };
  const changeFeedPolicy = new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(5));
  const kept = await scope.newContainer("/pk", { changeFeedPolicy });
  await assertFails(kept.items.getChangeFeedIterator({ ...mode, changeFeedStartFrom: ChangeFeedStartFrom.Beginning() }).readNext(), 400);
  const plain = await scope.newContainer();
  await assertFails(plain.items.getChangeFeedIterator({ ...mode, changeFeedStartFrom: ChangeFeedStartFrom.Now() }).readNext(), 400);
});
