"""Apps of other frameworks: installed once for each lock file, built and served by their own tools."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIXTURES = Path(__file__).parent / "fixtures"
PACKAGES = ROOT / "webbuild" / "_web" / "integrations"


def run(folder: Path, *command: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """Run a tool in a folder."""
    environ = {**os.environ, "NEXT_TELEMETRY_DISABLED": "1", "NO_COLOR": "1"}
    environ.pop("FORCE_COLOR", None)
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=timeout, check=False, env=environ
    )


def install() -> Path:
    """Return a folder with the node_modules of the fixtures' lock file. It is reused by later runs."""
    lock = FIXTURES / "package-lock.json"
    folder = ROOT / ".venv" / "fixtures" / hashlib.sha256(lock.read_bytes()).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        if not (folder / ".installed").exists():
            for file in ("package.json", "package-lock.json"):
                shutil.copyfile(FIXTURES / file, folder / file)
            done = run(folder, "npm", "ci", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error")
            assert done.returncode == 0, done.stderr
            for other in folder.parent.iterdir():
                if other != folder:
                    shutil.rmtree(other)
            (folder / ".installed").touch()
    return folder


@contextmanager
def workspace(name: str, bundle: Path) -> Iterator[Path]:
    """Yield a folder whose apps find the bundle and webbuild's packages, linked as npm links `file:` dependencies."""
    folder = install() / f"{name}-{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        shutil.copytree(bundle, folder / "models" / bundle.name)
        shutil.copytree(PACKAGES, folder / "packages")
        (folder / "node_modules" / "@webbuild").mkdir(parents=True)
        (folder / "node_modules" / bundle.name).symlink_to(folder / "models" / bundle.name)
        for package in (folder / "packages").iterdir():
            (folder / "node_modules" / "@webbuild" / package.name).symlink_to(package)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def copy_app(name: str, workspace: Path, picture: Path, public: str = "public") -> Path:
    """Copy a fixture into a workspace, with an image of several people to serve."""
    app = workspace / name
    shutil.copytree(FIXTURES / name, app)
    (app / public).mkdir(exist_ok=True)
    shutil.copyfile(picture, app / public / "people.jpg")
    return app


@contextmanager
def serving(folder: Path, *command: str) -> Iterator[str]:
    """Run a tool's server with its port as the last argument, and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environ = {**os.environ, "NEXT_TELEMETRY_DISABLED": "1", "NO_COLOR": "1"}
    log = folder / "server.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            [*command, str(port)], cwd=folder, stdout=output, stderr=output, env=environ, start_new_session=True
        )
        try:
            url = f"http://localhost:{port}/"
            _wait_for(url, server, log)
            yield url
        finally:
            os.killpg(server.pid, 15)
            server.wait()


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 300
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=300):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise AssertionError(f"{url} did not answer: {log.read_text()}")


def versions() -> dict[str, str]:
    """Return the locked version of each package that the fixtures depend on."""
    locked = json.loads((FIXTURES / "package-lock.json").read_text())["packages"]
    return {name: locked[f"node_modules/{name}"]["version"] for name in locked[""]["dependencies"]}
