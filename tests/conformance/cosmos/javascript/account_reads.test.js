import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { test } from "node:test";
import { endpoint, newClient, openDatabase } from "./support.js";

const kOperations = 100;

const scope = await openDatabase();
const account = new URL(endpoint);
// Tried over http only, where an address can be put in front of the account: over https the account would name it with its own
// scheme, and what the client asks does not depend on that.
const canBeCounted = account.protocol === "http:";

// An address in front of the account that notes what is asked, as the account sees it.
async function openCounter() {
  const asked = [];
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const { method, url: path, headers } = incoming;
    const onward = request({ host: account.hostname, port: account.port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { asked, endpoint: `http://127.0.0.1:${server.address().port}/`, close: () => server.close(() => {}) };
}

if (canBeCounted) {
  test("an operation is one request: the account is not read around it", async () => {
    const made = await scope.newContainer();
    await made.items.create({ id: "a", pk: "a" });
    const counter = await openCounter();
    const client = newClient({ endpoint: counter.endpoint });
    try {
      const container = client.database(scope.database.id).container(made.id);
      await container.item("a", "a").read(); // The client gets to know the account and the container.
      const known = counter.asked.length;
      for (let n = 0; n < kOperations; ++n) await container.item("a", "a").read();
      assert.equal(counter.asked.length - known, kOperations, counter.asked.slice(known, known + 6).join("\n"));
      assert.deepEqual(counter.asked.filter((each) => each === "GET /").length, 1);
    } finally {
      client.dispose();
      counter.close();
    }
  });
}
