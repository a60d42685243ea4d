"""How much of the machine the measurements had: others' load, time the hypervisor took, the file system."""

import os


class Machine:
    def __init__(self, directory):
        self._file_system = _file_system_of(directory)
        self._before = self._after = (0, 1)

    def is_memory_only(self):
        return self._file_system in ("tmpfs", "ramfs")

    def begin(self):
        self._before = _stolen_and_total_ticks()

    def end(self):
        self._after = _stolen_and_total_ticks()

    def describe(self):
        stolen, total = (after - before for after, before in zip(self._after, self._before))
        return (f"{os.cpu_count()} cores, load average {os.getloadavg()[1]:.1f} over five minutes, "
                f"{100 * stolen / max(total, 1):.1f} % stolen by the hypervisor, {self._file_system}")


def _stolen_and_total_ticks():
    with open("/proc/stat") as stat:
        ticks = [int(field) for field in stat.readline().split()[1:9]]
    return ticks[7], sum(ticks)


def _file_system_of(directory):
    """The type of the mount with the longest matching prefix."""
    path = os.path.realpath(directory)
    best, kind = "", "unknown file system"
    with open("/proc/mounts") as mounts:
        for line in mounts:
            point, mount_kind = line.split()[1:3]
            if (path + "/").startswith(point.rstrip("/") + "/") and len(point) >= len(best):
                best, kind = point, mount_kind
    return kind
