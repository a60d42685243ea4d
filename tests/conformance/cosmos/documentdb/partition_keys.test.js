"use strict";

const assert = require("node:assert/strict");
const { describe, test } = require("node:test");
const { assertFails, useDatabase } = require("./support.js");

describe("partition keys", () => {
  const scope = useDatabase();
  const call = (operation, ...parameters) => scope.client.call(operation, ...parameters);

  const shapes = [
    { path: "/pk", document: { pk: "text" }, key: "text" },
    { path: "/pk", document: { pk: 42.5 }, key: 42.5 },
    { path: "/pk", document: { pk: true }, key: true },
    { path: "/pk", document: { pk: null }, key: null },
    { path: "/pk", document: {}, key: [{}] },
    { path: "/pk", document: { pk: "é鱀" }, key: "é鱀" },
    { path: "/properties/name", document: { properties: { name: "n" } }, key: "n" },
    { path: '/"department name"', document: { "department name": "R&D" }, key: "R&D" },
    { path: "/id", document: {}, key: "a" },
  ];
  for (const { path, document, key } of shapes) {
    test(`${path} with ${JSON.stringify(document)}`, async () => {
      const { link } = await scope.newPartitionedCollection(path);
      await call("createDocument", link, { id: "a", ...document });
      const options = { partitionKey: key };
      assert.equal((await call("readDocument", `${link}/docs/a`, options)).resource.id, "a");
      await call("replaceDocument", `${link}/docs/a`, { id: "a", ...document, n: 2 }, options);
      assert.equal((await call("readDocument", `${link}/docs/a`, options)).resource.n, 2);
      await call("deleteDocument", `${link}/docs/a`, options);
      await assertFails(call("readDocument", `${link}/docs/a`, options), 404);
    });
  }

  test("an id is unique within its key, not beyond, and another key does not find it", async () => {
    const { link } = await scope.newPartitionedCollection();
    await call("createDocument", link, { id: "a", pk: "x" });
    await call("createDocument", link, { id: "a", pk: "y" });
    await assertFails(call("createDocument", link, { id: "a", pk: "y" }), 409);
    await assertFails(call("readDocument", `${link}/docs/a`, { partitionKey: "z" }), 404);
  });

  test("a key in the header that is not the document's is 400 with substatus 1001", async () => {
    const { link } = await scope.newPartitionedCollection();
    const create = call("createDocument", link, { id: "a", pk: "body" }, { partitionKey: "header" });
    await assertFails(create, 400, 1001);
  });

  test("reading without a key is refused", async () => {
    const { link } = await scope.newPartitionedCollection();
    await call("createDocument", link, { id: "a", pk: "x" });
    await assertFails(call("readDocument", `${link}/docs/a`), 400);
  });

  for (const id of ["with spaces", "WithUnicode鱀", "a+b", "100%", "quote'\"", "special,=.:~+-@()^${}[]!_"]) {
    test(`the id ${JSON.stringify(id)} is kept`, async () => {
      const { link } = await scope.newPartitionedCollection();
      await call("createDocument", link, { id, pk: id });
      assert.equal((await call("readDocument", `${link}/docs/${id}`, { partitionKey: id })).resource.id, id);
      await call("deleteDocument", `${link}/docs/${id}`, { partitionKey: id });
    });
  }
});
