"""Media types by file suffix. With a wrong type, browsers refuse modules and WebAssembly streaming."""

from __future__ import annotations

from pathlib import PurePath

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".ts": "text/plain; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".webmanifest": "application/manifest+json",
    ".wasm": "application/wasm",
    ".gz": "application/gzip",
    ".zst": "application/zstd",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".bmp": "image/bmp",
    ".ico": "image/x-icon",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
}


def media_type(name: str) -> str:
    """Return the media type for a file's name; `application/octet-stream` for models, weights and unknown suffixes."""
    return _TYPES.get(PurePath(name).suffix.lower(), "application/octet-stream")
