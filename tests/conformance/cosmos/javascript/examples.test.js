import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { endpoint, key, openDatabase, uniqueId } from "./support.js";

const folder = new URL("../../../examples/scripts/", import.meta.url);
const scope = await openDatabase();

async function install(container, name) {
  await container.scripts.storedProcedures.create({ id: name, body: readFileSync(new URL(`${name}.js`, folder), "utf8") });
  return (key, ...parameters) =>
    container.scripts.storedProcedure(name).execute(key, parameters).then(({ resource }) => resource);
}

test("the latest state of a device is right whatever the order of its readings", async () => {
  const container = await scope.newContainer("/deviceId");
  const set = await install(container, "setLatestStateAcrossReadings");
  const reading = (metricType, value, time) => ({ deviceId: "abc-123", metricType, value, time });
  const readings = [reading("temperature", 20, 3), reading("temperature", 19, 1), reading("speed", 5, 2), reading("speed", 7, 4)];
  await Promise.all(readings.map((one) => set("abc-123", one)));
  const { resource } = await container.item("latest", "abc-123").read();
  assert.deepEqual(resource.metrics, { temperature: { value: 20, time: 3 }, speed: { value: 7, time: 4 } });
  assert.equal(resource.readings, readings.length);
});

test("a bulk import and a bulk delete go on until everything is done", async () => {
  const container = await scope.newContainer();
  const bulkImport = await install(container, "bulkImport");
  const bulkDelete = await install(container, "bulkDelete");
  const documents = Array.from({ length: 500 }, (_, i) => ({ id: `d${i}`, pk: "x", n: i }));
  let done = 0;
  while (done < documents.length) done += await bulkImport("x", documents.slice(done));
  const count = async () => (await container.items.query("SELECT VALUE COUNT(1) FROM c", { partitionKey: "x" }).fetchAll()).resources[0];
  assert.equal(await count(), 500);
  let deleted = 0;
  for (let hasMore = true; hasMore;) {
    const outcome = await bulkDelete("x", "SELECT * FROM c WHERE c.n < 400");
    deleted += outcome.deleted;
    hasMore = outcome.hasMore;
  }
  assert.equal(deleted, 400);
  assert.equal(await count(), 100);
});

test("order numbers have neither gaps nor duplicates", async () => {
  const container = await scope.newContainer();
  const next = await install(container, "nextOrderNumber");
  const numbers = await Promise.all(Array.from({ length: 40 }, () => next("t", "orders", "t")));
  assert.deepEqual(numbers.sort((a, b) => a - b), Array.from({ length: 40 }, (_, i) => i + 1));
});

test("the program in the README works", async () => {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const database = uniqueId();
  const program = readme.match(/```js\n(.*?)```/s)[1]
    .replace("http://localhost:8081", endpoint).replace(/key = "[^"]*"/, `key = "${key}"`).replace('"shop"', `"${database}"`);
  const file = new URL(`./${database}.cjs`, import.meta.url); // beside the packages that it needs
  writeFileSync(file, program);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(file)]);
    assert.match(stdout, /^42 \d+(\.\d+)?\n$/);
  } finally {
    rmSync(file);
    await scope.client.database(database).delete();
  }
});
