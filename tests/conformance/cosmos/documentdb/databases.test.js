"use strict";

const assert = require("node:assert/strict");
const { describe, test } = require("node:test");
const { Client, assertFails, uniqueId, useDatabase } = require("./support.js");

describe("databases", () => {
  const scope = useDatabase();

  test("the account document is read", async () => {
    const { resource } = await scope.client.call("getDatabaseAccount");
    assert.equal(resource.ConsistencyPolicy.defaultConsistencyLevel, "Session");
  });

  test("a database is created, read by name and by self link, and deleted", async () => {
    const id = uniqueId();
    const { resource: created, headers } = await scope.client.call("createDatabase", { id });
    assert.equal(created.id, id);
    assert.ok(Number(headers["x-ms-request-charge"]) > 0);
    assert.equal((await scope.client.call("readDatabase", `dbs/${id}`)).resource._rid, created._rid);
    assert.equal((await scope.client.call("readDatabase", created._self)).resource.id, id);
    await scope.client.call("deleteDatabase", created._self);
    await assertFails(scope.client.call("readDatabase", `dbs/${id}`), 404);
    await assertFails(scope.client.call("deleteDatabase", created._self), 404);
  });

  test("creating a database twice conflicts", async () => {
    await assertFails(scope.client.call("createDatabase", { id: scope.link.slice(4) }), 409);
  });

  test("databases are listed, one per page", async () => {
    const pages = await scope.client.pages("readDatabases", { maxItemCount: 1 });
    assert.ok(pages.every((page) => page.resources.length <= 1));
    assert.ok(pages.some((page) => page.resources[0]?.id === scope.link.slice(4)));
  });

  test("a wrong key is 401", async () => {
    const client = new Client(Buffer.from("not the key of this account").toString("base64"));
    const error = await assertFails(client.call("readDatabase", scope.link), 401);
    assert.equal(JSON.parse(error.body).code, "Unauthorized");
    client.close();
  });
});
