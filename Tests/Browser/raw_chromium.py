"""A Chromium of its own, driven by bare DevTools messages over a pipe: for what Playwright does not let happen, a tab
that is hidden behind another."""

import json
import os
import shutil
import subprocess
import tempfile
import time

from chromium import WHOLE
from hosted_room import PATIENCE


class RawChromium:
    """`send` asks the browser, or a page by its session, and waits for the answer."""

    def __init__(self, *arguments):
        self.folder = tempfile.mkdtemp(prefix="roomful-chromium-")
        (from_us, to_us), (read, write) = os.pipe(), os.pipe()
        os.set_inheritable(from_us, True), os.set_inheritable(write, True)
        # The browser reads at 3 and writes at 4; a shell puts them there.
        command = f'exec "$0" "$@" 3<&{from_us} 4>&{write}'
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", command, WHOLE, "--headless=new", "--no-sandbox", "--remote-debugging-pipe",
             "--ignore-certificate-errors", "--no-first-run", f"--user-data-dir={self.folder}", *arguments,
             "about:blank"],
            pass_fds=(from_us, write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us), os.close(write)
        self.output, self.input = os.fdopen(to_us, "wb", buffering=0), os.fdopen(read, "rb")
        self.count, self.buffer = 0, b""

    def send(self, method, session=None, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.output.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == message["id"]:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def _read(self):
        while b"\0" not in self.buffer:
            piece = self.input.read1(65536)
            assert piece, "the browser ended"
            self.buffer += piece
        line, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(line)

    def open(self, url="about:blank"):
        """A new tab in front; its target and its session."""
        target = self.send("Target.createTarget", url=url)["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return target, session

    def evaluate(self, session, expression):
        answer = self.send(
            "Runtime.evaluate", session, expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, session, expression, timeout=PATIENCE):
        """Until the page, which may still be loading, says yes."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                if self.evaluate(session, f"Boolean({expression})"):
                    return
            except AssertionError:
                pass
            assert time.monotonic() < deadline, expression
            time.sleep(0.05)

    def tap(self, session, selector):
        """A real click in the middle of an element."""
        x, y = self.evaluate(
            session, f"(() => {{ const r = document.querySelector({selector!r}).getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", session, type=kind, x=x, y=y, button="left", clickCount=1)

    def close(self):
        try:
            self.send("Browser.close")
        except (AssertionError, OSError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.input.close(), self.output.close()
        shutil.rmtree(self.folder, ignore_errors=True)
