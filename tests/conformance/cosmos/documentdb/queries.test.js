"use strict";

const assert = require("node:assert/strict");
const { before, describe, test } = require("node:test");
const { useDatabase } = require("./support.js");

const kDocuments = 12;
const acrossPartitions = { enableCrossPartitionQuery: true, maxItemCount: 4 };

// The package merges what several partitions give once the account has refused the query, with a plan in the refusal.
describe("queries over three physical partitions", () => {
  const scope = useDatabase();
  let link;

  before(async () => {
    ({ link } = await scope.newPartitionedCollection("/pk", { offerThroughput: 25000 }));
    for (let n = 0; n < kDocuments; ++n) await scope.client.call("createDocument", link, { id: `${n}`, pk: `${n}`, n });
  });

  const rows = (query, options = acrossPartitions) => scope.client.all("queryDocuments", link, query, options);
  const numbers = Array.from({ length: kDocuments }, (_, n) => n);

  test("an order is merged", async () => {
    assert.deepEqual(await rows("SELECT VALUE c.n FROM c ORDER BY c.n DESC"), numbers.toReversed());
    assert.deepEqual(await rows("SELECT TOP 3 VALUE c.n FROM c ORDER BY c.n"), [0, 1, 2]);
  });

  test("aggregates are merged, and one over nothing is an empty result", async () => {
    assert.deepEqual(await rows("SELECT VALUE SUM(c.n) FROM c"), [66]);
    assert.deepEqual(await rows("SELECT VALUE AVG(c.none) FROM c"), []);
  });

  test("charges are numbers that the package has added up, also where partitions are read in parallel", async () => {
    for (const [query, options] of [
      ["SELECT * FROM c ORDER BY c.n", acrossPartitions],
      ["SELECT * FROM c", { ...acrossPartitions, maxDegreeOfParallelism: 3 }],
    ]) {
      const pages = await scope.client.pages("queryDocuments", link, query, options);
      assert.equal(pages.flatMap((page) => page.resources).length, kDocuments);
      for (const { headers } of pages) assert.equal(typeof headers["x-ms-request-charge"], "number");
    }
  });

  test("what the package does not know to merge is merged by the server, where that is asked to", async () => {
    scope.client.inner.defaultHeaders["x-partita-fidelity"] = "extended";
    try {
      assert.deepEqual((await rows("SELECT DISTINCT VALUE c.n % 3 FROM c")).sort(), [0, 1, 2]);
      assert.equal((await rows("SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 2 LIMIT 3")).length, 3);
    } finally {
      delete scope.client.inner.defaultHeaders["x-partita-fidelity"];
    }
  });
});
