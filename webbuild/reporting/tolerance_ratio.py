"""How much of its tolerance an error takes."""

from __future__ import annotations

from webbuild.compare.arrays import Comparison


def tolerance_fraction(comparison: Comparison) -> float:
    """Return an error as a fraction of what is allowed: above 1 it differs."""
    if comparison.max_abs is None:
        return float("inf")
    if comparison.max_abs == 0:
        return 0.0
    return comparison.max_abs / comparison.tolerance if comparison.tolerance else float("inf")
