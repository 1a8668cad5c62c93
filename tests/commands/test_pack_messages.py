"""The messages of `webbuild pack`: one for each finding, however many nodes and graphs it is about."""

from __future__ import annotations

from pathlib import Path

from tests import exports
from tests.commands.program import POSE, webbuild
from tests.models import as_ir, convolution, save
from webbuild.commands.pack_messages import compiled_lines, refusal_lines
from webbuild.compile.compile_model import CompiledModel
from webbuild.manifest.tasks.tensor import TensorTask
from webbuild.passes.base import Rewrite
from webbuild.passes.lower import LoweredGraphs
from webbuild.tasks.task_match import TaskMatch

TALK = 8
"""Lines of a pack without a browser; with one there are two more."""


def test_a_pack_without_trouble_is_a_few_lines(tmp_path: Path) -> None:
    plain = save(convolution(), tmp_path / "plain.onnx")
    for model in (POSE, plain, exports.write("ultralytics-8.3.120-dynamo/classify-dynamic", tmp_path)):
        done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify", "--force")
        assert done.code == 0, done.stderr
        starts = [line.partition(": ")[0] for line in done.stderr.splitlines()]
        told = [each for each in starts if each not in ("note", "warning")]
        assert told == ["patched", "proven", "written"]
        assert len(starts) - starts.count("warning") <= TALK, done.stderr


def test_of_many_assumptions_the_last_are_counted() -> None:
    model = as_ir('<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) { y = Relu (x) }')
    refused = Rewrite("argmax-int32", "ArgMax '0'", False, "read as int64")
    lowered = LoweredGraphs({"webgpu": model, "wasm": model}, {"webgpu": (refused,), "wasm": ()})
    for count, shown in ((5, 5), (9, 5)):
        match = TaskMatch(TensorTask(), (), ())
        compiled = CompiledModel(lowered, match, (), tuple(f"thing {n}" for n in range(count)), None, None)
        *notes, patched = compiled_lines(compiled, None, "gpu")
        assert len(notes) == shown
        assert ("and 5 more: see report.html in the bundle" in notes[-1]) == (count > shown)
        assert len(list(compiled_lines(compiled, None, "gpu", every=True))) == count + 1
        assert patched == "patched: WebGPU 0 rewrites, 1 node; WASM 0 rewrites, 1 node; 1 left alone"


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
