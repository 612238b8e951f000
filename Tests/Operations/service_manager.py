"""A service manager, as a program under it sees it; and a room's thread that stands still before it."""
import contextlib
import ctypes
import os
import socket
import time
from pathlib import Path

from waiting import PATIENCE


class Manager:
    """The socket that systemd would listen at."""

    def __init__(self, path):
        self.path = str(path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)

    def hears(self, word, within=PATIENCE):
        """Waits for a message that begins with this word."""
        deadline = time.monotonic() + within
        while (left := deadline - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                message = self.socket.recv(4_096).decode()
            except TimeoutError:
                break
            if message.startswith(word):
                return message
        return None

    def empty(self):
        self.socket.settimeout(0.01)
        try:
            while self.socket.recv(4_096):
                pass
        except TimeoutError:
            pass


@contextlib.contextmanager
def held(process):
    """The room's own thread stands still, and no other (ptrace(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    seize, interrupt, detach = 0x4206, 0x4207, 17
    names = {int(task.name): (task / "comm").read_text().strip() for task in Path(f"/proc/{process.pid}/task").iterdir()}
    [thread] = [thread for thread, name in names.items() if name == "roomful-room"]
    assert libc.ptrace(seize, thread, None, None) == 0, os.strerror(ctypes.get_errno())
    assert libc.ptrace(interrupt, thread, None, None) == 0, os.strerror(ctypes.get_errno())
    os.waitpid(thread, 0x40000000)  # __WALL
    try:
        yield
    finally:
        assert libc.ptrace(detach, thread, None, None) == 0, os.strerror(ctypes.get_errno())
