"""A name that no node or value of a graph has yet."""

from __future__ import annotations

import itertools
from collections.abc import Container


def unused_name(taken: Container[str | None], name: str) -> str:
    """Return `name`, with a number appended if it is taken."""
    names = itertools.chain([name], (f"{name}_{number}" for number in itertools.count(2)))
    return next(each for each in names if each not in taken)
