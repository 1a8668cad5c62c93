"""Known faults: an engine that is native ONNX Runtime, except for nodes that it computes wrongly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.bisect.subgraph_runner import RunSettings, SubgraphRunner
from webbuild.runners.native_unoptimized import UnoptimizedNativeRunner
from webbuild.runners.session import ModelRunResult, OutputCallback, RunStatus
from webbuild.subgraph.activations import ReferenceActivations
from webbuild.subgraph.graph import ModelGraph

Mutate = Callable[[onnx.GraphProto, onnx.NodeProto], None]
Feeds = dict[str, NDArray[Any]]


class Fault(Struct, frozen=True):
    """A node that an engine computes wrongly, or fails at.

    With `fused`, only if that other node is in the same session and the value between them is not an output. With
    `beside`, only if that other node is in the same session. With both, all three nodes have to be there.
    """

    node: int
    mutate: Mutate | None = None
    ending: RunStatus = "ran"
    fused: int | None = None
    beside: int | None = None
    tells: bool = False


class Faulty:
    """Native ONNX Runtime with faults. `sessions` counts the models that it ran."""

    name = "faulty"

    def __init__(self, *faults: Fault) -> None:
        self._faults, self._native = faults, UnoptimizedNativeRunner()
        self.sessions = 0

    def run_model(
        self, model: bytes, feeds: Mapping[str, NDArray[Any]], take: OutputCallback, *, verbose: bool = False
    ) -> ModelRunResult:
        self.sessions += 1
        proto = onnx.ModelProto.FromString(model)
        ends: list[ModelRunResult] = []
        for fault in self._faults:
            for node in list(proto.graph.node):
                if node.name.partition("_")[0] != f"n{fault.node}" or not _met(fault, proto.graph, node):
                    continue
                if fault.mutate is not None:
                    fault.mutate(proto.graph, node)
                elif fault.ending != "ran":
                    ends.append(ModelRunResult(fault.ending, f"failed at {node.name}" if fault.tells else "failed"))
        if ends:  # creating a session fails before any run does
            return min(ends, key=lambda end: end.status != "no-session")
        return self._native.run_model(proto.SerializeToString(), feeds, take)


def _met(fault: Fault, graph: onnx.GraphProto, node: onnx.NodeProto) -> bool:
    if fault.beside is not None and all(other.name.partition("_")[0] != f"n{fault.beside}" for other in graph.node):
        return False
    if fault.fused is None:
        return True
    read = {value.name for value in graph.output}
    return any(
        other.name.partition("_")[0] == f"n{fault.fused}"
        and set(node.output) & set(other.input)
        and not set(node.output) & read
        for other in graph.node
    )


def constant(factor: float) -> Mutate:
    """Multiply a node's output, as a kernel with a wrong constant does."""

    def mutate(graph: onnx.GraphProto, node: onnx.NodeProto) -> None:
        behind(graph, node, "Mul", np.array(factor, np.float32))

    return mutate


def behind(graph: onnx.GraphProto, node: onnx.NodeProto, operator: str, *more: NDArray[Any], **attributes: Any) -> None:
    """Insert an operator after a node, with further inputs."""
    name, title = node.output[0], f"{node.output[0]}/spoilt"
    node.output[0] = title
    inputs = [title]
    for number, array in enumerate(more):
        inputs.append(f"{title}/{number}")
        graph.initializer.append(onnx.numpy_helper.from_array(array, inputs[-1]))
    at = list(graph.node).index(node) + 1
    graph.node.insert(at, onnx.helper.make_node(operator, inputs, [name], **attributes))


def overflow(graph: onnx.GraphProto, node: onnx.NodeProto) -> None:
    """Make a node's output infinite where it is not 0, as an overflow in half precision does."""
    behind(graph, node, "Mul", np.array(np.inf, np.float32))


def swapped(graph: onnx.GraphProto, node: onnx.NodeProto) -> None:
    """Reverse the last axis of a node's output."""
    one = np.array([-1], np.int64)
    behind(graph, node, "Slice", one, np.array([-(1 << 60)], np.int64), one, one)


def trying_with(
    graph: ModelGraph, feeds: Feeds, folder: Path, faults: Sequence[Fault], *, room: int = 1 << 28, batch: int = 1 << 28
) -> tuple[SubgraphRunner, Faulty]:
    engine = Faulty(*faults)
    return SubgraphRunner(
        graph,
        ReferenceActivations(graph, feeds, UnoptimizedNativeRunner(), folder, batch),
        engine,
        RunSettings(session_bytes=room),
    ), engine
