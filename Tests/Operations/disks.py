"""Disks that are small, and filled by a test."""
import subprocess


class SmallDisk:
    """A disk of 1 MiB that only its own processes see: a tmpfs in a mount namespace. What fails there, fails as a disk does."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder / "disk", environment
        self.folder.mkdir()
        self.holder = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", f"mount -t tmpfs -o size=1m disk {self.folder} && echo ready && exec sleep 300"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.isThere = self.holder.stdout.readline().strip() == "ready"

    def inside(self, *command):
        return ["nsenter", "--mount", f"--target={self.holder.pid}", *map(str, command)]

    def run(self, *command):
        return subprocess.run(
            self.inside(*command), capture_output=True, text=True, timeout=60, env=self.environment, check=False)
