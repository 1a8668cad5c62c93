"""Exports a network to ONNX by either of PyTorch's exporters, and says what came of it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnx
import torch

OPSETS = {"torchscript": 17, "dynamo": 18}
Dynamic = dict[str, dict[int, str]]
"""The axes of inputs and outputs that stay free, by name."""


def arguments(
    description: str | None, opset: int = OPSETS["torchscript"], axes: str = "fixed"
) -> argparse.ArgumentParser:
    """The options that every recipe's export has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("checkpoint", type=Path, help="what training wrote, or `random` for weights from a seed")
    parser.add_argument("onnx", type=Path)
    parser.add_argument("--exporter", choices=sorted(OPSETS), default="torchscript")
    parser.add_argument("--opset", type=int, default=0, help=f"{opset} by TorchScript, 18 by dynamo")
    parser.add_argument("--full-size", action="store_true", help="the published size; its weights beside the model")
    parser.add_argument("--axes", choices=["fixed", "free"], default=axes, help="free: those that users leave free")
    return parser


def weigh(network: Any, checkpoint: Path) -> Any:
    """Fill a network with a checkpoint's weights, unless that is `random`; ready to be exported."""
    from models import training

    if str(checkpoint) != "random":
        weights = training.averaged(checkpoint)
        missing = network.load_state_dict(
            {name: value for name, value in weights.items() if not name.endswith("num_batches_tracked")}, strict=False
        ).missing_keys
        left_out = [name for name in missing if not name.endswith("num_batches_tracked")]
        if left_out:
            raise SystemExit(f"{checkpoint} has no {', '.join(left_out[:5])}: it is of another network")
    return network.eval()


def export(
    network: torch.nn.Module, inputs: dict[str, torch.Tensor], outputs: Sequence[str], options: argparse.Namespace,
    dynamic: Dynamic | None = None, opset: int = OPSETS["torchscript"],
) -> None:  # fmt: skip
    """Write the ONNX file.

    Args:
        network: in evaluation mode, its arguments in the order of `inputs`.
        inputs: an example of every input, by name.
        outputs: their names.
        options: what `arguments` reads.
        dynamic: applied when the axes are free.
        opset: of the TorchScript exporter, unless the options name another.
    """
    dynamo = options.exporter == "dynamo"
    options.onnx.parent.mkdir(parents=True, exist_ok=True)
    chosen: dict[str, Any] = {}
    if dynamo:
        table = {torch.ops.aten._is_all_true.default: _all_true}
        chosen = {"external_data": options.full_size, "custom_translation_table": table}
    if options.axes == "free" and dynamic:
        chosen["dynamic_axes"] = dynamic
    with torch.no_grad():
        torch.onnx.export(
            network, tuple(inputs.values()), str(options.onnx), input_names=list(inputs), output_names=list(outputs),
            opset_version=options.opset or (OPSETS["dynamo"] if dynamo else opset), dynamo=dynamo, **chosen,
        )  # fmt: skip
    if options.full_size and not dynamo:
        beside = options.onnx.name + ".data"
        options.onnx.with_name(beside).unlink(missing_ok=True)
        onnx.save_model(onnx.load(options.onnx), options.onnx, save_as_external_data=True, location=beside)
    elif not options.full_size:
        strip(options.onnx)
    print(f"{options.onnx}: {options.onnx.stat().st_size / 1e6:.2f} MB, opset {opset_of(options.onnx)}")


def _all_true(values: Any) -> Any:
    """What the dynamo exporter has no translation of: transformers asks it of attention masks."""
    from onnxscript import BOOL, INT32
    from onnxscript import opset18 as op

    return op.Cast(op.ReduceMin(op.Cast(values, to=INT32.dtype), keepdims=0), to=BOOL.dtype)


def strip(file: Path) -> None:
    """Take out the notes on where in the Python code each node comes from, which name folders of this computer."""
    model = onnx.load(file)
    for node in model.graph.node:
        node.ClearField("doc_string")
        del node.metadata_props[:]
    for value in [*model.graph.value_info, *model.graph.input, *model.graph.output]:
        del value.metadata_props[:]
    onnx.save(model, file)


def opset_of(file: Path) -> int:
    """The version of the standard operators."""
    model = onnx.load(file, load_external_data=False)
    return int(next(one.version for one in model.opset_import if one.domain in ("", "ai.onnx")))
