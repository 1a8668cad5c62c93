"""Export every head of the installed Ultralytics release, without its weights.

python -m models.exports.make tests/exports --exporter torchscript

The tests only rewrite the graph, so the files have no weights: `tests/exports` fills them with noise from a seed.
Biases stay, since the scores depend on them.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from pathlib import Path
from typing import Any

import onnx
import torch
import yaml

from models.exports.networks import description
from models.yolo_pose.offline import YOLO

SIDE = 64
ROWS = 20
KEPT_BYTES = 64
"""Weights up to this size stay in the file, such as the 16 bins of a box side's distribution."""

EXPORTS: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        f"{head}-{kind}{form}": (head, {**options, **shape})
        for head in ("detect", "pose", "segment", "obb")
        for kind, options in (("nms", {"nms": True, "max_det": ROWS}), ("raw", {}))
        for form, shape in (("", {}), ("-dynamic", {"dynamic": True}))
    },
    **{
        f"{head}-nms-agnostic": (head, {"nms": True, "max_det": ROWS, "agnostic_nms": True})
        for head in ("detect", "obb")
    },
    "classify": ("classify", {}),
    "classify-dynamic": ("classify", {"dynamic": True}),
    "detect-v10": ("detect-v10", {"nms": False, "max_det": ROWS}),
}
ONE_TO_ONE = {
    f"{head}-one-to-one": (head, {"nms": False, "max_det": ROWS}) for head in ("detect", "pose", "segment", "obb")
}


def export(head: str, options: dict[str, Any], *, one_to_one: bool, opset: int) -> onnx.ModelProto:
    """Return an export as users create it."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        file = Path(folder) / "network.yaml"
        file.write_text(yaml.safe_dump(description(head, one_to_one=one_to_one)), "utf-8")
        torch.manual_seed(0)
        task = "detect" if head == "detect-v10" else head
        model = YOLO(str(file), task=task)
        network: Any = model.model
        network.args["data"] = "shapes.yaml"
        network.names = {0: "circle", 1: "square", 2: "triangle"}
        _raise_scores(network.model[-1])
        made = model.export(format="onnx", imgsz=SIDE, opset=opset, simplify=False, device="cpu", **options)
        return onnx.load(made)


def _raise_scores(head: Any) -> None:
    """Raise the class scores of an untrained head from 0.01 to about 0.25, so that it detects something."""
    for branches in ("cv3", "one2one_cv3"):
        for branch in getattr(head, branches, None) or ():
            torch.nn.init.constant_(branch[-1].bias, -1.0)


def without_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """Declare the weights of convolutions as external data in a missing file.

    The nodes' Python stack traces are removed too: they are most of such a file.
    """
    for node in model.graph.node:
        del node.metadata_props[:]
        node.ClearField("doc_string")
    for tensor in model.graph.initializer:
        if tensor.name.endswith(".weight") and len(tensor.raw_data) > KEPT_BYTES:
            tensor.ClearField("raw_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            tensor.external_data.add(key="location", value="seeded")
    return model


def _choose(*, dynamo: bool) -> None:
    """Force one of PyTorch's exporters: old Ultralytics releases rely on the default of their time."""
    ask = torch.onnx.export

    def chosen(*arguments: Any, **options: Any) -> Any:
        return ask(*arguments, **{**options, "dynamo": dynamo})

    torch.onnx.export = chosen


def main() -> None:
    """Export every head that the installed release has, and print the missing ones."""
    import ultralytics

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--exporter", choices=["torchscript", "dynamo"], required=True)
    arguments = parser.parse_args()
    out = arguments.out / f"ultralytics-{ultralytics.__version__}-{arguments.exporter}"
    dynamo = arguments.exporter == "dynamo"
    _choose(dynamo=dynamo)
    out.mkdir(parents=True, exist_ok=True)
    for name, (head, options) in {**EXPORTS, **ONE_TO_ONE}.items():
        if arguments.names and name not in arguments.names:
            continue
        try:
            model = export(head, options, one_to_one=name in ONE_TO_ONE, opset=18 if dynamo else 17)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
            continue
        if name in ONE_TO_ONE and model.graph.output[0].type.tensor_type.shape.dim[1].dim_value != ROWS:
            print(f"{name}: this release does not have this head")
            continue
        target = out / f"{name}.onnx"
        onnx.save(without_weights(model), target)
        print(f"{name}: {target.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
