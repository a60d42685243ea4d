import assert from "node:assert/strict";
import { after, test } from "node:test";
import { assertFails, endpoint, newClient, signedFetch, uniqueId } from "./support.js";

const client = newClient();
after(() => client.dispose());

async function withDatabase(run) {
  const created = await client.databases.create({ id: uniqueId() });
  try {
    await run(created.database, created);
  } finally {
    await created.database.delete().catch((error) => assert.equal(error.code, 404));
  }
}

test("the account has session consistency", async () => {
  const { resource: account } = await client.getDatabaseAccount();
  assert.equal(account.consistencyPolicy, "Session");
});

test("the account document sends clients to the address they used", async () => {
  const account = await (await signedFetch("GET", "", "", "/")).json();
  const [writable] = account.writableLocations;
  const [readable] = account.readableLocations;
  assert.equal(new URL(writable.databaseAccountEndpoint).origin, new URL(endpoint).origin);
  assert.equal(new URL(readable.databaseAccountEndpoint).origin, new URL(endpoint).origin);
});

test("a created database has system properties and can be read back", () =>
  withDatabase(async (database, created) => {
    assert.equal(created.statusCode, 201);
    assert.ok(created.requestCharge > 0);
    const read = await database.read();
    assert.equal(read.statusCode, 200);
    assert.equal(read.resource.id, database.id);
    assert.match(read.resource._rid, /^[A-Za-z0-9+-]{6}==$/);
    assert.equal(read.resource._self, `dbs/${read.resource._rid}/`);
    assert.match(read.resource._etag, /^".+"$/);
    assert.equal(read.resource._colls, "colls/");
    assert.equal(read.resource._users, "users/");
    assert.ok(Math.abs(read.resource._ts - Date.now() / 1000) < 900);
  }));

test("creating a database twice conflicts", () =>
  withDatabase(async (database) => {
    await assertFails(client.databases.create({ id: database.id }), 409);
  }));

test("createIfNotExists creates, then finds", async () => {
  const id = uniqueId();
  const created = await client.databases.createIfNotExists({ id });
  try {
    assert.equal(created.statusCode, 201);
    const found = await client.databases.createIfNotExists({ id });
    assert.equal(found.statusCode, 200);
    assert.equal(found.resource._rid, created.resource._rid);
  } finally {
    await created.database.delete();
  }
});

test("a deleted database is gone", () =>
  withDatabase(async (database) => {
    assert.equal((await database.delete()).statusCode, 204);
    await assertFails(database.read(), 404);
    await assertFails(database.delete(), 404);
  }));

test("a database created again under the same name is another resource", () =>
  withDatabase(async (database, first) => {
    await database.delete();
    const second = await client.databases.create({ id: database.id });
    assert.notEqual(second.resource._rid, first.resource._rid);
  }));

test("all databases are listed page by page", async () => {
  const created = [];
  try {
    for (let i = 0; i < 3; ++i) created.push((await client.databases.create({ id: uniqueId() })).database);
    const seen = [];
    for await (const page of client.databases.readAll({ maxItemCount: 1 }).getAsyncIterator()) {
      assert.ok(page.resources.length <= 1);
      seen.push(...page.resources.map((database) => database.id));
    }
    assert.equal(new Set(seen).size, seen.length);
    for (const { id } of created) assert.ok(seen.includes(id));
  } finally {
    for (const database of created) await database.delete();
  }
});

test("a database id may hold spaces and unicode", async () => {
  const id = `${uniqueId()} with spaces 鱀 é`;
  const { database } = await client.databases.create({ id });
  try {
    assert.equal((await database.read()).resource.id, id);
  } finally {
    await database.delete();
  }
});

for (const bad of ["a/b", "a\\b", "a?b", "a#b", "x".repeat(250)]) {
  test(`the database id …${bad.slice(0, 8)} is refused`, async () => {
    const response = await signedFetch("POST", "dbs", "", "/dbs", { body: JSON.stringify({ id: uniqueId() + bad }) });
    const body = await response.json();
    assert.equal(response.status, 400, JSON.stringify(body));
    assert.equal(body.code, "BadRequest");
  });
}

test("a database without an id is refused", async () => {
  const response = await signedFetch("POST", "dbs", "", "/dbs", { body: "{}" });
  assert.equal(response.status, 400);
  assert.equal((await response.json()).code, "BadRequest");
});
