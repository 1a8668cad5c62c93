"""What is done to a trap before it runs: nothing, other tools, webbuild's passes; and what `inspect` says of it."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable

import onnx
import onnx_ir as ir
from msgspec import Struct

from bench.traps.trap import Trap
from webbuild.inspection.features import features
from webbuild.inspection.inspect import inspect
from webbuild.inspection.kept_right import keep_right
from webbuild.passes._base import Options
from webbuild.passes.force_cpu import ForceCpu, cpu_nodes
from webbuild.plan import plan
from webbuild.targets.table import table
from webbuild.targets.target import Build, Target

_HARM = ("no-session", "throws", "wrong")
TOOLS = ("as it is", "onnxsim", "OnnxSlim", "webbuild")


class Made(Struct, frozen=True):
    """What a tool made of a trap: a model, or why there is none. `passes` did something to it.

    `build` is the one that it runs on: `wasm` where webbuild ships no graph for the other, for the reason in `why`.
    `kept` is why nodes of it are left to the CPU.
    """

    model: onnx.ModelProto | None
    build: Build
    why: str = ""
    passes: tuple[str, ...] = ()
    cpu_nodes: tuple[str, ...] = ()
    kept: str = ""


def made(trap: Trap, tool: str, target: Target) -> Made:
    """Return what a tool makes of a trap. A tool that fails is an answer."""
    if tool == "webbuild":
        return _webbuild(trap, target)
    honest: dict[str, Callable[[onnx.ModelProto], onnx.ModelProto]] = {
        "as it is": lambda model: model,
        "onnxsim": _onnxsim,
        "OnnxSlim": _onnxslim,
    }
    copy = onnx.ModelProto()
    copy.CopyFrom(trap.model)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return Made(honest[tool](copy), target.build)
    except Exception as error:
        return Made(None, target.build, f"{type(error).__name__}: {error}")


def detected(trap: Trap, target: Target) -> tuple[str, ...]:
    """Return the codes of what `webbuild inspect` finds, of notes only those that an answer may be wrong, or worse.

    `placement` stands for none where it puts a node on the CPU.
    """
    found = inspect(trap.name, ir.from_proto(trap.model), table(target), {})
    codes = [each.code for each in found.findings if each.severity != "note" or each.outcome in _HARM]
    placed = ["placement"] if any(node.outcome == "cpu" for node in found.nodes) else []
    return tuple(dict.fromkeys(codes or placed))


def content(model: onnx.ModelProto) -> bytes:
    """Return what two models share if they compute the same in the same way: no names of nodes, no shapes noted."""
    copy = onnx.ModelProto()
    copy.graph.CopyFrom(model.graph)
    copy.opset_import.extend(model.opset_import)
    copy.graph.name = ""
    del copy.graph.value_info[:]
    for node in copy.graph.node:
        node.name = node.doc_string = ""
    return copy.SerializeToString(deterministic=True)


def _webbuild(trap: Trap, target: Target) -> Made:
    """Do what a bundle does on the adapter that is measured on, which has no `shader-f16`."""
    try:
        planned = plan(ir.from_proto(trap.model), Options(table=table(target), nms="keep"))
        graph = planned.models["webgpu"]
        kept, needed = keep_right(graph, table(target)), features(graph)
    except Exception as error:
        return Made(None, target.build, f"{type(error).__name__}: {error}")
    passes = tuple(dict.fromkeys(edit.code for edit in (*planned.edits["webgpu"], *kept.edits) if edit.done))
    if kept.withheld is not None or needed:
        why = f"{kept.withheld.code}: {kept.withheld.why}" if kept.withheld else f"needs {', '.join(needed)}"
        return Made(ir.to_proto(planned.models["wasm"]), "wasm", why)
    reasons = [edit.why for edit in (*planned.edits["webgpu"], *kept.edits) if edit.done and edit.code == ForceCpu.code]
    reason = "; ".join(dict.fromkeys(each.removeprefix("left to the CPU: ") for each in reasons))
    return Made(ir.to_proto(graph), target.build, "", passes, tuple(cpu_nodes(graph)), reason)


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
