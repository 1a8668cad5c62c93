"""The tools that change a trap before it runs: none, other tools, webbuild's passes; and the findings of `inspect`."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable

import onnx
import onnx_ir as ir
from msgspec import Struct

from benchmarks.traps.trap import Trap
from webbuild.inspection.cpu_fallback import apply_cpu_fallback
from webbuild.inspection.inspect import inspect
from webbuild.inspection.required_features import required_features
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.passes.workarounds.cpu_fallback import CpuFallback, cpu_node_names
from webbuild.targets.table import load_table
from webbuild.targets.target import Build, Target

_HARM = ("no-session", "throws", "wrong")
TOOLS = ("unchanged", "onnxsim", "OnnxSlim", "webbuild")


class ToolResult(Struct, frozen=True):
    """A tool's result for a trap: a model, or why there is none. `passes` are those that changed it.

    `build` is the engine build that it runs on: `wasm` if webbuild ships no WebGPU graph, with the reason in `reason`.
    `kept` is why some of its nodes stay on the CPU.
    """

    model: onnx.ModelProto | None
    build: Build
    reason: str = ""
    passes: tuple[str, ...] = ()
    cpu_nodes: tuple[str, ...] = ()
    kept: str = ""


def apply_tool(trap: Trap, tool: str, target: Target) -> ToolResult:
    """Return a tool's result for a trap. A failed tool is a result too."""
    if tool == "webbuild":
        return _webbuild(trap, target)
    honest: dict[str, Callable[[onnx.ModelProto], onnx.ModelProto]] = {
        "unchanged": lambda model: model,
        "onnxsim": _onnxsim,
        "OnnxSlim": _onnxslim,
    }
    copy = onnx.ModelProto()
    copy.CopyFrom(trap.model)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return ToolResult(honest[tool](copy), target.build)
    except Exception as error:
        return ToolResult(None, target.build, f"{type(error).__name__}: {error}")


def find_codes(trap: Trap, target: Target) -> tuple[str, ...]:
    """Return the codes of the findings of `webbuild inspect`, of notes only those about possibly wrong results.

    If there are none but a node is on the CPU, the code is `placement`.
    """
    found = inspect(trap.name, ir.from_proto(trap.model), load_table(target), {})
    codes = [each.code for each in found.findings if each.severity != "note" or each.outcome in _HARM]
    placed = ["placement"] if any(node.outcome == "cpu" for node in found.nodes) else []
    return tuple(dict.fromkeys(codes or placed))


def canonical_bytes(model: onnx.ModelProto) -> bytes:
    """Return bytes that are equal for equivalent models: without node names and value shapes."""
    copy = onnx.ModelProto()
    copy.graph.CopyFrom(model.graph)
    copy.opset_import.extend(model.opset_import)
    copy.graph.name = ""
    del copy.graph.value_info[:]
    for node in copy.graph.node:
        node.name = node.doc_string = ""
    return copy.SerializeToString(deterministic=True)


def _webbuild(trap: Trap, target: Target) -> ToolResult:
    """Return the graph of a bundle on the measured adapter, which has no `shader-f16`."""
    try:
        planned = lower(ir.from_proto(trap.model), PassOptions(table=load_table(target), nms="keep"))
        graph = planned.graphs["webgpu"]
        kept, needed = apply_cpu_fallback(graph, load_table(target)), required_features(graph)
    except Exception as error:
        return ToolResult(None, target.build, f"{type(error).__name__}: {error}")
    passes = tuple(
        dict.fromkeys(rewrite.code for rewrite in (*planned.rewrites["webgpu"], *kept.rewrites) if rewrite.applied)
    )
    if kept.disabled is not None or needed:
        reason = f"{kept.disabled.code}: {kept.disabled.reason}" if kept.disabled else f"needs {', '.join(needed)}"
        return ToolResult(ir.to_proto(planned.graphs["wasm"]), "wasm", reason)
    reasons = [
        rewrite.reason
        for rewrite in (*planned.rewrites["webgpu"], *kept.rewrites)
        if rewrite.applied and rewrite.code == CpuFallback.code
    ]
    reason = "; ".join(dict.fromkeys(each.removeprefix("left to the CPU: ") for each in reasons))
    return ToolResult(ir.to_proto(graph), target.build, "", passes, tuple(cpu_node_names(graph)), reason)


def _onnxsim(model: onnx.ModelProto) -> onnx.ModelProto:
    import onnxsim

    simplified, proven = onnxsim.simplify(model)
    if not proven:
        raise RuntimeError("onnxsim says that its own result differs")
    result: onnx.ModelProto = simplified
    return result


def _onnxslim(model: onnx.ModelProto) -> onnx.ModelProto:
    import onnxslim

    slim: onnx.ModelProto = onnxslim.slim(model)
    return slim
