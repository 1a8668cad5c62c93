"""Predictions compared with measurements, for every case of a target's kernel table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import onnx
import onnx_ir as ir

from webbuild.inspection.inspect import inspect
from webbuild.inspection.result import Inspection
from webbuild.probe.probe_model import Probe
from webbuild.probe.registry import families, family_probes
from webbuild.targets.table import KernelTable, MeasuredCase, Outcome


class CasePair(NamedTuple):
    """A measured case, its prediction, and the findings for it."""

    case: MeasuredCase
    predicted: Outcome
    codes: tuple[str, ...]


def case_pairs(known: KernelTable) -> Iterator[CasePair]:
    """Yield a prediction for each case of the table that can be built again."""
    measured = {case.name: case for case in known.cases}
    for family in families():
        for probe in family_probes(family):
            if (case := measured.get(probe.name)) is not None:
                found = inspect_probe(probe, known)
                yield CasePair(case, node_outcome(found), tuple(finding.code for finding in found.findings))


def inspect_probe(probe: Probe, known: KernelTable) -> Inspection:
    """Inspect the model of a probe, in the sizes of its inputs."""
    sizes = {f"{name}:{axis}": size for name, value in probe.feeds.items() for axis, size in enumerate(value.shape)}
    return inspect(probe.name, ir.from_proto(onnx.load_model_from_string(probe.model)), known, sizes)


def node_outcome(found: Inspection) -> Outcome:
    """Return the outcome of the only node; a folded or removed node counts as right."""
    ends = [node.outcome for node in found.nodes if node.outcome is not None]
    return next((end for end in ("no-session", "throws", "wrong", "cpu", "gpu") if end in ends), "gpu")
