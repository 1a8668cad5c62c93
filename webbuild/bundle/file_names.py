"""File names from untrusted strings."""

from __future__ import annotations

import re
import unicodedata

_WINDOWS_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
_RESERVED_NAMES = {*_WINDOWS_DEVICES, "index", "manifest", "runtime", "page"}
"""Names that Windows reserves for devices, with any suffix, and names of the bundle's own files."""


def safe_file_name(text: str, fallback: str = "model") -> str:
    """Return text as a file name and URL segment: lower case letters, digits, dots and dashes, at most 60.

    >>> safe_file_name("../../Yolo Pose</script>")
    'yolo-pose-script'
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9.]+", "-", plain).strip("-.")[:60].strip("-.")
    name = re.sub(r"\.{2,}", ".", name)
    first, dot, rest = name.partition(".")
    return f"{first or fallback}-model{dot}{rest}" if first in _RESERVED_NAMES or not name else name


def title_from_stem(stem: str) -> str:
    """Return a file's stem as a title; a number in front only puts files in order.

    >>> title_from_stem("2-two_people")
    'Two people'
    """
    words = re.sub(r"[\W_]+", " ", re.sub(r"^\d+[-_. ]+", "", stem)).strip()
    return words[:1].upper() + words[1:60] or "Sample"
