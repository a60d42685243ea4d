"""The faulty disk: builds the library, tells it what to break, and cuts the power. The layout is that of faulty_disk.c."""

import mmap
import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

LOGS, TABLES, MANIFESTS, OTHERS = 1, 2, 4, 8
EVERYTHING = LOGS | TABLES | MANIFESTS | OTHERS
FOREVER = 0xFFFFFFFF

_CONTROL = struct.Struct("<6I")
_SEQUENCE = struct.Struct("<Q")
_DIRECTORY = struct.Struct("<2Q")
_FILE = struct.Struct("<6Q")
_DIRECTORIES = 64
_FILES = 8192
_DIRECTORIES_AT = _CONTROL.size + _SEQUENCE.size
_FILES_AT = _DIRECTORIES_AT + _DIRECTORIES * _DIRECTORY.size
_BYTES = _FILES_AT + _FILES * _FILE.size
_PAGE_BYTES = 4096  # what a disk writes as a whole


class Shim:
    def __init__(self, source):
        self._folder = Path(tempfile.mkdtemp(prefix="partita-faulty-disk-"))
        self._library = self._folder / "faulty_disk.so"
        subprocess.run(["clang-19", "-std=c17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", source, "-o", self._library, "-ldl"],
                       check=True)
        self._state_path = self._folder / "state"
        self._state_path.write_bytes(bytes(_BYTES))
        with open(self._state_path, "r+b") as state:
            self._state = mmap.mmap(state.fileno(), _BYTES)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._state.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def environment(self, data):
        """For a server on this data directory; what is there now counts as durable, and nothing fails."""
        self._state[:] = bytes(_BYTES)
        return {"LD_PRELOAD": str(self._library), "FAULTY_DISK_ROOT": os.path.realpath(data), "FAULTY_DISK_STATE": str(self._state_path)}

    def deadly_environment(self, data, text, when):
        """The same, but the server is killed when it has written this text to a file, or `when` is "synced", has synced it."""
        return {**self.environment(data), "FAULTY_DISK_KILL_TEXT": text, "FAULTY_DISK_KILL_WHEN": when}

    def fail(self, write=0, sync=0, halves=False, times=FOREVER, kinds=EVERYTHING):
        """From now on writes or syncs of files of these kinds fail with these error numbers, so many times."""
        _CONTROL.pack_into(self._state, 0, write, int(halves), sync, times, kinds, self.failures)

    def heal(self):
        self.fail(times=0)

    @property
    def failures(self):
        return _CONTROL.unpack_from(self._state, 0)[5]

    def cut_power(self, data, chance):
        """Takes away from the files of a killed server what was never synced: all of it, or a part, or parts of it are zeros. Of what was
        overwritten, any page may still be as it was."""
        directories = dict(_DIRECTORY.iter_unpack(self._state[_DIRECTORIES_AT:_FILES_AT]))
        files = {inode: rest for inode, *rest in _FILE.iter_unpack(self._state[_FILES_AT:_BYTES]) if inode}
        for folder, _, names in os.walk(data):
            for name in names:
                path = Path(folder) / name
                about = path.stat()
                synced, created, directory, overwritten_from, overwritten_to = files.get(about.st_ino, (about.st_size, 0, 0, 0, 0))
                if created > directories.get(directory, 0):
                    path.unlink()
                    continue
                _lose_pages(path, overwritten_from, overwritten_to, chance)
                if synced < about.st_size:
                    _lose_tail(path, synced, about.st_size, chance)


def _lose_tail(path, synced, size, chance):
    kept = synced if chance.random() < 0.5 else chance.randrange(synced, size + 1)
    if chance.random() < 0.3:
        # The file system had noted the new size, but not written all bytes.
        os.truncate(path, max(synced, kept - kept % _PAGE_BYTES))
        os.truncate(path, size)
    else:
        os.truncate(path, kept)


def _lose_pages(path, begin, end, chance):
    share_lost = chance.choice((0.1, 0.5, 1))
    with open(path, "r+b") as file:
        while begin < end:
            page_end = min(end, begin - begin % _PAGE_BYTES + _PAGE_BYTES)
            if chance.random() < share_lost:
                file.seek(begin)
                file.write(bytes(page_end - begin))
            begin = page_end
