"""A resource of the server: a file, or bytes in memory."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from pathlib import Path
from typing import BinaryIO

from webbuild.browser.media_types import media_type


@dataclass(frozen=True)
class Resource:
    """A body and the values of its headers. `modified` is in whole seconds since 1970, None for virtual files."""

    media_type: str
    size: int
    etag: str
    modified: int | None
    open: Callable[[], BinaryIO]

    @property
    def last_modified(self) -> str | None:
        """The modification date in the format of HTTP."""
        return None if self.modified is None else formatdate(self.modified, usegmt=True)

    def not_modified(self, if_none_match: str | None, if_modified_since: str | None) -> bool:
        """Whether the client already has this version. If both headers are given, the ETag decides."""
        if if_none_match is not None:
            tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
            return "*" in tags or self.etag in tags
        since = _seconds(if_modified_since)
        return since is not None and self.modified is not None and self.modified <= since


def file_resource(path: Path) -> Resource:
    """Return the resource of an existing file. Raises OSError."""
    facts = path.stat()
    etag = f'"{facts.st_mtime_ns:x}-{facts.st_size:x}"'
    return Resource(media_type(path.name), facts.st_size, etag, int(facts.st_mtime), lambda: path.open("rb"))


def memory_resource(kind: str, body: bytes) -> Resource:
    """Return the resource of bytes in memory."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return Resource(kind, len(body), etag, None, lambda: io.BytesIO(body))


def _seconds(date: str | None) -> float | None:
    try:
        return None if date is None else parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError):
        return None
