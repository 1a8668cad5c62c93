"""Values inside a graph, computed in batches: each run outputs as many as fit into bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors
from webbuild.subgraph.activations import BATCH_BYTES, group_by_size
from webbuild.subgraph.extract import extract_outputs
from webbuild.subgraph.graph import ModelGraph

if TYPE_CHECKING:
    import onnx_ir as ir


def iter_activations(
    model: ir.Model, names: Sequence[str], feeds: Sequence[Tensors], batch: int = BATCH_BYTES
) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield (name, value) for each value and each feed, from native ONNX Runtime without optimizations.

    Args:
        model: the graph.
        names: the names of values that nodes of its main graph compute.
        feeds: the inputs of each run.
        batch: limit of the bytes of values per run, as far as sizes are known.

    Raises:
        WebbuildError: `reference-session-failed`, `reference-run-failed`.
    """
    import onnx_ir as ir

    graph = ModelGraph(ir.to_proto(model))
    for some in group_by_size(graph, names, batch):
        runner = NativeRunner(Path("values.onnx"), extract_outputs(graph, some).SerializeToString())
        for run_feeds in feeds:
            wanted = {name: run_feeds[name] for name in runner.input_dtypes if name in run_feeds}
            yield from runner.run(wanted).items()
        runner.close()
