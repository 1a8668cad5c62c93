"""Compilation for a batch of pictures."""

from __future__ import annotations

import msgspec

from webbuild.compile.compile_model import CompiledModel
from webbuild.compile.load_model import LoadedModel
from webbuild.compile.plan_graphs import plan_graphs
from webbuild.manifest.manifest import PictureInput
from webbuild.manifest.suppression import SUPPRESSION_KEY
from webbuild.passes.base import NmsPlacement
from webbuild.passes.nms.status_output import HEAD_STATUS_KEY
from webbuild.targets.target import Target
from webbuild.tasks.options.picture_batches import no_batch


def compile_batch(
    loaded: LoadedModel, target: Target, single: CompiledModel, batch: int, *, nms: NmsPlacement
) -> CompiledModel:
    """Compile a model for a batch of several images; `single` is the same model compiled for one.

    Raises:
        WebbuildError: `fixed-batch` if an output does not have one element per picture, and what `plan_graphs` raises.
    """
    if loaded.source.states:
        raise no_batch(batch, f"{loaded.source.path}: it has states, so pictures run one at a time")
    planned, fallback_plan = plan_graphs(loaded, target, None, nms, int32_inputs=True)
    if single.postprocess is not None or any(
        {HEAD_STATUS_KEY, SUPPRESSION_KEY} & each.metadata_props.keys() for each in planned.graphs.values()
    ):
        raise no_batch(batch, f"{loaded.source.path}: its NMS takes one picture")
    for model in planned.graphs.values():
        single_shapes = {value.name: value.shape for value in single.lowered.graphs["wasm"].graph.outputs}
        for value in model.graph.outputs:
            one, batched = (
                () if shape is None else tuple(shape) for shape in (single_shapes.get(value.name), value.shape)
            )
            if one[:1] != (1,) or batched != (batch, *one[1:]):
                shapes = f"{list(batched)} for {batch} pictures, {list(one)} for one"
                raise no_batch(batch, f"{loaded.source.path}: output '{value.name}' is {shapes}")
    inputs = tuple(
        msgspec.structs.replace(spec, shape=[batch, *spec.shape[1:]]) if isinstance(spec, PictureInput) else spec
        for spec in single.match.inputs
    )
    pictures = sum(isinstance(spec, PictureInput) for spec in inputs)
    if pictures != 1:
        raise no_batch(batch, f"{loaded.source.path}: run() gives it one picture, it takes {pictures}")
    match = msgspec.structs.replace(single.match, inputs=inputs)
    changed = {"disabled_target": fallback_plan.disabled, "inspection": fallback_plan.inspection}
    return msgspec.structs.replace(single, lowered=planned, match=match, **changed)
