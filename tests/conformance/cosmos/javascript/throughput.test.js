import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, uniqueId, openDatabase } from "./support.js";

const scope = await openDatabase();

test("a container's throughput is read", async () => {
  const container = await scope.newContainer("/pk", { throughput: 1000 });
  const { resource } = await container.readOffer();
  const { resource: definition } = await container.read();
  assert.equal(resource.content.offerThroughput, 1000);
  assert.equal(resource.offerVersion, "V2");
  assert.equal(resource.offerResourceId, definition._rid);
  assert.equal(resource.resource, definition._self);
  assert.equal(resource._self, `offers/${resource._rid}/`);
});

test("a container made without a throughput has 400 RU/s", async () => {
  const container = await scope.newContainer();
  assert.equal((await container.readOffer()).resource.content.offerThroughput, 400);
});

test("a container's throughput is replaced", async () => {
  const container = await scope.newContainer("/pk", { throughput: 400 });
  const { resource, offer } = await container.readOffer();
  const replaced = await offer.replace({ ...resource, content: { ...resource.content, offerThroughput: 1000 } });
  assert.equal(replaced.statusCode, 200);
  assert.equal(replaced.resource.content.offerThroughput, 1000);
  assert.equal((await offer.read()).resource.content.offerThroughput, 1000);
  assert.equal((await container.readOffer()).resource.content.offerThroughput, 1000);
});

test("a throughput that needs more partitions is pending until they are there", async () => {
  const container = await scope.newContainer("/pk", { throughput: 400 });
  const { resource, offer } = await container.readOffer();
  await offer.replace({ ...resource, content: { ...resource.content, offerThroughput: 11000 } });
  while ((await offer.read()).resource.content.isOfferReplacePending) await new Promise((resolve) => setTimeout(resolve, 100));
  const { resources: ranges } = await container.readPartitionKeyRanges().fetchAll();
  assert.equal(ranges.length, 2);
});

test("throughput must be a multiple of 100, and 400 or more", async () => {
  const container = await scope.newContainer("/pk", { throughput: 400 });
  const { resource, offer } = await container.readOffer();
  for (const offerThroughput of [450, 300]) {
    await assertFails(offer.replace({ ...resource, content: { ...resource.content, offerThroughput } }), 400);
    await assertFails(
      scope.database.containers.create({ id: uniqueId("c"), partitionKey: "/pk", throughput: offerThroughput }),
      400,
    );
  }
  assert.equal((await offer.read()).resource.content.offerThroughput, 400);
});

test("all offers are listed", async () => {
  const container = await scope.newContainer();
  const { resource: definition } = await container.read();
  const { resources } = await scope.client.offers.readAll().fetchAll();
  assert.ok(resources.some((offer) => offer.offerResourceId === definition._rid));
});

test("a shared database has an offer, its containers have none of their own", async () => {
  const { database } = await scope.client.databases.create({ id: uniqueId(), throughput: 800 });
  try {
    assert.equal((await database.readOffer()).resource.content.offerThroughput, 800);
    const { container } = await database.containers.create({ id: "shares", partitionKey: "/pk" });
    assert.equal((await container.readOffer()).resource, undefined);
  } finally {
    await database.delete();
  }
});

test("the offer goes away with its container", async () => {
  const container = await scope.newContainer();
  const { offer } = await container.readOffer();
  await container.delete();
  await assertFails(offer.read(), 404);
});
