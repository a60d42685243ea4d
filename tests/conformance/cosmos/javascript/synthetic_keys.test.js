// Containers whose partition key the server computes from other properties: concatenated, with a random suffix, with a hash suffix.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, newClientThat, openDatabase, signedFetch, uniqueId } from "./support.js";

const { database } = await openDatabase();
const answers = await signedFetch("GET", "partita", "reshapes", "/_partita/reshapes");
const skip = answers.status !== 200 && "the account does not compute partition keys";

const THROUGHPUT = 40000; // four partitions
const SUFFIXES = 400;
const DAY = "2018-07-12";

const vinOf = (n) => `5YJ3E1EA7KF${String(n).padStart(6, "0")}`;

async function newContainer(expression) {
  const definition = {
    id: uniqueId("c"),
    partitionKey: { paths: ["/partitionKey"], kind: "Hash", version: 2 },
    computedProperties: [{ name: "partitionKey", query: `SELECT VALUE ${expression} FROM c` }],
  };
  const { container } = await database.containers.create(definition, { offerThroughput: THROUGHPUT });
  return container;
}

// MurmurHash3 x86-32 with seed 0, as docs/synthetic-keys.md has it.
function murmur3(text) {
  const bytes = Buffer.from(text, "utf8");
  const rotated = (x, r) => (x << r) | (x >>> (32 - r));
  const mixed = (k) => Math.imul(rotated(Math.imul(k, 0xcc9e2d51), 15), 0x1b873593);
  let hash = 0;
  const whole = bytes.length - (bytes.length % 4);
  for (let i = 0; i < whole; i += 4) hash = (Math.imul(rotated(hash ^ mixed(bytes.readInt32LE(i)), 13), 5) + 0xe6546b64) | 0;
  let rest = 0;
  for (let i = bytes.length - 1; i >= whole; --i) rest = (rest << 8) | bytes[i];
  hash ^= mixed(rest) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const hashBucket = (text, n) => 1 + (murmur3(text) % n);

// What a query found, how many documents its requests read, as their own metrics say, and in how many partitions, as its explanation says.
async function measured(container, query) {
  let read = 0;
  const client = newClientThat(
    (request) => {
      if (request.headers["x-ms-documentdb-isquery"]) request.headers["x-ms-documentdb-populatequerymetrics"] = "true";
    },
    ({ headers }) => {
      const metrics = headers["x-ms-documentdb-query-metrics"];
      if (metrics === undefined) return;
      read += Number(/retrievedDocumentCount=(\d+)/.exec(metrics)[1]);
    },
  );
  const { resources } = await client.database(database.id).container(container.id).items.query(query).fetchAll();
  client.dispose();
  const link = `dbs/${database.id}/colls/${container.id}`;
  const explained = await signedFetch("POST", "docs", link, `/${link}/docs`, {
    headers: {
      "content-type": "application/query+json",
      "x-ms-documentdb-isquery": "true",
      "x-ms-documentdb-query-enablecrosspartition": "true",
      "x-partita-explain": "true",
    },
    body: JSON.stringify({ query }),
  });
  return { partitions: (await explained.json()).partitions, read, resources };
}

async function writesByRange(container, count) {
  const writes = new Map();
  for (let at = 0; at < count; at += 50) {
    const created = await Promise.all(
      Array.from({ length: 50 }, (_, i) => container.items.create({ id: `t${at + i}`, vin: vinOf(at + i), date: DAY })),
    );
    for (const { headers } of created) {
      const range = headers["x-ms-documentdb-partitionkeyrangeid"];
      writes.set(range, (writes.get(range) ?? 0) + 1);
    }
  }
  return [...writes.values()];
}

function variationOf(counts) {
  const mean = counts.reduce((a, b) => a + b) / counts.length;
  return Math.sqrt(counts.reduce((sum, n) => sum + (n - mean) ** 2, 0) / counts.length) / mean;
}

test("a concatenated key is computed, stored, and found by its sources", { skip }, async () => {
  const container = await newContainer("CONCAT(c.deviceId, '-', ToString(c.date))");
  const { resource } = await container.items.create({ id: "1", deviceId: "abc-123", date: 2018 });
  assert.equal(resource.partitionKey, "abc-123-2018");
  assert.equal((await container.item("1", "abc-123-2018").read()).statusCode, 200);
  await container.items.upsert({ id: "1", deviceId: "abc-123", date: 2018, n: 1 });
  for (let n = 0; n < 10; ++n) await container.items.create({ id: "1", deviceId: `other-${n}`, date: 2018 });
  const { resource: stored } = await container.item("1", "abc-123-2018").read();
  await container.item("1", "abc-123-2018").replace({ ...stored, n: 2 });
  await assertFails(container.item("1", "abc-123-2018").replace({ ...stored, date: 2019 }), 400);
  await assertFails(container.items.create({ id: "2", deviceId: "x", date: 1, partitionKey: "y" }), 400);
  const found = await measured(container, "SELECT * FROM c WHERE c.deviceId = 'abc-123' AND c.date = 2018");
  assert.deepEqual(found.resources.map((document) => document.n), [2]);
  assert.deepEqual({ partitions: found.partitions, read: found.read }, { partitions: 1, read: 1 });
  const { result } = await container.items.batch(
    [{ operationType: "Create", resourceBody: { id: "3", deviceId: "abc-123", date: 2018 } }],
    "abc-123-2018",
  );
  assert.equal(result[0].statusCode, 201);
  // The newer executeBulkOperations() asks its caller for a key.
  const bulk = await container.items.bulk(
    Array.from({ length: 20 }, (_, i) => ({ operationType: "Create", resourceBody: { id: `b${i}`, deviceId: `d${i}`, date: 1 } })),
  );
  assert.ok(bulk.every(({ statusCode, resourceBody }) => statusCode === 201 && resourceBody.partitionKey.endsWith("-1")));
});

for (const [kind, suffix] of [["random", `RANDOM_BUCKET(${SUFFIXES})`], ["hash", `HASH_BUCKET(c.vin, ${SUFFIXES})`]]) {
  test(`${SUFFIXES} ${kind} suffixes spread one day over all partitions, and its query is complete`, { skip }, async (t) => {
    const container = await newContainer(`CONCAT(c.date, '.', ToString(${suffix}))`);
    const writes = await writesByRange(container, 1000);
    t.diagnostic(`note: ${suffix} writes by partition ${writes}, coefficient of variation ${variationOf(writes).toFixed(3)}`);
    assert.equal(writes.length, 4);
    assert.ok(variationOf(writes) < 0.25);
    for (const filter of [`c.date = '${DAY}'`, `c.date >= '${DAY}' AND c.date < '2018-07-13'`, `STARTSWITH(c.date, '2018-07')`]) {
      const { resources, partitions, read } = await measured(container, `SELECT VALUE c.id FROM c WHERE ${filter}`);
      assert.equal(resources.length, 1000);
      assert.equal(new Set(resources).size, 1000);
      assert.deepEqual({ partitions, read }, { partitions: 4, read: 1000 });
    }
  });
}

test("a point read by VIN and date needs one partition", { skip }, async () => {
  const container = await newContainer(`CONCAT(c.date, '.', ToString(HASH_BUCKET(c.vin, ${SUFFIXES})))`);
  await container.items.create({ id: "t", vin: vinOf(1), date: DAY });
  for (let n = 2; n < 20; ++n) await container.items.create({ id: `other${n}`, vin: vinOf(n), date: DAY });
  const key = `${DAY}.${hashBucket(vinOf(1), SUFFIXES)}`;
  assert.equal((await container.item("t", key).read()).resource.partitionKey, key);
  const client = newClientThat((request) => {
    if (request.path.includes("/docs/t")) request.headers["x-partita-key-of"] = JSON.stringify({ date: DAY, vin: vinOf(1) });
  });
  const item = client.database(database.id).container(container.id).item("t", undefined);
  assert.equal((await item.read()).resource?.partitionKey, key);
  const found = await measured(container, `SELECT * FROM c WHERE c.date = '${DAY}' AND c.vin = '${vinOf(1)}'`);
  assert.equal(found.resources.length, 1);
  assert.deepEqual({ partitions: found.partitions, read: found.read }, { partitions: 1, read: 1 });
  assert.equal((await item.delete()).statusCode, 204);
  await assertFails(item.delete(), 404);
  assert.equal((await container.item("t", key).read()).statusCode, 404);
  client.dispose();
});

test("documents that a stored procedure writes get their key, and stay within its own", { skip }, async () => {
  const container = await newContainer("CONCAT(c.deviceId, '-', ToString(c.date))");
  await container.scripts.storedProcedures.create({
    id: "write",
    body: `function (documents, replaced) {
      const collection = getContext().getCollection();
      for (const document of documents) {
        collection.createDocument(collection.getSelfLink(), document, (error, created) => {
          if (error) throw error;
          if (replaced) collection.replaceDocument(created._self, Object.assign(created, replaced), (failed) => { if (failed) throw failed; });
        });
      }
    }`,
  });
  const write = (...arguments_) => container.scripts.storedProcedure("write").execute("abc-2018", arguments_);
  await write([{ id: "1", deviceId: "abc", date: 2018 }], { n: 1 });
  const { resource } = await container.item("1", "abc-2018").read();
  assert.deepEqual([resource.partitionKey, resource.n], ["abc-2018", 1]);
  await assertFails(write([{ id: "2", deviceId: "other", date: 2018 }]), 400);
  await assertFails(write([{ id: "3", deviceId: "abc", date: 2018 }], { date: 2019 }), 400);
  const { resources } = await container.items.query("SELECT VALUE c.id FROM c").fetchAll();
  assert.deepEqual(resources, ["1"]);
});
