// Two workers share a change feed by leases of their own, one is killed, the other takes over, while partitions are split and merged.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { createLeases } from "./leases.js";
import { openDatabase, signedFetch } from "./support.js";

const { database, newContainer } = await openDatabase();
const KEYS = 30;
const MORE = 40;
const WAIT_MS_MAX = 60_000;
const answers = await signedFetch("GET", "partita", "reshapes", "/_partita/reshapes");
const skip = answers.status !== 200 && "the account does not split on demand";

class WorkerProcess {
  constructor(name, watched, leases) {
    this.seen = new Set();
    const stdio = ["pipe", "pipe", "inherit"];
    this.process = spawn(process.execPath, ["change_worker.js", name, database.id, watched.id, leases.id], { stdio });
    createInterface({ input: this.process.stdout }).on("line", (line) => this.seen.add(Number(line)));
  }

  get isRunning() {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  // It gets no chance to give its leases back.
  async kill() {
    if (!this.isRunning) return;
    this.process.kill("SIGKILL");
    await once(this.process, "exit");
  }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function until(isTrue, what) {
  const deadline = Date.now() + WAIT_MS_MAX;
  while (!isTrue()) {
    assert.ok(Date.now() < deadline, `not within a minute: ${what()}`);
    await pause(50);
  }
}

// Numbers documents as it writes them.
class Writer {
  constructor(container) {
    this.container = container;
    this.count = 0;
  }

  async write() {
    const n = this.count;
    await this.container.items.create({ id: `i${n}`, pk: `k${n % KEYS}`, n });
    ++this.count;
    await pause(5);
  }

  async writeMore() {
    for (let i = 0; i < MORE; ++i) await this.write();
  }

  // As long as this takes.
  async writeDuring(work) {
    let isOver = false;
    const watched = work.finally(() => (isOver = true));
    while (!isOver) await this.write();
    return watched;
  }
}

async function reshape(kind, container, range) {
  const body = JSON.stringify({ database: database.id, container: container.id, range });
  const response = await signedFetch("POST", "partita", kind, `/_partita/${kind}`, { body });
  const report = await response.json();
  assert.equal(response.status, 200, JSON.stringify(report));
  return report.children;
}

async function splitMergeAndSplit(container, range) {
  const [child] = await reshape("split", container, range);
  const [merged] = await reshape("merge", container, child);
  return (await reshape("split", container, merged))[0];
}

test("two workers share the changes, through splits and merges, and when one is killed the other takes over", { skip }, async () => {
  const watched = await newContainer("/pk", { throughput: 25_000 });
  const leases = await newContainer("/id", { throughput: 4000 });
  await createLeases(watched, leases);
  const workers = ["one", "two"].map((name) => new WorkerProcess(name, watched, leases));
  const [one, two] = workers;
  const missing = (...some) => [...Array(writer.count).keys()].filter((n) => some.every((worker) => !worker.seen.has(n)));
  const writer = new Writer(watched);
  try {
    await writer.writeDuring(until(() => workers.every((worker) => worker.seen.size > 5), () => "both have something to do"));
    const first = await writer.writeDuring(splitMergeAndSplit(watched, "0"));
    await writer.writeMore();
    await until(() => missing(one, two).length === 0, () => `both miss ${missing(one, two)}`);
    assert.ok(workers.every((worker) => worker.isRunning && worker.seen.size < writer.count), "both go on, and share");
    const death = reshape("merge", watched, first);
    await writer.write();
    await one.kill();
    const before = writer.count;
    await writer.writeDuring(death);
    await writer.writeMore();
    await until(() => missing(one, two).length === 0, () => `with one dead they miss ${missing(one, two)}`);
    assert.ok(missing(two).every((n) => n < before), "the other one is told of all that is written now");
    assert.ok(two.isRunning, "and goes on");
  } finally {
    for (const worker of workers) await worker.kill();
  }
});
