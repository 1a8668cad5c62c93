"""The Chromium to use: the user's choice, the system's, or Playwright's."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

from webbuild.browser.executable import Executable, find_executable
from webbuild.errors import USAGE, WebbuildError

CHROMIUM_VARIABLE = "WEBBUILD_CHROMIUM"
EXECUTABLE_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def usual_places(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> list[PurePath]:
    """Return the usual install paths of Chrome and Chromium on systems that put neither on the PATH."""
    if platform == "darwin":
        names = ("Google Chrome", "Chromium")
        return [PurePosixPath(f"/Applications/{name}.app/Contents/MacOS/{name}") for name in names]
    if platform == "win32":
        folders = filter(None, map(environ.get, ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")))
        return [PureWindowsPath(folder, "Google", "Chrome", "Application", "chrome.exe") for folder in folders]
    return []


def find_chromium(bundled: Path | None, environ: Mapping[str, str] = os.environ) -> Executable:
    """Return the browser to run; `bundled` is the path of Playwright's own browser.

    Raises:
        WebbuildError: `no-chromium`.
    """
    if executable := find_executable(CHROMIUM_VARIABLE, EXECUTABLE_NAMES, environ, _not_found):
        return executable
    for candidate in usual_places(environ):
        if Path(candidate).is_file():
            return Executable(Path(candidate), "where Chrome is installed")
    if bundled is not None and bundled.is_file():
        return Executable(bundled, "Playwright's own")
    raise _not_found("there is no Chromium on this machine")


def _not_found(what: str) -> WebbuildError:
    return WebbuildError(
        "no-chromium",
        f"chromium: {what}",
        "run `python -m playwright install chromium`, or `apt-get install chromium` (Debian), "
        f"or name an executable in {CHROMIUM_VARIABLE}",
        exit_code=USAGE,
    )
