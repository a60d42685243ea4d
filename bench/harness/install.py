"""Puts in place what the comparison needs: Debian packages, our own small programs, the npm peer."""

import os
import shutil
import subprocess

# Other distributors' packages of these conflict with Debian's; the command is what matters.
COMMANDS = {"nodejs": "node", "npm": "npm", "cmake": "cmake", "ninja-build": "ninja"}
COSMOSDB_SERVER = "@vercel/cosmosdb-server@1.0.1"


def say(text):
    print(text, flush=True)


def _is_installed(package):
    if package in COMMANDS and shutil.which(COMMANDS[package]):
        return True
    status = subprocess.run(["dpkg-query", "-W", "-f=${Status}", package], capture_output=True, text=True)
    return status.stdout == "install ok installed"


def debian_packages(list_path):
    """Installs each missing package on its own, so that one that cannot be had costs only its own peer."""
    with open(list_path) as lines:
        missing = [package for package in lines.read().split() if not _is_installed(package)]
    if not missing:
        return
    if os.geteuid() != 0:
        say(f"!! not root, so these packages stay missing: {' '.join(missing)}")
        return
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-q"], env=environment, stdout=subprocess.DEVNULL)
    for package in missing:
        say(f"installing {package}")
        command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", package]
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            say(f"!! {package} could not be installed")
        elif package == "postgresql-15":
            # The package starts a server of its own; it would only disturb the measurements.
            subprocess.run(["pg_ctlcluster", "15", "main", "stop"], stderr=subprocess.DEVNULL)


def programs(source, build):
    """Builds load_generator, http_ceiling and the probes; nothing happens when they are up to date."""
    configure = ["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++-19",
                 "-DCMAKE_BUILD_TYPE=Release"]
    if shutil.which("ccache"):
        configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    if not os.path.exists(os.path.join(build, "build.ninja")):
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build, "--quiet"], check=True)


def cosmosdb_server(folder):
    """The npm package in a folder of its own. Raises when it cannot be had."""
    if os.path.isdir(os.path.join(folder, "node_modules", "@vercel", "cosmosdb-server")):
        return
    if not shutil.which("node") or not shutil.which("npm"):
        raise RuntimeError("node or npm is missing")
    os.makedirs(folder, exist_ok=True)
    say(f"installing {COSMOSDB_SERVER}")
    command = ["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", COSMOSDB_SERVER]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=300)
