// A program goes on while the partitions under it are split and merged: no error reaches it, no answer is wrong.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readChanges } from "./change_reader.js";
import { openDatabase, signedFetch } from "./support.js";

const { database, newContainer } = await openDatabase();
const STILL = Array.from({ length: 60 }, (_, n) => ({ id: `still-${n}`, pk: `key ${n % 20}`, kind: "still", n: (n * 37) % 60 }));
const WRITERS = 4;
const FILLER_BYTES = 400_000;
const FILLERS = 13; // more than a partition may hold, and less than its two halves may: it is split once
const PROBES_MAX = 20_000;

const answers = await signedFetch("GET", "partita", "reshapes", "/_partita/reshapes");
const skip = answers.status !== 200 && "the account does not split on demand";

async function reshape(kind, container, order) {
  const body = JSON.stringify({ database: database.id, container: container.id, ...order });
  const response = await signedFetch("POST", "partita", kind, `/_partita/${kind}`, { body });
  const report = await response.json();
  assert.equal(response.status, 200, JSON.stringify(report));
  return report;
}

async function ranges(container) {
  const { resources } = await container.readPartitionKeyRanges().fetchAll();
  return resources.sort((left, right) => (left.minInclusive < right.minInclusive ? -1 : 1));
}

// Counts up documents of its own, reads every one back, and sometimes deletes one; `model` has what must be there.
async function write(writer, container, model, isOver) {
  for (let n = 0; !isOver(); ++n) {
    const name = `w${writer}-${n % 25}`;
    const pk = `key ${n % 20}`;
    const id = `${name} ${pk}`;
    if (n % 9 === 8 && model.has(id)) {
      await container.item(id, pk).delete();
      model.delete(id);
      assert.equal((await container.item(id, pk).read()).statusCode, 404);
      continue;
    }
    await container.items.upsert({ id, pk, kind: "moving", n });
    model.set(id, n);
    assert.equal((await container.item(id, pk).read()).resource.n, n);
  }
}

// Documents that nobody changes must always come complete and in order, page by page.
async function queryInOrder(container, isOver) {
  const expected = STILL.map((item) => item.n).sort((left, right) => left - right);
  for (let round = 0; round === 0 || !isOver(); ++round) {
    const found = [];
    const pages = container.items.query("SELECT c.n FROM c WHERE c.kind = 'still' ORDER BY c.n", { maxItemCount: 7 });
    while (pages.hasMoreResults()) found.push(...(await pages.fetchNext()).resources.map((row) => row.n));
    assert.deepEqual(found, expected);
  }
}

// Large documents with key values of the first partition; then waits until the account has split it.
async function fillFirstPartition(container, first) {
  const filler = "x".repeat(FILLER_BYTES);
  let fillers = 0;
  for (let n = 0; n < PROBES_MAX; ++n) {
    const pk = `key ${n % 20}`;
    const { headers } = await container.items.upsert({ id: `probe ${pk}`, pk, kind: "filler", n });
    if (!headers["x-ms-session-token"].startsWith(`${first.id}:`)) {
      if ((await ranges(container)).every((range) => range.id !== first.id)) return;
    } else if (fillers < FILLERS) {
      ++fillers;
      await container.items.create({ id: `filler ${n}`, pk, kind: "filler", n, filler });
    }
  }
  assert.fail(`the partition was not split, though it has ${fillers} large documents`);
}

test("writers, readers, ordered queries and the change feed go on when a full partition is split", { skip }, async () => {
  const container = await newContainer("/pk", { throughput: 25000 });
  for (const item of STILL) await container.items.create(item);
  const before = await ranges(container);
  assert.equal(before.length, 3);
  let isOver = false;
  let isWritten = false;
  const models = Array.from({ length: WRITERS }, () => new Map());
  const seen = new Map();
  const writing = models.map((model, writer) => write(writer, container, model, () => isOver));
  const reading = [queryInOrder(container, () => isOver), readChanges(container, seen, () => isWritten)];
  try {
    await fillFirstPartition(container, before[0]);
  } finally {
    isOver = true;
    await Promise.all(writing);
    isWritten = true;
    await Promise.all(reading);
  }
  const now = await ranges(container);
  assert.equal(now.length, 4);
  assert.deepEqual(now.slice(0, 2).map((range) => range.parents), [[before[0].id], [before[0].id]]);
  const { resources } = await container.items.query("SELECT c.id, c.n FROM c WHERE c.kind = 'moving' ORDER BY c.id").fetchAll();
  const expected = models.flatMap((model) => [...model].map(([id, n]) => ({ id, n })));
  assert.deepEqual(resources, expected.sort((left, right) => (left.id < right.id ? -1 : 1)));
  for (const { id, n } of [...expected, ...STILL]) assert.equal(seen.get(id), n, `the change feed's last version of ${id}`);
});

test("writers, readers and ordered queries go on through splits and merges", { skip }, async () => {
  const container = await newContainer("/pk", { throughput: 25000 });
  for (const item of STILL) await container.items.create(item);
  let isOver = false;
  const models = Array.from({ length: WRITERS }, () => new Map());
  const work = models.map((model, writer) => write(writer, container, model, () => isOver));
  work.push(queryInOrder(container, () => isOver));
  try {
    for (let round = 0; round < 3; ++round) {
      const [first] = await ranges(container);
      const { children } = await reshape("split", container, { range: first.id });
      const now = await ranges(container);
      assert.deepEqual(now.slice(0, 2).map((range) => range.id), children);
      assert.ok(now[0].parents.includes(first.id));
      if (round > 0) await reshape("merge", container, { range: now[1].id });
    }
  } finally {
    isOver = true;
    await Promise.all(work);
  }
  const { resources } = await container.items.query("SELECT c.id, c.n FROM c WHERE c.kind = 'moving' ORDER BY c.id").fetchAll();
  const expected = models.flatMap((model) => [...model].map(([id, n]) => ({ id, n })));
  assert.deepEqual(resources, expected.sort((left, right) => (left.id < right.id ? -1 : 1)));
});

test("a page's continuation is good after the partition it was read from was split", { skip }, async () => {
  const container = await newContainer("/pk");
  for (const item of STILL) await container.items.create(item);
  const first = await container.items.readAll({ maxItemCount: 25 }).fetchNext();
  const [range] = await ranges(container);
  await reshape("split", container, { range: range.id });
  const seen = first.resources.map((item) => item.id);
  let continuationToken = first.continuationToken;
  while (continuationToken) {
    const page = await container.items.readAll({ maxItemCount: 25, continuationToken }).fetchNext();
    seen.push(...page.resources.map((item) => item.id));
    continuationToken = page.continuationToken;
  }
  assert.deepEqual(seen.sort(), STILL.map((item) => item.id).sort());
});
