"""Symbolic integers: linear expressions of unknown sizes in a normal form, so that equal terms compare equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

Term = frozenset[tuple[Hashable, int]]
"""A sum of (atom, factor): x1 - x0 + 1 is {(x1, 1), (x0, -1), (None, 1)}; the atom None is the number 1."""


def number(value: int) -> Term:
    """Return a known number."""
    return frozenset({(None, value)} if value else ())


def unknown(name: Hashable) -> Term:
    """Return an unknown number."""
    return frozenset({(name, 1)})


def known_number(term: Term) -> int | None:
    """Return the value of a constant term, None if the term has unknowns."""
    parts = dict(term)
    return parts.get(None, 0) if set(parts) <= {None} else None


def plus(term: Term, other: Term, times: int = 1) -> Term:
    """Return term + times * other."""
    total = Counter(dict(term))
    for atom, factor in other:
        total[atom] += times * factor
    return frozenset((atom, factor) for atom, factor in total.items() if factor)


def minus(term: Term, other: Term) -> Term:
    """Return term - other."""
    return plus(term, other, -1)


def largest(terms: Iterable[Term]) -> Term:
    """Return the largest of some terms."""
    return _extreme("max", terms)


def least(terms: Iterable[Term]) -> Term:
    """Return the least of some terms."""
    return _extreme("min", terms)


def _extreme(kind: str, terms: Iterable[Term]) -> Term:
    each = frozenset(terms)
    numbers = [value for term in each if (value := known_number(term)) is not None]
    if len(numbers) > 1:
        each = frozenset(term for term in each if known_number(term) is None)
        each |= {number(max(numbers) if kind == "max" else min(numbers))}
    return next(iter(each)) if len(each) == 1 else unknown((kind, each))
