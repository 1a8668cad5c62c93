"""Syntax check of JavaScript modules: Chromium compiles them, without running them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from webbuild.browser.chromium import open_chromium
from webbuild.browser.require_playwright import require_playwright
from webbuild.errors import USAGE, WebbuildError

_SECONDS = 30.0
"""Timeout for compiling a module."""
_COMPILE = """([text, seconds]) => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error(`no answer within ${seconds} s`)), seconds * 1000);
  const script = document.createElement("script");
  script.type = "module";
  // The import fails before the module runs. It is on the module's first line, so that line numbers stay the same.
  script.textContent = `import "data:text/javascript,throw 0";${text}`;
  script.onerror = () => resolve(null);
  addEventListener("error", ({ error, lineno }) => {
    const message = error instanceof SyntaxError ? error.message.replace(/^Failed to execute .*?: /, "") : null;
    resolve(message === null ? null : { message, line: lineno });
  });
  document.head.append(script);
})"""


class SyntaxMistake(TypedDict):
    """Chromium's error message for a module, and its line."""

    message: str
    line: int


def compile_modules(files: Sequence[Path]) -> list[SyntaxMistake | None]:
    """Return the first syntax error of each module, None for a valid one.

    Raises:
        WebbuildError: what `open_chromium` raises; `chromium-failed` if it fails later.
    """
    require_playwright()
    from playwright.sync_api import Error

    mistakes = list[SyntaxMistake | None]()
    try:
        with open_chromium(webgpu=False) as browser:
            for file in files:
                with browser.page() as (page, _):
                    page.context.set_offline(True)
                    mistakes.append(page.evaluate(_COMPILE, [file.read_text("utf-8"), _SECONDS]))
    except Error as error:
        what = f"Chromium failed: {error.message.splitlines()[0]}"
        raise WebbuildError("chromium-failed", what, "run it by hand to see why", exit_code=USAGE) from error
    return mistakes
