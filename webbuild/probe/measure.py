"""Measures probes: native first, then the page in batches, and what failed once more on a fresh engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from webbuild.probe.journal import Journal, Line, digest
from webbuild.probe.lab import Answer, Lab
from webbuild.probe.native import Native
from webbuild.probe.node import NAME, Array, Probe
from webbuild.probe.placed import placed_node
from webbuild.probe.verdict import verdict
from webbuild.targets.table import Case

_BATCH = 32
_BYTES = 4 << 20
"""Fed to one batch at most, unless one probe alone is fed more."""

Tick = Callable[[int], None]
"""Told how many probes were done since it was told last."""


def measure(lab: Lab, native: Native, journal: Journal, probes: Sequence[Probe], tick: Tick) -> None:
    """Write a line for each probe that is not in the journal yet."""
    for batch in _batches(probes):
        left = [probe for probe in batch if not journal.has(probe)]
        sweeps = [probe for probe in left if not probe.run]
        journal.add(_placements(lab, sweeps) + _cases(lab, native, [probe for probe in left if probe.run]))
        tick(len(batch))


def _batches(probes: Sequence[Probe]) -> Iterator[list[Probe]]:
    batch: list[Probe] = []
    for probe in probes:
        if batch and (len(batch) == _BATCH or sum(map(_fed, [*batch, probe])) > _BYTES):
            yield batch
            batch = []
        batch.append(probe)
    if batch:
        yield batch


def _fed(probe: Probe) -> int:
    return sum(value.nbytes for value in probe.feeds.values())


def _placements(lab: Lab, probes: Sequence[Probe]) -> list[Line]:
    if not probes:
        return []
    return [
        Line(probe.name, digest(probe), "none" if answer.stage else placed_node(answer.log, probe.op, NAME))
        for probe, answer in zip(probes, lab.measure(probes), strict=True)
    ]


def _cases(lab: Lab, native: Native, probes: Sequence[Probe]) -> list[Line]:
    references = [(probe, native.run(probe)) for probe in probes]
    known = [(probe, outputs) for probe, outputs in references if not isinstance(outputs, str)]
    found = _judged(lab, known, fresh=False)
    again = [pair for pair, (_, sure) in zip(known, found, strict=True) if not sure]
    ends: dict[str, Case | str] = {probe.name: outputs for probe, outputs in references if isinstance(outputs, str)}
    for pairs, judged in ((known, found), (again, _judged(lab, again, fresh=True))):
        ends |= {probe.name: end for (probe, _), (end, _) in zip(pairs, judged, strict=True)}
    return [_line(probe, ends[probe.name]) for probe in probes]


def _line(probe: Probe, end: Case | str) -> Line:
    if isinstance(end, str):
        return Line(probe.name, digest(probe), refused=end)
    return Line(probe.name, digest(probe), case=end)


def _judged(lab: Lab, known: Sequence[tuple[Probe, dict[str, Array]]], *, fresh: bool) -> list[tuple[Case | str, bool]]:
    """Return the cases, and of each whether it owes nothing to the probes before it.

    What was not done in time has no case: a software adapter may be too slow, which says nothing of the build.
    """
    if not known:
        return []
    answers = lab.measure([probe for probe, _ in known], fresh=fresh)
    return [_end(probe, outputs, answer) for (probe, outputs), answer in zip(known, answers, strict=True)]


def _end(probe: Probe, outputs: dict[str, Array], answer: Answer) -> tuple[Case | str, bool]:
    if answer.stage == "hang":
        return answer.error, False
    case = verdict(probe, answer, outputs)
    return case, _sure(case, answer)


def _sure(case: Case, answer: Answer) -> bool:
    """A wrong answer may be an earlier probe's fault, and so may an error that does not name the operator.

    jsep takes a compiled program of the same operator for another rank, and finds then that it does not fit.
    """
    named = f"[{case.op}]" in answer.error or f"running {case.op} node" in answer.error
    named = named and "Uniform variable" not in answer.error
    return case.outcome in ("gpu", "cpu", "no-session") or (case.outcome == "throws" and named)
