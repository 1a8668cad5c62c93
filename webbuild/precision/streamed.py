"""Values inside a graph, a few at a time: as many in a run as fit in a bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from webbuild.bisect.cut import with_outputs
from webbuild.bisect.graph import Graph
from webbuild.bisect.reference import BATCH, batches
from webbuild.verify.native import NativeRunner

if TYPE_CHECKING:
    import onnx_ir as ir

Feeds = Mapping[str, NDArray[Any]]


def streamed(
    model: ir.Model, names: Sequence[str], feeds: Sequence[Feeds], batch: int = BATCH
) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield values of a graph by name, one for each feed. Native ONNX Runtime, without optimisations.

    Args:
        model: the graph.
        names: of values that nodes of its main graph compute.
        feeds: its inputs, each as it is run.
        batch: bytes of values that one run may give, as far as sizes are known.

    Raises:
        WebbuildError: `native-refused`, `native-failed`.
    """
    import onnx_ir as ir

    graph = Graph(ir.to_proto(model))
    for some in batches(graph, names, batch):
        runner = NativeRunner(Path("values.onnx"), with_outputs(graph, some).SerializeToString())
        for given in feeds:
            wanted = {name: given[name] for name in runner.types if name in given}
            yield from runner.run(wanted).items()
        runner.close()
