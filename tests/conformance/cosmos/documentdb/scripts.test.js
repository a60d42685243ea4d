"use strict";

const assert = require("node:assert/strict");
const { describe, test } = require("node:test");
const { assertFails, useDatabase } = require("./support.js");

describe("scripts, addressed by name and by resource id", () => {
  const scope = useDatabase();
  const call = (operation, ...parameters) => scope.client.call(operation, ...parameters);
  scope.onceOpen = async () => {
    scope.collection = await scope.newCollection();
  };

  test("a procedure is created, replaced, upserted, executed and deleted", async () => {
    const definition = { id: "p", body: function (a) { getContext().getResponse().setBody(a + 1); } };
    const { resource } = await call("createStoredProcedure", scope.collection.self, definition);
    assert.equal(Buffer.from(resource._rid.replace("-", "/"), "base64").at(-1) >> 4, 8);
    for (const link of [resource._self, `${scope.collection.link}/sprocs/p`]) {
      assert.equal((await call("executeStoredProcedure", link, [41])).resource, 42);
      assert.equal((await call("readStoredProcedure", link)).resource.id, "p");
    }
    await call("upsertStoredProcedure", scope.collection.self, { id: "p", body: "function () { getContext().getResponse().setBody('new'); }" });
    assert.equal((await call("executeStoredProcedure", resource._self)).resource, "new");
    assert.equal((await scope.client.all("queryStoredProcedures", scope.collection.self, "SELECT * FROM r")).length, 1);
    await call("deleteStoredProcedure", resource._self, {});
    await assertFails(call("readStoredProcedure", resource._self), 404);
  });

  test("triggers change what is created", async () => {
    await call("createTrigger", scope.collection.self, {
      id: "upper",
      body: function () {
        const d = getContext().getRequest().getBody();
        d.id = d.id.toUpperCase();
        getContext().getRequest().setBody(d);
      },
      triggerType: "Pre",
      triggerOperation: "All",
    });
    const { resource } = await call("createDocument", scope.collection.self, { id: "small" }, { preTriggerInclude: "upper" });
    assert.equal(resource.id, "SMALL");
  });

  test("user defined functions stand in queries", async () => {
    await call("createUserDefinedFunction", scope.collection.self, { id: "half", body: "function (x) { return x / 2; }" });
    await call("createDocument", scope.collection.self, { id: "d", n: 8 });
    const rows = await scope.client.all("queryDocuments", scope.collection.self, "SELECT VALUE udf.half(c.n) FROM c WHERE c.id = 'd'");
    assert.deepEqual(rows, [4]);
  });
});
