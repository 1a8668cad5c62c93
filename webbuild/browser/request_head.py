"""Reading of requests from a socket, with limits of time and size: clients may be slow, or send endless data."""

from __future__ import annotations

import io
import socket
import time
from http.client import LineTooLong

MAX_HEAD_BYTES = 1 << 16
"""Limit of a request line and its headers."""


class RequestHeadReader(io.RawIOBase):
    """The bytes of a socket. `begin` starts a request: its whole head must arrive within `seconds`."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        super().__init__()
        self._connection = connection
        self._seconds = seconds
        self.begin()

    def begin(self) -> None:
        """Reset the limits for the next request."""
        self._until = time.monotonic() + self._seconds
        self._left = MAX_HEAD_BYTES

    def readable(self) -> bool:
        """Return True, for `io.BufferedReader`."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read available bytes. Raises TimeoutError after the time limit, LineTooLong if the head is too large."""
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
