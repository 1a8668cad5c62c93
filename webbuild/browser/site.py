"""What is served: a folder, where it appears, and files that exist only in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Virtual = dict[str, tuple[str, bytes]]
"""Path of the URL -> (media type, body)."""

Heard = Callable[[str, int], None]
"""Told of every body that was sent: the path of its URL, and how many bytes of it went out."""


def _deaf(path: str, sent: int) -> None:
    pass


_ALWAYS = {
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_ISOLATION = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}


@dataclass(frozen=True)
class Site:
    """A resolved folder under a prefix that begins and ends with a slash."""

    root: Path
    prefix: str = "/"
    isolated: bool = True
    virtual: Virtual = field(default_factory=dict)
    extra: Mapping[str, str] = field(default_factory=dict)
    heard: Heard = _deaf

    def headers(self) -> Mapping[str, str]:
        """Return the headers of every answer. `isolated` gives the page SharedArrayBuffer, so WASM threads."""
        return {**_ALWAYS, **(_ISOLATION if self.isolated else {}), **self.extra}
