import assert from "node:assert/strict";
import { test } from "node:test";
import { newClient, openDatabase, signedFetch } from "./support.js";

const scope = await openDatabase();

// Large documents, so that one of them is more than a second's 400 RU.
const bulky = (id) => ({ id, pk: "p", text: "x".repeat(1536 * 1024) });
const IMPATIENT = { connectionPolicy: { retryOptions: { maxRetryAttemptCount: 0 } } };

async function overdraw(container) {
  for (let i = 0; i < 100; ++i) {
    try {
      await container.items.upsert(bulky("overdraws"));
    } catch (error) {
      return error;
    }
  }
  return assert.fail("a hundred large writes never exceeded 400 RU/s");
}

test("whoever exceeds the throughput is told when to come back", async () => {
  const { id } = await scope.newContainer("/pk", { throughput: 400 });
  const impatient = newClient(IMPATIENT);
  const error = await overdraw(impatient.database(scope.database.id).container(id));
  assert.equal(error.code, 429);
  assert.equal(error.substatus, 3200);
  assert.ok(error.retryAfterInMs > 0 && error.retryAfterInMs <= 5000, `retry after ${error.retryAfterInMs} ms`);
  assert.match(error.message, /Request rate is large/);
  impatient.dispose();
});

test("the client's own retries succeed in the end", async () => {
  const container = await scope.newContainer("/pk", { throughput: 400 });
  const written = [];
  for (const id of ["a", "b", "c"]) written.push(await container.items.create(bulky(id)));
  assert.ok(written.every(({ statusCode }) => statusCode === 201));
  assert.ok(written.some(({ headers }) => headers["x-ms-throttle-retry-count"] > 0), "nothing was throttled");
  const { resources } = await container.items.query("SELECT VALUE COUNT(1) FROM c").fetchAll();
  assert.deepEqual(resources, [3]);
});

test("another container has a budget of its own", async () => {
  const busy = await scope.newContainer("/pk", { throughput: 400 });
  const calm = await scope.newContainer("/pk", { throughput: 400 });
  const impatient = newClient(IMPATIENT);
  await overdraw(impatient.database(scope.database.id).container(busy.id));
  await impatient.database(scope.database.id).container(calm.id).items.create({ id: "a", pk: "p" });
  impatient.dispose();
});

test("priority levels and throughput buckets are accepted", async () => {
  const container = await scope.newContainer("/pk", { throughput: 400 });
  await container.items.create({ id: "a", pk: "p" });
  const link = `dbs/${scope.database.id}/colls/${container.id}/docs/a`;
  const answer = await signedFetch("GET", "docs", link, `/${link}`, {
    headers: {
      "x-ms-documentdb-partitionkey": '["p"]',
      "x-ms-cosmos-priority-level": "Low",
      "x-ms-cosmos-throughput-bucket": "3",
    },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("x-ms-request-charge"), "1");
});
