import assert from "node:assert/strict";
import { test } from "node:test";
import { CosmosClient, PermissionMode } from "@azure/cosmos";
import { assertFails, endpoint, openDatabase, uniqueId } from "./support.js";

const scope = await openDatabase();

// A client that has nothing but the token of a new permission.
async function clientWith(permissionMode, container, extra = {}) {
  const { user } = await scope.database.users.create({ id: uniqueId("u") });
  const { resource: permission } = await user.permissions.create({
    id: "p",
    permissionMode,
    resource: container.url,
    ...extra,
  });
  const client = new CosmosClient({
    endpoint,
    resourceTokens: { [container.url]: permission._token },
    connectionPolicy: { enableBackgroundEndpointRefreshing: false },
  });
  return { user, container: client.database(scope.database.id).container(container.id) };
}

test("users and permissions are created, read, renamed, listed and deleted", async () => {
  const container = await scope.newContainer();
  const { user } = await scope.database.users.create({ id: "ada" });
  await assertFails(scope.database.users.create({ id: "ada" }), 409);
  const { resource: renamed } = await user.replace({ id: "grace" });
  assert.equal(renamed.id, "grace");
  await assertFails(user.read(), 404);
  const grace = scope.database.user("grace");
  await grace.permissions.create({ id: "p", permissionMode: PermissionMode.Read, resource: container.url });
  const { resource: upserted } = await grace.permissions.upsert({ id: "p", permissionMode: PermissionMode.All, resource: container.url });
  assert.equal(upserted.permissionMode, PermissionMode.All);
  const { resources: listed } = await grace.permissions.readAll().fetchAll();
  assert.deepEqual(listed.map((permission) => permission.id), ["p"]);
  const { resources: found } = await scope.database.users.query("SELECT * FROM u WHERE u.id = 'grace'").fetchAll();
  assert.equal(found.length, 1);
  await grace.delete();
  await assertFails(grace.permission("p").read(), 404);
});

test("a token for reading reads and does not write", async () => {
  const container = await scope.newContainer();
  await container.items.create({ id: "1", pk: "a" });
  const { container: reader } = await clientWith(PermissionMode.Read, container);
  assert.equal((await reader.item("1", "a").read()).resource.id, "1");
  assert.equal((await reader.items.query("SELECT * FROM c").fetchAll()).resources.length, 1);
  await assertFails(reader.items.create({ id: "2", pk: "a" }), 403);
  await assertFails(reader.item("1", "a").delete(), 403);
  await assertFails(reader.delete(), 403);
});

test("a token for a partition key stays in it", async () => {
  const container = await scope.newContainer();
  await container.items.create({ id: "1", pk: "b" });
  const { container: writer, user } = await clientWith(PermissionMode.All, container, { resourcePartitionKey: ["a"] });
  await writer.items.create({ id: "1", pk: "a" });
  assert.equal((await writer.items.query("SELECT * FROM c", { partitionKey: "a" }).fetchAll()).resources.length, 1);
  await assertFails(writer.items.create({ id: "2", pk: "b" }), 403);
  await assertFails(writer.item("1", "b").read(), 403);
  await assertFails(writer.items.query("SELECT * FROM c", { partitionKey: "b" }).fetchAll(), 403);
  await user.permission("p").delete();
  await assertFails(writer.item("1", "a").read(), 403);
});

test("a token of one container is good for nothing else", async () => {
  const container = await scope.newContainer();
  const other = await scope.newContainer();
  const { container: writer } = await clientWith(PermissionMode.All, container);
  await writer.items.create({ id: "1", pk: "a" });
  const { user } = await clientWith(PermissionMode.All, other);
  const { resource: permission } = await user.permission("p").read();
  const confused = new CosmosClient({ endpoint, resourceTokens: { [container.url]: permission._token } });
  await assertFails(confused.database(scope.database.id).container(container.id).item("1", "a").read(), 403);
  confused.dispose();
});
