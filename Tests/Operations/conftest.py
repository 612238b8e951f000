"""The program as those have it who run it unattended: from a file, under a service manager."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

PROGRAM = os.environ.get("ROOMFUL_PROGRAM") or str(Path(__file__).resolve().parents[2] / ".build/debug/roomful")


@pytest.fixture
def folder():
    """A short path: a Unix socket lives below it."""
    path = Path(tempfile.mkdtemp(prefix="rf-", dir="/tmp"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def environment(folder):
    result = {key: value for key, value in os.environ.items() if key not in ("XDG_RUNTIME_DIR", "NOTIFY_SOCKET", "WATCHDOG_USEC")}
    result["ROOMFUL_STATE"] = str(folder / "state")
    return result


@pytest.fixture
def roomful(environment):
    """Runs a command to its end: code, output, errors."""

    def run(*arguments, timeout=60, stdin=None, **more):
        done = subprocess.run(
            [PROGRAM, *map(str, arguments)], stdin=stdin, capture_output=True, text=True, timeout=timeout,
            env=environment | more, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that fails shows what its programs have said."""
    report = yield
    if report.when == "call" and report.failed:
        for process in getattr(item, "programs", []):
            if hasattr(process, "lines"):  # Somebody reads them.
                said = "".join(process.lines)
            else:
                os.set_blocking(process.stdout.fileno(), False)
                # As bytes: of a text, Python cannot say that there is nothing yet.
                said = (process.stdout.buffer.read() or b"").decode(errors="replace")
            report.sections.append((" ".join(map(str, process.args)) + f": {process.poll()}", said[-4_000:]))
    return report


@pytest.fixture
def started(environment, request):
    """Starts programs, and ends by their pid those that still run."""
    running = request.node.programs = []

    def start(*arguments, **more):
        process = subprocess.Popen(
            [PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env=environment | more)
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()
