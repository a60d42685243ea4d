// A container gets another partition key, or its first one, while a program works with it; and what a program sees of modes that
// keep it out while partitions are changed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readChanges } from "./change_reader.js";
import { newClient, newClientOfMerged, openDatabase, signedFetch, uniqueId } from "./support.js";

const { database, newContainer } = await openDatabase();
const STILL = Array.from({ length: 60 }, (_, n) => documentOf(`still-${n}`, n, "still", (n * 37) % 60));
const WRITERS = 3;
const CHANGES = 4;
const OPERATIONS_BETWEEN_CHANGES = 20;
const CLOSED_ROUNDS_MAX = 20;

const answers = await signedFetch("GET", "partita", "reshapes", "/_partita/reshapes");
const skip = answers.status !== 200 && "the account does not change partition keys";

function documentOf(id, number, kind, n) {
  return { id, pk: `key ${number % 20}`, tenant: `tenant ${number % 7}`, kind, n };
}

async function order(kind, container, more) {
  const body = JSON.stringify({ database: database.id, container: container.id, ...more });
  const response = await signedFetch("POST", "partita", kind, `/_partita/${kind}`, { body });
  const report = await response.json();
  assert.equal(response.status, 200, JSON.stringify(report));
  return report;
}

async function newContainerWithoutKey() {
  const id = uniqueId("c");
  const headers = { "x-ms-version": "2018-06-18", "x-ms-offer-throughput": "10000" };
  const link = `dbs/${database.id}`;
  const response = await signedFetch("POST", "colls", link, `/${link}/colls`, { headers, body: JSON.stringify({ id }) });
  assert.equal(response.status, 201);
  return database.container(id);
}

// With a client of its own, and with the partition key that the container had when it was last read.
class Program {
  constructor({ id }, client = newClient()) {
    this.client = client;
    this.container = this.client.database(database.id).container(id);
    this.reads = 0;
    this.done = 0;
  }

  async readContainer() {
    ++this.reads;
    this.key = (await this.container.read()).resource.partitionKey;
  }

  item(document) {
    const key = this.key.systemKey ? undefined : document[this.key.paths[0].slice(1)];
    return this.container.item(document.id, key);
  }
}

// What a program must do that goes on through a change of the key: when its key is not the document's, or its document not where
// it should be, read the container, which is all that the SDK needs to know the new key, and try again.
async function withTheRightKey(program, operation) {
  for (let attempt = 0; ; ++attempt) {
    try {
      const response = await operation();
      if (response.statusCode !== 404 || attempt === 2) return response;
    } catch (error) {
      const isStale = (error.code === 400 && Number(error.substatus) === 1001) || error.code === 404;
      if (!isStale || attempt === 2) throw error;
    }
    await program.readContainer();
  }
}

// Counts up documents of its own, reads every one back, and sometimes deletes one; `model` has what must be there.
async function write(writer, program, model, isOver) {
  await program.readContainer();
  for (let n = 0; !isOver(); ++n) {
    const document = documentOf(`w${writer}-${n % 25}`, n % 25, "moving", n);
    ++program.done;
    if (n % 9 === 8 && model.has(document.id)) {
      await withTheRightKey(program, () => program.item(document).delete());
      model.delete(document.id);
      continue;
    }
    await withTheRightKey(program, () => program.container.items.upsert(document));
    model.set(document.id, n);
    const { resource } = await withTheRightKey(program, () => program.item(document).read());
    assert.equal(resource?.n, n, document.id);
  }
}

// Documents that nobody changes come complete and in order, page by page. Only a query that was under way when the key changed may
// be refused, and must be asked again.
async function queryInOrder(container, changes, isOver) {
  const expected = STILL.map((item) => item.n).sort((left, right) => left - right);
  let whole = 0;
  while (!isOver() || whole === 0) {
    const { done } = changes;
    const found = [];
    let refusal;
    try {
      const pages = container.items.query("SELECT c.n FROM c WHERE c.kind = 'still' ORDER BY c.n", { maxItemCount: 7 });
      while (pages.hasMoreResults()) found.push(...(await pages.fetchNext()).resources.map((row) => row.n));
    } catch (error) {
      refusal = error;
    }
    const wasUndisturbed = changes.begun === done;
    if (refusal && !wasUndisturbed && refusal.code === 400 && /another partition key/.test(refusal.message)) continue;
    if (refusal) throw refusal;
    if (!wasUndisturbed) continue;
    ++whole;
    assert.deepEqual(found, expected);
  }
}

// Programs write, query and read the change feed while `change` is called `rounds` times; then everything is compared.
async function workThrough(container, rounds, change) {
  const changes = { begun: 0, done: 0 };
  const models = Array.from({ length: WRITERS }, () => new Map());
  const seen = new Map();
  let isOver = false;
  let isWritten = false;
  const programs = Array.from({ length: WRITERS + 2 }, () => new Program(container));
  programs[WRITERS].client.dispose();
  programs[WRITERS] = new Program(container, newClientOfMerged()); // the one that queries
  const writing = models.map((model, writer) => write(writer, programs[writer], model, () => isOver));
  const reading = [
    queryInOrder(programs[WRITERS].container, changes, () => isOver),
    readChanges(programs[WRITERS + 1].container, seen, () => isWritten),
  ];
  let hasFailed = false;
  for (const each of [...writing, ...reading]) each.catch(() => (hasFailed = true));
  try {
    for (let round = 0; round < rounds; ++round) {
      const goal = (round + 1) * OPERATIONS_BETWEEN_CHANGES;
      const isBehind = () => !hasFailed && programs.slice(0, WRITERS).some(({ done }) => done < goal);
      while (isBehind()) await new Promise((resolve) => setImmediate(resolve));
      ++changes.begun;
      await change(round);
      ++changes.done;
    }
  } finally {
    isOver = true;
    await Promise.all(writing);
    isWritten = true;
    await Promise.all(reading);
    for (const program of programs) program.client.dispose();
  }
  const query = "SELECT c.id, c.n FROM c WHERE c.kind = 'moving' ORDER BY c.id";
  const { resources } = await container.items.query(query).fetchAll();
  const expected = models.flatMap((model) => [...model].map(([id, n]) => ({ id, n })));
  assert.deepEqual(resources, expected.sort((left, right) => (left.id < right.id ? -1 : 1)));
  for (const { id, n } of [...expected, ...STILL]) assert.equal(seen.get(id), n, `the change feed's last version of ${id}`);
  return programs.slice(0, WRITERS).map((program) => program.reads);
}

test("programs go on when the partition key is changed, once they have read the container again", { skip }, async () => {
  const container = await newContainer("/pk", { throughput: 25000 });
  for (const item of STILL) await container.items.create(item);
  const paths = ["/tenant", "/pk"];
  const reads = await workThrough(container, CHANGES, (round) =>
    order("rekey", container, { partitionKey: { paths: [paths[round % 2]], kind: "Hash", version: 2 } }),
  );
  for (const count of reads) assert.ok(count > 1 && count <= 1 + 3 * CHANGES, `the container was read ${count} times`);
  const { resource } = await container.read();
  assert.deepEqual(resource.partitionKey.paths, ["/pk"]);
});

test("programs go on when a container gets its first partition key", { skip }, async () => {
  const container = await newContainerWithoutKey();
  for (const item of STILL) await container.items.create(item);
  await workThrough(container, 1, () =>
    order("rekey", container, { partitionKey: { paths: ["/tenant"], kind: "Hash", version: 2 } }),
  );
  const { resource } = await container.read();
  assert.deepEqual(resource.partitionKey.paths, ["/tenant"]);
});

test("a page's continuation is refused after the partition key was changed", { skip }, async () => {
  const container = await newContainer("/pk");
  for (const item of STILL) await container.items.create(item);
  const first = await container.items.readAll({ maxItemCount: 25 }).fetchNext();
  await order("rekey", container, { partitionKey: { paths: ["/tenant"], kind: "Hash", version: 2 } });
  const { continuationToken } = first;
  await assert.rejects(container.items.readAll({ maxItemCount: 25, continuationToken }).fetchNext(), { code: 400 });
});

// Writes and reads until told to stop; `seen` gets the statuses of the answers, `model` what must be there.
async function knock(container, seen, model, isOver) {
  const status = (promise) => promise.then(({ statusCode }) => statusCode, ({ code }) => code);
  for (let n = 0; !isOver(); ++n) {
    const document = documentOf(`k-${n % 50}`, n % 50, "moving", n);
    const written = await status(container.items.upsert(document));
    seen.writes.add(written);
    if (written < 300) model.add(document.id);
    seen.reads.add(await status(container.item("still-0", STILL[0].pk).read()));
  }
}

for (const { mode, writes, reads } of [
  { mode: "readOnly", writes: 403, reads: 200 },
  { mode: "offline", writes: 503, reads: 503 },
]) {
  test(`a program is told when partitions are changed in the mode ${mode}, and goes on`, { skip }, async () => {
    const container = await newContainer("/pk", { throughput: 10000 });
    for (const item of STILL) await container.items.create(item);
    let isOver = false;
    const seen = { writes: new Set(), reads: new Set() };
    const model = new Set();
    const knocking = [0, 1, 2, 3].map(() => knock(container, seen, model, () => isOver));
    const hasBeenTold = () => seen.writes.has(writes) && seen.reads.has(reads);
    try {
      for (let round = 0, range = "0"; round < CLOSED_ROUNDS_MAX && !hasBeenTold(); ++round) {
        const split = await order("split", container, { range, mode });
        const merge = await order("merge", container, { range: split.children[0], mode });
        assert.ok(split.verified >= STILL.length && merge.verified >= STILL.length);
        [range] = merge.children;
      }
    } finally {
      isOver = true;
      await Promise.all(knocking);
    }
    assert.deepEqual([...seen.writes].filter((status) => ![200, 201, writes].includes(status)), []);
    assert.deepEqual([...seen.reads].filter((status) => ![200, reads].includes(status)), []);
    assert.ok(hasBeenTold(), "the program was never kept out");
    const { resources } = await container.items.query("SELECT VALUE c.id FROM c WHERE c.kind = 'moving'").fetchAll();
    assert.deepEqual(new Set(resources), model);
    assert.equal(resources.length, model.size);
  });
}
