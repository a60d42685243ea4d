import assert from "node:assert/strict";
import { test } from "node:test";
import { signedFetch, openDatabase } from "./support.js";

const scope = await openDatabase();
const container = await scope.newContainer();

const awkward = [
  "with spaces inside",
  " leading space",
  "WithUnicode鱀",
  "combining e\u0301 and 😀",
  "WithAllowedSpecial,=.:~+-@()^${}[]!_Chars",
  "single'quote and double\"quote",
  "plus+plus++",
  "percent % alone",
  "100%",
  "semi;colon&ampersand=<tag>|pipe`tick",
  "question?mark",
  "docs",
  "x".repeat(255),
];

for (const id of awkward) {
  test(`the id ${JSON.stringify(id.slice(0, 50))} is kept`, async () => {
    const item = container.item(id, id);
    const created = await container.items.create({ id, pk: id });
    assert.equal(created.statusCode, 201);
    assert.equal(created.resource.id, id);
    const read = await item.read();
    assert.equal(read.statusCode, 200);
    assert.equal(read.resource.id, id);
    assert.equal((await item.replace({ id, pk: id, again: true })).resource.id, id);
    assert.equal((await item.delete()).statusCode, 204);
    assert.equal((await item.read()).statusCode, 404);
  });
}

// The SDK refuses these itself, so the service is asked without it.
async function createWithoutSdk(id) {
  const link = `dbs/${scope.database.id}/colls/${container.id}`;
  return signedFetch("POST", "docs", link, `/${link}/docs`, {
    headers: { "x-ms-documentdb-partitionkey": '["x"]' },
    body: JSON.stringify({ id, pk: "x" }),
  });
}

for (const id of ["a/b", "a\\b"]) {
  test(`the id ${id}, which cannot be addressed by name, is stored all the same`, async () => {
    assert.equal((await createWithoutSdk(id)).status, 201);
    assert.equal((await createWithoutSdk(id)).status, 409);
  });
}

test("an id over 1023 bytes is refused", async () => {
  assert.equal((await createWithoutSdk("x".repeat(1024))).status, 400);
});
