"""A process that shares a container's change feed with others of its kind, so that it can be killed. It writes the number of each
document that it is told of. Arguments: KIND NAME DATABASE WATCHED LEASES. It goes on until its standard input ends."""

import asyncio
import sys
import threading

from change_leases import Worker
from conftest import open_client

PAUSE_SECONDS = 0.1


async def main(kind, name, database_id, watched, leases):
    is_over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), is_over.set()), daemon=True).start()
    async with open_client(kind) as client:
        database = client.get_database_client(database_id)
        worker = Worker(name, database.get_container_client(watched), database.get_container_client(leases))
        while not is_over.is_set():
            await worker.turn(lambda items: [print(item["n"], flush=True) for item in items])
            await asyncio.sleep(PAUSE_SECONDS)


asyncio.run(main(*sys.argv[1:]))
