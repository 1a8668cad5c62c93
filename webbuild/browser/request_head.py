"""Reads requests from a socket, each within a time and a size: a client may be slow or send without end."""

from __future__ import annotations

import io
import socket
import time
from http.client import LineTooLong

MAX_HEAD_BYTES = 1 << 16
"""Of a request line and its headers."""


class RequestHeadReader(io.RawIOBase):
    """The bytes of a socket. `begin` starts a request: its head has to come whole within `seconds` from then."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        super().__init__()
        self._connection = connection
        self._seconds = seconds
        self.begin()

    def begin(self) -> None:
        """Give the next request its time and its bytes."""
        self._until = time.monotonic() + self._seconds
        self._left = MAX_HEAD_BYTES

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read what has come. Raises TimeoutError when the time is up, LineTooLong when the head is too large."""
        if self._left <= 0:
            raise LineTooLong("head")
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long")
        self._connection.settimeout(left)
        try:
            count = self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(self._seconds)
        self._left -= count
        return count
