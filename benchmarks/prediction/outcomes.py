"""Pairs of the predicted and the measured outcome of each node whose outcome is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
import onnx
import onnx_ir as ir
from msgspec import Struct

from benchmarks.node_test_report import DATA as NODE_TESTS
from benchmarks.node_test_report import Result
from benchmarks.prediction.measured import PLACES, MeasuredModel
from benchmarks.prediction.models import PredictedModel
from webbuild.inspection.graph import prepare_graph
from webbuild.inspection.inspect import inspect
from webbuild.inspection.measured_outcome import RunOutcome
from webbuild.inspection.placement import place_nodes
from webbuild.inspection.result import Inspection
from webbuild.inspection.rules.model import uses_float16
from webbuild.targets.table import KernelTable

NodeOutcome = Literal["gpu", "cpu", "no-session", "throws", "wrong", "removed"]
_FAILS: tuple[NodeOutcome, ...] = ("no-session", "throws", "wrong")
_ENDS: dict[str, RunOutcome] = {"no session": "no-session", "throws": "throws", "wrong": "wrong", "pass": "runs"}


class PredictionPair(Struct, frozen=True):
    """A node: the model's name, the operator, the measured and the predicted outcome, and the findings."""

    model: str
    kind: str
    operator: str
    measured: NodeOutcome
    predicted: NodeOutcome
    codes: tuple[str, ...]


class Prediction(Struct, frozen=True):
    """A prediction for the measured adapter, which has no float16."""

    inspection: Inspection
    ends: tuple[NodeOutcome, ...]


def predicted(subject: PredictedModel, known: KernelTable) -> Prediction:
    """Predict a model, even if webbuild would not load it."""
    model = ir.from_proto(onnx.load(subject.path))
    dims = subject.dims_of(model)
    found = inspect(subject.name, model, known, dims)
    graph, nodes = prepare_graph(model, dims)
    del graph
    places = place_nodes(nodes, known)
    halves = [places[each.node].kind == "gpu" and uses_float16(each.node) for each in nodes]
    return Prediction(found, tuple(_guess(node.outcome, half) for node, half in zip(found.nodes, halves, strict=True)))


def _guess(outcome: str | None, half: bool) -> NodeOutcome:
    if half and outcome == "gpu":
        return "throws"
    return next((end for end in (*_FAILS, "gpu", "cpu") if end == outcome), "removed")


def prediction_pairs(subject: PredictedModel, guess: Prediction, truth: MeasuredModel) -> Iterator[PredictionPair]:
    """Yield the nodes with a known outcome.

    A failure of the whole model, without a failed node, is paired with the worst prediction. Predicted failures after
    the first failure are left out, as they did not run, and so are nodes that were fused into others.
    """
    failed = truth.failed if truth.end in ("throws", "wrong") else None
    whole = truth.end != "runs" and failed is None
    if whole:
        worst = next((end for end in _FAILS if end in guess.ends), None)
        at = guess.ends.index(worst) if worst is not None else 0
        yield _pair(subject, guess, at, _measured(truth.end), worst or guess.ends[at])
    for index, end in enumerate(guess.ends):
        where = PLACES.get(truth.places[index]) if index < len(truth.places) else None
        if index == failed:
            yield _pair(subject, guess, index, _measured(truth.end), end)
        elif where is None or (end in _FAILS and truth.end != "runs") or where == "removed":
            continue
        elif not (whole and len(guess.ends) == 1):
            yield _pair(subject, guess, index, where, end)


def _pair(
    subject: PredictedModel, guess: Prediction, index: int, measured: NodeOutcome, end: NodeOutcome
) -> PredictionPair:
    node = guess.inspection.nodes[index]
    codes = tuple(dict.fromkeys((*node.codes, *(each.code for each in guess.inspection.findings))))
    return PredictionPair(subject.name, subject.kind, node.operator, measured, end, codes[:6])


def _measured(end: RunOutcome) -> NodeOutcome:
    return "gpu" if end == "runs" else end


def from_node_tests(subject: PredictedModel, guess: Prediction) -> MeasuredModel | None:
    """Return a test's result from `benchmarks.node_tests`, None if it does not have each node's placement."""
    result = _node_tests()[subject.name]["before"]
    letter = {"gpu": "g", "cpu": "c"}.get(result.place)
    if result.place == "both" and len(guess.ends) == 1:
        letter = "c"
    if result.verdict == "pass" and letter is None:
        return None
    places = "".join("-" if end == "removed" else letter or "?" for end in guess.ends)
    failed = 0 if result.verdict in ("throws", "wrong") and len(guess.ends) == 1 else None
    return MeasuredModel(subject.name, subject.kind, _ENDS[result.verdict], places, failed)


_READ: dict[Path, dict[str, dict[str, Result]]] = {}


def _node_tests() -> dict[str, dict[str, Result]]:
    if NODE_TESTS not in _READ:
        _READ[NODE_TESTS] = msgspec.json.decode(NODE_TESTS.read_bytes(), type=dict[str, dict[str, Result]])
    return _READ[NODE_TESTS]
