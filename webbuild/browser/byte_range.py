"""The Range header of HTTP (RFC 9110, section 14), for one range of bytes."""

from __future__ import annotations

import re

_ONE = re.compile(r"bytes=\s*(\d*)\s*-\s*(\d*)\s*\Z", re.ASCII)


class UnsatisfiableError(Exception):
    """The range lies wholly outside the file: status 416."""


def parse(header: str | None, size: int) -> range | None:
    """Return the bytes asked for of a file of `size` bytes, or None for the whole file.

    A header that is malformed, or asks for several ranges, is ignored, as the RFC allows.

    Raises:
        UnsatisfiableError: the range begins behind the end, or is the empty suffix.
    """
    match = _ONE.match(header.strip()) if header else None
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        length = min(int(last), size)
        if length == 0:
            raise UnsatisfiableError
        return range(size - length, size)
    start = int(first)
    if last and int(last) < start:
        return None
    if start >= size:
        raise UnsatisfiableError
    return range(start, min(int(last) + 1, size) if last else size)
