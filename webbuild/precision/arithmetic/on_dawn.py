"""Float16 on Dawn for Node, where Mesa's lavapipe, or another Vulkan driver, is installed."""

from __future__ import annotations

from webbuild.errors import WebbuildError
from webbuild.precision.arithmetic.dawn import Dawn
from webbuild.precision.arithmetic.engined import Engined
from webbuild.precision.arithmetic.parts import parts


def on_dawn(why: str = "it was asked for", *, verbose: bool = False) -> Engined | str:
    """Return Dawn as an arithmetic, or what it lacks.

    Args:
        why: why nothing better computes.
        verbose: whether the engine says where nodes are placed.

    Raises:
        WebbuildError: `no-runtime`.
    """
    found = parts()
    if isinstance(found, str):
        return found
    try:
        dawn = Dawn(found, verbose=verbose)
    except WebbuildError as error:
        if error.code == "no-runtime":
            raise
        return error.message
    return Engined(f"Dawn on {'lavapipe' if dawn.software else dawn.adapter}", why, dawn, dawn.close)
