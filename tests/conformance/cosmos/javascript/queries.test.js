import assert from "node:assert/strict";
import { after, test } from "node:test";
import { assertFails, newClientOfMerged, openDatabase } from "./support.js";

const scope = await openDatabase();
const total = 60;
// Five physical partitions, every item under a key of its own.
const container = await scope.newContainer("/pk", {
  throughput: 50000,
  indexingPolicy: { compositeIndexes: [[{ path: "/mod" }, { path: "/n" }]] },
});
const items = Array.from({ length: total }, (_, n) => ({
  id: `item-${String(n).padStart(2, "0")}`,
  pk: `key-${n}`,
  n,
  mod: n % 7,
  team: `team-${n % 7}`,
  tags: [`t${n % 3}`, `u${n % 4}`],
  nested: { half: n / 2 },
}));
for (const item of items) await container.items.create(item);

const clientOfMerged = newClientOfMerged();
after(() => clientOfMerged.dispose());
const merged = clientOfMerged.database(scope.database.id).container(container.id);

// How a client may run a query: as the server merges it, by the plan that it asks for when the server does not, by one that it asks
// for first, and that with several partitions at a time.
const ways = {
  "by the server": { from: merged },
  "after a refusal": {},
  "by a plan": { forceQueryPlan: true },
  "by a plan, in parallel": { forceQueryPlan: true, maxDegreeOfParallelism: 10, bufferItems: true },
  "by the plan in the refusal": { maxDegreeOfParallelism: 10 },
};

async function rowsOf(query, { from = container, ...options } = {}) {
  return (await from.items.query(query, options).fetchAll()).resources;
}

// The query gives these rows in every way, whatever the page size.
function expectRows(name, query, expected, { inAnyOrder = false } = {}) {
  for (const [way, options] of Object.entries(ways)) {
    test(`${name}, merged ${way}`, async () => {
      for (const maxItemCount of [1000, 3]) {
        const rows = await rowsOf(query, { ...options, maxItemCount });
        const sorted = (list) => (inAnyOrder ? list.map((row) => JSON.stringify(row)).sort() : list);
        assert.deepEqual(sorted(rows), sorted(expected));
      }
    });
  }
}

const numbers = items.map((item) => item.n);
const sum = numbers.reduce((left, right) => left + right, 0);
const groups = [0, 1, 2, 3, 4, 5, 6].map((mod) => ({ mod, members: items.filter((item) => item.mod === mod) }));

test("the container has five partitions", async () => {
  const { resources } = await container.readPartitionKeyRanges().fetchAll();
  assert.equal(resources.length, 5);
});

expectRows("ORDER BY", "SELECT VALUE c.n FROM c ORDER BY c.n", numbers);
expectRows("ORDER BY DESC", "SELECT c.n FROM c ORDER BY c.n DESC", [...numbers].reverse().map((n) => ({ n })));
expectRows("ORDER BY a nested property", "SELECT VALUE c.id FROM c ORDER BY c.nested.half", items.map((item) => item.id));
expectRows("ORDER BY with TOP", "SELECT TOP 5 VALUE c.n FROM c ORDER BY c.n DESC", [59, 58, 57, 56, 55]);
expectRows("OFFSET LIMIT", "SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 10 LIMIT 7", numbers.slice(10, 17));
expectRows("COUNT", "SELECT VALUE COUNT(1) FROM c", [total]);
expectRows("COUNT with a filter", "SELECT VALUE COUNT(1) FROM c WHERE c.mod = 3", [groups[3].members.length]);
expectRows("SUM", "SELECT VALUE SUM(c.n) FROM c", [sum]);
expectRows("AVG", "SELECT VALUE AVG(c.n) FROM c", [sum / total]);
expectRows("MIN", "SELECT VALUE MIN(c.n) FROM c", [0]);
expectRows("MAX", "SELECT VALUE MAX(c.id) FROM c", ["item-59"]);
expectRows(
  "GROUP BY",
  "SELECT c.mod, COUNT(1) AS count, MAX(c.n) AS max, AVG(c.n) AS avg FROM c GROUP BY c.mod",
  groups.map(({ mod, members }) => ({
    mod,
    count: members.length,
    max: members.at(-1).n,
    avg: members.reduce((left, item) => left + item.n, 0) / members.length,
  })),
  { inAnyOrder: true },
);
// Not numbers: the SDK's own merging drops a distinct 0.
const teams = groups.map(({ mod }) => `team-${mod}`);
expectRows("DISTINCT", "SELECT DISTINCT VALUE c.team FROM c", teams, { inAnyOrder: true });
expectRows("DISTINCT with ORDER BY", "SELECT DISTINCT VALUE c.team FROM c ORDER BY c.team DESC", [...teams].reverse());
expectRows(
  "JOIN",
  "SELECT VALUE c.n FROM c JOIN t IN c.tags WHERE t = 't1' ORDER BY c.n",
  numbers.filter((n) => n % 3 === 1),
);
expectRows(
  "a sub-query",
  "SELECT VALUE c.n FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'u2') ORDER BY c.n",
  numbers.filter((n) => n % 4 === 2),
);
expectRows(
  "parameters",
  {
    query: "SELECT VALUE c.n FROM c WHERE c.n >= @least AND ARRAY_CONTAINS(@mods, c.mod) ORDER BY c.n OFFSET @skip LIMIT @take",
    parameters: [
      { name: "@least", value: 20 },
      { name: "@mods", value: [1, 5] },
      { name: "@skip", value: 1 },
      { name: "@take", value: 4 },
    ],
  },
  numbers.filter((n) => n >= 20 && [1, 5].includes(n % 7)).slice(1, 5),
);

test("another client resumes an ORDER BY from any page's token, with another page size", async () => {
  const query = "SELECT VALUE c.n FROM c ORDER BY c.mod, c.n";
  const whole = await rowsOf(query);
  const client = newClientOfMerged();
  try {
    const again = client.database(scope.database.id).container(container.id);
    const iterator = merged.items.query(query, { maxItemCount: 7 });
    for (let given = 7; given < total; given += 7) {
      const { continuationToken } = await iterator.fetchNext();
      const rest = await again.items.query(query, { maxItemCount: 11, continuationToken }).fetchAll();
      assert.deepEqual(rest.resources, whole.slice(given));
    }
  } finally {
    client.dispose();
  }
});

test("an order by several properties needs a composite index", async () => {
  for (const options of Object.values(ways)) {
    await assertFails(rowsOf("SELECT VALUE c.n FROM c ORDER BY c.mod, c.n DESC", options), 400);
    assert.equal((await rowsOf("SELECT VALUE c.n FROM c ORDER BY c.mod DESC, c.n DESC", options)).length, total);
  }
});

test("a token survives changes of the documents around it", async () => {
  const made = await scope.newContainer("/pk", { throughput: 50000 });
  const changing = clientOfMerged.database(scope.database.id).container(made.id);
  for (const item of items.slice(0, 20)) await changing.items.create(item);
  const query = "SELECT VALUE c.n FROM c ORDER BY c.n";
  const { resources, continuationToken } = await changing.items.query(query, { maxItemCount: 10 }).fetchNext();
  assert.deepEqual(resources, numbers.slice(0, 10));
  await changing.item("item-09", "key-9").delete();
  await changing.item("item-03", "key-3").delete();
  await changing.items.create({ id: "late", pk: "late", n: 10.5 });
  const rest = await changing.items.query(query, { continuationToken }).fetchAll();
  assert.deepEqual(rest.resources, [10, 10.5, ...numbers.slice(11, 20)]);
});

test("a token of another query is refused", async () => {
  const { continuationToken } = await merged.items.query("SELECT * FROM c ORDER BY c.n", { maxItemCount: 5 }).fetchNext();
  const other = merged.items.query("SELECT * FROM c ORDER BY c.n DESC", { continuationToken });
  await assert.rejects(other.fetchNext(), (error) => error.code === 400 && /another query/.test(error.message));
});
