"""The graph files of a bundle, and their entries in the manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

import msgspec

from webbuild.bundle.weight_shards import SharedWeights
from webbuild.errors import WebbuildError
from webbuild.inspection.all_on_gpu import all_on_gpu
from webbuild.inspection.engine_optimizer import gains_by_engine_optimizer
from webbuild.inspection.macs import graph_macs
from webbuild.inspection.required_features import required_features
from webbuild.manifest.manifest import DType, Graph, HeadStatus, OptionInput, Output, Precision, TargetName
from webbuild.model.read_signature import element_type
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.passes.nms.promote_thresholds import OPTION_KEY_PREFIX
from webbuild.passes.nms.status_output import HEAD_STATUS_KEY
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names
from webbuild.runners.suppression import read_suppression, suppressed_outputs
from webbuild.targets.table import find_table
from webbuild.targets.target import Target

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest.suppression import Suppression


def write_graphs(
    models: Mapping[TargetName, ir.Model], folder: Path, shared: SharedWeights | None = None
) -> list[Graph]:
    """Write every model to `folder`, named by content, and the weights that `shared` does not have yet.

    Equal models are written to one file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shared = shared or SharedWeights(folder)
    shared.write(models.values())
    return [_write_graph(model, target, folder, shared, target) for target, model in models.items()]


def write_reduced_precision_graph(
    model: ir.Model, precision: Precision, folder: Path, shared: SharedWeights | None = None
) -> Graph:
    """Write another graph for WebGPU in reduced precision to `folder`.

    Its weights get separate shards, also those that it shares with the other graphs: a visitor downloads one graph with
    its weights, and every byte of these must be needed. Few weights of a useful reduced graph stay float32. `shared`
    are the weights of graphs in this precision for other sizes.
    """
    shared = shared or SharedWeights(folder)
    shared.write([model])
    return _write_graph(model, "webgpu", folder, shared, f"webgpu-{precision}", precision)


def _write_graph(
    model: ir.Model, target: TargetName, folder: Path, shared: SharedWeights, stem: str, precision: Precision = "fp32"
) -> Graph:
    path, used = _save(model, folder, stem), _shards_of(model)
    weights = [f"{folder.name}/{name}" for name in shared.names if name in used]
    return graph_entry(model, target, f"{folder.name}/{path.name}", weights, precision)


def graph_entry(
    model: ir.Model, target: TargetName, file: str, weights: list[str], precision: Precision = "fp32"
) -> Graph:
    """Return the manifest entry of a graph that was written to `file`.

    Raises:
        WebbuildError: `unsupported-dtype`.
    """
    return Graph(
        target=target,
        file=file,
        weights=weights,
        nodes=model.graph.num_nodes(),
        outputs=_outputs(model),
        head_status=head_status(model),
        cpu_nodes=cpu_node_names(model) if target == "webgpu" else [],
        features=required_features(model) if target == "webgpu" else [],
        all_on_gpu=target == "webgpu" and _is_all_on_gpu(model),
        precision=precision,
        macs=graph_macs(model.graph),
        optimized=target == "wasm" and not gains_by_engine_optimizer(model),
        suppression=_suppression(model) or msgspec.UNSET,
    )


def _suppression(model: ir.Model) -> Suppression | None:
    return read_suppression(model.metadata_props, [value.name or "" for value in model.graph.outputs])


def _outputs(model: ir.Model) -> list[Output]:
    """Return the outputs of a graph, after the NMS that the runtime computes."""
    outputs = [_output_spec(value) for value in model.graph.outputs]
    spec = _suppression(model)
    if spec is None:
        return outputs
    parts, position = (spec.boxes, spec.scores, spec.rows), [each.name for each in outputs].index(spec.boxes)
    own = [each for each in outputs if each.name not in parts]
    return [*own[:position], *suppressed_outputs(spec), *own[position:]]


def _is_all_on_gpu(model: ir.Model) -> bool:
    known = find_table(Target(engine_version(), "webgpu"))
    return known is not None and all_on_gpu(model, known)


def _save(model: ir.Model, folder: Path, target: str) -> Path:
    import onnx_ir as ir

    partial = folder / f"{target}.partial"
    ir.save(model, partial)
    digest = hashlib.sha256(partial.read_bytes()).hexdigest()[:12]
    if (twin := next(folder.glob(f"*-{digest}.onnx"), None)) is not None:
        partial.unlink()
        return twin
    return partial.replace(folder / f"{target}-{digest}.onnx")


def _shards_of(model: ir.Model) -> set[str]:
    locations = (getattr(value.const_value, "location", None) for value in model.graph.initializers.values())
    return {str(location) for location in locations if location is not None}


def _output_spec(value: ir.Value) -> Output:
    dtype = element_type(value)
    if dtype not in get_args(DType):
        raise WebbuildError(
            "unsupported-dtype",
            f"output '{value.name}' is {dtype}, which webbuild does not support as an output",
            f"export it as one of {', '.join(get_args(DType))}",
        )
    shape = [] if value.shape is None else [dim if isinstance(dim, int) else -1 for dim in value.shape]
    return Output(name=value.name or "", dtype=cast("DType", dtype), shape=shape)


def head_status(model: ir.Model) -> HeadStatus | None:
    """Return the output that reports whether the NMS in a graph is exact; None if it always is."""
    text = model.metadata_props.get(HEAD_STATUS_KEY)
    if text is None:
        return None
    fields = msgspec.json.decode(text)
    return HeadStatus(fallback="wasm", **fields)


def option_inputs(model: ir.Model) -> list[OptionInput]:
    """Return the thresholds that `promote-thresholds` turned into inputs."""
    options = []
    for option in ("confidence", "iou"):
        text = model.metadata_props.get(f"{OPTION_KEY_PREFIX}{option}")
        if text is not None:
            name, _, default = text.rpartition("=")
            options.append(OptionInput(name=name, shape=[1], option=option, default=float(default)))
    return options
