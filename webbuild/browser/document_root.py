"""The document root of the server: a folder with its URL prefix, and files in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from webbuild.browser.host_names import LOOPBACK

VirtualFiles = dict[str, tuple[str, bytes]]
"""Path of the URL -> (media type, body)."""

RequestListener = Callable[[str, int], None]
"""Called after each body is sent, with the path of its URL and the number of bytes sent."""


def _ignore_request(path: str, sent: int) -> None:
    pass


_COMMON_HEADERS = {
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_ISOLATION_HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}


@dataclass(frozen=True)
class DocumentRoot:
    """A resolved folder under a prefix that begins and ends with a slash."""

    root: Path
    prefix: str = "/"
    isolated: bool = True
    virtual_files: VirtualFiles = field(default_factory=dict)
    extra_headers: Mapping[str, str] = field(default_factory=dict)
    on_request: RequestListener = _ignore_request
    answers_to: Callable[[str], bool] = LOOPBACK.__contains__

    def headers(self) -> Mapping[str, str]:
        """Return the headers of every response. `isolated` enables SharedArrayBuffer, and so WASM threads."""
        return {**_COMMON_HEADERS, **(_ISOLATION_HEADERS if self.isolated else {}), **self.extra_headers}
