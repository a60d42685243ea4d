"""Leases, as programs with the pull model keep them: one document per feed range says who reads it, until when, and how far that one
has come. Every change of a lease is on condition that nobody else has changed it, so a range has one reader at a time."""

import math
import time

from azure.core import MatchConditions
from azure.cosmos.exceptions import CosmosHttpResponseError

EXPIRY_SECONDS = 2.5  # so soon others may have what a dead worker had
RACED = (404, 412)


async def create_leases(watched, leases):
    """One for each feed range, at its beginning."""
    ranges = [each async for each in watched.read_feed_ranges()]
    for i, feed_range in enumerate(ranges):
        await leases.create_item({"id": str(i), "owner": "", "until": 0, "start": {"feed_range": feed_range, "start_time": "Beginning"}})


class Worker:
    """Who works on `leases` under this name."""

    def __init__(self, name, watched, leases):
        self._name = name
        self._watched = watched
        self._leases = leases

    async def turn(self, handle):
        """Takes what is nobody's, or one lease of somebody who has more than a fair share; gives what is new in its own to `handle`."""
        every = [lease async for lease in self._leases.read_all_items()]
        now = time.time()
        mine = [lease for lease in every if lease["owner"] == self._name]
        others = [lease for lease in every if lease["owner"] != self._name and lease["until"] > now]
        owners = [lease["owner"] for lease in others]
        share = math.ceil(len(every) / len({self._name, *owners}))
        free = [lease for lease in every if lease not in mine and lease not in others]
        spare = [lease for lease in others if owners.count(lease["owner"]) > share][:1]
        for lease in free + spare:
            if len(mine) < share and await self._note(lease):
                mine.append(lease)
        for lease in mine:
            await self._read(lease, handle)

    async def _read(self, lease, handle):
        """Handles before it notes the position: whoever dies in between leaves it to the next owner, who handles it again."""
        items = self._watched.query_items_change_feed(max_item_count=10, **lease["start"])
        handle([item async for item in items])
        lease["start"] = {"continuation": self._watched.client_connection.last_response_headers["etag"]}
        await self._note(lease)

    async def _note(self, lease):
        """Whether the lease is this worker's now."""
        changed = {**lease, "owner": self._name, "until": time.time() + EXPIRY_SECONDS}
        try:
            lease.update(await self._leases.replace_item(
                lease["id"], changed, etag=lease["_etag"], match_condition=MatchConditions.IfNotModified))
            return True
        except CosmosHttpResponseError as error:
            if error.status_code in RACED:
                return False
            raise
