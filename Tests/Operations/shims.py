"""Libraries that a program takes for the system's (Scripts/faults/*.c): other clocks, a slow disk, no IPv6."""
import shutil
import subprocess

from rooms import ROOT, put


def shim(name, folder):
    """The environment of a program that is to have this one."""
    library, source = folder / f"{name}.so", ROOT / f"Scripts/faults/{name}.c"
    if not library.exists():
        compiler = shutil.which("clang") or shutil.which("cc") or "/opt/swift/usr/bin/clang"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}


class Clock:
    """The wall clock of a program, which a test sets; each by its name where there are several."""

    def __init__(self, folder, name="clock"):
        self.file = folder / name
        self.environment = shim("wall-clock", folder) | {"WALL_CLOCK_FILE": str(self.file)}

    def put(self, seconds):
        """So far ahead of the machine's."""
        put(self.file, str(int(seconds)))

    def put_to_the_hour(self, minutes):
        """So many minutes ahead, of which the last three seconds go by."""
        self.put(minutes * 60 - 3)
