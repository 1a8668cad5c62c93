"""Playwright, which drives browsers: an extra of the package, required by commands that run a browser."""

from __future__ import annotations

import importlib.util

from webbuild.errors import USAGE, WebbuildError

INSTALL_BROWSER = "pip install 'webbuild[browser]', then python -m playwright install chromium"
"""Commands that install the extra and a Chromium."""


def has_playwright() -> bool:
    """Whether Playwright is installed; it is not imported."""
    return importlib.util.find_spec("playwright") is not None


def require_playwright() -> None:
    """Raise if Playwright is not installed.

    Raises:
        WebbuildError: `no-playwright`.
    """
    if not has_playwright():
        raise WebbuildError(
            "no-playwright",
            "playwright: not installed; it is needed to run anything in a browser",
            INSTALL_BROWSER,
            exit_code=USAGE,
        )
