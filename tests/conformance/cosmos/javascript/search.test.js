import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, openDatabase, uniqueId } from "./support.js";

// Vectors, full text, shapes and computed properties, over five physical partitions.
const scope = await openDatabase();
const texts = ["I like to swim", "She swims and he runs", "Running in the rain", "The rain in Spain", "Nothing to see here"];
const container = await scope.newContainer("/pk", {
  throughput: 50000,
  vectorEmbeddingPolicy: {
    vectorEmbeddings: [
      { path: "/near", dataType: "float32", dimensions: 2, distanceFunction: "euclidean" },
      { path: "/like", dataType: "float32", dimensions: 2, distanceFunction: "cosine" },
    ],
  },
  fullTextPolicy: { defaultLanguage: "en-US", fullTextPaths: [{ path: "/text", language: "en-US" }] },
  computedProperties: [{ name: "cp_upper", query: "SELECT VALUE UPPER(c.text) FROM c" }],
  indexingPolicy: {
    includedPaths: [{ path: "/*" }],
    spatialIndexes: [{ path: "/where/*", types: ["Point", "Polygon"] }],
    vectorIndexes: [{ path: "/near", type: "flat" }, { path: "/like", type: "diskANN" }],
    fullTextIndexes: [{ path: "/text" }],
  },
});
const items = texts.map((text, n) => ({
  id: `${n}`,
  pk: `key-${n}`,
  text,
  near: [n, 0],
  like: [Math.cos(n / 2), Math.sin(n / 2)],
  where: { type: "Point", coordinates: [n, 50] },
}));
for (const item of items) await container.items.create(item);

async function rowsOf(query, options = {}) {
  return (await container.items.query(query, options).fetchAll()).resources;
}

test("policies are read back as they were given", async () => {
  const { resource } = await container.read();
  assert.equal(resource.vectorEmbeddingPolicy.vectorEmbeddings.length, 2);
  assert.deepEqual(resource.indexingPolicy.vectorIndexes[0], { path: "/near", type: "flat" });
  assert.deepEqual(resource.indexingPolicy.fullTextIndexes, [{ path: "/text" }]);
  assert.equal(resource.computedProperties[0].name, "cp_upper");
});

for (const [way, options] of Object.entries({ plainly: {}, "by a plan": { forceQueryPlan: true } })) {
  test(`the nearest vectors come first, ${way}`, async () => {
    assert.deepEqual(
      await rowsOf("SELECT TOP 3 VALUE c.id FROM c ORDER BY VectorDistance(c.near, [2.4, 0])", options),
      ["2", "3", "1"],
    );
    assert.deepEqual(
      await rowsOf("SELECT TOP 2 VALUE c.id FROM c ORDER BY VectorDistance(c.like, [1, 0])", options),
      ["0", "1"],
    );
    assert.deepEqual(
      await rowsOf("SELECT TOP 1 VALUE c.id FROM c ORDER BY VectorDistance(c.near, [9, 0], true, {distanceFunction: 'dotproduct'})", options),
      ["4"],
    );
  });

  test(`texts are ranked by relevance, ${way}`, async () => {
    const rows = await rowsOf("SELECT TOP 2 c.id FROM c ORDER BY RANK FullTextScore(c.text, 'swim')", options);
    assert.deepEqual(rows.map((row) => row.id).sort(), ["0", "1"]);
  });

  test(`text and vectors are ranked together, ${way}`, async () => {
    const rows = await rowsOf(
      "SELECT TOP 3 c.id FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'rain'), VectorDistance(c.near, [2, 0]))",
      options,
    );
    assert.equal(rows[0].id, "2");
    assert.equal(rows.length, 3);
    const weighted = await rowsOf(
      "SELECT TOP 1 c.id FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'rain'), VectorDistance(c.near, [0, 0]), [0.1, 5])",
      options,
    );
    assert.equal(weighted[0].id, "0");
  });
}

test("ranks follow one partition key, too", async () => {
  const rows = await rowsOf("SELECT TOP 5 c.id FROM c ORDER BY RANK FullTextScore(c.text, 'rain')", { partitionKey: "key-3" });
  assert.deepEqual(rows, [{ id: "3" }]);
});

test("full text filters by words and not by letters", async () => {
  assert.deepEqual((await rowsOf("SELECT VALUE c.id FROM c WHERE FullTextContains(c.text, 'swimming')")).sort(), ["0", "1"]);
  assert.deepEqual(await rowsOf("SELECT VALUE c.id FROM c WHERE FullTextContainsAll(c.text, 'rain', 'run')"), ["2"]);
  assert.deepEqual((await rowsOf("SELECT VALUE c.id FROM c WHERE FullTextContainsAny(c.text, 'swim', 'spain')")).sort(), ["0", "1", "3"]);
  assert.deepEqual(await rowsOf("SELECT VALUE c.id FROM c WHERE FullTextContains(c.text, 'swi')"), []);
});

test("shapes are compared on the globe", async () => {
  const near = "ST_DISTANCE(c.where, {'type': 'Point', 'coordinates': [1.2, 50]})";
  assert.deepEqual(await rowsOf(`SELECT VALUE c.id FROM c WHERE ${near} < 20000`), ["1"]);
  const box = "{'type': 'Polygon', 'coordinates': [[[0.5, 49], [2.5, 49], [2.5, 51], [0.5, 51], [0.5, 49]]]}";
  assert.deepEqual((await rowsOf(`SELECT VALUE c.id FROM c WHERE ST_WITHIN(c.where, ${box})`)).sort(), ["1", "2"]);
});

test("computed properties can be named but are not part of an item", async () => {
  assert.deepEqual(await rowsOf("SELECT VALUE c.id FROM c WHERE c.cp_upper = 'I LIKE TO SWIM'"), ["0"]);
  const rows = await rowsOf("SELECT c.cp_upper FROM c ORDER BY c.cp_upper");
  assert.deepEqual(rows[0], { cp_upper: "I LIKE TO SWIM" });
  const [whole] = await rowsOf("SELECT * FROM c WHERE c.id = '0'");
  assert.equal(whole.cp_upper, undefined);
});

test("policies that contradict themselves are refused", async () => {
  const make = (definition) => scope.database.containers.create({ id: uniqueId("c"), partitionKey: "/pk", ...definition });
  const vectorEmbeddings = [{ path: "/v", dataType: "float32", dimensions: 3, distanceFunction: "cosine" }];
  let error = await assertFails(make({ indexingPolicy: { vectorIndexes: [{ path: "/v", type: "flat" }] } }), 400);
  assert.match(error.body.message, /not matching in Embedding's path/);
  error = await assertFails(
    make({ vectorEmbeddingPolicy: { vectorEmbeddings: [{ ...vectorEmbeddings[0], dimensions: 9999 }] } }),
    400,
  );
  assert.match(error.body.message, /Dimensions:9999/);
  error = await assertFails(make({ computedProperties: [{ name: "x", query: "SELECT VALUE RAND() FROM c" }] }), 400);
  assert.match(error.body.message, /changes from call to call/);
  await assertFails(make({ fullTextPolicy: { defaultLanguage: "xx-XX" } }), 400);
  await assertFails(make({ indexingPolicy: { compositeIndexes: [[{ path: "/a" }]] } }), 400);
});

test("texts are searched in the language of their path, also after that has changed", async () => {
  const paths = (de, fr) => ({
    fullTextPolicy: { defaultLanguage: "en-US", fullTextPaths: [{ path: "/de", language: de }, { path: "/fr", language: fr }] },
    indexingPolicy: { includedPaths: [{ path: "/*" }], fullTextIndexes: [{ path: "/de" }, { path: "/fr" }] },
  });
  const languages = await scope.newContainer("/pk", paths("de-DE", "en-US"));
  await languages.items.create({ id: "1", pk: "a", de: "Viele Häuser am Fluss", fr: "L'école des frères" });
  const find = async (where) => (await languages.items.query(`SELECT VALUE c.id FROM c WHERE ${where}`).fetchAll()).resources;
  assert.deepEqual(await find("FullTextContains(c.de, 'Haus')"), ["1"]);
  assert.deepEqual(await find("FullTextContains(c.fr, 'écoles')"), []);
  const { resource: definition } = await languages.read();
  await languages.replace({ ...definition, ...paths("de-DE", "fr-FR") });
  assert.deepEqual(await find("FullTextContains(c.fr, 'écoles')"), ["1"]);
  const { resources } = await languages.items
    .query("SELECT TOP 1 c.id FROM c ORDER BY RANK RRF(FullTextScore(c.de, 'Haus'), FullTextScore(c.fr, 'école'))")
    .fetchAll();
  assert.deepEqual(resources, [{ id: "1" }]);
  const error = await assertFails(languages.replace({ ...definition, ...paths("de-DE", "nl-NL") }), 400);
  assert.match(error.body.message, /unsupported language nl-NL/);
});
