"""Chromium through Playwright: started, with its console recorded, and always ended."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from webbuild.browser.chromium_flags import chromium_flags
from webbuild.browser.console import Console
from webbuild.browser.driver_error import no_page_error
from webbuild.browser.find_chromium import find_chromium
from webbuild.browser.require_playwright import require_playwright
from webbuild.errors import USAGE, WebbuildError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright

_WINDOWS = os.name == "nt"
_ENDING_SIGNALS = (signal.SIGTERM,) if _WINDOWS else (signal.SIGTERM, signal.SIGKILL)
_EXIT_TIMEOUT = 3.0
"""Seconds between the request to exit and the kill."""
_PAGE_TIMEOUT = 120.0
"""Seconds for a page to load: a busy machine takes longer than Playwright's default of 30 s."""


@dataclass(frozen=True)
class BrowserHandle:
    """A running browser. `path` is None for a remote one; `source` is why this executable was chosen, or an address."""

    browser: Browser
    path: Path | None
    source: str
    version: str
    name: str = "Chromium"

    @property
    def is_running(self) -> bool:
        """Whether the browser process still runs."""
        return self.browser.is_connected()

    @property
    def description(self) -> str:
        """The executable and its source, or the address."""
        return self.source if self.path is None else f"{self.path} ({self.source})"

    @contextmanager
    def page(self) -> Iterator[tuple[Page, Console]]:
        """Open a page in a separate profile, with its console messages; a context manager that closes it.

        Raises:
            WebbuildError: `browser-disconnected`.
        """
        from playwright.sync_api import Error

        try:
            context = self.browser.new_context()
            context.set_default_timeout(_PAGE_TIMEOUT * 1000)
            console, page = Console(), context.new_page()
        except Error as error:
            raise no_page_error(self.description, error) from error
        try:
            console.listen(page)
            yield page, console
        finally:
            with contextlib.suppress(Exception):  # a crashed browser has already closed it
                context.close()


@contextmanager
def open_chromium(*, webgpu: bool = True, extra: Sequence[str] = ()) -> Iterator[BrowserHandle]:
    """Start a browser; a context manager. See `chromium_flags` for WebGPU and `WEBBUILD_GPU=real`.

    No process outlives the block, also if it raises or is interrupted.

    Raises:
        WebbuildError: `no-playwright`, `no-chromium`, `chromium-failed`.
    """
    require_playwright()
    from playwright.sync_api import sync_playwright

    manager = sync_playwright()
    playwright = manager.start()
    pid: int | None = None
    try:
        executable = find_chromium(_playwright_executable(playwright))
        browser = _launch(playwright, executable.path, [*chromium_flags(webgpu=webgpu), *extra])
        pid = _process_id(browser)
        yield BrowserHandle(browser, executable.path, executable.source, browser.version)
    except BaseException as error:
        if not isinstance(error, Exception):  # Ctrl-C has broken the connection: a regular close would hang
            _terminate(pid)
        raise
    finally:
        _stop_playwright(playwright, pid)


def _launch(playwright: Playwright, path: Path, arguments: list[str]) -> Browser:
    from playwright.sync_api import Error

    try:
        return playwright.chromium.launch(
            executable_path=path,
            args=arguments,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
    except Error as error:
        raise WebbuildError(
            "chromium-failed",
            f"{path} did not start: {error.message.splitlines()[0]}",
            "run it by hand to see why, or name another one in WEBBUILD_CHROMIUM",
            exit_code=USAGE,
        ) from error


def _playwright_executable(playwright: Playwright) -> Path | None:
    path = playwright.chromium.executable_path
    return Path(path) if path else None


def _process_id(browser: Browser) -> int | None:
    for process in browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]:
        if process["type"] == "browser":
            return int(process["id"])
    return None


def _stop_playwright(playwright: Playwright, pid: int | None) -> None:
    try:
        playwright.stop()  # the driver closes its browsers before it ends
    except Exception:
        _terminate(pid)
    else:
        if pid is not None and _still_running(pid, _EXIT_TIMEOUT):
            _terminate(pid)


def _terminate(pid: int | None) -> None:
    """End the browser's main process; its children end with it."""
    if pid is None:
        return
    for number in _ENDING_SIGNALS:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
        if not _still_running(pid, _EXIT_TIMEOUT):
            return


def _still_running(pid: int, seconds: float) -> bool:
    """Wait for a process to end; return whether it still runs. False on Windows, where os.kill(pid, 0) would end it."""
    if _WINDOWS:
        return False
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        time.sleep(0.05)
    return True
