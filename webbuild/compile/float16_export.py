"""Models exported in float16: compiled in float32 if float16 changes their outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import onnx_ir as ir

from webbuild.compare.comparison import Comparison
from webbuild.compare.tolerances import REDUCED_PRECISION
from webbuild.compile.compile_model import CompiledModel
from webbuild.compile.guess_image_input import find_picture_input
from webbuild.compile.load_model import LoadedModel
from webbuild.equivalence.check import run_context
from webbuild.equivalence.compare_runs import Reference, RunInput, compare_runs
from webbuild.equivalence.detection_thresholds import confidence_with_detections
from webbuild.equivalence.open_reference import open_reference
from webbuild.equivalence.policy import Policy
from webbuild.equivalence.verdict import has_no_detections
from webbuild.errors import WebbuildError
from webbuild.inspection.required_features import required_features
from webbuild.manifest.manifest import Input, OptionInput, PictureInput, Task
from webbuild.manifest.states import state_inputs
from webbuild.manifest.tasks.tensor import TensorTask
from webbuild.model.read_signature import read_signature
from webbuild.model.traversal import rounded_outputs
from webbuild.passes.dtypes.retype import retype, tensors_of
from webbuild.precision.fp16_backends import EmulatedFp16
from webbuild.precision.insert_casts import CastInserter
from webbuild.reporting.comparison_text import describe_reason
from webbuild.runners.native import NativeRunner
from webbuild.samples.collect import collect_samples, default_sample_folder
from webbuild.samples.edge_cases import edge_cases
from webbuild.samples.prompts import attach_prompts
from webbuild.samples.sample import Sample
from webbuild.samples.state_sizes import first_states
from webbuild.tasks.registry import kind_of

_MAX_WEIGHT_BYTES = 512 << 20
"""Models with more float16 weights are not checked: in float32 the file would exceed 1 GiB."""
_SAMPLES = 2
_HALF, _FLOAT = ir.DataType.FLOAT16, ir.DataType.FLOAT


def compile_accurately(
    loaded: LoadedModel, compile_one: Callable[[LoadedModel], CompiledModel], samples: Sequence[Path]
) -> tuple[LoadedModel, CompiledModel]:
    """Compile a model; if it was exported in float16 and that changes its outputs, compile it in float32.

    Native ONNX Runtime computes much of a float16 model in float32, a GPU everything in float16. So the model may be
    right natively and wrong on a GPU. Emulated float16 is compared with float32 on the first samples.

    Args:
        loaded: the model.
        compile_one: compiles the model, or its float32 version.
        samples: the user's sample files; without them, default samples.

    Returns:
        The model that was compiled, in float16 or float32, and the result.

    Raises:
        WebbuildError: what `compile_one` and `collect_samples` raise.
    """
    compiled = compile_one(loaded)
    difference = _float16_difference(loaded, compiled, samples)
    if not difference:
        return loaded, compiled
    assumption = f"computed in float32, not in float16 as exported, because float16 changes its answers: {difference}"
    wide = _in_float32(loaded, assumption)
    compiled = compile_one(wide)
    for model in compiled.lowered.graphs.values():  # float16 weights stay float16 in the file
        CastInserter(model.graph, {}, stored=True, exact=True).run()
    return wide, compiled


def _in_float32(loaded: LoadedModel, reason: str) -> LoadedModel:
    """Return the model in float32, with a native session of it as the original."""
    model = loaded.source.model.clone()
    retype(model, _HALF, _FLOAT)
    signature = read_signature(loaded.source.signature.file, model)
    known = msgspec.structs.replace(loaded.source.signature, inputs=signature.inputs, outputs=signature.outputs)
    graph = ir.to_proto(model).SerializeToString()
    source = msgspec.structs.replace(loaded.source, model=model, signature=known, graph_bytes=graph, set_inputs={})
    original, repairs = open_reference(source)
    original.close()
    original = original.with_defaults(first_states(source, loaded.dims.dims, original))
    repairs = (*source.repairs, *repairs, reason)
    return msgspec.structs.replace(loaded, source=source, original=original, repairs=repairs, checked={})


def _float16_difference(loaded: LoadedModel, compiled: CompiledModel, samples: Sequence[Path]) -> str:
    """Return the first difference between the WebGPU graph in float16 and float32; empty if none is known."""
    graph = compiled.lowered.graphs["webgpu"]
    weights = sum(array.nbytes for _, array in tensors_of(graph, _HALF))
    if not required_features(graph) or compiled.disabled_target is not None or weights > _MAX_WEIGHT_BYTES:
        return ""
    task, options, chosen = compiled.match.task, compiled.options, _chosen_samples(loaded, compiled, samples)
    values: dict[str, float] = {option.option: option.default for option in options}
    values |= kind_of(task).default_thresholds(task)
    wide = graph.clone()
    retype(wide, _HALF, _FLOAT)
    try:
        exact = NativeRunner(loaded.source.path, ir.to_proto(wide).SerializeToString())
        policy = Policy(REDUCED_PRECISION, rounded=rounded_outputs(loaded.source.path))
        compared = _compare(graph, exact, task, options, chosen, values, policy)
        if has_no_detections(compared):  # no signal: lower the confidence, else compare plain tensors
            confidence = confidence_with_detections(task, options, chosen, exact.run)
            compared_task, values = (
                (TensorTask(), values) if confidence is None else (task, {**values, "confidence": confidence})
            )
            compared = _compare(graph, exact, compared_task, options, chosen, values, policy)
        exact.close()
    except WebbuildError:  # the proof will report it
        return ""
    differing = (each for each in compared if each.verdict == "DIFFERS")
    brief = (msgspec.structs.replace(each, details=each.details[:1]) for each in differing)
    return next((f"{each.subject.output}: {describe_reason(each)}" for each in brief), "")


def _compare(
    graph: ir.Model,
    exact: NativeRunner,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    thresholds: Mapping[str, float],
    policy: Policy,
) -> list[Comparison]:
    """Compare a graph in float16 with `exact`, which computes it in float32."""
    threshold_feeds = {option.name: np.array([thresholds[option.option]], np.float32) for option in options}
    inputs = [RunInput(each.name, each.feeds, threshold_feeds, run_context(each, thresholds)) for each in samples]
    reference = Reference(lambda one: exact.run({**one.feeds, **one.fixed}), inputs, task, None)
    float16_answers = EmulatedFp16().run(graph, [{**one.feeds, **one.fixed} for one in inputs])
    answers = [replace(want, outputs=got) for want, got in zip(reference.answers, float16_answers, strict=True)]
    return compare_runs(reference, "float16", answers, policy)


def _chosen_samples(loaded: LoadedModel, compiled: CompiledModel, samples: Sequence[Path]) -> list[Sample]:
    """Return the first samples, and the edge cases: their contrast may overflow.

    webbuild's own photographs are added to the user's samples, because a score may saturate on a single picture.
    Tensor inputs shaped like a picture get photographs too.
    """
    match, path = compiled.match, loaded.source.path
    photographed: Sequence[Input] = ()
    if not samples:
        image = find_picture_input(match)
        photographed = [] if image is None else [image, *state_inputs(match.inputs)]
    elif any(isinstance(each, PictureInput) for each in match.inputs):
        photographed = match.inputs
    collected = collect_samples(path, samples, match.inputs, loaded.ranges, default_sample_folder(match))
    chosen = attach_prompts(match, collected)[:_SAMPLES]
    chosen += attach_prompts(match, edge_cases(match.inputs, loaded.ranges))
    if photographed:
        chosen += attach_prompts(match, collect_samples(path, (), photographed, loaded.ranges))[:_SAMPLES]
    return chosen
