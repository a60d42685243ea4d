import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, endpoint, newClient, signedFetch, openDatabase } from "./support.js";

const scope = await openDatabase();

test("a wrong key is 401, and the body says what was signed", async () => {
  const client = newClient({ key: Buffer.from("not the key of this account").toString("base64") });
  try {
    const error = await assertFails(client.database(scope.database.id).read(), 401);
    assert.equal(error.body.code, "Unauthorized");
    assert.match(error.body.message, /authorization token|signature|signed/i);
  } finally {
    client.dispose();
  }
});

test("a request without authorization is 401", async () => {
  const response = await fetch(new URL("/dbs", endpoint), { headers: { "x-ms-version": "2020-07-15" } });
  assert.equal(response.status, 401);
  assert.equal((await response.json()).code, "Unauthorized");
});

test("a signature over another resource is 401", async () => {
  const response = await signedFetch("GET", "dbs", "dbs/another", `/dbs/${scope.database.id}`);
  assert.equal(response.status, 401);
});

test("a stale date is refused", async () => {
  const old = new Date(Date.now() - 3600_000).toUTCString();
  const response = await signedFetch("GET", "dbs", `dbs/${scope.database.id}`, `/dbs/${scope.database.id}`, { date: old });
  assert.equal(response.status, 403);
});
