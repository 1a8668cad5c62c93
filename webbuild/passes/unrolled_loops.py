"""Loops of a known number of rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, opset_of, replace
from webbuild.passes._inline import Inliner
from webbuild.passes._shapes import infer

_MOST = 2048
"""Nodes up to which a loop is written out."""

_STAYS = "it runs on the CPU, with copies from and to the GPU in every round"


class UnknownRoundsError(Exception):
    """Why a loop cannot be written out."""


class UnrolledLoops(Pass):
    """Writes out each Loop and Scan of which the number of rounds is known.

    Neither has a GPU kernel. A loop runs on the CPU, and what its body computes on the GPU is copied in every round.
    Where the number of rounds is a constant, or the length of an axis of fixed size, and nothing ends it early, its
    body is put into the graph once for each round, up to 2,048 nodes in all. What is then known is folded.
    """

    code = "unrolled-loops"
    after = ("clean-up", "fold-constants")

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Write out what can be, the inner loops first; a loop may be inside one that was written out."""
        done: list[Edit] = []
        while True:
            tried = [self._try(model, node) for node in _loops(model)]
            done += [edit for edit in tried if edit.done]
            if not any(edit.done for edit in tried):
                break
        if done:
            infer(model)
        return [*done, *tried]

    def _try(self, model: ir.Model, node: ir.Node) -> Edit:
        where = f"{node.op_type} '{node.name}'"
        try:
            rounds, nodes = _unroll(model, node)
        except UnknownRoundsError as reason:
            return self.left(where, str(reason))
        return self.done(where, f"{rounds} round(s) of {nodes} nodes written out")


def _loops(model: ir.Model) -> Iterator[ir.Node]:
    for graph in reversed(list(model.graphs())):
        for node in list(graph):
            if node.domain in ("", "ai.onnx") and node.op_type in ("Loop", "Scan"):
                yield node


def _unroll(model: ir.Model, node: ir.Node) -> tuple[int, int]:
    """Write a loop out; return the number of its rounds, and of the nodes of its body."""
    body = node.attributes["body"].as_graph()
    rounds = _rounds_of_loop(node, body) if node.op_type == "Loop" else _rounds_of_scan(model, node)
    size = sum(1 for _ in body.all_nodes())
    if rounds * size > _MOST:
        raise UnknownRoundsError(f"{rounds} rounds of {size} nodes are more than {_MOST}: {_STAYS}")
    states = len(node.inputs) - (2 if node.op_type == "Loop" else node.attributes.get_int("num_scan_inputs", 0))
    if rounds == 0 and any(output.uses() or output.is_graph_output() for output in node.outputs[states:]):
        raise UnknownRoundsError("it runs no round, and what it stacks is empty")
    results = _write_loop(model, node, body, rounds) if node.op_type == "Loop" else _write_scan(model, node, rounds)
    for old, new in zip(node.outputs, results, strict=False):
        replace(old, new)
    assert node.graph is not None
    node.graph.remove(node, safe=True)
    return rounds, size


def _rounds_of_loop(node: ir.Node, body: ir.Graph) -> int:
    most, start = node.inputs[0], node.inputs[1]
    count, runs = constant(most), constant(start)
    if start is not None and runs is None:
        raise UnknownRoundsError(f"whether it runs at all is computed: {_STAYS}")
    if runs is not None and not runs.all():
        return 0
    if most is None or not _is_true(body.outputs[0], body.inputs[1]):
        raise UnknownRoundsError(f"the data decide when it ends: {_STAYS}")
    if count is None:
        raise UnknownRoundsError(f"the number of its rounds is computed: {_STAYS}")
    return max(int(count.item()), 0)


def _is_true(value: ir.Value, given: ir.Value) -> bool:
    """Whether a condition stays true while what was given for it is."""
    node = value.producer()
    if value is given:
        return True
    if node is not None and node.op_type in ("Identity", "Cast") and node.inputs[0] is not None:
        return _is_true(node.inputs[0], given)
    array = constant(value)
    return array is not None and bool(array.all())


def _write_loop(model: ir.Model, node: ir.Node, body: ir.Graph, rounds: int) -> list[ir.Value]:
    prefix = node.name or "Loop"
    assert node.graph is not None
    add, inliner = Builder(node.graph, node, f"{prefix}/unrolled", opset_of(model)), Inliner(model)
    state = _given(node.inputs[2:])
    stacks: list[list[ir.Value]] = [[] for _ in range(len(body.outputs) - 1 - len(state))]
    for number in range(rounds):
        given = [add.const(number, np.int64), add.const(True, np.bool_), *state]
        _, *results = inliner.inline(body, given, node, f"{prefix}/{number}")
        for stack, value in zip(stacks, results[len(state) :], strict=True):
            stack.append(value)
        state = results[: len(state)]
    return [*state, *(_stacked(add, stack, 0) for stack in stacks if stack)]


def _rounds_of_scan(model: ir.Model, node: ir.Node) -> int:
    if opset_of(model) < 9:
        raise UnknownRoundsError(f"it is of opset 8, where it takes batches: {_STAYS}")
    count = node.attributes.get_int("num_scan_inputs", 0)
    shape = dims(node.inputs[-count])
    if shape is None:
        raise UnknownRoundsError(f"what it goes through has no fixed size: {_STAYS}")
    return shape[_listed(node, "scan_input_axes", count)[0]]


def _write_scan(model: ir.Model, node: ir.Node, rounds: int) -> list[ir.Value]:
    prefix = node.name or "Scan"
    body = node.attributes["body"].as_graph()
    assert node.graph is not None
    add, inliner = Builder(node.graph, node, f"{prefix}/unrolled", opset_of(model)), Inliner(model)
    count = node.attributes.get_int("num_scan_inputs", 0)
    state, through = _given(node.inputs[:-count]), _given(node.inputs[-count:])
    axes, backwards = (_listed(node, f"scan_input_{what}", count) for what in ("axes", "directions"))
    stacks: list[list[ir.Value]] = [[] for _ in range(len(body.outputs) - len(state))]
    for number in range(rounds):
        parts = [
            add.op("Gather", value, add.const(rounds - 1 - number if back else number, np.int64), axis=axis)
            for value, axis, back in zip(through, axes, backwards, strict=True)
        ]
        results = inliner.inline(body, [*state, *parts], node, f"{prefix}/{number}")
        for stack, value in zip(stacks, results[len(state) :], strict=True):
            stack.append(value)
        state = results[: len(state)]
    axes, backwards = (_listed(node, f"scan_output_{what}", len(stacks)) for what in ("axes", "directions"))
    ordered = [stack[::-1] if back else stack for stack, back in zip(stacks, backwards, strict=True)]
    return [*state, *(_stacked(add, stack, axis) for stack, axis in zip(ordered, axes, strict=True) if stack)]


def _given(values: Sequence[ir.Value | None]) -> list[ir.Value]:
    given = [value for value in values if value is not None]
    if len(given) < len(values):
        raise UnknownRoundsError("an input is missing")
    return given


def _listed(node: ir.Node, name: str, count: int) -> list[int]:
    return list(node.attributes.get_ints(name, [0] * count))


def _stacked(add: Builder, values: list[ir.Value], axis: int) -> ir.Value:
    return add.op("Concat", *(add.unsqueeze(value, axis) for value in values), axis=axis)
