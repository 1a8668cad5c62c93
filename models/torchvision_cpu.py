"""Make torchvision importable with a PyTorch build that its compiled operators do not support.

Ultralytics imports torchvision and, while tracing an export, calls its `nms` once. Importing this
module first declares torchvision's operators without their binaries and gives `nms` and
`roi_align` plain implementations. If torchvision's own binaries load, it does nothing.
"""

import importlib
import re
import sysconfig
from pathlib import Path
from typing import Any

import torch


def nms(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    """Greedy NMS: x1 y1 x2 y2 boxes [N, 4], scores [N] -> kept indices, best first."""
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    remaining = scores.argsort(descending=True)
    kept: list[torch.Tensor] = []
    while len(remaining):
        best, rest = remaining[0], remaining[1:]
        low = torch.maximum(boxes[best, :2], boxes[rest, :2])
        high = torch.minimum(boxes[best, 2:], boxes[rest, 2:])
        shared = (high - low).clamp(min=0).prod(1)
        kept.append(best)
        remaining = rest[shared / (areas[best] + areas[rest] - shared) <= iou_threshold]
    return torch.stack(kept) if kept else torch.empty(0, dtype=torch.long)


def roi_align(
    features: torch.Tensor, boxes: torch.Tensor, spatial_scale: float, pooled_height: int, pooled_width: int,
    sampling_ratio: int, aligned: bool,
) -> torch.Tensor:  # fmt: skip
    """Pool each box of features; torchvision's own plain implementation."""
    plain = importlib.import_module("torchvision.ops.roi_align")._roi_align
    pooled: torch.Tensor = plain(features, boxes, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned)
    return pooled


def declare_operators() -> Any:
    """Declare every operator with a shape rule in torchvision; the caller must keep the result alive."""
    registry: Any = torch.library
    library = registry.Library("torchvision", "DEF")
    library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    library.impl("nms", nms, "CPU")
    library.define(
        "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width,"
        " int sampling_ratio, bool aligned) -> Tensor"
    )
    library.impl("roi_align", roi_align, "CPU")
    rules = Path(sysconfig.get_paths()["purelib"], "torchvision/_meta_registrations.py").read_text()
    names = {*re.findall(r"torchvision::(\w+)", rules), "_cuda_version"} - {"nms", "roi_align"}
    for name in sorted(names):
        library.define(f"{name}(Tensor a) -> Tensor")
    return library


def binaries_load() -> bool:
    """Whether torchvision's own compiled operators can be used."""
    operators: Any = torch.ops
    binaries = Path(sysconfig.get_paths()["purelib"], "torchvision").glob("_C*.so")
    try:
        for binary in binaries:
            operators.load_library(str(binary))
        return hasattr(operators.torchvision, "nms")
    except OSError:
        return False


def allow_operators() -> None:
    """Let torchvision use the declared operators, and register their ONNX export."""
    from torchvision import extension
    from torchvision.ops import boxes

    extension._assert_has_ops = boxes._assert_has_ops = lambda: None
    roi_align: Any = importlib.import_module("torchvision.ops.roi_align")
    roi_align._has_ops = lambda: True
    importlib.import_module("torchvision.ops._register_onnx_ops")
