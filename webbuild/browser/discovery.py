"""Which Chromium: the one that was named, the system's, or Playwright's own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from webbuild.errors import USAGE, WebbuildError

VARIABLE = "WEBBUILD_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass(frozen=True)
class Found:
    """An executable, and why this one."""

    path: Path
    origin: str


def find(bundled: Path | None, environ: Mapping[str, str] = os.environ) -> Found:
    """Return the browser to run; `bundled` is where Playwright would keep its own.

    Raises:
        WebbuildError: `no-chromium`.
    """
    if named := environ.get(VARIABLE):
        path = shutil.which(named, path=environ.get("PATH", os.defpath))
        if path is None:
            raise _missing(f"{VARIABLE} names {named}, which is no executable file")
        return Found(Path(path), VARIABLE)
    for name in NAMES:
        if path := shutil.which(name, path=environ.get("PATH", os.defpath)):
            return Found(Path(path), f"{name} on the PATH")
    if bundled is not None and bundled.is_file():
        return Found(bundled, "Playwright's own")
    raise _missing("there is no Chromium on this machine")


def _missing(what: str) -> WebbuildError:
    return WebbuildError(
        "no-chromium",
        f"chromium: {what}",
        "run `python -m playwright install chromium`, or `apt-get install chromium`, "
        f"or name an executable in {VARIABLE}",
        exit_code=USAGE,
    )
