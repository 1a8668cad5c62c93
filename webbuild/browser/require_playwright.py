"""Playwright, which drives browsers: an extra of the package, asked for where a browser is."""

from __future__ import annotations

import importlib.util

from webbuild.errors import USAGE, WebbuildError

INSTALL_BROWSER = "pip install 'webbuild[browser]', then python -m playwright install chromium"
"""How to get a browser: the extra, and a Chromium where there is none."""


def has_playwright() -> bool:
    """Whether Playwright is installed; it is not imported."""
    return importlib.util.find_spec("playwright") is not None


def require_playwright() -> None:
    """Refuse to go on without Playwright.

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
