"""The suites: how each language installs its SDK, runs its tests and says what passed.

A suite's sources are copied to a folder of the cache and run there, so that packages, build products and reports
stay out of the source tree. What decides an installation (lock files, tool versions) is hashed into a stamp, and an
unchanged stamp means that nothing is installed again.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field

from dotnet_toolchain import Toolchain
from reports import read_go_events, read_junit, read_tap

RUN_SECONDS_MAX = 600
INSTALL_SECONDS_MAX = 900


class Unavailable(Exception):
    """The suite cannot run on this machine: its toolchain or its registry is missing."""


@dataclass
class Tally:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list = field(default_factory=list)

    def __add__(self, other):
        return Tally(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def require(tool, version_command, minimum):
    """The tool's path, if it is there and new enough."""
    path = shutil.which(tool)
    if path is None:
        raise Unavailable(f"{tool} is not installed")
    text = subprocess.run([path, *version_command], capture_output=True, text=True, check=False)
    found = re.search(r"(\d+)\.(\d+)", text.stdout + text.stderr)
    version = tuple(map(int, found.groups())) if found else (0, 0)
    if version < minimum:
        wanted = ".".join(map(str, minimum))
        raise Unavailable(f"{tool} {'.'.join(map(str, version))} is too old, {wanted} is needed")
    return path


class Suite:
    name = None
    lock_files = ()  # what decides an installation, relative to the sources
    kept = ()  # what an installation leaves in the folder, beside the sources
    modes = ("gateway",)  # the ways in which its client can reach an account; each is judged

    def __init__(self, sources, folder):
        self.sources = sources
        self.folder = folder

    def install(self):
        """Makes the suite ready to run. True if something had to be installed."""
        self.find_tools()
        self.copy_sources()
        stamp = self.folder / ".installed"
        wanted = self.stamp()
        if stamp.exists() and stamp.read_text() == wanted:
            return False
        stamp.unlink(missing_ok=True)
        self.install_packages()
        stamp.write_text(wanted)
        return True

    def copy_sources(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        for entry in self.folder.iterdir():
            if entry.name not in (*self.kept, ".installed"):
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        ignored = shutil.ignore_patterns("node_modules", "__pycache__", "target", "venv")
        shutil.copytree(self.sources, self.folder, dirs_exist_ok=True, ignore=ignored)

    def stamp(self):
        digest = hashlib.sha256(repr(self.tools()).encode())
        for name in self.lock_files:
            digest.update((self.sources / name).read_bytes())
        return digest.hexdigest()

    def find_tools(self):
        raise NotImplementedError

    def tools(self):
        raise NotImplementedError

    def install_packages(self):
        raise NotImplementedError

    def run(self, target, log):
        raise NotImplementedError

    def fetch(self, command, own_fault=None, **options):
        """Runs an installing command; that it fails means that the registry cannot be had.

        Unless it says `own_fault`: then everything is here, and running the suite will fail and show why.
        """
        options = {"cwd": self.folder, "timeout": INSTALL_SECONDS_MAX, **options}
        try:
            result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"{command[0]} did not finish installing it in {INSTALL_SECONDS_MAX} s") from None
        said = result.stdout + result.stderr
        if result.returncode != 0 and not (own_fault and own_fault in said):
            lines = [line for line in said.splitlines() if line.strip()]
            raise Unavailable(f"{command[0]} could not install it: {' / '.join(lines[-3:])}")

    def execute(self, command, target, log, **environment):
        """Runs the tests, their output into the log; the exit status."""
        variables = self.variables_for(target, environment)
        with open(log, "wb") as output:
            process = subprocess.Popen(
                command, cwd=self.folder, env=variables, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
            try:
                return process.wait(RUN_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                return f"a timeout of {RUN_SECONDS_MAX} s"
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()

    @staticmethod
    def variables_for(target, environment):
        others = target.others if target.mode == "direct" else {}
        return {
            **os.environ,
            "PARTITA_ENDPOINT": target.endpoint,
            "PARTITA_KEY": target.key,
            "PARTITA_CONNECTION_MODE": target.mode,
            "PARTITA_OTHER_ACCOUNTS": " ".join(f"{level}={endpoint}" for level, endpoint in others.items()),
            "NO_PROXY": "127.0.0.1,localhost",
            **environment,
        }

    @staticmethod
    def tally(counts, status):
        """Counts from a report. A process that failed without a failed test is itself a failure."""
        tally = Tally(*counts)
        if status != 0 and tally.failed == 0:
            tally.failed = 1
            tally.failures.append(f"the suite's process ended with {status}")
        elif tally.passed + tally.failed == 0:
            tally.failed = 1
            tally.failures.append("no test ran")
        return tally


class NodeSuite(Suite):
    lock_files = ("package.json", "package-lock.json")
    kept = ("node_modules",)

    def find_tools(self):
        self.node = require("node", ["--version"], (18, 0))
        self.npm = require("npm", ["--version"], (8, 0))

    def tools(self):
        return subprocess.check_output([self.node, "--version"])

    def install_packages(self):
        self.fetch([self.npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"])

    def run(self, target, log):
        files = sorted(path.name for path in self.folder.glob("*.test.js"))
        settings = {"NODE_EXTRA_CA_CERTS": str(target.certificate)} if target.certificate else {}
        if self.tools().startswith(b"v18."):  # Debian 12: the SDK expects the global that later versions have
            settings["NODE_OPTIONS"] = "--experimental-global-webcrypto"
        status = self.execute([self.node, "--test", "--test-reporter=tap", *files], target, log, **settings)
        return self.tally(read_tap(log), status)


class JavaScript(NodeSuite):
    name = "javascript"


class DocumentDb(NodeSuite):
    name = "documentdb"


class Python(Suite):
    name = "python"
    lock_files = ("requirements.txt",)
    kept = ("venv",)

    def find_tools(self):
        if sys.version_info < (3, 10):
            raise Unavailable("python3 3.10 or later is needed")

    def tools(self):
        return sys.version

    def install_packages(self):
        self.fetch([sys.executable, "-m", "venv", "--clear", "venv"])
        self.fetch(["venv/bin/python", "-m", "pip", "install", "--quiet", "-r", "requirements.txt"])

    def run(self, target, log):
        report = self.folder / "report.xml"
        report.unlink(missing_ok=True)
        trust = {}
        if target.certificate:
            trust = {name: str(target.certificate) for name in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")}
        command = ["venv/bin/python", "-B", "-m", "pytest", "-q", "--tb=short", f"--junitxml={report}"]
        status = self.execute(command, target, log, **trust)
        return self.tally(read_junit([report]), status)


class Java(Suite):
    name = "java"
    modes = ("gateway", "direct")
    sample = "ItemsTest,QueriesTest"
    lock_files = ("pom.xml",)
    kept = ("repository", "target")

    def find_tools(self):
        self.java = require("java", ["-version"], (17, 0))
        self.maven = require("mvn", ["-version"], (3, 6))

    def tools(self):
        return subprocess.run([self.java, "-version"], capture_output=True, check=False).stderr

    def command(self, *arguments):
        return [self.maven, "-B", "-ntp", f"-Dmaven.repo.local={self.folder / 'repository'}", *arguments]

    def install_packages(self):
        # Maven learns of some packages only while it runs a test; this one needs no server.
        self.fetch(self.command("-q", "test", "-Dtest=SignedRequestTest"), own_fault="COMPILATION ERROR")

    def run(self, target, log):
        reports = self.folder / "target/surefire-reports"
        shutil.rmtree(reports, ignore_errors=True)
        settings = " ".join(self.settings(target))
        # What takes half a minute and does not depend on TLS is not done twice.
        chosen = ["-DexcludedGroups=long"] if target.scheme == "http" else []
        if target.is_for_a_sample:
            chosen.append(f"-Dtest={self.sample}")
        status = self.execute(self.command("-o", "test", f"-DargLine={settings}", *chosen), target, log)
        return self.tally(read_junit(sorted(reports.glob("*.xml"))), status)

    def prepare_ledger(self):
        self.fetch(self.command("-o", "-q", "process-test-classes"))

    def ledger(self, target, database, container):
        """The command that runs a Ledger, and its environment."""
        class_path = f"{self.folder / 'target/test-classes'}:{(self.folder / 'target/classpath').read_text().strip()}"
        command = [self.java, *self.settings(target), "-cp", class_path, "partita.conformance.Ledger", database, container]
        return command, self.variables_for(target, {})

    def settings(self, target):
        settings = ["-DCOSMOS.HTTP_CONNECTION_WITHOUT_TLS_ALLOWED=true"] if target.scheme == "http" else []
        if target.certificate is None:
            return settings
        store = self.folder / "target/trusted.p12"
        store.unlink(missing_ok=True)
        keytool = ["keytool", "-importcert", "-noprompt", "-alias", "server", "-storetype", "PKCS12"]
        keytool += ["-file", target.certificate, "-keystore", store, "-storepass", "changeit"]
        subprocess.run(keytool, check=True, capture_output=True)
        return [*settings, f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStorePassword=changeit"]


class Go(Suite):
    name = "go"
    lock_files = ("go.mod", "go.sum")
    kept = ("modules", "compiled", "toolchain")
    needed = (1, 25)  # as go.mod says
    toolchain = "golang.org/toolchain@v0.0.1-go1.25.0.linux-{architecture}"

    def find_tools(self):
        try:
            self.go = require("go", ["version"], self.needed)
        except Unavailable:
            self.old_go = require("go", ["version"], (1, 16))
            self.go = None

    def tools(self):
        return self.go or self.toolchain

    def variables(self):
        caches = {"GOMODCACHE": str(self.folder / "modules"), "GOCACHE": str(self.folder / "compiled")}
        return {**caches, "GOFLAGS": "-modcacherw", "GOTOOLCHAIN": "local", "GOROOT": ""}

    def install_packages(self):
        if self.go is None:
            self.install_toolchain()
        self.fetch([self.go_command(), "mod", "download"], env={**os.environ, **self.variables()})

    def install_toolchain(self):
        """Debian's Go is too old for the SDK, but can fetch a newer one, which is a module like any other."""
        architecture = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
        module = self.toolchain.format(architecture=architecture)
        place = self.folder / "toolchain"
        place.mkdir(exist_ok=True)
        (place / "go.mod").write_text("module toolchain\n")  # or it would read the suite's own, which it is too old for
        self.fetch([self.old_go, "mod", "download", module], cwd=place, env={**os.environ, **self.variables()})
        unpacked = self.folder / "modules" / module
        for program in [*unpacked.glob("bin/*"), *unpacked.glob("pkg/tool/*/*")]:
            program.chmod(0o755)
        for hidden in [*unpacked.glob("src/_go.mod"), *unpacked.glob("src/cmd/_go.mod")]:
            hidden.rename(hidden.with_name("go.mod"))
        link = place / "current"
        link.unlink(missing_ok=True)
        link.symlink_to(unpacked)

    def go_command(self):
        return self.go or str(self.folder / "toolchain/current/bin/go")

    def run(self, target, log):
        trust = {"SSL_CERT_FILE": str(target.certificate)} if target.certificate else {}
        command = [self.go_command(), "test", "-json", "-count=1", "./..."]
        status = self.execute(command, target, log, **self.variables(), **trust)
        return self.tally(read_go_events(log), status)


class DotNet(Suite):
    name = "dotnet"
    modes = ("gateway", "direct")
    sample = ("Items:", "SqlQueries:")
    lock_files = ("package.json", "package-lock.json")
    kept = ("toolchain",)

    def __init__(self, sources, folder):
        super().__init__(sources, folder)
        self.toolchain = Toolchain(folder / "toolchain")
        self.examples = sources.parents[3] / "examples"
        self.problems = None  # what the compiler complains of, once it was asked

    def find_tools(self):
        if os.uname().machine != "x86_64":
            raise Unavailable("its packages are for x86-64 only")
        self.npm = require("npm", ["--version"], (8, 0))

    def tools(self):
        return (self.sources.parent / "dotnet_toolchain.py").read_text()  # what it lays out

    def install_packages(self):
        shutil.rmtree(self.toolchain.folder, ignore_errors=True)
        packages = self.toolchain.folder / "packages"
        packages.mkdir(parents=True)
        for name in (*self.lock_files, ".npmrc"):
            shutil.copy(self.sources / name, packages)
        self.fetch([self.npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=packages)
        self.toolchain.lay_out(packages / "node_modules")
        shutil.rmtree(packages)

    def run(self, target, log):
        if self.problems is None:
            self.problems = self.compile()
        if self.problems:
            log.write_text(self.problems)
            return Tally(failed=1, failures=["the suite does not compile"])
        chosen = self.sample if target.is_for_a_sample else ()
        status = self.execute([*self.toolchain.command("suite"), *chosen], target, log, **self.settings(target))
        return self.tally(read_tap(log), status)

    def prepare_ledger(self):
        if problems := self.compile():
            raise Unavailable(f"it does not compile: {problems}")

    def ledger(self, target, database, container):
        """The command that runs a Ledger, and its environment."""
        return [*self.toolchain.command("suite"), "ledger", database, container], self.variables_for(target, self.settings(target))

    def settings(self, target):
        settings = {**self.toolchain.variables(), "PARTITA_EXAMPLES": str(self.examples)}
        return {**settings, "SSL_CERT_FILE": str(target.certificate)} if target.certificate else settings

    def compile(self):
        programs = {"suite": self.folder.rglob("*.cs"), "DeviceReadings": (self.examples / "dotnet").glob("*.cs")}
        return "".join(self.toolchain.compile(name, sorted(files), os.environ) for name, files in programs.items())


# The longest first, since two run at a time.
SUITES = {suite.name: suite for suite in (Java, JavaScript, Python, DotNet, Go, DocumentDb)}
