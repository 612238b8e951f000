"""A QR code on a terminal is black on white whatever the terminal's colours are, which takes escapes; a pipe has none."""
import os
import pty
import subprocess

from conftest import PROGRAM
from waiting import PATIENCE

BLACK_ON_WHITE = "\x1b[38;5;16;48;5;231m"


def on_a_terminal(environment, *words):
    """What a command that ends by itself shows there."""
    screen, terminal = pty.openpty()
    with open(screen, "rb", buffering=0) as shown:
        command = subprocess.Popen([PROGRAM, *words], stdin=terminal, stdout=terminal, stderr=terminal, env=environment)
        os.close(terminal)
        text = b""
        try:
            while part := shown.read(65_536):
                text += part
        except OSError:  # So Linux says that nobody has it open any more.
            pass
        command.wait(PATIENCE)
    return text.decode()


def test_it_has_its_colours_there_and_none_in_a_pipe(opened, roomful, environment):
    opened("Hall")
    assert BLACK_ON_WHITE in on_a_terminal(environment, "qr")
    assert "\x1b" not in roomful("qr")[1]
    assert BLACK_ON_WHITE in on_a_terminal(environment, "doctor", "--phone", "--for", "1s")
