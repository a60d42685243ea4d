"""A browser without a window, in a profile of its own that is thrown away."""

import os
import shutil
import signal
import subprocess
import tempfile

SECONDS_MAX = 40


class Browser:
    def __init__(self, program):
        self._program = shutil.which(program)
        if not self._program:
            raise SystemExit(f"{program} is not installed: scripts/setup browser")

    def open(self, url, until, hosts=(), proxy=None):
        """Shows the page until `until`, an event, is set. `hosts`: names that lead to this machine. False when it never is."""
        with tempfile.TemporaryDirectory() as profile:
            process = subprocess.Popen(self._command(profile, hosts, proxy) + [url], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                return until.wait(SECONDS_MAX)
            finally:
                os.killpg(process.pid, signal.SIGKILL)  # with the processes that it has started
                process.wait()

    def text_of(self, url, hosts=()):
        """What the page has become once it is loaded."""
        with tempfile.TemporaryDirectory() as profile:
            done = subprocess.run(self._command(profile, hosts, None) + ["--dump-dom", url], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=SECONDS_MAX, check=False)
        return done.stdout.decode("utf-8", "replace")

    def _command(self, profile, hosts, proxy):
        command = [self._program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--disable-dev-shm-usage", f"--user-data-dir={profile}"]
        if hosts:
            command.append("--host-resolver-rules=" + ",".join(f"MAP {host} 127.0.0.1" for host in hosts))
        if proxy:
            command.append(f"--proxy-server=http://127.0.0.1:{proxy}")
        return command
