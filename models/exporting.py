"""Export a network to ONNX with either of PyTorch's exporters, and print the result."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnx
import torch

OPSETS = {"torchscript": 17, "dynamo": 18}
Dynamic = dict[str, dict[int, str]]
"""The dynamic axes of inputs and outputs, by name."""


def arguments(
    description: str | None, opset: int = OPSETS["torchscript"], axes: str = "fixed"
) -> argparse.ArgumentParser:
    """Return a parser with the options of every recipe's export."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("checkpoint", type=Path, help="a training checkpoint, or `random` for weights from a seed")
    parser.add_argument("onnx", type=Path)
    parser.add_argument("--exporter", choices=sorted(OPSETS), default="torchscript")
    parser.add_argument("--opset", type=int, default=0, help=f"{opset} by TorchScript, 18 by dynamo")
    parser.add_argument("--full-size", action="store_true", help="the published size, with external weights")
    parser.add_argument("--axes", choices=["fixed", "free"], default=axes, help="free: with the usual dynamic axes")
    return parser


def weigh(network: Any, checkpoint: Path) -> Any:
    """Load a checkpoint's weights into a network, unless it is `random`; return it ready for export."""
    from models import training

    if str(checkpoint) != "random":
        weights = training.averaged(checkpoint)
        missing = network.load_state_dict(
            {name: value for name, value in weights.items() if not name.endswith("num_batches_tracked")}, strict=False
        ).missing_keys
        left_out = [name for name in missing if not name.endswith("num_batches_tracked")]
        if left_out:
            raise SystemExit(f"{checkpoint} has no {', '.join(left_out[:5])}: it belongs to another network")
    return network.eval()


def export(
    network: torch.nn.Module, inputs: dict[str, torch.Tensor], outputs: Sequence[str], options: argparse.Namespace,
    dynamic: Dynamic | None = None, opset: int = OPSETS["torchscript"],
) -> None:  # fmt: skip
    """Write the ONNX file.

    Args:
        network: in evaluation mode, with arguments in the order of `inputs`.
        inputs: an example of every input, by name.
        outputs: the names of the outputs.
        options: the parsed options of `arguments`.
        dynamic: the dynamic axes, used with `--axes free`.
        opset: the TorchScript exporter's opset, unless the options have another.
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
    """Replacement of `all` on attention masks, which the dynamo exporter cannot translate."""
    from onnxscript import BOOL, INT32
    from onnxscript import opset18 as op

    return op.Cast(op.ReduceMin(op.Cast(values, to=INT32.dtype), keepdims=0), to=BOOL.dtype)


def strip(file: Path) -> None:
    """Remove the nodes' Python stack traces, which contain folder names of this computer."""
    model = onnx.load(file)
    for node in model.graph.node:
        node.ClearField("doc_string")
        del node.metadata_props[:]
    for value in [*model.graph.value_info, *model.graph.input, *model.graph.output]:
        del value.metadata_props[:]
    onnx.save(model, file)


def opset_of(file: Path) -> int:
    """Return the opset of the standard operators."""
    model = onnx.load(file, load_external_data=False)
    return int(next(one.version for one in model.opset_import if one.domain in ("", "ai.onnx")))
