"""Two workers share a change feed by leases of their own, one is killed, the other takes over, while partitions are split and merged."""

import asyncio
import subprocess
import sys
import threading
import time

from admin import needs_splits_on_demand, reshape  # noqa: F401 (one is a fixture)
from awaitable import Awaitable
from change_leases import create_leases

KEYS = 30
MORE = 40
WAIT_SECONDS_MAX = 60


class WorkerProcess:
    def __init__(self, name, database, watched, leases):
        kind = "sync" if isinstance(watched, Awaitable) else "async"
        command = [sys.executable, "-B", "change_worker.py", kind, name, database.id, watched.id, leases.id]
        self.seen = set()
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self.seen.add(int(line))

    @property
    def is_running(self):
        return self._process.poll() is None

    def kill(self):
        """It gets no chance to give its leases back."""
        self._process.kill()
        self._process.wait()
        self._reader.join()


class Writer:
    """Numbers documents as it writes them."""

    def __init__(self, container):
        self._container = container
        self.count = 0

    async def write(self):
        n = self.count
        await self._container.create_item({"id": f"i{n}", "pk": f"k{n % KEYS}", "n": n})
        self.count += 1
        await asyncio.sleep(0.005)

    async def write_more(self):
        for _ in range(MORE):
            await self.write()

    async def write_during(self, work):
        """As long as this takes."""
        task = asyncio.ensure_future(work)
        while not task.done():
            await self.write()
        return task.result()


async def until(is_true, what):
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while not is_true():
        assert time.monotonic() < deadline, f"not within a minute: {what()}"
        await asyncio.sleep(0.05)


async def _reshape(kind, database, container, range_id):
    return (await reshape(kind, database, container, range_id))["children"][0]


async def _split_merge_and_split(database, container, range_id):
    for kind in ("split", "merge", "split"):
        range_id = await _reshape(kind, database, container, range_id)
    return range_id


async def test_two_workers_share_the_changes_through_splits_and_merges_and_one_takes_over_when_the_other_is_killed(database, new_container):
    watched = await new_container("/pk", offer_throughput=25000)
    leases = await new_container("/id", offer_throughput=4000)
    await create_leases(watched, leases)
    one, two = workers = [WorkerProcess(name, database, watched, leases) for name in ("one", "two")]
    writer = Writer(watched)

    def missing(*some):
        return [n for n in range(writer.count) if all(n not in worker.seen for worker in some)]

    try:
        await writer.write_during(until(lambda: all(len(worker.seen) > 5 for worker in workers), lambda: "both have something to do"))
        first = await writer.write_during(_split_merge_and_split(database, watched, "0"))
        await writer.write_more()
        await until(lambda: not missing(one, two), lambda: f"both miss {missing(one, two)}")
        assert all(worker.is_running and len(worker.seen) < writer.count for worker in workers), "both go on, and share"
        death = asyncio.ensure_future(_reshape("merge", database, watched, first))
        await writer.write()
        one.kill()
        before = writer.count
        await writer.write_during(death)
        await writer.write_more()
        await until(lambda: not missing(one, two), lambda: f"with one dead they miss {missing(one, two)}")
        assert all(n < before for n in missing(two)), "the other one is told of all that is written now"
        assert two.is_running, "and goes on"
    finally:
        for worker in workers:
            worker.kill()
