"use strict";

const assert = require("node:assert/strict");
const { describe, test } = require("node:test");
const { assertFails, useDatabase } = require("./support.js");

// The same life of a document, in a partitioned and in a single-partition collection, by name and by self link.
const places = [
  { where: "a partitioned collection", partitioned: true, by: "link" },
  { where: "a partitioned collection", partitioned: true, by: "self" },
  { where: "a single-partition collection", partitioned: false, by: "link" },
  { where: "a single-partition collection", partitioned: false, by: "self" },
];

for (const { where, partitioned, by } of places) {
  describe(`documents in ${where}, addressed by ${by === "link" ? "name" : "resource id"}`, () => {
    const scope = useDatabase();
    const options = (more = {}) => (partitioned ? { partitionKey: ["x"], ...more } : more);
    const call = (operation, ...parameters) => scope.client.call(operation, ...parameters);
    const linkOf = (document) => (by === "self" ? document._self : `${scope.collection.link}/docs/${document.id}`);
    const create = async (document) =>
      (await call("createDocument", scope.collection[by], { pk: "x", ...document })).resource;
    scope.onceOpen = async () => {
      scope.collection = partitioned ? await scope.newPartitionedCollection() : await scope.newCollection();
    };

    test("a document is created and read", async () => {
      const document = await create({ id: "created", nested: { list: [1, null, "é鱀"] } });
      assert.match(document._etag, /^".+"$/);
      const { resource, headers } = await call("readDocument", linkOf(document), options());
      assert.deepEqual(resource, document);
      assert.equal(headers.etag, document._etag);
      assert.ok(Number(headers["x-ms-request-charge"]) > 0);
    });

    test("session tokens have the form this API version reads", async () => {
      const document = await create({ id: "session" });
      const { headers } = await call("readDocument", linkOf(document), options());
      assert.match(headers["x-ms-session-token"], /^\d+:\d+$/);
    });

    test("an id is taken once", async () => {
      await create({ id: "twice" });
      await assertFails(create({ id: "twice" }), 409);
    });

    test("replace and upsert change the document and its etag", async () => {
      const first = await create({ id: "changed", n: 1 });
      const { resource: second } = await call("replaceDocument", linkOf(first), { ...first, n: 2 }, options());
      assert.equal(second.n, 2);
      assert.equal(second._rid, first._rid);
      assert.notEqual(second._etag, first._etag);
      const { resource: third } = await call("upsertDocument", scope.collection[by], { ...second, n: 3 });
      assert.equal(third._rid, first._rid);
      assert.equal((await call("readDocument", linkOf(first), options())).resource.n, 3);
    });

    test("a replaced document has its properties in the order in which they were sent", async () => {
      const first = await create({ id: "ordered", n: 1 });
      const { resource: second } = await call("replaceDocument", linkOf(first), { ...first, m: 2 }, options());
      assert.deepEqual(Object.keys(second), [...Object.keys(first), "m"]);
      const { resource: read } = await call("readDocument", linkOf(first), options());
      assert.deepEqual(Object.keys(read), Object.keys(second));
      assert.notEqual(second._etag, first._etag);
    });

    test("upsert creates what is not there", async () => {
      const { resource } = await call("upsertDocument", scope.collection[by], { id: "upserted", pk: "x" });
      assert.equal((await call("readDocument", linkOf(resource), options())).resource.id, "upserted");
    });

    test("a stale etag in If-Match is 412, the current one in If-None-Match 304", async () => {
      const first = await create({ id: "etag", n: 1 });
      const { resource: second } = await call("replaceDocument", linkOf(first), { ...first, n: 2 }, options());
      const ifMatch = (condition) => options({ accessCondition: { type: "IfMatch", condition } });
      const ifNoneMatch = (condition) => options({ accessCondition: { type: "IfNoneMatch", condition } });
      await assertFails(call("replaceDocument", linkOf(first), { ...first, n: 3 }, ifMatch(first._etag)), 412);
      await assertFails(call("deleteDocument", linkOf(first), ifMatch(first._etag)), 412);
      assert.equal((await call("readDocument", linkOf(first), ifNoneMatch(second._etag))).resource, undefined);
      assert.equal((await call("readDocument", linkOf(first), ifNoneMatch(first._etag))).resource.n, 2);
      await call("deleteDocument", linkOf(first), ifMatch(second._etag));
    });

    test("a deleted document is gone", async () => {
      const document = await create({ id: "deleted" });
      await call("deleteDocument", linkOf(document), options());
      await assertFails(call("readDocument", linkOf(document), options()), 404);
      await assertFails(call("deleteDocument", linkOf(document), options()), 404);
    });

    test("a document over 2 MB is refused with 413", async () => {
      await assertFails(create({ id: "too-big", text: "a".repeat(2 * 1024 * 1024) }), 413);
    });

    test("all documents are read page by page, and from a continuation", async () => {
      const collection = partitioned ? await scope.newPartitionedCollection() : await scope.newCollection();
      const ids = Array.from({ length: 25 }, (_, n) => `item-${String(n).padStart(2, "0")}`);
      for (const id of ids) await call("createDocument", collection[by], { id, pk: "x" });
      const feed = options({ maxItemCount: 10 });
      const pages = await scope.client.pages("readDocuments", collection[by], feed);
      assert.deepEqual(pages.map((page) => page.resources.length), [10, 10, 5]);
      assert.deepEqual(pages.flatMap((page) => page.resources.map((entry) => entry.id)), ids);
      const continuation = pages[0].headers["x-ms-continuation"];
      const rest = await scope.client.all("readDocuments", collection[by], { ...feed, continuation });
      assert.deepEqual(rest.map((entry) => entry.id), ids.slice(10));
    });
  });
}
