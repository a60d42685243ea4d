import assert from "node:assert/strict";
import { after, test } from "node:test";
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
  for (const id of ["a", "b"]) written.push(await container.items.create(bulky(id)));
  assert.ok(written.every(({ statusCode }) => statusCode === 201));
  assert.ok(written.some(({ headers }) => headers["x-ms-throttle-retry-count"] > 0), "nothing was throttled");
  const { resources } = await container.items.query("SELECT VALUE COUNT(1) FROM c").fetchAll();
  assert.deepEqual(resources, [2]);
});

test("another container has a budget of its own", async () => {
  const busy = await scope.newContainer("/pk", { throughput: 400 });
  const calm = await scope.newContainer("/pk", { throughput: 400 });
  const impatient = newClient(IMPATIENT);
  await overdraw(impatient.database(scope.database.id).container(busy.id));
  await impatient.database(scope.database.id).container(calm.id).items.create({ id: "a", pk: "p" });
  impatient.dispose();
});

const WARM_UP_SECONDS = 1.5;
const MEASURED_SECONDS = 3;
const IN_FLIGHT_MAX = 16;

// Small, but of many index entries: writing one takes about twenty request units.
const costly = (id, pk) => ({ id, pk, values: Array.from({ length: 130 }, (_, n) => n) });

// Writes documents with these keys in turn, twice as often as the request units per second allow: how many it got, and how often it was refused.
async function drive({ container, requestCharge }, keys, unitsPerSecond, prefix) {
  const begin = performance.now();
  const seconds = () => (performance.now() - begin) / 1000;
  const measured = { units: 0, refused: 0 };
  let [isMeasured, sent, inFlight] = [false, 0, 0];
  const writeOne = async (n) => {
    try {
      const answer = await container.items.create(costly(`${prefix}-${n}`, keys[n % keys.length]));
      if (isMeasured) measured.units += answer.requestCharge;
    } catch (error) {
      assert.equal(error.code, 429, error.message);
      assert.ok(error.retryAfterInMs > 0, "a refusal must say when to come back");
      if (isMeasured) measured.refused += 1;
    }
    inFlight -= 1;
  };
  const writing = [];
  const driveUntil = async (end) => {
    for (; seconds() < end; await new Promise((resolve) => setTimeout(resolve, 5))) {
      for (; inFlight < IN_FLIGHT_MAX && sent < (2 * unitsPerSecond * seconds()) / requestCharge; ++sent, ++inFlight) writing.push(writeOne(sent));
    }
    return seconds();
  };
  const from = await driveUntil(WARM_UP_SECONDS);
  isMeasured = true;
  const to = await driveUntil(from + MEASURED_SECONDS);
  isMeasured = false;
  await Promise.all(writing);
  return { unitsPerSecond: measured.units / (to - from), refused: measured.refused };
}

// A container of 400 RU/s in two partitions, a key of each of them, and what it costs to write there.
async function makeTwoPartitions() {
  const { id, items } = await scope.newContainer({ paths: ["/pk"], kind: "Hash", version: 2 }, { throughput: 400 });
  const order = { database: scope.database.id, container: id, range: "0", at: "20" };
  const answer = await signedFetch("POST", "partita", "split", "/_partita/split", { body: JSON.stringify(order) });
  if (answer.status === 404 || answer.status === 405) return undefined; // another account
  assert.equal(answer.status, 200, await answer.text());
  const keys = new Map();
  let requestCharge;
  for (let n = 0; keys.size < 2; ++n) {
    const written = await items.create(costly("first", `key ${n}`));
    keys.set(written.headers["x-ms-session-token"].split(":")[0], `key ${n}`);
    requestCharge = written.requestCharge;
  }
  const impatient = newClient(IMPATIENT);
  after(() => impatient.dispose());
  return { container: impatient.database(scope.database.id).container(id), keys: [...keys.values()], requestCharge };
}

// On a busy machine the client itself may not get to ask for a while, and then have more; it tries again. What a second has saved is all that
// it can ever have more.
async function assertGetsItsBudget(place, keys, budget) {
  const rates = [];
  for (let attempt = 0; attempt < 3; ++attempt) {
    const { unitsPerSecond, refused } = await drive(place, keys, 400, `${attempt}`);
    rates.push(unitsPerSecond);
    assert.ok(unitsPerSecond <= (budget * (MEASURED_SECONDS + 1)) / MEASURED_SECONDS + place.requestCharge, `${unitsPerSecond} RU/s of ${budget}`);
    if (Math.abs(unitsPerSecond - budget) <= 0.05 * budget && refused > 0) return;
  }
  assert.fail(`${rates} RU/s of ${budget}`);
}

test("driven at twice its throughput, even keys get all of it and one hot key its partition's share", async (context) => {
  const [even, hot] = [await makeTwoPartitions(), await makeTwoPartitions()];
  if (!even || !hot) return context.skip("the account does not split on demand");
  await Promise.all([
    assertGetsItsBudget(even, even.keys, 400),
    assertGetsItsBudget(hot, hot.keys.slice(0, 1), 200),
  ]);
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
