"""Firefox over WebDriver BiDi: found, started with WebGPU, and always ended.

Playwright drives only its own build of Firefox; BiDi drives the installed one.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webbuild.browser.bidi import BidiPage, BidiSession
from webbuild.browser.chromium_flags import is_own_gpu_wanted
from webbuild.browser.console import Console
from webbuild.browser.driver_error import DriverError, no_page_error
from webbuild.browser.end_process import end_process, new_group
from webbuild.browser.executable import Executable, find_executable
from webbuild.errors import USAGE, WebbuildError

VARIABLE = "WEBBUILD_FIREFOX"
NAMES = ("firefox-esr", "firefox")
LAVAPIPE = tuple(Path(f"/usr/share/vulkan/icd.d/lvp_icd.{name}json") for name in ("", "x86_64.", "aarch64."))
"""Paths of the manifest of Mesa's software Vulkan driver: Debian 13 without the architecture, older ones with it."""

_LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
_PREFERENCES = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "browser.safebrowsing.update.enabled": False,
    "extensions.update.enabled": False,
    "toolkit.telemetry.enabled": False,
}
_WEBGPU_PREFERENCES = {
    "dom.webgpu.enabled": True,
    "dom.webgpu.workers.enabled": True,
    "gfx.webgpu.ignore-blocklist": True,
}
"""Preferences that enable WebGPU in Firefox on Linux; on Windows and macOS it is on by default."""


@dataclass(frozen=True)
class FirefoxHandle:
    """A running Firefox: its executable, and why it was chosen."""

    session: BidiSession
    path: Path
    source: str
    name: str = "Firefox"

    @property
    def version(self) -> str:
        """The version that the browser reports."""
        return self.session.version

    @property
    def description(self) -> str:
        """The executable and why it was chosen."""
        return f"{self.path} ({self.source})"

    @property
    def is_running(self) -> bool:
        """Whether the browser process still runs."""
        return self.session.is_open

    @contextmanager
    def page(self) -> Iterator[tuple[BidiPage, Console]]:
        """Open a page in a separate profile, with its console messages; a context manager that closes it.

        Raises:
            WebbuildError: `browser-disconnected`.
        """
        with contextlib.ExitStack() as stack:
            try:
                opened = stack.enter_context(self.session.page())
            except DriverError as error:
                raise no_page_error(self.description, error) from error
            yield opened


def _find_firefox(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Executable:
    """Return the Firefox to run: the user's choice, or the system's.

    Raises:
        WebbuildError: `no-firefox`.
    """
    if executable := find_executable(VARIABLE, NAMES, environ, no_firefox_error):
        return executable
    usual = {
        "darwin": Path("/Applications/Firefox.app/Contents/MacOS/firefox"),
        "win32": Path(environ.get("PROGRAMFILES", "C:/Program Files"), "Mozilla Firefox", "firefox.exe"),
    }.get(platform)
    if usual is not None and usual.is_file():
        return Executable(usual, "where Firefox is installed")
    raise no_firefox_error("there is no Firefox on this machine")


def no_firefox_error(what: str) -> WebbuildError:
    """Return the error for a machine without a Firefox that starts."""
    return WebbuildError(
        "no-firefox",
        f"firefox: {what}",
        "`apt-get install firefox-esr` (Debian), Mozilla's own package (Ubuntu, whose archive has only a snap), "
        f"or name an executable in {VARIABLE}",
        exit_code=USAGE,
    )


def find_lavapipe() -> Path | None:
    """Return the manifest of Mesa's Vulkan driver lavapipe; None if it is not installed."""
    return next((path for path in LAVAPIPE if path.exists()), None)


@contextmanager
def open_firefox(executable: Executable | None = None, *, webgpu: bool = True) -> Iterator[FirefoxHandle]:
    """Start a Firefox with a separate profile; a context manager. No process outlives the block.

    With `webgpu`, WebGPU is enabled on Linux. If Mesa's lavapipe is installed, it computes WebGPU on the CPU;
    `WEBBUILD_GPU=real` selects the machine's own GPU.

    Raises:
        WebbuildError: `no-firefox`, `firefox-failed`.
    """
    from websockets.sync.client import connect

    executable = executable or _find_firefox()
    preferences = _PREFERENCES | (_WEBGPU_PREFERENCES if webgpu else {"dom.webgpu.enabled": False})
    driver = find_lavapipe() if webgpu and not is_own_gpu_wanted() else None
    with tempfile.TemporaryDirectory(prefix="webbuild-firefox-", ignore_cleanup_errors=True) as profile:
        lines = (f'user_pref("{name}", {str(value).lower()});\n' for name, value in preferences.items())
        (Path(profile) / "user.js").write_text("".join(lines), "utf-8", newline="\n")
        process = subprocess.Popen(
            [executable.path, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile],
            env={**os.environ, **({"VK_ICD_FILENAMES": str(driver)} if driver else {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            **new_group(),
        )
        try:
            address = f"{_address(process, executable.path)}/session"
            # No pings: a Firefox that computes WebGPU on the CPU may take more than 20 s to answer one.
            with connect(address, max_size=None, compression=None, ping_interval=None) as socket:
                yield FirefoxHandle(BidiSession(socket), executable.path, executable.source)
        finally:
            end_process(process)


def _address(process: subprocess.Popen[str], path: Path) -> str:
    """Read the browser's address from stderr. A thread drains the rest, so that the browser never blocks on it."""
    assert process.stderr is not None
    output_lines = []
    for line in process.stderr:
        output_lines.append(line.strip())
        if match := _LISTENING.search(line):
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return match[1]
    raise WebbuildError(
        "firefox-failed",
        f"{path} did not start: {' '.join(output_lines)[-300:]}",
        f"run it by hand to see why, or name another one in {VARIABLE}",
        exit_code=USAGE,
    )
