"""Ultralytics: YOLO of several generations and tasks, and RT-DETR, exported by Ultralytics' own exporter."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import nn
from ultralytics import RTDETR
from ultralytics.nn.modules import DFL
from ultralytics.utils import YAML

from models.zoo.examples import picture
from models.zoo.offline import SETTINGS, YOLO
from models.zoo.recipe import Base, Example
from models.zoo.weights import enliven

CLASSES = 4
FLAGS: dict[str, dict[str, Any]] = {
    "raw": {"simplify": False}, "nms": {"nms": True}, "end2end": {"nms": False}, "half": {"quantize": 16},
    "dynamic": {"dynamic": True},
}  # fmt: skip
RT_DETR = {
    "nc": CLASSES, "scales": {"l": [1.0, 1.0, 1024]},
    "backbone": [[-1, 1, "Conv", [16, 3, 2]], [-1, 1, "Conv", [16, 3, 2]], [-1, 1, "ResNetLayer", [16, 8, 1, False, 1]],
                 [-1, 1, "Conv", [32, 3, 2]], [-1, 2, "RepC3", [32]], [-1, 1, "Conv", [32, 3, 2]],
                 [-1, 1, "AIFI", [64, 4]]],
    "head": [[-1, 1, "nn.Upsample", [None, 2, "nearest"]], [[-1, 4], 1, "Concat", [1]], [-1, 1, "RepC3", [32]],
             [[9, 6], 1, "RTDETRDecoder", [CLASSES, 32, 12, 2, 4, 2, 64]]],
}  # fmt: skip


class Exporter:
    """A network with Ultralytics' own exporter."""

    def __init__(self, model: Any, size: int) -> None:
        self.model, self.size = model, size

    def write(self, file: Path, words: str) -> None:
        """Write the export with this name, such as `ultralytics17-nms-dynamic`."""
        exporter, *flags = words.split("-")
        options = {name: value for flag in flags for name, value in FLAGS[flag].items()}
        made = self.model.export(
            format="onnx", imgsz=self.size, opset=int(exporter.removeprefix("ultralytics")), device="cpu", max_det=10,
            conf=0.3, **options,
        )  # fmt: skip
        model = onnx.load(made)
        Path(made).unlink()
        for number, item in reversed(list(enumerate(model.metadata_props))):
            if item.key == "date":
                del model.metadata_props[number]
        onnx.save(model, file)


def network(name: str, size: int = 64, settings: dict[str, Any] | None = None) -> Example:
    """Return a narrow network of Ultralytics from its configuration."""
    folder = Path(SETTINGS.name, "exports")
    folder.mkdir(exist_ok=True)
    settings = settings or _narrow(name)
    file = folder / f"{name}.yaml"
    YAML.save(file, settings)
    model = (RTDETR if "rtdetr" in name else YOLO)(str(file))
    model.model.pt_path = str(file.with_suffix(".pt"))  # the export is written next to it
    images = picture(size)
    _draw(model.model, images)
    return Example(Exporter(model, size), {"images": images})


def _narrow(name: str) -> dict[str, Any]:
    from ultralytics.nn.tasks import yaml_model_load

    settings: dict[str, Any] = yaml_model_load(f"{name}.yaml")
    for _, _, module, arguments in settings["backbone"] + settings["head"]:
        if module in ("C2PSA", "PSA"):  # an attention head has 64 channels
            arguments[1:] = [1.0]
        if module == "A2C2f" and arguments[0] == 256:  # its inner channels are a multiple of 32
            arguments.extend([False, 2.0, 1.0])
        if module == "Depth":
            arguments[:] = [32]
        if "ELAN" in module:
            arguments[1:3] = [inner // 4 for inner in arguments[1:3]]
    kept = {key: value for key, value in settings.items() if key not in ("scale", "yaml_file", "ch", "channels")}
    scale = 0.25 if "v9" in name else 0.125
    points = {"kpt_shape": [5, 3]} if "26-pose" in name else {}
    return {"reg_max": 8} | kept | points | {"nc": CLASSES, "scales": {"n": [0.25, scale, 512]}}


def _draw(model: nn.Module, images: torch.Tensor) -> None:
    """Draw random weights, except the constants for box distances; raise the scores of an untrained network."""
    enliven(model, (images,))
    for module in model.modules():
        if isinstance(module, DFL):
            module.conv.weight.data[:] = torch.arange(module.c1, dtype=torch.float).view(1, -1, 1, 1)
        scores = isinstance(module, nn.Conv2d | nn.Linear) and module.weight.shape[0] == CLASSES
        if scores and module.bias is not None:
            module.bias.data.normal_(-1, 0.2)


def _base(exports: str, conversions: str, name: str, **more: Any) -> Base:
    return Base(partial(network, name, **more), exports, conversions)


BASES = {
    "yolov5": _base("ultralytics12-raw ultralytics17-dynamic", "sim fp16-io qdq", "yolov5"),
    "yolov8": _base("ultralytics17 ultralytics12-nms ultralytics17-half ultralytics20-nms-dynamic",
                    "qdq dynamic-uint8 ort-all", "yolov8", size=96),
    "yolov8-seg": _base("ultralytics17-raw ultralytics17-nms", "qdq-int8", "yolov8-seg"),
    "yolov8-pose": _base("ultralytics12 ultralytics17-nms-raw", "slim", "yolov8-pose"),
    "yolov9": _base("ultralytics20-raw", "ultralytics20-raw:qoperator", "yolov9t"),
    "yolov10": _base("ultralytics17-end2end ultralytics13-end2end-raw", "", "yolov10n"),
    "yolo11": _base("ultralytics20 ultralytics17-nms-half ultralytics17-dynamic-raw", "qdq slim+ort-fp16-io", "yolo11",
                    size=160),
    "yolo11-seg": _base("ultralytics17-dynamic ultralytics20-nms", "ort-fp16-io", "yolo11-seg", size=96),
    "yolo11-pose": _base("ultralytics17-nms ultralytics17-half", "", "yolo11-pose"),
    "yolo11-obb": _base("ultralytics17 ultralytics17-nms", "", "yolo11-obb"),
    "yolo11-cls": _base("ultralytics12-dynamic ultralytics20-half", "qoperator dynamic-int8", "yolo11-cls"),
    "yolo12": _base("ultralytics17 ultralytics20-nms-raw", "slim ort-fp16-io", "yolo12"),
    "yolo26": _base("ultralytics17-end2end ultralytics20 ultralytics17-end2end-half ultralytics17-nms-dynamic",
                    "ort-all ultralytics20:qdq", "yolo26"),
    "yolo26-seg": _base("ultralytics17-end2end ultralytics20-raw", "", "yolo26-seg"),
    "yolo26-pose": _base("ultralytics17-end2end-dynamic", "", "yolo26-pose"),
    "yolo26-obb": _base("ultralytics17-end2end", "", "yolo26-obb"),
    "yolo26-depth": _base("ultralytics17 ultralytics17-dynamic", "dynamic-uint8", "yolo26-depth"),
    "yolo26-sem": _base("ultralytics17", "qdq", "yolo26-sem"),
    "ultralytics-rtdetr": _base("ultralytics17-raw ultralytics20", "slim ort-fp16-io", "rtdetr-narrow",
                                settings=RT_DETR),
}  # fmt: skip
