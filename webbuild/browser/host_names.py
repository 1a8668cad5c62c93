"""Host names that a server answers to. Others are refused, which prevents DNS rebinding by other sites."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}
"""Loopback names of this machine, with the address family to listen on."""


def host_name(address: str) -> str:
    """Return the host name in `NAME`, `NAME:PORT`, `[::1]:PORT` or a URL, in lower case; "" if there is none."""
    try:
        name = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    except ValueError:
        return ""
    return name.rstrip(".")


def host_names(addresses: Iterable[str]) -> frozenset[str]:
    """Return the loopback names and the host names of `addresses`."""
    return frozenset(LOOPBACK) | {host_name(each) for each in addresses} - {""}
