"use strict";

const assert = require("node:assert/strict");
const { describe, test } = require("node:test");
const { assertFails, uniqueId, useDatabase } = require("./support.js");

describe("collections", () => {
  const scope = useDatabase();

  test("a partitioned collection is created, read by name and by self link, and deleted", async () => {
    const { link, self, definition } = await scope.newPartitionedCollection();
    assert.deepEqual(definition.partitionKey.paths, ["/pk"]);
    assert.equal(definition.partitionKey.kind, "Hash");
    assert.equal(definition.indexingPolicy.indexingMode, "consistent");
    assert.equal((await scope.client.call("readCollection", link)).resource._rid, definition._rid);
    assert.equal((await scope.client.call("readCollection", self)).resource.id, definition.id);
    await scope.client.call("deleteCollection", self);
    await assertFails(scope.client.call("readCollection", link), 404);
  });

  test("a single-partition collection has no partition key", async () => {
    const { definition, link } = await scope.newCollection();
    assert.equal(definition.partitionKey, undefined);
    assert.equal((await scope.client.call("readCollection", link)).resource.partitionKey, undefined);
  });

  test("creating a collection twice conflicts", async () => {
    const { definition } = await scope.newCollection();
    await assertFails(scope.client.call("createCollection", scope.link, { id: definition.id }), 409);
  });

  test("collections are listed page by page", async () => {
    const { resource: database } = await scope.client.call("createDatabase", { id: uniqueId() });
    const ids = [];
    for (let i = 0; i < 5; ++i) {
      ids.push((await scope.client.call("createCollection", database._self, { id: uniqueId("c") })).resource.id);
    }
    const pages = await scope.client.pages("readCollections", database._self, { maxItemCount: 2 });
    assert.deepEqual(pages.map((page) => page.resources.length), [2, 2, 1]);
    assert.deepEqual(pages.flatMap((page) => page.resources.map((entry) => entry.id)).sort(), ids.sort());
    await scope.client.call("deleteDatabase", database._self);
  });

  test("replacing a collection changes its indexing policy", async () => {
    const { link, definition } = await scope.newPartitionedCollection();
    const indexingPolicy = { ...definition.indexingPolicy, indexingMode: "none", automatic: false, includedPaths: [], excludedPaths: [] };
    const { resource } = await scope.client.call("replaceCollection", link, { ...definition, indexingPolicy });
    assert.equal(resource.indexingPolicy.indexingMode, "none");
    assert.notEqual(resource._etag, definition._etag);
  });

  test("a policy names the kinds of indexes for strings and numbers, and may be lazy", async () => {
    const { definition } = await scope.newCollection({ indexingPolicy: { indexingMode: "Lazy" } });
    const { indexingMode, includedPaths, excludedPaths } = definition.indexingPolicy;
    assert.equal(indexingMode, "lazy");
    assert.deepEqual(includedPaths.map((included) => included.path), ["/*"]);
    const kinds = includedPaths[0].indexes.map((index) => `${index.kind} ${index.dataType}`);
    assert.deepEqual(kinds.sort(), ["Hash String", "Range Number"]);
    assert.deepEqual(excludedPaths, []);
  });

  test("25,000 RU/s make three physical partitions", async () => {
    const { link } = await scope.newPartitionedCollection("/pk", { offerThroughput: 25000 });
    const ranges = await scope.client.all("readPartitionKeyRanges", link);
    assert.equal(ranges.length, 3);
  });

  test("a performance level is asked for, read and replaced", async () => {
    const { definition } = await scope.newCollection({}, { offerType: "S2" });
    const find = async () =>
      (await scope.client.all("readOffers")).find((candidate) => candidate.offerResourceId === definition._rid);
    const offer = await find();
    assert.equal(offer.offerType, "S2");
    assert.equal(offer.offerVersion, "V1");
    const { resource: replaced } = await scope.client.call("replaceOffer", offer._self, { ...offer, offerType: "S3" });
    assert.equal(replaced.offerType, "S3");
    assert.equal((await find()).offerType, "S3");
    await assertFails(scope.newCollection({}, { offerType: "S4" }), 400);
  });

  test("throughput is read and replaced", async () => {
    const { definition, self } = await scope.newPartitionedCollection("/pk", { offerThroughput: 1000 });
    const offers = await scope.client.all("readOffers");
    const offer = offers.find((candidate) => candidate.offerResourceId === definition._rid);
    assert.equal(offer.content.offerThroughput, 1000);
    assert.equal(offer.offerVersion, "V2");
    assert.equal(offer.resource, self);
    const changed = { ...offer, content: { ...offer.content, offerThroughput: 1200 } };
    const { resource: replaced } = await scope.client.call("replaceOffer", offer._self, changed);
    assert.equal(replaced.content.offerThroughput, 1200);
    assert.equal((await scope.client.call("readOffer", offer._self)).resource.content.offerThroughput, 1200);
    changed.content.offerThroughput = 1250;
    await assertFails(scope.client.call("replaceOffer", offer._self, changed), 400);
  });
});
