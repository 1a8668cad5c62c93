from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.loop_condition import stays_true
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.graphs import graphs_of
from webbuild.passes.inline_subgraph import Inliner
from webbuild.passes.rewrite import constant, is_read, opset_version, replace_all_uses, static_shape
from webbuild.passes.workarounds.base import Defect, DefectContext, Symptom

_MAX_NODES = 2048
"""Largest number of nodes of an unrolled loop."""

_CPU_LOOP = "it runs on the CPU, with copies from and to the GPU in every iteration"


class UnknownTripCountError(Exception):
    """A loop cannot be unrolled; the message says why."""


class UnrollLoops(Defect, Pass):
    """Unrolls each Loop and Scan with a known number of iterations.

    Defect: the loop runs on the CPU. Values that its body computes on the GPU are copied in every iteration.

        Loop(3, true, s) { s' = f(s), y [C] }            ->  s' = f(f(f(s))), Concat(y1, y2, y3) [3, C]
        Scan(s, x [T, C]) { s' = f(s, x_t), y_t [C] }    ->  T copies of f; x_t = Gather(x, t)

    Why: neither Loop nor Scan has a GPU kernel.

    How: if the trip count is a constant or a static size, and the loop cannot end early, the pass inlines the body once
    per iteration, up to 2,048 nodes in all. It then folds new constants.

    Limits: the trip count is a constant or a static size, the condition stays true. Exact.

    Source: measured on 1.30.0.
    """

    code = "unroll-loops"
    after = ("canonicalize", "fold-constants")
    scope = "whole model"
    finding = "loop-on-cpu"
    operators = ("Loop", "Scan")
    severity = "warning"
    outcome = "cpu"
    summary = "runs on the CPU, round by round"
    fix = "unroll the loop at export"
    probe = "loop_of_three_rounds"
    gpu_only = False

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        inside = sum(map(context.on_gpu, node.attributes["body"].as_graph()))
        copies = f"{inside} nodes of its body are on the GPU, with copies in every iteration"
        return Symptom(copies if inside else "there is no GPU kernel for loops")

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        if any(
            constant(value) is None and value is not None and context.is_constant(value) for value in node.inputs[:2]
        ):
            return None
        try:
            _trip_count(context.model, node)
        except UnknownTripCountError as reason:
            return str(reason)
        return None

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Unroll loops, inner ones first, until none is left that can be."""
        done: list[Rewrite] = []
        while True:
            tried = [self._try(model, node) for node in _loops(model)]
            done += [rewrite for rewrite in tried if rewrite.applied]
            if not any(rewrite.applied for rewrite in tried):
                break
        if done:
            infer_shapes(model)
        return [*done, *tried]

    def _try(self, model: ir.Model, node: ir.Node) -> Rewrite:
        try:
            rounds, nodes = _unroll(model, node)
        except UnknownTripCountError as reason:
            return self.skipped(node, str(reason))
        return self.applied(node, f"{rounds} round(s) of {nodes} nodes written out")


def _loops(model: ir.Model) -> Iterator[ir.Node]:
    for graph in reversed(graphs_of(model)):
        for node in list(graph):
            if node.domain in ("", "ai.onnx") and node.op_type in ("Loop", "Scan"):
                yield node


def _unroll(model: ir.Model, node: ir.Node) -> tuple[int, int]:
    """Unroll a loop; return the number of iterations, and of the nodes of its body."""
    body = node.attributes["body"].as_graph()
    rounds = _trip_count(model, node)
    results = _unroll_loop(model, node, body, rounds) if node.op_type == "Loop" else _unroll_scan(model, node, rounds)
    for old, new in zip(node.outputs, results, strict=False):
        replace_all_uses(old, new)
    assert node.graph is not None
    node.graph.remove(node, safe=True)
    return rounds, _size(body)


def _trip_count(model: ir.Model, node: ir.Node) -> int:
    """Return the number of iterations of a loop that can be unrolled.

    Raises:
        UnknownTripCountError: it cannot be unrolled.
    """
    body = node.attributes["body"].as_graph()
    rounds = _loop_trip_count(node, body) if node.op_type == "Loop" else _scan_trip_count(model, node)
    if rounds * _size(body) > _MAX_NODES:
        raise UnknownTripCountError(f"{rounds} rounds of {_size(body)} nodes are more than {_MAX_NODES}: {_CPU_LOOP}")
    states = len(node.inputs) - (2 if node.op_type == "Loop" else node.attributes.get_int("num_scan_inputs", 0))
    if rounds == 0 and any(map(is_read, node.outputs[states:])):
        raise UnknownTripCountError("it runs no iteration, and its stacked output is empty")
    return rounds


def _size(body: ir.Graph) -> int:
    return sum(1 for _ in body.all_nodes())


def _loop_trip_count(node: ir.Node, body: ir.Graph) -> int:
    most, start = node.inputs[0], node.inputs[1]
    count, runs = constant(most), constant(start)
    if start is not None and runs is None:
        raise UnknownTripCountError(f"its initial condition is computed: {_CPU_LOOP}")
    if runs is not None and not runs.all():
        return 0
    if most is None or not stays_true(body.outputs[0], body.inputs[1]):
        raise UnknownTripCountError(f"its condition depends on the data: {_CPU_LOOP}")
    if count is None:
        raise UnknownTripCountError(f"its trip count is computed: {_CPU_LOOP}")
    return max(int(count.item()), 0)


def _unroll_loop(model: ir.Model, node: ir.Node, body: ir.Graph, rounds: int) -> list[ir.Value]:
    prefix = node.name or "Loop"
    assert node.graph is not None
    add, inliner = Builder(node.graph, node, f"{prefix}/unrolled", opset_version(model)), Inliner(model)
    state = _present_inputs(node.inputs[2:])
    stacks: list[list[ir.Value]] = [[] for _ in range(len(body.outputs) - 1 - len(state))]
    for number in range(rounds):
        arguments = [add.const(number, np.int64), add.const(True, np.bool_), *state]
        _, *results = inliner.inline(body, arguments, node, f"{prefix}/{number}")
        for stack, value in zip(stacks, results[len(state) :], strict=True):
            stack.append(value)
        state = results[: len(state)]
    return [*state, *(_stack(add, stack, 0) for stack in stacks if stack)]


def _scan_trip_count(model: ir.Model, node: ir.Node) -> int:
    if opset_version(model) < 9:
        raise UnknownTripCountError(f"it is a Scan of opset 8, which has a batch axis: {_CPU_LOOP}")
    count = node.attributes.get_int("num_scan_inputs", 0)
    shape = static_shape(node.inputs[-count])
    if shape is None:
        raise UnknownTripCountError(f"its scan inputs have no static size: {_CPU_LOOP}")
    return shape[_scan_axes(node, "scan_input_axes", count)[0]]


def _unroll_scan(model: ir.Model, node: ir.Node, rounds: int) -> list[ir.Value]:
    prefix = node.name or "Scan"
    body = node.attributes["body"].as_graph()
    assert node.graph is not None
    add, inliner = Builder(node.graph, node, f"{prefix}/unrolled", opset_version(model)), Inliner(model)
    count = node.attributes.get_int("num_scan_inputs", 0)
    state, through = _present_inputs(node.inputs[:-count]), _present_inputs(node.inputs[-count:])
    axes, backwards = (_scan_axes(node, f"scan_input_{what}", count) for what in ("axes", "directions"))
    stacks: list[list[ir.Value]] = [[] for _ in range(len(body.outputs) - len(state))]
    for number in range(rounds):
        # x [T, C] -> x_t [C], backwards from the last if the direction is 1
        parts = [
            add.op("Gather", value, add.const(rounds - 1 - number if back else number, np.int64), axis=axis)
            for value, axis, back in zip(through, axes, backwards, strict=True)
        ]
        results = inliner.inline(body, [*state, *parts], node, f"{prefix}/{number}")
        for stack, value in zip(stacks, results[len(state) :], strict=True):
            stack.append(value)
        state = results[: len(state)]
    axes, backwards = (_scan_axes(node, f"scan_output_{what}", len(stacks)) for what in ("axes", "directions"))
    ordered = [stack[::-1] if back else stack for stack, back in zip(stacks, backwards, strict=True)]
    return [*state, *(_stack(add, stack, axis) for stack, axis in zip(ordered, axes, strict=True) if stack)]


def _present_inputs(values: Sequence[ir.Value | None]) -> list[ir.Value]:
    present = [value for value in values if value is not None]
    if len(present) < len(values):
        raise UnknownTripCountError("an input is missing")
    return present


def _scan_axes(node: ir.Node, name: str, count: int) -> list[int]:
    return list(node.attributes.get_ints(name, [0] * count))


def _stack(add: Builder, values: list[ir.Value], axis: int) -> ir.Value:
    # T values [C] -> [1, C] each -> [T, C]
    return add.op("Concat", *(add.unsqueeze(value, axis) for value in values), axis=axis)
