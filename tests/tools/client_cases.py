"""The client library as another project uses it: installed, found by CMake, and run against the server."""

import re
import subprocess

from testbed.server import Failed

BUILD_SECONDS_MAX = 300
ROWS = ['{"id":"100","total":100}', '{"id":"99","total":99}', '{"id":"98","total":98}', '{"id":"97","total":97}']


def step(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=BUILD_SECONDS_MAX, check=False)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))} ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")


def compiler_of(build):
    return re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)[1]


def an_installed_library_serves_another_project(site):
    build = site.binary.parent
    folder = site.new_folder()
    step("cmake", "--install", build, "--component", "client", "--prefix", folder / "installed")
    step("cmake", "-S", site.root / "examples/cpp", "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={folder / 'installed'}",
         f"-DCMAKE_CXX_COMPILER={compiler_of(build)}", "-DCMAKE_BUILD_TYPE=Release")
    step("cmake", "--build", folder / "build")
    for endpoint in (site.endpoint, site.https_endpoint):
        done = site.run(endpoint, program=folder / "build/orders")
        lines = done.out.splitlines()
        if done.code != 0 or not re.fullmatch(r"order 97, 1\.\d\d RU", lines[0]) or lines[1:] != ROWS:
            yield f"the example, over {endpoint}, {done}"


CASES = [an_installed_library_serves_another_project]
