"""A container gets another partition key while a program works with it."""

import asyncio
from contextlib import asynccontextmanager

from azure.cosmos.exceptions import CosmosHttpResponseError

from admin import ask, needs_splits_on_demand, query_all  # noqa: F401 (one is a fixture)
from awaitable import Awaitable
from conftest import open_client

WRITERS = 2
CHANGES = 2
OPERATIONS_BETWEEN_CHANGES = 20


class Program:
    """With a client of its own, and with the partition key that the container had when it was last read."""

    def __init__(self, container):
        self.container = container
        self.done = 0
        self.model = {}

    @staticmethod
    @asynccontextmanager
    async def opened(database, container):
        async with open_client("sync" if isinstance(container, Awaitable) else "async") as client:
            program = Program(client.get_database_client(database.id).get_container_client(container.id))
            await program.read_container()
            yield program

    async def read_container(self):
        self.key = (await self.container.read())["partitionKey"]["paths"][0][1:]

    async def with_the_right_key(self, operation):
        """What a program must do that goes on through a change of the key: read the container, and try again."""
        for attempt in range(3):
            try:
                return await operation()
            except CosmosHttpResponseError as error:
                is_stale = (error.status_code, error.sub_status) == (400, 1001) or error.status_code == 404
                if not is_stale or attempt == 2:
                    raise
                await self.read_container()

    async def write(self, writer, is_over):
        while not is_over.is_set():
            n = self.done
            document = {"id": f"w{writer}-{n % 25}", "pk": f"key {n % 25}", "tenant": f"tenant {n % 5}", "n": n}
            await self.with_the_right_key(lambda: self.container.upsert_item(document))
            self.model[document["id"]] = n
            found = await self.with_the_right_key(lambda: self.container.read_item(document["id"], partition_key=document[self.key]))
            assert found["n"] == n
            self.done += 1


async def _write_in_a_program(database, container, writer, programs, is_over):
    async with Program.opened(database, container) as program:
        programs.append(program)
        await program.write(writer, is_over)


async def _change_key(database, container, path):
    key = {"paths": [path], "kind": "Hash", "version": 2}
    order = {"database": database.id, "container": container.id, "partitionKey": key}
    await asyncio.to_thread(ask, "POST", "partita", "rekey", "/_partita/rekey", order)


async def test_writers_and_readers_go_on_when_the_partition_key_is_changed_once_they_have_read_the_container_again(database, new_container):
    container = await new_container("/pk", offer_throughput=25000)
    is_over, programs = asyncio.Event(), []
    writing = [asyncio.create_task(_write_in_a_program(database, container, writer, programs, is_over)) for writer in range(WRITERS)]
    try:
        for change in range(CHANGES):
            goal = (change + 1) * OPERATIONS_BETWEEN_CHANGES
            while len(programs) < WRITERS or any(program.done < goal for program in programs):
                assert not any(task.done() for task in writing)
                await asyncio.sleep(0)
            await _change_key(database, container, ["/tenant", "/pk"][change % 2])
    finally:
        is_over.set()
        await asyncio.gather(*writing)
    rows = [row async for row in query_all(container, "SELECT c.id, c.n FROM c")]
    expected = {identifier: n for program in programs for identifier, n in program.model.items()}
    assert {row["id"]: row["n"] for row in rows} == expected
    assert len(rows) == len(expected)
