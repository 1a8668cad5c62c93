"""Measures probes: first native, then in the page in batches; inconclusive ones again on a fresh engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from webbuild.ortweb.placement_log import node_placement
from webbuild.ortweb.result_journal import Journal
from webbuild.probe.browser_harness import ProbeHarness, ProbeResponse
from webbuild.probe.native_process import NativeProcess
from webbuild.probe.outcome import case_from_response
from webbuild.probe.probe_model import NAME, Array, Probe
from webbuild.probe.record import ProbeRecord, is_measured, probe_digest
from webbuild.targets.table import MeasuredCase

_BATCH = 32
_BYTES = 4 << 20
"""Maximum bytes of the inputs of a batch, unless one probe alone has more."""

StepCallback = Callable[[int], None]
"""Called with the number of probes done since the last call."""


def measure_probes(
    harness: ProbeHarness,
    native: NativeProcess,
    journal: Journal[ProbeRecord],
    probes: Sequence[Probe],
    tick: StepCallback,
) -> None:
    """Measure each probe that is not in the journal, and write its record."""
    for batch in _batches(probes):
        left = [probe for probe in batch if not is_measured(probe, journal)]
        sweeps = [probe for probe in left if not probe.run]
        records = _placements(harness, sweeps) + _cases(harness, native, [probe for probe in left if probe.run])
        journal.add({record.name: record for record in records})
        tick(len(batch))


def _batches(probes: Sequence[Probe]) -> Iterator[list[Probe]]:
    batch: list[Probe] = []
    for probe in probes:
        if batch and (len(batch) == _BATCH or sum(map(_feed_bytes, [*batch, probe])) > _BYTES):
            yield batch
            batch = []
        batch.append(probe)
    if batch:
        yield batch


def _feed_bytes(probe: Probe) -> int:
    return sum(value.nbytes for value in probe.feeds.values())


def _placements(harness: ProbeHarness, probes: Sequence[Probe]) -> list[ProbeRecord]:
    if not probes:
        return []
    return [
        ProbeRecord(
            probe.name, probe_digest(probe), "none" if answer.stage else node_placement(answer.log, probe.op, NAME)
        )
        for probe, answer in zip(probes, harness.measure(probes), strict=True)
    ]


def _cases(harness: ProbeHarness, native: NativeProcess, probes: Sequence[Probe]) -> list[ProbeRecord]:
    references = [(probe, native.run(probe)) for probe in probes]
    known = [(probe, outputs) for probe, outputs in references if not isinstance(outputs, str)]
    cases = _measure_cases(harness, known, fresh=False)
    again = [pair for pair, (_, sure) in zip(known, cases, strict=True) if not sure]
    results: dict[str, MeasuredCase | str] = {
        probe.name: outputs for probe, outputs in references if isinstance(outputs, str)
    }
    for pairs, measured in ((known, cases), (again, _measure_cases(harness, again, fresh=True))):
        results |= {probe.name: result for (probe, _), (result, _) in zip(pairs, measured, strict=True)}
    return [_record(probe, results[probe.name]) for probe in probes]


def _record(probe: Probe, result: MeasuredCase | str) -> ProbeRecord:
    if isinstance(result, str):
        return ProbeRecord(probe.name, probe_digest(probe), reason=result)
    return ProbeRecord(probe.name, probe_digest(probe), case=result)


def _measure_cases(
    harness: ProbeHarness, known: Sequence[tuple[Probe, dict[str, Array]]], *, fresh: bool
) -> list[tuple[MeasuredCase | str, bool]]:
    """Return each case, and whether it is conclusive: not affected by earlier probes.

    A probe that timed out has no case: the software adapter may be too slow, which does not depend on the build.
    """
    if not known:
        return []
    answers = harness.measure([probe for probe, _ in known], fresh=fresh)
    return [_conclude(probe, outputs, answer) for (probe, outputs), answer in zip(known, answers, strict=True)]


def _conclude(probe: Probe, outputs: dict[str, Array], answer: ProbeResponse) -> tuple[MeasuredCase | str, bool]:
    if answer.stage == "hang":
        return answer.error, False
    case = case_from_response(probe, answer, outputs)
    return case, _is_conclusive(case, answer)


def _is_conclusive(case: MeasuredCase, answer: ProbeResponse) -> bool:
    """Whether an earlier probe cannot have caused the outcome.

    It may cause a wrong result, or an error that does not name the operator. It may also leave a cached shader, whose
    uniforms do not match.
    """
    named = f"[{case.op}]" in answer.error or f"running {case.op} node" in answer.error
    named = named and "Uniform variable" not in answer.error
    return case.outcome in ("gpu", "cpu", "no-session") or (case.outcome == "throws" and named)
