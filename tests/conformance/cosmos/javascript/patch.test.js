import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, openDatabase } from "./support.js";

const scope = await openDatabase();
const container = await scope.newContainer();

async function newItem(id, body) {
  await container.items.create({ id, pk: "x", ...body });
  return container.item(id, "x");
}

test("a patch applies its operations in order", async () => {
  const item = await newItem("order", { n: 1, list: [1, 2], from: "here", "a/b": 1 });
  const { resource, statusCode } = await item.patch([
    { op: "incr", path: "/n", value: 41 },
    { op: "add", path: "/list/0", value: 0 },
    { op: "add", path: "/list/-", value: 3 },
    { op: "set", path: "/list/1", value: "one" },
    { op: "replace", path: "/a~1b", value: 2 },
    { op: "move", from: "/from", path: "/to" },
    { op: "remove", path: "/list/2" },
  ]);
  assert.equal(statusCode, 200);
  assert.equal(resource.n, 42);
  assert.deepEqual(resource.list, [0, "one", 3]);
  assert.equal(resource["a/b"], 2);
  assert.equal(resource.to, "here");
  assert.equal(resource.from, undefined);
  assert.deepEqual((await item.read()).resource, resource);
});

test("a patch that fails changes nothing", async () => {
  const item = await newItem("atomic", { n: 1 });
  await assertFails(
    item.patch([
      { op: "set", path: "/n", value: 2 },
      { op: "remove", path: "/missing" },
    ]),
    400,
  );
  assert.equal((await item.read()).resource.n, 1);
});

test("a condition decides whether a patch applies", async () => {
  const item = await newItem("condition", { state: "open" });
  const close = { condition: 'from c where c.state = "open"', operations: [{ op: "set", path: "/state", value: "closed" }] };
  assert.equal((await item.patch(close)).resource.state, "closed");
  await assertFails(item.patch(close), 412);
});

test("an etag decides, too", async () => {
  const item = await newItem("etag", { n: 1 });
  const { etag } = await item.read();
  const options = { accessCondition: { type: "IfMatch", condition: etag } };
  await item.patch([{ op: "incr", path: "/n", value: 1 }], options);
  await assertFails(item.patch([{ op: "incr", path: "/n", value: 1 }], options), 412);
});

test("id, partition key and system properties cannot be patched", async () => {
  const item = await newItem("protected", {});
  for (const path of ["/id", "/pk", "/_etag", "/_ts"]) {
    await assertFails(item.patch([{ op: "set", path, value: "z" }]), 400);
  }
});

test("more than ten operations and a missing item are refused", async () => {
  const item = await newItem("limit", { n: 0 });
  const increments = (count) => Array.from({ length: count }, () => ({ op: "incr", path: "/n", value: 1 }));
  assert.equal((await item.patch(increments(10))).resource.n, 10);
  await assertFails(item.patch(increments(11)), 400);
  await assertFails(container.item("nobody", "x").patch(increments(1)), 404);
});

test("concurrent increments are all counted", async () => {
  const item = await newItem("counter", { n: 0 });
  await Promise.all(Array.from({ length: 50 }, () => item.patch([{ op: "incr", path: "/n", value: 2 }])));
  assert.equal((await item.read()).resource.n, 100);
});
