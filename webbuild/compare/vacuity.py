"""Vacuous comparisons: a quantity without signal on any sample proves nothing."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from webbuild.compare.comparison import ComparedOutput, Comparison, Stage


def mark_vacuous(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """Mark a quantity without signal on every sample as VACUOUS on all samples."""
    unmarked = list(comparisons)
    with_signal = {_quantity_key(c.subject) for c in unmarked if c.signal}
    return [
        c
        if c.verdict == "DIFFERS" or _quantity_key(c.subject) in with_signal
        else msgspec.structs.replace(c, verdict="VACUOUS", reason=c.reason or "nothing-found")
        for c in unmarked
    ]


def _quantity_key(subject: ComparedOutput) -> tuple[str, Stage, str, str]:
    return subject.runner, subject.stage, subject.output, subject.quantity
