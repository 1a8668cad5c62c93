"""`WebbuildError`, the error that stops a command, and how it is printed."""

from __future__ import annotations

from pathlib import Path

CLEAN, FAILED, USAGE, BUG, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes: no problem; the model or the bundle failed; usage or environment; a bug in webbuild; Ctrl-C."""


DOCS = "https://webbuild.readthedocs.io/"
"""Address of the documentation."""


def page_url(code: str) -> str:
    """Return the address of a code's page, which `webbuild explain CODE` prints too."""
    return f"{DOCS}codes/{code}/"


class WebbuildError(Exception):
    """A problem with a code, a place and a fix.

    Args:
        code: the kind of problem, in kebab-case. Codes are stable, so users can search for them.
        message: where and what, in one sentence.
        fix: what the user can do about it.
        exit_code: `FAILED` if the model or the bundle is wrong, `USAGE` if the call or the machine is.
    """

    def __init__(self, code: str, message: str, fix: str, *, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fix = fix
        self.exit_code = exit_code

    def __str__(self) -> str:
        message, fix = (printable(text.replace("\n", " ")) for text in (self.message, self.fix))
        return f"error[{self.code}] {message}\n  fix: {fix}\n  see: {page_url(self.code)}"


def printable(text: str, limit: int = 600) -> str:
    """Return text safe for a terminal: control characters escaped, at most `limit` characters."""
    clean = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def is_utf8(path: Path) -> bool:
    """Whether a path is UTF-8. Linux allows other names, which ONNX Runtime, JSON and HTML do not."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True
