"""Free memory, returned to the operating system."""

from __future__ import annotations

import ctypes
import gc
from functools import cache
from typing import Any

_MMAP_THRESHOLD = -3
"""`M_MMAP_THRESHOLD` of mallopt(3)."""
_MMAP_THRESHOLD_BYTES = 256 * 1024
"""Bytes from which on an array is room of its own, which goes back to the system with it."""


def limit_malloc_cache() -> None:
    """Let the C library keep no large array's room for later; nothing where it is not glibc.

    The arrays of a run of a model come and go by the megabyte. glibc takes them for a habit and keeps the room of
    more and more of them.
    """
    if (library := _load_glibc()) is not None:
        library.mallopt(_MMAP_THRESHOLD, _MMAP_THRESHOLD_BYTES)


@cache
def freeze_modules() -> None:
    """Leave all objects that there are out of every later search for garbage, once a process.

    Before a model is loaded these are modules, which stay: 140,000 objects, a search through which takes 0.2 s.
    """
    gc.freeze()


def collect_and_trim() -> None:
    """Collect garbage in cycles, such as a graph's nodes, and return its room to the system.

    A search for garbage goes through every object there is that `freeze_modules` has not left out.
    """
    gc.collect()
    trim_malloc()


def trim_malloc() -> None:
    """Return to the system what the C library has kept nevertheless."""
    if (library := _load_glibc()) is not None:
        library.malloc_trim(0)


@cache
def _load_glibc() -> Any:
    try:
        library = ctypes.CDLL(None)
        return library if library.mallopt and library.malloc_trim else None
    except (AttributeError, OSError, TypeError):
        return None
