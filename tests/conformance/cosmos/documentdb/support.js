"use strict";

// The old SDK speaks callbacks; here each call becomes a promise of {resource, headers}, and a feed a list of pages.

const assert = require("node:assert/strict");
const { randomUUID } = require("node:crypto");
const http = require("node:http");
const https = require("node:https");
const { after, before } = require("node:test");
const { DocumentClient } = require("documentdb");

const endpoint = process.env.PARTITA_ENDPOINT ?? "http://127.0.0.1:8081/";
const masterKey =
  process.env.PARTITA_KEY ??
  "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

// The package, unchanged since 2018, asks for TLS 1.0, which no current server offers. Its agent is replaceable.
class CurrentTlsAgent extends https.Agent {
  createConnection({ secureProtocol, ...options }, callback) {
    return super.createConnection(options, callback);
  }
}

class Client {
  constructor(key = masterKey) {
    this.inner = new DocumentClient(endpoint, { masterKey: key });
    const Agent = endpoint.startsWith("https:") ? CurrentTlsAgent : http.Agent;
    this.inner.requestAgent = new Agent({ keepAlive: true });
  }

  call(operation, ...parameters) {
    return new Promise((resolve, reject) => {
      this.inner[operation](...parameters, (error, resource, headers) =>
        error ? reject(error) : resolve({ resource, headers }),
      );
    });
  }

  // Every page of a feed, as {resources, headers}.
  async pages(operation, ...parameters) {
    const feed = this.inner[operation](...parameters);
    const pages = [];
    do {
      pages.push(
        await new Promise((resolve, reject) => {
          feed.executeNext((error, resources, headers) => (error ? reject(error) : resolve({ resources, headers })));
        }),
      );
    } while (feed.hasMoreResults());
    return pages.filter((page) => page.resources !== undefined);
  }

  async all(operation, ...parameters) {
    return (await this.pages(operation, ...parameters)).flatMap((page) => page.resources);
  }

  close() {
    this.inner.requestAgent.destroy();
  }
}

function uniqueId(prefix = "conformance-old") {
  return `${prefix}-${randomUUID()}`;
}

// Gives the enclosing suite a database of its own: `scope.client`, `scope.link` and `scope.self` inside its tests.
function useDatabase() {
  const scope = {};
  before(async () => {
    scope.client = new Client();
    const { resource } = await scope.client.call("createDatabase", { id: uniqueId() });
    scope.link = `dbs/${resource.id}`;
    scope.self = resource._self;
    await scope.onceOpen?.();
  });
  after(async () => {
    await scope.client.call("deleteDatabase", scope.link);
    scope.client.close();
  });
  scope.newCollection = async (definition = {}, options = {}) => {
    const id = uniqueId("c");
    const { resource } = await scope.client.call("createCollection", scope.link, { id, ...definition }, options);
    return { link: `${scope.link}/colls/${id}`, self: resource._self, definition: resource };
  };
  scope.newPartitionedCollection = (path = "/pk", options = { offerThroughput: 400 }) =>
    scope.newCollection({ partitionKey: { paths: [path], kind: "Hash" } }, options);
  return scope;
}

async function assertFails(promise, code, substatus) {
  const error = await promise.then(() => assert.fail(`expected ${code}, but it succeeded`), (failure) => failure);
  assert.equal(error.code, code, `expected ${code}, got ${error.code}: ${error.body ?? error.message}`);
  if (substatus !== undefined) assert.equal(error.substatus, substatus);
  return error;
}

module.exports = { Client, assertFails, uniqueId, useDatabase };
