"""A place to work in whose disk can be made to fail, and where what clients were told is compared with what is there."""

import time

from testbed import cases
from verify import verify


class Place(cases.Place):
    def __init__(self, binary, shim=None):
        super().__init__(binary)
        self.shim = shim

    def start(self, with_shim=True):
        return super().start(self._environment() if with_shim else None)

    def _environment(self):
        return self.shim.environment(self.data) if self.shim else None

    def start_and_kill(self, seconds):
        """A life that ends so soon after its beginning that it may still be recovering from the last."""
        super().start(self._environment(), waits=False)
        time.sleep(seconds)
        self.server.kill()

    def verify_after_restart(self, workload, with_shim=True):
        """Checks the directory of the stopped server, starts it again and compares; leaves it running."""
        problems = self.check()
        self.start(with_shim)
        return problems + verify(workload, self.server.port)
