"""Measures probes: native first, then the page in batches, and what failed once more on a fresh engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from webbuild.probe.journal import Journal, Line
from webbuild.probe.lab import Lab
from webbuild.probe.native import Native
from webbuild.probe.node import Array, Probe
from webbuild.probe.placed import placed
from webbuild.probe.verdict import verdict
from webbuild.targets.table import Case

_BATCH = 32
_FAILED = ("throws", "wrong")

Tick = Callable[[int], None]
"""Told how many probes were done since it was told last."""


def measure(lab: Lab, native: Native, journal: Journal, probes: Sequence[Probe], tick: Tick) -> None:
    """Write a line for each probe that is not in the journal yet."""
    for start in range(0, len(probes), _BATCH):
        batch = probes[start : start + _BATCH]
        left = [probe for probe in batch if probe.name not in journal.lines]
        sweeps = [probe for probe in left if not probe.run]
        journal.add(_placements(lab, sweeps) + _cases(lab, native, [probe for probe in left if probe.run]))
        tick(len(batch))


def _placements(lab: Lab, probes: Sequence[Probe]) -> list[Line]:
    if not probes:
        return []
    return [
        Line(probe.name, "none" if answer.stage else placed(answer.log)[0])
        for probe, answer in zip(probes, lab.measure(probes), strict=True)
    ]


def _cases(lab: Lab, native: Native, probes: Sequence[Probe]) -> list[Line]:
    references = [(probe, native.run(probe)) for probe in probes]
    known = [(probe, outputs) for probe, outputs in references if not isinstance(outputs, str)]
    found = _judged(lab, known, fresh=False)
    again = [pair for pair, case in zip(known, found, strict=True) if case.outcome in _FAILED]
    second = {case.what: case for case in _judged(lab, again, fresh=True)}
    cases = {case.what: second.get(case.what, case) for case in found}
    refused = {probe.name: outputs for probe, outputs in references if isinstance(outputs, str)}
    return [Line(probe.name, case=cases.get(probe.name), refused=refused.get(probe.name, "")) for probe in probes]


def _judged(lab: Lab, known: Sequence[tuple[Probe, dict[str, Array]]], *, fresh: bool) -> list[Case]:
    if not known:
        return []
    answers = lab.measure([probe for probe, _ in known], fresh=fresh)
    return [verdict(probe, answer, outputs) for (probe, outputs), answer in zip(known, answers, strict=True)]
