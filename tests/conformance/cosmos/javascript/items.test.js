import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, newClient, newClientThat, uniqueId, openDatabase } from "./support.js";

const scope = await openDatabase();
const container = await scope.newContainer();

test("a created item has system properties, and reading gives it back", async () => {
  const item = { id: "created", pk: "x", nested: { list: [1, 2.5, null, true, "é鱀"] }, big: 1e21 };
  const created = await container.items.create(item);
  assert.equal(created.statusCode, 201);
  const read = await container.item("created", "x").read();
  assert.equal(read.statusCode, 200);
  const { _rid, _self, _etag, _attachments, _ts, ...body } = read.resource;
  assert.deepEqual(body, item);
  assert.equal(_attachments, "attachments/");
  assert.equal(Buffer.from(_rid.replace("-", "/"), "base64").length, 16);
  assert.match(_self, /^dbs\/[^/]+\/colls\/[^/]+\/docs\/[^/]+\/$/);
  assert.equal(read.etag, _etag);
  assert.ok(Number.isInteger(_ts));
});

test("every answer carries a charge, a session token and an activity id", async () => {
  const { resource } = await container.items.create({ id: "headers", pk: "x" });
  const read = await container.item("headers", "x").read();
  assert.ok(read.requestCharge > 0);
  assert.match(read.headers["x-ms-session-token"], /^\d+:-?\d+#\d+/);
  assert.match(read.activityId, /^[0-9a-f-]{36}$/);
  assert.equal(read.headers["etag"], resource._etag);
});

test("the session token grows with each write to the partition", async () => {
  const lsn = (response) => BigInt(response.headers["x-ms-session-token"].split(":")[1].split("#")[1]);
  const first = await container.items.create({ id: "lsn-1", pk: "x" });
  const second = await container.items.create({ id: "lsn-2", pk: "x" });
  assert.ok(lsn(second) > lsn(first));
});

test("reading in a session that is ahead of the partition is 404 with substatus 1002", async () => {
  const { headers } = await container.items.create({ id: "session", pk: "x" });
  const own = headers["x-ms-session-token"];
  assert.equal((await container.item("session", "x").read({ sessionToken: own })).statusCode, 200);
  const [range, token] = own.split(":");
  const ahead = `${range}:${token.replace(/\d+$/, (lsn) => String(Number(lsn) + 1_000_000))}`;
  const client = newClient({ connectionPolicy: { enableEndpointDiscovery: false } }); // or it would retry without the token
  try {
    const item = client.database(scope.database.id).container(container.id).item("session", "x");
    const read = await item.read({ sessionToken: ahead });
    assert.equal(read.statusCode, 404);
    assert.equal(Number(read.substatus), 1002);
  } finally {
    client.dispose();
  }
});

test("work that ends in an error is charged as well", async () => {
  const { resource } = await container.items.create({ id: "charged", pk: "x" });
  const stale = { accessCondition: { type: "IfMatch", condition: '"stale"' } };
  const failures = [
    await container.item("missing", "x").read(),
    await assertFails(container.items.create({ id: "charged", pk: "x" }), 409),
    await assertFails(container.item("charged", "x").replace(resource, stale), 412),
  ];
  for (const { headers } of failures) assert.ok(Number(headers["x-ms-request-charge"]) > 0);
});

test("a larger item costs more", async () => {
  const small = await container.items.create({ id: "small", pk: "x", text: "a" });
  const large = await container.items.create({ id: "large", pk: "x", text: "a".repeat(200_000) });
  assert.ok(large.requestCharge > small.requestCharge);
});

test("a missing item is 404 without substatus", async () => {
  const read = await container.item("missing", "x").read();
  assert.equal(read.statusCode, 404);
  assert.equal(read.resource, undefined);
  assert.equal(Number(read.substatus ?? 0), 0);
  await assertFails(container.item("missing", "x").replace({ id: "missing", pk: "x" }), 404);
  await assertFails(container.item("missing", "x").delete(), 404);
});

test("an id is unique within its partition key, not beyond", async () => {
  await container.items.create({ id: "same", pk: "x", from: "x" });
  await assertFails(container.items.create({ id: "same", pk: "x" }), 409);
  assert.equal((await container.items.create({ id: "same", pk: "y", from: "y" })).statusCode, 201);
  assert.equal((await container.item("same", "x").read()).resource.from, "x");
  assert.equal((await container.item("same", "y").read()).resource.from, "y");
});

test("replace changes the body and the etag, keeps the rid", async () => {
  const { resource: before } = await container.items.create({ id: "replaced", pk: "x", n: 1, gone: true });
  const { resource: after, statusCode } = await container.item("replaced", "x").replace({ id: "replaced", pk: "x", n: 2 });
  assert.equal(statusCode, 200);
  assert.equal(after.n, 2);
  assert.ok(!("gone" in after));
  assert.equal(after._rid, before._rid);
  assert.notEqual(after._etag, before._etag);
  assert.equal((await container.item("replaced", "x").read()).resource.n, 2);
});

test("upsert creates with 201, then replaces with 200", async () => {
  const first = await container.items.upsert({ id: "upserted", pk: "x", n: 1 });
  assert.equal(first.statusCode, 201);
  const second = await container.items.upsert({ id: "upserted", pk: "x", n: 2 });
  assert.equal(second.statusCode, 200);
  assert.equal(second.resource._rid, first.resource._rid);
  assert.equal((await container.item("upserted", "x").read()).resource.n, 2);
});

test("a deleted item is gone and its id is free again", async () => {
  await container.items.create({ id: "deleted", pk: "x" });
  assert.equal((await container.item("deleted", "x").delete()).statusCode, 204);
  assert.equal((await container.item("deleted", "x").read()).statusCode, 404);
  assert.equal((await container.items.create({ id: "deleted", pk: "x" })).statusCode, 201);
});

test("system properties sent by the client are overwritten", async () => {
  const { resource } = await container.items.create({ id: "forged", pk: "x", _rid: "no", _self: "no", _etag: "no", _ts: 1 });
  assert.notEqual(resource._rid, "no");
  assert.notEqual(resource._self, "no");
  assert.notEqual(resource._etag, "no");
  assert.notEqual(resource._ts, 1);
});

test("an item without an id is refused when the SDK does not make one", async () => {
  await assertFails(container.items.create({ pk: "x" }, { disableAutomaticIdGeneration: true }), 400);
});

test("an item over 2 MB is refused with 413, one just below is kept", async () => {
  await assertFails(container.items.create({ id: "too-big", pk: "x", text: "a".repeat(2 * 1024 * 1024) }), 413);
  assert.equal((await container.item("too-big", "x").read()).statusCode, 404);
  const below = "a".repeat(2 * 1024 * 1024 - 4096);
  assert.equal((await container.items.create({ id: "below", pk: "x", text: below })).statusCode, 201);
  assert.equal((await container.item("below", "x").read()).resource.text.length, below.length);
});

test("malformed JSON is refused", async () => {
  const client = newClientThat((request) => {
    if (request.method === "POST") request.body = '{"id": "broken", "pk": "x"';
  });
  try {
    const broken = client.database(scope.database.id).container(container.id);
    const error = await assertFails(broken.items.create({ id: "broken", pk: "x" }), 400);
    assert.equal(error.body.code, "BadRequest");
  } finally {
    client.dispose();
  }
});

test("concurrent creates of one id let exactly one through", async () => {
  const id = uniqueId("race");
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      container.items.create({ id, pk: "x", n }).then((response) => response.statusCode, (error) => error.code),
    ),
  );
  assert.deepEqual(outcomes.sort(), [201, 409, 409, 409, 409, 409, 409, 409]);
});
