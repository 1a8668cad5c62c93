"""The graphs of the zoo in Chromium, compared with native ONNX Runtime's outputs of the exported models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from benchmarks import tiny_models
from benchmarks.node_test_report import shorten_message
from benchmarks.zoo.patching import serialized
from benchmarks.zoo.row import Ending, Run
from benchmarks.zoo.zoo_model import ZooModel
from webbuild.bisect.model_under_test import ModelSelection
from webbuild.bisect.piecewise import compare_pieces
from webbuild.equivalence.compare_runs import Reference, compare_runs
from webbuild.equivalence.policy import Policy
from webbuild.reporting.comparison_text import describe_reason
from webbuild.targets.target import Build

_ENDINGS: dict[str, Ending] = {"no-session": "no session", "throws": "throws", "crash": "throws"}
_LARGEST = 64 << 20
"""Largest graph in bytes that is passed to a page as text."""


def job(model: ZooModel, file: Path, cpu_nodes: tuple[str, ...] = ()) -> tiny_models.Job:
    """Return a graph with the example in the graph's types and sizes: float32, int32, the real size of a state."""
    feeds = {
        value.name: _as_declared(model.feeds[value.name], value)
        for value in ir.load(file).graph.inputs
        if value.name in model.feeds
    }
    return tiny_models.Job(model.name, serialized(file), feeds, cpu_nodes)


def _as_declared(array: NDArray[Any], value: ir.Value) -> NDArray[Any]:
    kind = array.dtype if value.dtype is None else value.dtype.numpy()
    sizes = [] if value.shape is None else [size for size in value.shape if isinstance(size, int)]
    if len(sizes) == array.ndim and array.size == 1 and not array.any():
        return np.zeros(sizes, kind)
    return array.astype(kind)


def run_all(
    jobs: list[tiny_models.Job], build: Build, references: Mapping[str, tuple[Reference, Policy]]
) -> dict[str, Run]:
    """Run graphs on a build of the engine, and compare their outputs."""
    sent = [each for each in jobs if len(each.model) <= _LARGEST]
    found = {}
    for each, answer in tiny_models.run_all(sent, build):
        found[each.name] = _judge(answer, *references[each.name])
        run = found[each.name]
        print(f"  {build}: {each.name}: {run.ending} {run.reason}", flush=True)
    by_pieces = [each for each in sent if found[each.name].within_noise]
    return found | {each.name: _judge_pieces(each, build, found[each.name]) for each in by_pieces}


def _judge_pieces(given: tiny_models.Job, build: Build, run: Run) -> Run:
    """Compare a model with too much noise in its outputs piece by piece, each computed from the reference's values."""
    with TemporaryDirectory() as folder:
        file, sample = Path(folder, "model.onnx"), Path(folder, "sample.npz")
        file.write_bytes(given.model)
        np.savez(sample, **given.feeds)  # type: ignore[arg-type]
        values = compare_pieces(ModelSelection(file, backend=build, inputs=(sample,)))
    print(f"  {build}: {given.name}: {values} values agree piece by piece", flush=True)
    return msgspec.structs.replace(run, ending="right", pieces=values) if values else run


def _judge(answer: tiny_models.JobResult, reference: Reference, policy: Policy) -> Run:
    if answer.ending != "ran":
        return Run(_ENDINGS[answer.ending], shorten_message(answer.message), answer.cpu, len(answer.gpu))
    want = reference.answers[0].outputs
    outputs = {name: array.astype(want[name].dtype) for name, array in answer.outputs.items() if name in want}
    got = replace(reference.answers[0], outputs=outputs)
    compared = compare_runs(reference, "browser", [got], policy)
    wrong = [each for each in compared if each.verdict == "DIFFERS"]
    reason = "; ".join(f"{each.subject.output}: {describe_reason(each)}" for each in wrong[:3])
    within_noise = bool(wrong) and reference.noise is not None and reference.noise.explains_all(compared)
    return Run("wrong" if wrong else "right", reason, answer.cpu, len(answer.gpu), within_noise)
