// What every test file here needs: clients on the judged account, and a database of its own that goes away afterwards.

import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { after } from "node:test";
import { CosmosClient } from "@azure/cosmos";

export const endpoint = process.env.PARTITA_ENDPOINT ?? "http://127.0.0.1:8081/";
export const key =
  process.env.PARTITA_KEY ??
  "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

export function newClient(options = {}) {
  return new CosmosClient({ endpoint, key, ...options });
}

// A client whose requests pass through `change` before they are sent, for what the SDK itself would not do, and whose answers
// `observe` gets to see.
export function newClientThat(change, observe = () => {}) {
  const plugin = async (request, _diagnostics, next) => {
    change(request);
    const response = await next(request);
    observe(response);
    return response;
  };
  return newClient({ plugins: [{ on: "request", plugin }] });
}

// A client whose queries are merged by the server, if it is one that can.
export function newClientOfMerged() {
  return newClientThat(({ headers }) => (headers["x-partita-fidelity"] = "extended"));
}

export function uniqueId(prefix = "conformance-js") {
  return `${prefix}-${randomUUID()}`;
}

// A database for one test file, `const scope = await openDatabase();`, deleted when the file's tests are done.
export async function openDatabase() {
  const client = newClient();
  const { database } = await client.databases.create({ id: uniqueId() });
  after(async () => {
    await database.delete();
    client.dispose();
  });
  const newContainer = async (partitionKey = "/pk", options = {}) =>
    (await database.containers.create({ id: uniqueId("c"), partitionKey, ...options })).container;
  return { client, database, newContainer };
}

export async function assertFails(promise, code, substatus) {
  const error = await promise.then(
    (response) => assert.fail(`expected ${code}, but it succeeded with ${response.statusCode}`),
    (failure) => failure,
  );
  assert.equal(error.code, code, `expected ${code}, got ${error.code}: ${error.message}`);
  if (substatus !== undefined) assert.equal(Number(error.substatus), substatus);
  return error;
}

// One request signed by hand, for what the SDK refuses to send at all.
export async function signedFetch(method, resourceType, resourceLink, path, { headers = {}, body, date } = {}) {
  date ??= new Date().toUTCString();
  const signed = [method.toLowerCase(), resourceType, resourceLink, date.toLowerCase(), "", ""].join("\n");
  const signature = createHmac("sha256", Buffer.from(key, "base64")).update(signed, "utf8").digest("base64");
  return fetch(new URL(path, endpoint), {
    method,
    body,
    headers: {
      authorization: encodeURIComponent(`type=master&ver=1.0&sig=${signature}`),
      "x-ms-date": date,
      "x-ms-version": "2020-07-15",
      ...headers,
    },
  });
}
