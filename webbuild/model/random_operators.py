"""Operators that draw random numbers: their results differ between runs and between browsers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from webbuild.errors import page_url
from webbuild.model.traversal import iter_nodes

if TYPE_CHECKING:
    import onnx
    import onnx_ir as ir

RANDOM_OPS = frozenset({
    "RandomUniform", "RandomNormal", "RandomUniformLike", "RandomNormalLike", "Multinomial", "Bernoulli",
})  # fmt: skip


def random_warnings(proto: onnx.ModelProto) -> Iterator[str]:
    """Yield a warning if the model draws random numbers: it cannot be compared with native ONNX Runtime.

    Even with a seed the numbers differ: each build has another generator, and ONNX Runtime adds the node's index.
    """
    nodes = [node for node in iter_nodes(proto) if node.op_type in RANDOM_OPS and node.domain in ("", "ai.onnx")]
    if nodes:
        name = nodes[0].name or nodes[0].output[0]
        more = f" and {len(nodes) - 1} more" if len(nodes) > 1 else ""
        yield (
            f"[random-operator] {nodes[0].op_type} '{name}'{more}: draws other numbers in each run and each browser, "
            "so the proof, verify and the page's self-test compare runs without noise: where an input scales it, "
            f"generated samples are 0; make yours 0, too; see: {page_url('random-operator')}"
        )


def draws_random_numbers(model: ir.Model) -> bool:
    """Whether a node of the model draws random numbers."""
    return any(node.op_type in RANDOM_OPS and node.domain == "" for node in model.graph.all_nodes())
