"""A network that can be slow, be cut, and swallow what is sent: a proxy on loopback, between clients and a server."""

import asyncio
import socket
import struct
import threading

CHUNK_BYTES = 65536
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Network:
    """Everything that comes to `port` goes to `server_port`, and back. Used by one thread; it works on one of its own."""

    def __init__(self, server_port):
        self._server_port = server_port
        self._delay_seconds = 0
        self._writers = set()
        self._loop = asyncio.new_event_loop()
        self._flows = None  # an event that is not set while nothing gets through
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._listener = self._on_loop(self._listen())
        self.port = self._listener.sockets[0].getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def set_delay(self, seconds):
        """What is sent from now on takes so much longer, in each direction."""
        self._delay_seconds = seconds

    def swallow(self):
        """Nothing gets through any more, and nobody is told."""
        self._loop.call_soon_threadsafe(self._flows.clear)

    def flow(self):
        """What was swallowed comes late."""
        self._loop.call_soon_threadsafe(self._flows.set)

    def cut(self):
        """All connections are reset, with what was under way on them; new ones are welcome."""
        self._on_loop(self._reset_all())

    def _on_loop(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _listen(self):
        self._flows = asyncio.Event()
        self._flows.set()
        return await asyncio.start_server(self._connect, "127.0.0.1", 0)

    async def _connect(self, client_reader, client_writer):
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        except OSError:
            client_writer.transport.abort()
            return
        both = {client_writer, server_writer}
        self._writers |= both
        await asyncio.gather(self._pump(client_reader, server_writer), self._pump(server_reader, client_writer))
        self._writers -= both

    async def _pump(self, reader, writer):
        try:
            while chunk := await reader.read(CHUNK_BYTES):
                await asyncio.sleep(self._delay_seconds)
                await self._flows.wait()
                writer.write(chunk)
                await writer.drain()
        except OSError:
            pass  # one of them is gone; the other is told below
        writer.close()

    async def _reset_all(self):
        for writer in self._writers:
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            writer.transport.abort()
