import assert from "node:assert/strict";
import { ChangeFeedStartFrom } from "@azure/cosmos";

// Follows the change feed until nothing new comes after `isOver`; `seen` has the newest of each document, and none goes back.
export async function readChanges(container, seen, isOver) {
  const options = { maxItemCount: 20, changeFeedStartFrom: ChangeFeedStartFrom.Beginning() };
  let wasOver = false;
  for await (const page of container.items.getChangeFeedIterator(options).getAsyncIterator()) {
    for (const item of page.statusCode === 304 ? [] : page.result) {
      assert.ok(!seen.has(item.id) || seen.get(item.id) <= item.n, `${item.id} goes back from ${seen.get(item.id)} to ${item.n}`);
      seen.set(item.id, item.n);
    }
    if (page.statusCode !== 304) continue;
    if (wasOver) return;
    wasOver = isOver();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
