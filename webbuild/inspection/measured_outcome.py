"""Comparison of the measured outcome of a model in Chromium with the prediction, node by node."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from webbuild.inspection.cpu_fusion import split_gathers
from webbuild.inspection.graph import walk_nodes
from webbuild.inspection.result import Inspection, NodeInspection
from webbuild.ortweb.placement_log import TRANSFER_OPS, count_placements, parse_nodes

if TYPE_CHECKING:
    import onnx_ir as ir

MeasuredPlacement = Literal["gpu", "cpu", "removed"]
"""The placement of a node: `removed` if it was folded, or fused into another."""

RunOutcome = Literal["no-session", "throws", "wrong", "runs"]
_RUN_OUTCOMES: tuple[RunOutcome, ...] = ("no-session", "throws", "wrong", "runs")

_NAME = re.compile(r"n(\d+)(?!\d)")
_THROWN = re.compile(r"Name:'n(\d+)(?!\d)")


class PlacementCounts(Struct, frozen=True, rename="camel"):
    """The number of nodes by placement."""

    gpu: int
    cpu: int
    folded: int


class OperatorCounts(Struct, frozen=True, rename="camel"):
    """The predicted and measured placements of an operator's nodes."""

    operator: str
    predicted: PlacementCounts
    measured: PlacementCounts


class Measurement(Struct, frozen=True, rename="camel"):
    """The prediction and the measured outcome.

    `placements` are in the inspection's order, None without a session. `measured_transfers` is None if the engine's log
    names no nodes. `_throwing_node` is the node that threw, and `wrong_node` the first with a wrong result, if found.
    `message` is the engine's error, or why nothing was compared. `disagreements` name what to probe.
    """

    operators: tuple[OperatorCounts, ...]
    placements: tuple[MeasuredPlacement | None, ...]
    predicted_transfers: int
    measured_transfers: int | None
    predicted_outcome: RunOutcome
    measured_outcome: RunOutcome
    throwing_node: int | None
    wrong_node: int | None
    message: str
    disagreements: tuple[str, ...]


def indexed_name(index: int) -> str:
    """Return the name that a node gets for the measurement."""
    return f"n{index}"


def _throwing_node(message: str) -> int | None:
    """Return the index of the node that the engine's error message names."""
    match = _THROWN.search(message)
    return int(match[1]) if match else None


def compare_with_prediction(
    inspection: Inspection, model: ir.Model, log: Sequence[str], measured: RunOutcome, message: str, wrong: int | None
) -> Measurement:
    """Compare the prediction for a model with the engine's log and the outcome of the run."""
    places = _measured_placements(inspection, log, measured)
    names = [node.operator for node in parse_nodes(log)]
    guess = _predicted_outcome(inspection)
    failed = _throwing_node(message) if measured == "throws" else None
    return Measurement(
        operators=tuple(_operator_counts(inspection, places)),
        placements=places,
        predicted_transfers=sum(not copy.implicit for copy in inspection.transfers),
        measured_transfers=sum(name in TRANSFER_OPS for name in names) if names or measured != "no-session" else None,
        predicted_outcome=guess,
        measured_outcome=measured,
        throwing_node=failed,
        wrong_node=wrong,
        message=message,
        disagreements=(
            *_outcome_disagreements(inspection, guess, measured, failed if failed is not None else wrong),
            *_placement_disagreements(inspection, model, places),
        ),
    )


def _predicted_outcome(inspection: Inspection) -> RunOutcome:
    """Return the worst outcome among the findings."""
    ends = {finding.outcome for finding in inspection.findings if finding.severity == "error"}
    return next((end for end in _RUN_OUTCOMES if end in ends), "runs")


def _measured_placements(
    inspection: Inspection, log: Sequence[str], measured: RunOutcome
) -> tuple[MeasuredPlacement | None, ...]:
    if measured == "no-session":
        return tuple(None for _ in inspection.nodes)
    measured_placements: dict[int, MeasuredPlacement] = {}
    named = False
    for node in parse_nodes(log):
        named = True
        if (index := _NAME.match(node.name)) is not None:
            measured_placements[int(index[1])] = "cpu" if node.placement == "cpu" else "gpu"
    if named:
        return tuple(measured_placements.get(node.index, "removed") for node in inspection.nodes)
    totals = count_placements(log)  # all nodes on one device: the engine logs only their number
    whole: MeasuredPlacement = "cpu" if totals["cpu"] else "gpu" if totals["gpu"] else "removed"
    return tuple("removed" if node.placement == "folded" else whole for node in inspection.nodes)


def _operator_counts(inspection: Inspection, places: Sequence[MeasuredPlacement | None]) -> Iterator[OperatorCounts]:
    guessed: dict[str, Counter[str]] = {}
    true: dict[str, Counter[str]] = {}
    for node, placement in zip(inspection.nodes, places, strict=True):
        guessed.setdefault(node.operator, Counter())[_predicted_placement(node)] += 1
        true.setdefault(node.operator, Counter())[placement or ""] += 1
    for operator in sorted(guessed):
        yield OperatorCounts(operator, _counts(guessed[operator]), _counts(true[operator]))


def _predicted_placement(node: NodeInspection) -> str:
    return "removed" if node.placement == "folded" else node.placement


def _counts(counts: Mapping[str, int]) -> PlacementCounts:
    return PlacementCounts(counts.get("gpu", 0), counts.get("cpu", 0), counts.get("removed", 0))


def _outcome_disagreements(
    inspection: Inspection, guess: RunOutcome, measured: RunOutcome, failed: int | None
) -> Iterator[str]:
    if guess == measured:
        return
    codes = dict.fromkeys(each.code for each in inspection.findings if each.severity == "error")
    node = _describe(inspection.nodes[failed]) if failed is not None and failed < len(inspection.nodes) else ""
    target = node or (f"the nodes of {', '.join(codes)}" if codes else "its operators one by one")
    yield f"predicted '{guess}', measured '{measured}': probe {target}"


def _placement_disagreements(
    inspection: Inspection, model: ir.Model, places: Sequence[MeasuredPlacement | None]
) -> Iterator[str]:
    """Yield the kinds of nodes with another placement than predicted, except nodes that were fused."""
    kinds: dict[tuple[str, str, str], int] = {}
    fused = _fused_on_cpu(inspection, model)
    for node, where in zip(inspection.nodes, places, strict=True):
        merged = where == "removed" and (node.placement == "gpu" or node.index in fused)
        if where is not None and _predicted_placement(node) != where and not merged:
            key = (_describe(node), _predicted_placement(node), where)
            kinds[key] = kinds.get(key, 0) + 1
    words = {"gpu": "on the GPU", "cpu": "on the CPU", "removed": "removed while loading", "none": "without a kernel"}
    for (about, guess, measured), times in kinds.items():
        yield f"{times} {words[measured]}, not {words[guess]}: probe {about}"


def _fused_on_cpu(inspection: Inspection, model: ir.Model) -> set[int]:
    """Return the nodes on the CPU that the engine fuses there."""
    nodes = zip(walk_nodes(model.graph), inspection.nodes, strict=True)
    on_cpu = {each.node: inspected.index for each, inspected in nodes if inspected.placement == "cpu"}
    return {on_cpu[node] for gathers in split_gathers(on_cpu) for node in gathers}


def _describe(node: NodeInspection) -> str:
    kernel = f"{node.dtype or 'no known type'} since {node.schema_version}"
    return f"{node.domain + ':' if node.domain else ''}{node.operator} of {kernel}"
