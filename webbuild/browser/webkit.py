"""WebKit over WebDriver: Debian's WebKitGTK on a virtual display, and Safari on macOS.

A session has a separate profile, so each page is a session.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webbuild.browser.console import Console
from webbuild.browser.driver_error import DriverError, first_line, no_page_error
from webbuild.browser.end_process import end_process, new_group
from webbuild.browser.executable import Executable, find_executable
from webbuild.browser.webdriver import WebDriver, WebDriverPage
from webbuild.errors import USAGE, WebbuildError

VARIABLE = "WEBBUILD_WEBKIT"
NAMES = ("WebKitWebDriver",)
_SECONDS = 60.0
"""Timeout for the start of the driver."""


@dataclass(frozen=True)
class WebKitHandle:
    """A driver that starts a WebKit for each page: its executable, and why it was chosen."""

    driver: WebDriver
    path: Path
    source: str
    name: str
    version: str

    @property
    def description(self) -> str:
        """The executable and why it was chosen."""
        return f"{self.path} ({self.source})"

    @property
    def is_running(self) -> bool:
        """Whether the driver still answers."""
        return self.driver.is_ready()

    @contextmanager
    def page(self) -> Iterator[tuple[WebDriverPage, Console]]:
        """Open a page in a separate profile, with its console messages after loading; a context manager that closes it.

        Messages of its workers are not recorded: WebDriver has no console API.

        Raises:
            WebbuildError: `browser-disconnected`.
        """
        console = Console()
        try:
            page = self.driver.open(console)
        except DriverError as error:
            raise no_page_error(self.description, error) from error
        try:
            yield page, console
        finally:
            with contextlib.suppress(DriverError):  # a crashed browser has already closed it
                page.close()


def _find_webkit(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Executable:
    """Return the driver to run: the user's choice, WebKitGTK's, or Safari's.

    Raises:
        WebbuildError: `no-webkit`.
    """
    names = (*NAMES, *(["safaridriver"] if platform == "darwin" else []))
    if executable := find_executable(VARIABLE, names, environ, no_webkit_error):
        return executable
    raise no_webkit_error("there is no WebKit driver on this machine")


def no_webkit_error(what: str) -> WebbuildError:
    """Return the error for a machine without a driver that starts."""
    return WebbuildError(
        "no-webkit",
        f"webkit: {what}",
        "`apt-get install webkit2gtk-driver xvfb` (Debian, Ubuntu), `safaridriver --enable` (macOS), "
        f"or name a driver in {VARIABLE}",
        exit_code=USAGE,
    )


@contextmanager
def open_webkit(executable: Executable | None = None) -> Iterator[WebKitHandle]:
    """Start a WebKit driver, on a virtual display if there is no display; a context manager. No process outlives it.

    Raises:
        WebbuildError: `no-webkit`, `webkit-failed`.
    """
    executable = executable or _find_webkit()
    safari = executable.path.name == "safaridriver"
    with _display(needed=not safari) as display:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port: int = free.getsockname()[1]
        process = subprocess.Popen(
            [executable.path, "-p", str(port)],
            env={**os.environ, **({"DISPLAY": display} if display else {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **new_group(),
        )
        try:
            driver = WebDriver(f"http://127.0.0.1:{port}", {"browserName": "safari"} if safari else {})
            until = time.monotonic() + _SECONDS
            while not driver.is_ready():
                if process.poll() is not None or time.monotonic() > until:
                    raise _driver_error(executable.path, "the driver does not answer")
                time.sleep(0.05)
            try:
                version = driver.version()
            except DriverError as error:
                raise _driver_error(executable.path, first_line(error)) from error
            yield WebKitHandle(driver, executable.path, executable.source, "Safari" if safari else "WebKitGTK", version)
        finally:
            end_process(process)


@contextmanager
def _display(*, needed: bool) -> Iterator[str]:
    """Return a context manager with the X display: the existing one, or a virtual one."""
    if not needed or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        yield ""
        return
    path = shutil.which("Xvfb")
    if path is None:
        raise no_webkit_error("there is no display, and no Xvfb to create one")
    read, write = os.pipe()
    process = subprocess.Popen(
        [path, "-displayfd", str(write), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
        pass_fds=(write,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **new_group(),
    )
    os.close(write)
    try:
        with os.fdopen(read) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise _driver_error(Path(path), "no display")
        yield f":{number}"
    finally:
        end_process(process)


def _driver_error(path: Path, why: str) -> WebbuildError:
    fix = f"run it by hand to see why, or name another driver in {VARIABLE}"
    return WebbuildError("webkit-failed", f"{path} did not start: {why}", fix, exit_code=USAGE)
