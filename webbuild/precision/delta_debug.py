"""Delta debugging: find a minimal set of nodes to keep by bisection."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Predicate = Callable[[Sequence[str]], bool | None]
"""Whether the result is right if these names are kept; None if the budget is spent."""


def minimize(names: Sequence[str], passes: Predicate) -> list[str]:
    """Return a minimal set of names that must be kept; it may not be minimal if the budget runs out.

    The algorithm is QuickXplain (Junker 2004): it finds k culprits among n names with about 2 k log2(n / k) calls.
    Names at the start of the list are kept rather than later ones, so cheap names should come first.
    Precondition: keeping nothing fails, keeping all passes.
    """
    return _minimize_within([], list(names), passes, ask=False) if names else []


def _minimize_within(kept: list[str], names: list[str], passes: Predicate, *, ask: bool) -> list[str]:
    """Return the subset of `names` that must be kept in addition to `kept`."""
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
    from_second = _minimize_within([*kept, *first], second, passes, ask=True)
    from_first = _minimize_within([*kept, *from_second], first, passes, ask=bool(from_second))
    return [*from_first, *from_second]
