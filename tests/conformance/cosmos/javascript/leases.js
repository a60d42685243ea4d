// Leases, as programs with the pull model keep them: one document per feed range says who reads it, until when, and how far that one
// has come. Every change of a lease is on condition that nobody else has changed it, so a range has one reader at a time.

import { ChangeFeedStartFrom } from "@azure/cosmos";

// So soon others may have what a dead worker had.
const EXPIRY_MS = 2500;
const RACED = [404, 412];

// One lease for each of the container's feed ranges, at its present end: for a container that is still empty, the beginning.
export async function createLeases(watched, leases) {
  for (const [i, range] of (await watched.getFeedRanges()).entries()) {
    const page = await watched.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Beginning(range) }).readNext();
    await leases.items.create({ id: `${i}`, owner: "", until: 0, position: page.continuationToken });
  }
}

// Who works on `leases` under this name.
export class Worker {
  constructor(name, watched, leases) {
    this.name = name;
    this.watched = watched;
    this.leases = leases;
  }

  // Takes what is nobody's, or one lease of somebody who has more than a fair share; gives one page of each of its own to `handle`.
  async turn(handle) {
    const { resources } = await this.leases.items.readAll().fetchAll();
    const now = Date.now();
    const isMine = (lease) => lease.owner === this.name;
    const owners = new Set([this.name, ...resources.filter((lease) => lease.until > now).map((lease) => lease.owner)]);
    const share = Math.ceil(resources.length / owners.size);
    const mine = resources.filter(isMine);
    for (const lease of resources.filter((each) => !isMine(each) && each.until <= now)) {
      if (mine.length < share && (await this.note(lease, lease.position))) mine.push(lease);
    }
    const count = (owner) => resources.filter((lease) => lease.owner === owner).length;
    const spare = resources.find((lease) => !isMine(lease) && count(lease.owner) > share);
    if (spare && mine.length < share && (await this.note(spare, spare.position))) mine.push(spare);
    for (const lease of mine) await this.readPage(lease, handle);
  }

  // The page is handled before its end is noted: whoever dies in between leaves it to the next owner, who handles it again.
  async readPage(lease, handle) {
    const options = { maxItemCount: 10, changeFeedStartFrom: ChangeFeedStartFrom.Continuation(lease.position) };
    const page = await this.watched.items.getChangeFeedIterator(options).readNext();
    if (page.statusCode !== 304) await handle(page.result);
    await this.note(lease, page.continuationToken);
  }

  // Whether the lease is this worker's now, at this position.
  async note(lease, position) {
    const changed = { ...lease, owner: this.name, until: Date.now() + EXPIRY_MS, position };
    try {
      const accessCondition = { type: "IfMatch", condition: lease._etag };
      const { resource } = await this.leases.item(lease.id, lease.id).replace(changed, { accessCondition });
      Object.assign(lease, resource);
      return true;
    } catch (error) {
      if (RACED.includes(error.code)) return false;
      throw error;
    }
  }
}
