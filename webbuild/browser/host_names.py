"""Names that a server answers to: another site cannot read it by pointing its own name here (DNS rebinding)."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}
"""This machine's names for itself, and how each is listened at."""


def host_name(address: str) -> str:
    """Return the name in `NAME`, `NAME:PORT`, `[::1]:PORT` or a URL, in lower case; "" where there is none."""
    try:
        name = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    except ValueError:
        return ""
    return name.rstrip(".")


def host_names(addresses: Iterable[str]) -> frozenset[str]:
    """Return the names of this machine for itself, and those of `addresses`."""
    return frozenset(LOOPBACK) | {host_name(each) for each in addresses} - {""}
