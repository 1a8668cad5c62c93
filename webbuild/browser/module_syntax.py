"""The syntax of JavaScript modules, as Chromium reads it: a module is compiled there, and never run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from webbuild.browser.chromium import open_chromium
from webbuild.browser.require_playwright import require_playwright
from webbuild.errors import USAGE, WebbuildError

_SECONDS = 30.0
"""How long compiling a module may take."""
_COMPILE = """([text, seconds]) => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error(`no answer within ${seconds} s`)), seconds * 1000);
  const script = document.createElement("script");
  script.type = "module";
  // The import fails before the module runs. In one line with it, lines keep their numbers.
  script.textContent = `import "data:text/javascript,throw 0";${text}`;
  script.onerror = () => resolve(null);
  addEventListener("error", ({ error, lineno }) => {
    const said = error instanceof SyntaxError ? error.message.replace(/^Failed to execute .*?: /, "") : null;
    resolve(said === null ? null : { said, line: lineno });
  });
  document.head.append(script);
})"""


class SyntaxMistake(TypedDict):
    """What Chromium says of a module, and of which line."""

    said: str
    line: int


def compile_modules(files: Sequence[Path]) -> list[SyntaxMistake | None]:
    """Return the first mistake of each module.

    Raises:
        WebbuildError: there is no Chromium that runs, or it fails or stops on the way.
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
