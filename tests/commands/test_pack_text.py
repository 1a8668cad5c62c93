"""Lines of `webbuild pack`: one for each thing, however many nodes and graphs it is about."""

from __future__ import annotations

from tests.models import as_ir
from webbuild.commands.pack_text import refusal_lines
from webbuild.passes.base import Rewrite
from webbuild.passes.lower import LoweredGraphs


def test_a_refusal_of_many_nodes_in_both_graphs_is_a_line() -> None:
    model = as_ir('<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) { y = Relu (x) }')
    refused = [Rewrite("argmax-int32", f"ArgMax '{n}'", False, "read as int64") for n in range(9)]
    other = Rewrite("argmax-int32", "ArgMax 'last'", False, "another reason")
    done = Rewrite("canonicalize", "graph", True, "removed 1 Identity")
    lowered = LoweredGraphs({"webgpu": model, "wasm": model}, {"webgpu": (*refused, other), "wasm": (*refused, done)})
    assert list(refusal_lines(lowered)) == [
        "left alone [argmax-int32] ArgMax '0' and 8 more: read as int64",
        "left alone [argmax-int32] ArgMax 'last': another reason",
    ]
