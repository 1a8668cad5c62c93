"""`webbuild patch` of a model of the zoo, run as users run it, in a separate process."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import onnx
import onnx_ir as ir

from benchmarks.zoo.row import Patched
from benchmarks.zoo.zoo_model import ZooModel
from webbuild.commands.patch_result import PatchError, PatchResult
from webbuild.errors import FAILED
from webbuild.inspection.cpu_fusion import fused_operators
from webbuild.inspection.graph import prepare_graph
from webbuild.inspection.inspect import inspect
from webbuild.model.load import load_onnx
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

TARGET = Target(engine_version(), "webgpu")
_SECONDS = 600.0


def patch(model: ZooModel, folder: Path) -> Patched:
    """Patch a model without options; if the result does not accept the example, with the example's sizes."""
    started = time.monotonic()
    result = _run_patch(model, folder, ())
    error = result.error.code if result.error is not None else ""
    if (error or not _takes(result, model)) and model.dims():
        started = time.monotonic()
        result = _run_patch(model, folder, model.dims())
    seconds = time.monotonic() - started
    if result.error is not None:
        return Patched(error, result.error.code, result.error.message, seconds=seconds)
    disabled = result.disabled_targets.get(TARGET.name)
    wanted = TARGET if disabled is None else Target(TARGET.version, "wasm")
    file = next(each.file for each in result.files if wanted.name in each.targets)
    graph = load_onnx(Path(file)).model
    found = zip(prepare_graph(graph, {})[1], inspect(file, graph, load_table(TARGET), {}).nodes, strict=True)
    predicted = tuple(fused_operators([each.node for each, node in found if node.outcome == "cpu"]))
    reason = "" if disabled is None else f"{disabled.code}: {disabled.reason}"
    return Patched(
        error, "", "", file, tuple(cpu_node_names(graph)), reason, predicted, sum(1 for _ in graph.graph), seconds
    )  # fmt: skip


def predicted_errors(model: ZooModel) -> tuple[str, ...]:
    """Return the codes of the errors that `webbuild inspect` reports for the unchanged model."""
    dims = {key: int(size) for key, _, size in (each.rpartition("=") for each in model.dims())}
    found = inspect(model.name, load_onnx(model.path).model, load_table(TARGET), dims).findings
    return tuple(sorted({each.code for each in found if each.severity == "error"}))


def serialized(file: Path) -> bytes:
    """Return a model with its weights inside."""
    return onnx.load(file).SerializeToString()


def _takes(result: PatchResult, model: ZooModel) -> bool:
    """Whether the patched graph has the sizes of the example."""
    graph = ir.load(result.files[0].file).graph
    return all(
        value.name not in model.feeds or tuple(value.shape or ()) == model.feeds[value.name].shape
        for value in graph.inputs
        if value.name is not None
    )


def _run_patch(model: ZooModel, folder: Path, dims: tuple[str, ...]) -> PatchResult:
    command = [sys.executable, "-m", "webbuild", "patch", str(model.path), "-o", str(folder), "--force", "--json"]
    command += ["--allow-cpu-nodes", "--int32-inputs", *(part for each in dims for part in ("--dim", each))]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        return msgspec.json.decode(ended.stdout, type=list[PatchResult])[0]
    except (msgspec.DecodeError, IndexError):
        return _failed(model, ended.stderr)
    except subprocess.TimeoutExpired:
        return _failed(model, f"error[time-out]: no answer in {_SECONDS:.0f} s")


def _failed(model: ZooModel, stderr: str) -> PatchResult:
    """Return the outcome that a process printed as text: with a single model it exits with the model's error."""
    match = re.search(r"error\[([\w-]+)\] (.*)", stderr)
    code, message = match.groups() if match is not None else ("process-lost", stderr.strip()[-300:])
    return PatchResult(str(model.path), FAILED, error=PatchError(code, message, ""))
