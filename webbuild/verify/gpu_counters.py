"""A worker that counts its GPU calls, served next to a bundle."""

from __future__ import annotations

from urllib.parse import urlsplit

from msgspec import Struct

from webbuild.browser.server import Server
from webbuild.verify.page_rpc import URL_PREFIX


class GpuCounters(Struct, frozen=True, rename="camel"):
    """Counts of all counting workers so far, and the memory they use."""

    dispatches: int
    submits: int
    uploads: int
    uploaded_bytes: int
    readbacks: int
    read_bytes: int
    buffers: int
    buffer_bytes: int
    peak_buffer_bytes: int
    wasm_bytes: int


def serve_counting_worker(server: Server) -> str:
    """Serve the runtime's worker with counters before it, and return its address for `load()`."""
    address = f"{URL_PREFIX}counting-worker.js"
    script = f'import "./counting.js";\nimport "{urlsplit(server.url).path}runtime/worker.js";\n'
    server.virtual[address] = ("text/javascript", script.encode())
    return address
