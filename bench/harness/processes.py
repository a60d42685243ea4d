"""Servers as processes: starting them pinned, their processor time, their memory, their end."""

import contextlib
import os
import re
import signal
import socket
import subprocess

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def on_processor(number):
    """Processes started inside inherit the affinity, which costs them nothing; None leaves them free."""
    before = os.sched_getaffinity(0)
    if number is not None:
        os.sched_setaffinity(0, {number})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Server:
    """A running server and all of its descendants."""

    def __init__(self, command, log_path, processor=None, user=None, stop_signal=signal.SIGTERM):
        self.log_path = log_path
        self._stop_signal = stop_signal
        with open(log_path, "ab") as log, on_processor(processor):
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, user=user, cwd="/"
            )

    def is_running(self):
        return self._process.poll() is None

    def stop(self):
        if not self.is_running():
            return
        self._process.send_signal(self._stop_signal)
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def last_words(self):
        with open(self.log_path, errors="replace") as log:
            return "".join(log.readlines()[-12:]).strip()

    def processor_seconds(self):
        """User and system time of the whole tree, including descendants that have ended.

        The scheduler's own account is in nanoseconds; /proc/PID/stat, in ticks of 10 ms, is used for what has ended.
        """
        total = sum(_thread_seconds(pid) for pid in self._tree())
        children_user, children_system = _stat_fields(self._process.pid)[13:15]
        return total + (int(children_user) + int(children_system)) / TICKS_PER_SECOND

    def processor_seconds_of(self, program):
        """The same for the living descendants that run this program."""
        return sum(_thread_seconds(pid) for pid in self._tree() if _program(pid) == program)

    def memory_mb(self):
        """(RSS, PSS): RSS counts a page once for each process that maps it, PSS once in all."""
        rss = pss = 0
        for pid in self._tree():
            with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup") as rollup:
                text = rollup.read()
                rss += int(re.search(r"^Rss:\s+(\d+)", text, re.M)[1])
                pss += int(re.search(r"^Pss:\s+(\d+)", text, re.M)[1])
        return rss / 1024, pss / 1024

    def _tree(self):
        parents = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError):
                    parents[int(name)] = int(_stat_fields(int(name))[1])
        tree = {self._process.pid}
        grew = True
        while grew:
            found = {pid for pid, parent in parents.items() if parent in tree} - tree
            tree |= found
            grew = bool(found)
        return tree


def _stat_fields(pid):
    """Fields 3 and on of /proc/PID/stat: the second, the command, may itself hold spaces and parentheses."""
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()


def _program(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/comm") as comm:
        return comm.read().strip()
    return None


def _thread_seconds(pid):
    nanoseconds = 0
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/schedstat") as schedstat:
                nanoseconds += int(schedstat.read().split()[0])
    return nanoseconds / 1e9
