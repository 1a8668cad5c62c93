"""Delta debugging: the smallest set to keep, found by halving a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Predicate = Callable[[Sequence[str]], bool | None]
"""Whether everything is right where these are kept; None where that may not be asked any more."""


def minimize(names: Sequence[str], passes: Predicate) -> list[str]:
    """Return a minimal set of names that must be kept; not a minimal one where the budget of questions runs out.

    QuickXplain (Junker 2004): of k guilty among n about 2 k log2(n / k) questions. What stands first in the list is
    kept rather than what stands behind, so names that cost little come first. Of no names none is kept.
    Precondition: keeping nothing fails, keeping all passes.
    """
    return _minimize_within([], list(names), passes, ask=False) if names else []


def _minimize_within(kept: list[str], names: list[str], passes: Predicate, *, ask: bool) -> list[str]:
    """Return what has to be kept of `names` besides `kept`."""
    if ask:
        right = passes(kept)
        if right is None:
            return names
        if right:
            return []
    if len(names) == 1:
        return names
    half = len(names) // 2
    first, second = names[:half], names[half:]
    behind = _minimize_within([*kept, *first], second, passes, ask=True)
    before = _minimize_within([*kept, *behind], first, passes, ask=bool(behind))
    return [*before, *behind]
