"""The disk is really full: a small tmpfs, filled by writing documents. Without the right to mount, writes fail with the same error instead."""

import errno
import subprocess
from pathlib import Path

from cases import Place
from clients import Round
from fault_cases import REASONS, judge_refusals, look_at_refusing_server, wait_for_recovery
from testbed.server import Failed
from workload import Workload

DISK_MEGABYTES = 96
LARGER_DISK_MEGABYTES = 512
BALLAST_MEGABYTES = 60  # what is freed must hold the whole log once more, as tables


def run_full_disk(tally, binary, seed):
    with Place(binary) as place:
        disk = SmallDisk(place.data)
        if not disk.mount():
            print("NOTE: this user cannot mount a small disk; only simulated full disks are tested (kind: errors)", flush=True)
            return
        try:
            workload = Workload(seed, large_share=0.7)
            tally.run("full disk: refuses clearly, reads, and recovers once space is freed", _fill_and_free, place, disk, workload)
            tally.run("full disk: killed while full, nothing is lost on a larger disk", _fill_and_kill, place, disk, workload)
        finally:
            if place.server and place.server.is_alive():
                place.server.kill()
            disk.unmount()


class SmallDisk:
    def __init__(self, path):
        self.path = Path(path)
        self._ballast = self.path / "ballast"

    def mount(self):
        self.path.mkdir()
        return _succeeds("mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "partita-crash", self.path)

    def enlarge(self):
        if not _succeeds("mount", "-o", f"remount,size={LARGER_DISK_MEGABYTES}m", self.path):
            raise Failed("the disk could not be enlarged")

    def unmount(self):
        _succeeds("umount", self.path)

    def load_ballast(self):
        self._ballast.write_bytes(bytes(BALLAST_MEGABYTES << 20))

    def drop_ballast(self):
        self._ballast.unlink()


def _succeeds(*command):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except FileNotFoundError:
        return False


def _fill_and_free(place, disk, workload):
    disk.load_ballast()
    workload.create_containers(place.start().port)
    clients = _write_until_full(place, workload)
    problems = list(look_at_refusing_server(workload, place.server, REASONS[errno.ENOSPC]))
    disk.drop_ballast()
    problems += wait_for_recovery(place.server, clients)
    clients.stop()
    return problems + list(judge_refusals(clients, errno.ENOSPC))


def _fill_and_kill(place, disk, workload):
    """Goes on with the server that has recovered. A start needs space for what its log holds, so the disk is enlarged before."""
    clients = _write_until_full(place, workload)
    problems = list(judge_refusals(clients, errno.ENOSPC))
    place.server.kill()
    clients.join()
    problems += place.check()  # needs no space
    disk.enlarge()
    return problems + place.verify_after_restart(workload)


def _write_until_full(place, workload):
    workload.expects_refusals = True
    clients = Round(workload, place.server.port)
    if not clients.wait_for_refusals(50):
        clients.stop()
        raise Failed(f"{clients.acknowledged} writes did not fill the disk")
    return clients
