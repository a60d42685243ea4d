// A process that shares a container's change feed with others of its kind, so that it can be killed. It writes the number of each
// document that it is told of. Arguments: NAME DATABASE WATCHED LEASES. It goes on until its standard input ends.

import { Worker } from "./leases.js";
import { newClient } from "./support.js";

const PAUSE_MS = 100;

const [name, databaseId, watched, leases] = process.argv.slice(2);
const database = newClient().database(databaseId);
const worker = new Worker(name, database.container(watched), database.container(leases));
let isOver = false;
process.stdin.resume().on("end", () => (isOver = true));
while (!isOver) {
  await worker.turn((items) => items.forEach((item) => console.log(item.n)));
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
process.exit();
