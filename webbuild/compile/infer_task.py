"""Task inference: before the passes for a model without post-processing, else after the passes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from webbuild.bundle.graphs import option_inputs
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.load import OnnxModel
from webbuild.model.read_signature import read_signature
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.model.states import without_states
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import LoweredGraphs
from webbuild.postprocess.grounding import GroundingPostprocess
from webbuild.tasks.options.labels import LabelsFile
from webbuild.tasks.registry import infer_kind, kind_of, match_task, possible_kinds, recognizable_kinds, task_kinds
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.tensor import GIVE_TASK

if TYPE_CHECKING:
    import onnx_ir as ir

_MAX_ROUNDS = 8
"""Maximum rounds of constant folding: one round may enable another."""
_APPENDING = ("append-nms", "append-detr-postprocess", "append-class-maps", "append-label-scores")
"""Passes that append post-processing."""
_FEW_OUTPUTS = 3
"""Tasks with fitting shapes are suggested only for models with at most this many outputs."""
_MAX_VALUE_COUNT = 1 << 16
"""Most distinct values of an integer output that may be class labels."""


def infer_missing_postprocess(source: OnnxModel, dims: Mapping[str, int], task: str | None) -> TaskMatch | None:
    """Return the task of a model without post-processing (NMS, DETR rows), None for every other model.

    Args:
        source: the model.
        dims: sizes for its free dimensions.
        task: the task of `--task`, None for any.

    Raises:
        WebbuildError: `class-count-mismatch`.
    """
    if task == "tensor":  # tensor outputs need no post-processing
        return None
    frozen = with_fixed_dims(source.model, dims)
    signature = _with_value_counts(patched_signature(source, frozen), frozen)
    kinds = possible_kinds(signature) if task is None else [task_kinds()[task]]
    matches = (infer_kind(kind, signature, requested=task is not None) for kind in kinds)
    return next((each for each in matches if each is not None and each.postprocess is not None), None)


def has_keypoints(source: OnnxModel, dims: Mapping[str, int], count: int) -> bool:
    """Whether a model is a detector that can output `count` keypoints per box; False for 0."""
    match = infer_missing_postprocess(source, dims, "pose") if count else None
    return match is not None and len(getattr(match.task, "keypoints", [])) == count


def task_of_labels(source: OnnxModel, dims: Mapping[str, int], labels: LabelsFile) -> str | None:
    """Return the task of an unrecognized model if its number of classes fits the labels; else None.

    A task after an earlier stage is not returned: there, the model's own task, such as `text-line`, is replaced.
    """
    frozen = with_fixed_dims(source.model, dims)
    signature = _with_value_counts(patched_signature(source, frozen), frozen)
    if kind_of(match_task(signature).task).kind != "tensor":
        return None
    for name, kind in recognizable_kinds().items():
        match = None if kind.needs_earlier else infer_kind(kind, signature, requested=True)
        if match is not None and kind.fits_labels(match, labels):
            return name
    return None


def infer_task(source: OnnxModel, lowered: LoweredGraphs, task: str | None, *, complete: bool = False) -> TaskMatch:
    """Return the task, inferred from the lowered graph's inputs, without thresholds, and outputs.

    With `complete`, tasks that would need post-processing are excluded.

    Raises:
        WebbuildError: `task-mismatch`, `unsupported-dtype`.
    """
    signature = patched_signature(source, lowered.graphs["wasm"])
    added = {option.name for option in option_inputs(lowered.graphs["wasm"])}
    signature = msgspec.structs.replace(signature, inputs=tuple(f for f in signature.inputs if f.name not in added))
    if task is None:
        known = match_task(signature, complete=complete)
        if kind_of(known.task).kind != "tensor":
            return known
        return _with_fitting_tasks(known, _with_value_counts(signature, lowered.graphs["wasm"]), complete=complete)
    match = infer_kind(task_kinds()[task], signature, requested=True)
    if match is not None and complete and match.lacks_head:
        raise WebbuildError(
            "task-mismatch",
            f"{source.path}: its outputs have shapes that {task} takes, but on two photographs their numbers are not "
            f"scores and boxes; this model has {_describe_signature(signature)}",
            _nearest_task(signature, task),
            exit_code=USAGE,
        )
    if match is None:
        raise WebbuildError(
            "task-mismatch",
            f"{source.path}: {task} wants {task_kinds()[task].required_signature}; "
            f"this model has {_describe_signature(signature)}",
            _nearest_task(signature, task),
            exit_code=USAGE,
        )
    return match


def _nearest_task(signature: ModelSignature, task: str) -> str:
    """Return the fix for a model that does not fit the `task` of `--task`: the tasks that it fits."""
    fitting = [name for name in _fitting_tasks(signature) if name != task]
    shapes = "leave out the task: the page then draws each output by its shape, and you decode the tensors"
    return f"give --task {' or '.join(fitting)}, which fits; or {shapes}" if fitting else shapes


def _fitting_tasks(signature: ModelSignature) -> dict[str, TaskMatch]:
    """Return the tasks, with matches, that fit the shapes of a model with few outputs if the user names them."""
    fitting = {}
    for name, kind in recognizable_kinds().items() if len(signature.outputs) <= _FEW_OUTPUTS else ():
        with suppress(WebbuildError):  # shapes fit, but names or counts do not
            fitting[name] = infer_kind(kind, signature, requested=True)
    return {name: match for name, match in fitting.items() if match is not None}


def _with_fitting_tasks(match: TaskMatch, signature: ModelSignature, *, complete: bool) -> TaskMatch:
    """Return the match of task `tensor`, with a hint naming the tasks that fit its shapes."""
    fitting = (
        name
        for name, each in _fitting_tasks(signature).items()
        if not task_kinds()[name].needs_earlier and not (complete and each.lacks_head)
    )
    if not (named := " or ".join(fitting)):
        return match
    hint = f"{GIVE_TASK}: its shapes fit {named}"
    return msgspec.structs.replace(match, assumptions=tuple(s.replace(GIVE_TASK, hint) for s in match.assumptions))


def require_postprocess(match: TaskMatch, lowered: LoweredGraphs) -> None:
    """Raise unless a pass appended the missing post-processing to every graph.

    Raises:
        WebbuildError: `postprocess-not-appended`, with the reason of the pass.
    """
    from webbuild.passes.nms.append_nms import NMS_APPENDED_KEY

    if match.postprocess is None or isinstance(match.postprocess, GroundingPostprocess):
        return
    for target, model in lowered.graphs.items():
        if NMS_APPENDED_KEY not in model.metadata_props:
            refused = (e for e in lowered.rewrites[target] if e.code in _APPENDING and not e.applied)
            reason = next((rewrite.reason for rewrite in refused), "it was not")
            raise WebbuildError(
                "postprocess-not-appended",
                f"output '{match.postprocess.output}': post-processing could not be appended: {reason}",
                "export the model with its post-processing, or give --task tensor",
            )


def with_int32_inputs(match: TaskMatch, model: ir.Model) -> TaskMatch:
    """Return the match with int32 for each int64 input that the patched graph takes as int32."""
    import onnx_ir as ir

    narrow = {value.name for value in model.graph.inputs if value.dtype == ir.DataType.INT32}
    inputs = tuple(
        msgspec.structs.replace(spec, dtype="int32") if spec.dtype == "int64" and spec.name in narrow else spec
        for spec in match.inputs
    )
    return msgspec.structs.replace(match, inputs=inputs)


def with_inputs_of(match: TaskMatch, other: TaskMatch) -> TaskMatch:
    """Return the match with the inputs of a match at another size, except for their shapes.

    Raises:
        WebbuildError: `size-fails` if the tasks at the two sizes differ.
    """
    shapes = {spec.name: spec.shape for spec in match.inputs}
    if type(match.task) is not type(other.task) or shapes.keys() != {spec.name for spec in other.inputs}:
        kinds = (kind_of(each.task).kind for each in (other, match))
        raise WebbuildError(
            "size-fails",
            "at one size the model looks like task {}, at another like task {}".format(*kinds),
            "give the task with --task, or pack one bundle per size",
            exit_code=USAGE,
        )
    inputs = tuple(msgspec.structs.replace(spec, shape=shapes[spec.name]) for spec in other.inputs)
    return msgspec.structs.replace(match, inputs=inputs)


def patched_signature(source: OnnxModel, model: ir.Model) -> ModelSignature:
    """Return the signature of a lowered graph without states, with the original's modules and configuration files."""
    signature, original = without_states(read_signature(source.signature.file, model), source.states), source.signature
    return msgspec.structs.replace(signature, hub_files=original.hub_files, modules=original.modules)


def _with_value_counts(signature: ModelSignature, model: ir.Model) -> ModelSignature:
    """Return the signature with the number of distinct values of each integer output, if its range is known.

    Shapes are inferred: an ArgMax has as many values as its input has classes, and many exports only store the shapes
    of outputs.
    """
    from webbuild.passes.analysis.shape_inference import infer_shapes
    from webbuild.passes.analysis.value_ranges import value_ranges

    integers = ("uint8", "int32", "int64")
    if not any(fact.dtype in integers for fact in signature.outputs):
        return signature
    infer_shapes(model)
    bounds = value_ranges(model.graph)
    known = {value.name: bounds[value] for value in model.graph.outputs if value in bounds}
    counts = {name: int(high) + 1 for name, (low, high) in known.items() if low == 0 and high < _MAX_VALUE_COUNT}
    outputs = (
        msgspec.structs.replace(fact, value_count=counts.get(fact.name, 0) if fact.dtype in integers else 0)
        for fact in signature.outputs
    )
    return msgspec.structs.replace(signature, outputs=tuple(outputs))


def with_fixed_dims(model: ir.Model, dims: Mapping[str, int]) -> ir.Model:
    """Return a clone with the free dimensions fixed and shapes folded, and float32 inputs and outputs."""
    from webbuild.passes.dtypes.float16_io import Float16Io
    from webbuild.passes.simplify.canonicalize import Canonicalize
    from webbuild.passes.simplify.fold_constants import FoldConstants
    from webbuild.passes.static_shapes.fix_dynamic_dims import FixDynamicDims

    clone, options = model.clone(), PassOptions(dims=dims)
    Canonicalize().apply(clone, options)
    FixDynamicDims().apply(clone, options)
    Float16Io().apply(clone, options)
    for _ in range(_MAX_ROUNDS):
        if all(_is_fixed(value) for value in clone.graph.outputs) or not FoldConstants().apply(clone, options):
            break
        Canonicalize().apply(clone, options)
    return clone


def _is_fixed(value: ir.Value) -> bool:
    return value.shape is not None and all(isinstance(dim, int) for dim in value.shape)


def _describe_signature(signature: ModelSignature) -> str:
    listed = [
        f"{name} {_describe_specs(values)}"
        for name, values in (("inputs", signature.inputs), ("outputs", signature.outputs))
    ]
    return ", ".join(listed)


def _describe_specs(values: tuple[TensorSpec, ...]) -> str:
    """Return names, type and shape, grouped by type and shape."""
    alike: dict[str, list[str]] = {}
    for value in values:
        alike.setdefault(f"{value.dtype} {list(value.shape)}", []).append(f"'{value.name}'")
    return ", ".join(f"{', '.join(names)} {form}" for form, names in alike.items())
