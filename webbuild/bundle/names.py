"""Names for files, made from strings that nobody vouches for."""

from __future__ import annotations

import re
import unicodedata

_RESERVED = {"con", "prn", "aux", "nul", "index", "manifest", "runtime", "page"}


def safe_name(text: str, fallback: str = "model") -> str:
    """Return text as a file name and URL segment: lower case letters, digits, dots and dashes, at most 60.

    >>> safe_name("../../Yolo Pose</script>")
    'yolo-pose-script'
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9.]+", "-", plain).strip("-.")[:60].strip("-.")
    name = re.sub(r"\.{2,}", ".", name)
    return f"{name or fallback}-model" if name in _RESERVED or not name else name
