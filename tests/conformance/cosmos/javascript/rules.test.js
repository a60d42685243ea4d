// What a container demands of its items: unique keys, time to live; and deleting all items of a key.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { assertFails, openDatabase } from "./support.js";

const scope = await openDatabase();

test("a unique key holds within a partition key, not beyond", async () => {
  const uniqueKeyPolicy = { uniqueKeys: [{ paths: ["/email"] }, { paths: ["/name/first", "/name/last"] }] };
  const container = await scope.newContainer("/pk", { uniqueKeyPolicy });
  assert.deepEqual((await container.read()).resource.uniqueKeyPolicy, uniqueKeyPolicy);
  const person = (id, pk, email, last) => ({ id, pk, email, name: { first: "Ada", last } });
  await container.items.create(person("1", "x", "a@b", "L"));
  await assertFails(container.items.create(person("2", "x", "a@b", "M")), 409);
  await assertFails(container.items.create(person("2", "x", "c@d", "L")), 409);
  await container.items.create(person("2", "x", "c@d", "M"));
  await container.items.create(person("1", "y", "a@b", "L"));
  await assertFails(container.item("2", "x").replace(person("2", "x", "a@b", "M")), 409);
  await assertFails(container.item("2", "x").patch([{ op: "set", path: "/email", value: "a@b" }]), 409);
  await container.item("1", "x").delete();
  await container.item("2", "x").replace(person("2", "x", "a@b", "M"));
});

test("a missing unique value counts as null", async () => {
  const container = await scope.newContainer("/pk", { uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/u"] }] } });
  await container.items.create({ id: "1", pk: "x" });
  await assertFails(container.items.create({ id: "2", pk: "x" }), 409);
  await assertFails(container.items.create({ id: "2", pk: "x", u: null }), 409);
});

test("of many who claim a unique value at once, one gets it", async () => {
  const container = await scope.newContainer("/pk", { uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/u"] }] } });
  const claims = await Promise.allSettled(
    Array.from({ length: 30 }, (_, i) => container.items.create({ id: `${i}`, pk: "x", u: "same" })),
  );
  assert.equal(claims.filter((claim) => claim.status === "fulfilled").length, 1);
  assert.ok(claims.every((claim) => claim.status === "fulfilled" || claim.reason.code === 409));
});

test("unique keys cannot change", async () => {
  const container = await scope.newContainer("/pk", { uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/u"] }] } });
  const { resource } = await container.read();
  await assertFails(container.replace({ ...resource, uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/v"] }] } }), 400);
});

test("an item lives for as long as it or its container says", async () => {
  const container = await scope.newContainer("/pk", { defaultTtl: 2 });
  await container.items.create({ id: "default", pk: "x" });
  await container.items.create({ id: "never", pk: "x", ttl: -1 });
  await container.items.create({ id: "long", pk: "x", ttl: 1000 });
  let status;
  for (let tries = 0; tries < 100 && status !== 404; ++tries) {
    await pause(100);
    status = (await container.item("default", "x").read()).statusCode;
  }
  assert.equal(status, 404);
  const { resources } = await container.items.query("SELECT VALUE c.id FROM c ORDER BY c.id").fetchAll();
  assert.deepEqual(resources, ["long", "never"]);
  await container.items.create({ id: "default", pk: "x", ttl: -1 });
});

test("a time to live is a positive number of seconds or -1", async () => {
  const container = await scope.newContainer("/pk", { defaultTtl: -1 });
  for (const ttl of [0, -2, 1.5, "5", true]) {
    await assertFails(container.items.create({ id: "bad", pk: "x", ttl }), 400);
    await assertFails(scope.newContainer("/pk", { defaultTtl: ttl }), 400);
  }
});

test("all items of a key are deleted, and only those", async () => {
  const container = await scope.newContainer("/pk", { throughput: 25_000 });
  for (let i = 0; i < 120; ++i) await container.items.create({ id: `${i}`, pk: i % 3 === 0 ? "kept" : "gone" });
  const response = await container.deleteAllItemsForPartitionKey("gone");
  assert.equal(response.statusCode, 200);
  assert.equal((await container.item("1", "gone").read()).statusCode, 404);
  const { resources } = await container.items.query("SELECT DISTINCT VALUE c.pk FROM c").fetchAll();
  assert.deepEqual(resources, ["kept"]);
  await container.items.create({ id: "1", pk: "gone" });
});
