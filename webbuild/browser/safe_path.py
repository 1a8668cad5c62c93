"""Safe resolution of URL paths to files: never to a file outside of the folder."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

_FORBIDDEN_SEGMENTS = frozenset({"", ".", ".."})


def resolve_inside(root: Path, path: str) -> Path | None:
    """Return the existing file or folder of a URL's percent-encoded path; None if there is none.

    The path is decoded once. Refused: `..` in any encoding, backslashes, NUL, drive letters, hidden files, and symbolic
    links that lead out of `root`, which must already be resolved.
    """
    decoded = unquote(path, errors="surrogateescape")
    if any(bad in decoded for bad in ("\\", "\0", ":")):
        return None
    steps = decoded.strip("/").split("/") if decoded.strip("/") else []
    if any(step in _FORBIDDEN_SEGMENTS or step.startswith(".") for step in steps):
        return None
    try:
        target = root.joinpath(*steps).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return None
    return target if target.is_relative_to(root) else None
