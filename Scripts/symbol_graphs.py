"""The symbol graphs of a build's modules: what is public, with its documentation (check-house.py, make-site.py)."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"


def run(*command: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **options)


class Build:
    """The debug build, or that in ROOMFUL_BUILT, as far as another compiler call must know of it. None is made here."""

    def __init__(self) -> None:
        built = os.environ.get("ROOMFUL_BUILT") or run("swift", "build", "--show-bin-path", check=True).stdout.strip()
        self.bin_path = (ROOT / built).resolve()
        information = json.loads(run("swift", "-print-target-info", check=True).stdout)
        checkouts = self.bin_path.parent.parent / "checkouts"
        self.flags = ["-target", information["target"]["triple"], "-I", f"{self.bin_path}/Modules"]
        for folder in ["CAvahi", "CAvahiCore/include", "CDatagrams/include", "Pages/include"]:
            self.flags += ["-I", str(SOURCES / folder)]
        for file in sorted(self.bin_path.glob("*.build/module.modulemap")):
            self.flags += ["-Xcc", f"-fmodule-map-file={file}"]
        for file in sorted(checkouts.glob("*/Sources/*/module.modulemap")):
            self.flags += ["-I", str(file.parent)]
        for folder in sorted(checkouts.glob("*/Sources/*/include")):
            self.flags += ["-I", str(folder)]

    def extract(self, module: str, folder: pathlib.Path, *options: str) -> list[pathlib.Path]:
        """Writes the graphs of what is public in a module: its own, and what it adds to other modules' types."""
        said = run(
            "swift", "symbolgraph-extract", "-module-name", module, *self.flags, "-output-dir", str(folder),
            "-minimum-access-level", "public", "-skip-synthesized-members", *options)
        file = folder / f"{module}.symbols.json"
        if said.returncode or not file.exists():
            sys.exit(f"the interface of {module} cannot be read; is there a build? {said.stderr[-400:]}")
        return [file, *sorted(folder.glob(f"{module}@*.symbols.json"))]

    def complaints_of_strangers(self, program: pathlib.Path) -> str:
        """What the compiler says of a program that has the public interface alone, as another package has; '' if nothing."""
        said = run(
            "swiftc", "-typecheck", "-swift-version", "6", "-package-name", "somebody-else", *self.flags,
            "-enable-upcoming-feature", "NonisolatedNonsendingByDefault", str(program))
        return said.stderr if said.returncode else ""
