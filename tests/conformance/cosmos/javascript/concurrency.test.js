import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { assertFails, openDatabase } from "./support.js";

const scope = await openDatabase();
const container = await scope.newContainer();
let current; // the item as it is now
let stale; // an etag it had before

beforeEach(async () => {
  const first = await container.items.upsert({ id: "a", pk: "x", n: 1 });
  stale = first.etag;
  ({ resource: current } = await container.items.upsert({ id: "a", pk: "x", n: 2 }));
});

const item = () => container.item("a", "x");
const ifMatch = (condition) => ({ accessCondition: { type: "IfMatch", condition } });
const ifNoneMatch = (condition) => ({ accessCondition: { type: "IfNoneMatch", condition } });

test("every write gives a new etag", () => assert.notEqual(current._etag, stale));

test("replace with a stale etag is 412 and changes nothing", async () => {
  await assertFails(item().replace({ id: "a", pk: "x", n: 3 }, ifMatch(stale)), 412);
  assert.equal((await item().read()).resource.n, 2);
});

test("replace with the current etag succeeds, once", async () => {
  assert.equal((await item().replace({ id: "a", pk: "x", n: 3 }, ifMatch(current._etag))).statusCode, 200);
  await assertFails(item().replace({ id: "a", pk: "x", n: 4 }, ifMatch(current._etag)), 412);
});

test("replace with If-Match * succeeds when the item exists", async () => {
  assert.equal((await item().replace({ id: "a", pk: "x", n: 3 }, ifMatch("*"))).statusCode, 200);
});

test("upsert obeys If-Match", async () => {
  await assertFails(container.items.upsert({ id: "a", pk: "x", n: 3 }, ifMatch(stale)), 412);
  assert.equal((await container.items.upsert({ id: "a", pk: "x", n: 3 }, ifMatch(current._etag))).statusCode, 200);
});

test("delete obeys If-Match", async () => {
  await assertFails(item().delete(ifMatch(stale)), 412);
  assert.equal((await item().delete(ifMatch(current._etag))).statusCode, 204);
});

test("read with the current etag in If-None-Match is 304 without a body", async () => {
  const unchanged = await item().read(ifNoneMatch(current._etag));
  assert.equal(unchanged.statusCode, 304);
  assert.ok(!unchanged.resource);
});

test("read with a stale etag in If-None-Match answers the item", async () => {
  const changed = await item().read(ifNoneMatch(stale));
  assert.equal(changed.statusCode, 200);
  assert.equal(changed.resource.n, 2);
});

test("of many concurrent replaces with one etag exactly one succeeds", async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      item()
        .replace({ id: "a", pk: "x", n }, ifMatch(current._etag))
        .then((response) => response.statusCode, (error) => error.code),
    ),
  );
  assert.deepEqual(outcomes.sort(), [200, 412, 412, 412, 412, 412, 412, 412]);
});
