"""`partita shell`: from a script, and on a terminal as a person uses it."""

import json
import os
import pty
import re
import select
import signal
import stat
import subprocess
import time

from testbed.account import WELL_KNOWN_KEY

DOCUMENTS = [{"id": f"d{n}", "pk": f"k{n % 3}", "customer": {"name": f"n{n}", "city": "Oslo"}, "total": n} for n in range(150)]
SECONDS_MAX = 30
EVIL = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e"
PROCEDURE = "function greet(name, n) { getContext().getResponse().setBody({hello: name, twice: 2 * n}); }"


class Terminal:
    """A shell on a pseudo-terminal of 80 columns."""

    def __init__(self, site, *arguments, environment=None):
        self._home = site.new_folder()
        self.history = self._home / ".partita_history"
        variables = {**os.environ, "PARTITA_ENDPOINT": site.endpoint, "PARTITA_KEY": WELL_KNOWN_KEY, "HOME": str(self._home), "TERM": "xterm",
                     "LC_ALL": "C.UTF-8", **(environment or {})}
        if "PARTITA_HISTORY" not in (environment or {}):
            variables.pop("PARTITA_HISTORY", None)
        main, other = pty.openpty()
        subprocess.run(["stty", "rows", "40", "cols", "80"], stdin=other, check=True)
        self._process = subprocess.Popen([str(site.binary), "shell", *arguments], stdin=other, stdout=other, stderr=other, env=variables,
                                         start_new_session=True, preexec_fn=lambda: _own_terminal(other))
        os.close(other)
        self._main = main
        self.seen = ""
        self._bytes = b""
        self._from = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._main)

    def type(self, text):
        os.write(self._main, text.encode())

    def expect(self, text):
        """Waits for the text behind what was expected before, and gives what came up to it."""
        deadline = time.monotonic() + SECONDS_MAX
        while time.monotonic() < deadline:
            at = self.seen.find(text, self._from)
            if at >= 0:
                found = self.seen[self._from:at + len(text)]
                self._from = at + len(text)
                return found
            if not self._read(deadline):
                break
        raise AssertionError(f"{text!r} did not come; there was {self.seen[self._from:]!r}")

    def _read(self, deadline):
        ready, _, _ = select.select([self._main], [], [], max(0, deadline - time.monotonic()))
        try:
            piece = os.read(self._main, 65536) if ready else b""
        except OSError:
            return False
        self._bytes += piece
        self.seen = self._bytes.decode("utf-8", "replace")
        return bool(piece)

    def ask(self, line, answer):
        self.type(line + "\r")
        return self.expect(answer)

    def end(self):
        deadline = time.monotonic() + SECONDS_MAX
        while self._read(deadline):
            pass
        return self._process.wait(SECONDS_MAX)

    def interrupt(self):
        self.type("\x03")


def _own_terminal(other):
    import fcntl
    import termios
    fcntl.ioctl(other, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def scripts_run_statements_until_one_fails(site):
    database, container = site.new_container(documents=DOCUMENTS[:3])
    script = f"use {database}.{container}\nSELECT c.id, -- a; comment\n  'a;b' AS text FROM c\nWHERE c.total < 2 ORDER BY c.total;\n" \
             "\\format lines\nSELECT VALUE c.total FROM c ORDER BY c.total"
    done = site.run("shell", stdin=script)
    if done.code != 0 or done.out != "id  text\n--  ----\nd0  a;b\nd1  a;b\n0\n1\n2\n":
        yield f"a script {done}"
    done = site.run("shell", database, container, stdin="SELECT * FROM d WHERE;\nshow databases\n")
    if done.code != 1 or done.out or "^" not in done.err:
        yield f"a mistake {done}"
    done = site.run("shell", database, "none", stdin="")
    if done.code != 1 or "show containers" not in done.err:
        yield f"a container that is not there {done}"


def commands_show_what_there_is(site):
    database, container = site.new_container(documents=DOCUMENTS[:3], throughput=20000)
    link = f"dbs/{database}/colls/{container}"
    answer = site.connection().request("POST", f"/{link}/sprocs", "sprocs", link, {"id": "greet", "body": PROCEDURE})
    if answer.status != 201:
        yield f"the procedure was answered {answer}"
    script = "show databases\nshow containers\nshow container\nshow procedures\n\\ranges\n\\explain SELECT * FROM c\n" \
             "\\run greet [\"ada lovelace\", 21] --key \"k1\"\n\\help\n"
    done = site.run("shell", database, container, stdin=script)
    for part in (database, "/pk", '"indexingPolicy": {', "greet", "1FFFFFFFFFFF", "Documents come from", '{"hello":"ada lovelace","twice":42}',
                 "\\edit ID KEY"):
        if part not in done.out:
            yield f"{part} is missing: {done}"
    if done.code != 0:
        yield f"it {done}"
    for line in done.out.splitlines():
        if line != line.rstrip() or "\x1b" in line:
            yield f"blanks or colours: {line!r}"


def people_get_completion_pages_and_history(site):
    database, container = site.new_container(documents=DOCUMENTS)
    with Terminal(site, database, container) as shell:
        shell.expect(f"{database}.{container}> ")
        shell.type("SELECT c.cust\t")
        shell.expect("omer")
        shell.type(".ci\t")
        shell.expect("ty")
        shell.type("\x03")
        shell.expect("^C")
        shell.type("SELECT SUBSTRING(\t")
        shell.expect("SUBSTRING(a, b, c)")
        shell.expect("> SELECT SUBSTRING(")  # the line is shown again: the shell reads
        shell.type("\x03")
        shell.expect("^C")
        shell.type("SELECT c.id FROM c\r")
        shell.type("ORDER BY c.total;\r")
        shell.expect("d99")
        shell.expect("Enter for more")
        shell.type("\r")
        shell.expect("d149")
        shell.expect("(150 rows; ")
        shell.ask("SELECT * FORM c;", "^^^^")
        shell.ask(f"SELECT '{WELL_KNOWN_KEY}' AS k;", "1 row")
        shell.type("\x1b[A\r")  # the one before, as the last one is not kept
        shell.expect("^^^^")
        shell.ask("exit", "exit")
        if (code := shell.end()) != 0:
            yield f"it ended with {code}"
        history = shell.history.read_text()
        if stat.S_IMODE(shell.history.stat().st_mode) != 0o600 or WELL_KNOWN_KEY in history:
            yield f"the history is {shell.history.stat()} with {history}"
        if "SELECT c.id FROM c ORDER BY c.total;" not in history:
            yield f"the history lacks a statement of two lines: {history}"


def no_document_commands_the_terminal(site):
    database, container = site.new_container(documents=[{"id": "1", "pk": "k", "text": EVIL, EVIL: 1}])
    with Terminal(site, database, container) as shell:
        shell.expect("> ")
        for form in ("table", "json", "lines", "csv", "vertical"):
            shell.ask(f"\\format {form}", "> ")
            shell.ask("SELECT * FROM c;", "1 row")
        shell.ask("\\explain SELECT * FROM c WHERE c.x = '\\u001b]0;owned\\u0007'", "Indexes that would help")
        for active in ("\x1b]0;", "\x07\x1b[2J", "\u009b", "\u202e"):
            if active in shell.seen:
                yield f"{active!r} came through"
    for form in ("table", "csv", "json"):
        done = site.run("query", "SELECT * FROM c", "--database", database, "--container", container, "--format", form)
        if form == "json" and json.loads(done.out)[0]["text"] != EVIL:
            yield "a pipe does not get what is stored"


def changes_are_watched_until_somebody_interrupts(site):
    """In all partitions, and in those that they are split into."""
    database, container = site.new_container(documents=DOCUMENTS[:3], throughput=20000)
    link = f"dbs/{database}/colls/{container}"
    with Terminal(site, database, container) as shell:
        shell.expect("> ")
        shell.ask("\\watch", "Ctrl-C ends it")
        connection = site.connection()
        for n in range(SECONDS_MAX * 5):  # the shell begins with what is written once it asks
            answer = connection.request("POST", f"/{link}/docs", "docs", link, {"id": f"new{n}", "pk": "k9"},
                                        {"x-ms-documentdb-partitionkey": '["k9"]'})
            if answer.status != 201 or re.search(r'"id":"new\d+"', shell.seen):
                break
            shell._read(time.monotonic() + 0.2)
        shell.expect('"id":"new')
        if (done := site.run("split", database, container, "0")).code != 0:
            yield f"split {done}"
        for n in range(20):
            connection.request("POST", f"/{link}/docs", "docs", link, {"id": f"split{n}", "pk": f"s{n}"},
                               {"x-ms-documentdb-partitionkey": f'["s{n}"]'})
        end = time.monotonic() + SECONDS_MAX
        while len(set(re.findall(r'"id":"split\d+"', shell.seen))) < 20 and time.monotonic() < end:
            shell._read(time.monotonic() + 0.2)
        if sorted(shown := re.findall(r'"id":"(split\d+)"', shell.seen)) != sorted(f"split{n}" for n in range(20)):
            yield f"behind the split there came {shown}"
        shell.interrupt()
        shell.ask("SELECT VALUE 'still here';", "1 row")
        if '"id":"d0"' in shell.seen:
            yield "what was there before was shown"


def a_document_is_edited_unless_it_changed_meanwhile(site):
    database, container = site.new_container(documents=DOCUMENTS[:3])
    folder = site.new_folder()
    editor = folder / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/\"total\": 1/\"total\": 1000/' \"$1\"\n")
    editor.chmod(0o700)
    environment = {"EDITOR": str(editor), "TMPDIR": str(folder), "PARTITA_HISTORY": ""}
    done = site.run("shell", database, container, stdin="\\edit d1 k1\nSELECT VALUE c.total FROM c WHERE c.id = 'd1';\n", environment=environment)
    if done.code != 0 or "1000" not in done.out:
        yield f"\\edit {done}"
    if left := list(folder.glob("partita-*")):
        yield f"{left} was left"
    # The editor lets somebody else change the document first.
    other = f"printf '%s\\n' '\\edit d1 k1' | EDITOR=\"sed -i s/Oslo/Rome/\" {site.binary} shell {database} {container}\n"
    editor.write_text(f"#!/bin/sh\n{other}sed -i 's/1000/2000/' \"$1\"\n")
    done = site.run("shell", database, container, stdin="\\edit d1 k1\n", environment={**environment, "PARTITA_KEY": ""})
    if done.code != 1 or "changed the document meanwhile" not in done.err or not (left := list(folder.glob("partita-*"))):
        yield f"a conflict {done}"
    elif '"total": 2000' not in left[0].read_text() or stat.S_IMODE(left[0].stat().st_mode) != 0o600:
        yield f"what was typed is lost: {left}"
    done = site.run("shell", database, container, stdin="\\edit none k1\n", environment=environment)
    if done.code != 1 or "Traceback" in done.err or not done.err:
        yield f"no such document {done}"


CASES = [scripts_run_statements_until_one_fails, commands_show_what_there_is, people_get_completion_pages_and_history,
         no_document_commands_the_terminal, changes_are_watched_until_somebody_interrupts, a_document_is_edited_unless_it_changed_meanwhile]
