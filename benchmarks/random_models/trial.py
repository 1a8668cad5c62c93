"""A case for the engine, and the comparison of its outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
from msgspec import Struct
from numpy.typing import NDArray

from benchmarks.tiny_models import Job, JobResult
from webbuild.inspection.cpu_fallback import apply_cpu_fallback
from webbuild.manifest.manifest import TargetName
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.lower import lower
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names
from webbuild.targets.table import find_table
from webbuild.targets.target import Target

TOLERANCE = 2e-3
"""Relative to the largest magnitude of an output; integers must be equal."""

Tensors = Mapping[str, NDArray[Any]]
Ending = Literal["wrong", "throws", "no session"]


class GeneratedModel(Protocol):
    """A model generated from a seed, and its feeds."""

    @property
    def op(self) -> str:
        """The operator, or the kind of chain."""

    @property
    def what(self) -> str:
        """The operators, shapes and attributes, on one line."""

    def feeds(self) -> dict[str, NDArray[Any]]:
        """Return the feeds by name."""

    def model(self) -> bytes:
        """Return the model, serialized."""


class PatchedModel(Struct, frozen=True):
    """The result of `webbuild pack` for the native build: the graph, its CPU nodes, and the applied passes."""

    model: bytes
    cpu_nodes: tuple[str, ...]
    rewrites: tuple[Rewrite, ...]

    @property
    def done(self) -> list[str]:
        """The codes of the passes that changed something, in order."""
        return list(dict.fromkeys(rewrite.code for rewrite in self.rewrites if rewrite.applied))


class Trial(Struct, frozen=True):
    """A case, native ONNX Runtime's outputs, and the engine's jobs.

    `shipped` is the job after the passes, None if they change nothing; `passes` are the codes of the effective ones.
    """

    seed: int
    subject: GeneratedModel
    want: Tensors
    job: Job
    shipped: Job | None
    passes: list[str]


class Problem(Struct, frozen=True):
    """A failure or a difference from the reference."""

    ending: Ending
    reason: str


def run_native(model: bytes, feeds: Tensors, *, optimized: bool = False) -> dict[str, NDArray[Any]]:
    """Return native ONNX Runtime's outputs, without its graph optimizations unless `optimized`."""
    options, levels = onnxruntime.SessionOptions(), onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimized else levels.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, dict(feeds)), strict=True))


def patch_model(model: bytes, target: TargetName = "webgpu") -> PatchedModel:
    """Return a model after the passes for the native WebGPU build, or for WASM."""
    table = find_table(Target(engine_version(), "webgpu"))
    planned = lower(ir.from_proto(onnx.load_from_string(model)), PassOptions(table=table))
    graph, rewrites = planned.graphs[target], planned.rewrites[target]
    if target == "webgpu" and table is not None:
        rewrites = (*rewrites, *apply_cpu_fallback(graph, table).rewrites)
    return PatchedModel(ir.to_proto(graph).SerializeToString(), tuple(cpu_node_names(graph)), rewrites)


def make_trial(seed: int, subject: GeneratedModel, want: Tensors, options: Mapping[str, Any]) -> Trial:
    """Return a case with the expected outputs `want`; `options` are the provider's."""
    model, feeds = subject.model(), subject.feeds()
    made = patch_model(model)
    job = Job(str(seed), model, feeds, options=dict(options))
    after = Job(f"{seed} shipped", made.model, feeds, made.cpu_nodes, dict(options))
    return Trial(seed, subject, want, job, after if made.done else None, made.done)


def find_problem(want: Tensors, answer: JobResult) -> Problem | None:
    """Return the problem of a result, None if it is right."""
    if answer.ending == "no-session":
        return Problem("no session", answer.message)
    if answer.ending != "ran":
        return Problem("throws", answer.message)
    told = [
        reason for name, array in want.items() if (reason := describe_difference(name, array, answer.outputs.get(name)))
    ]
    return Problem("wrong", "; ".join(told)) if told else None


def describe_difference(name: str, want: NDArray[Any], got: NDArray[Any] | None, tolerance: float = TOLERANCE) -> str:
    """Return how an output differs from the expected one, empty if it does not."""
    if got is None or got.shape != want.shape:
        return f"{name} has shape {None if got is None else got.shape}, not {want.shape}"
    if want.dtype.kind != "f":
        wrong = int((got != want).sum())
        return f"{name} is wrong in {wrong} of {want.size}" if wrong else ""
    if not want.size:
        return ""
    limit = tolerance * max(1e-6, float(np.abs(want[np.isfinite(want)]).max(initial=0)))
    far = ~np.isclose(got, want, rtol=1e-4, atol=limit, equal_nan=True)
    if not far.any():
        return ""
    distance, largest = np.abs(got[far] - want[far]).max(), np.abs(want).max()
    return f"{name} is wrong in {int(far.sum())} of {want.size}, by {distance:.3g} of {largest:.3g}"
