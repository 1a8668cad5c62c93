"""torchvision: segmentation, video and optical flow, and detectors with their post-processing inside."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torchvision
from torch import nn
from torchvision.models import detection
from torchvision.models.detection import rpn

from models.zoo.examples import photo, picture
from models.zoo.recipe import Base, Example
from models.zoo.weights import enliven

SIZE = {0: "batch", 2: "height", 3: "width"}
BARE = {"weights": None, "weights_backbone": None}


class Backbone(nn.Module):
    """Three convolutions; the features of the last two."""

    def __init__(self, channels: int = 16) -> None:
        super().__init__()
        self.out_channels = channels
        self.stem = nn.Sequential(nn.Conv2d(3, channels, 3, 4, 1), nn.BatchNorm2d(channels), nn.ReLU())
        self.next = nn.Sequential(nn.Conv2d(channels, channels, 3, 2, 1), nn.BatchNorm2d(channels), nn.ReLU())

    def forward(self, images: torch.Tensor) -> OrderedDict[str, torch.Tensor]:
        """Return the maps at strides 4 and 8."""
        first = self.stem(images)
        return OrderedDict([("0", first), ("1", self.next(first))])


class Detector(nn.Module):
    """Wraps a detector with lists and dictionaries: tensors in and out."""

    def __init__(self, network: nn.Module, outputs: list[str]) -> None:
        super().__init__()
        self.network, self.outputs = network, outputs

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the detections in one picture, [3, height, width]."""
        found = self.network([images])[0]
        return tuple(found[name] for name in self.outputs)


ANCHORS = rpn.AnchorGenerator(((16,), (32,)), ((0.5, 1.0, 2.0),) * 2)
SIZES = {"min_size": 64, "max_size": 64, "num_classes": 4}
TWO_STAGES = SIZES | {"rpn_pre_nms_top_n_test": 60, "rpn_post_nms_top_n_test": 20, "box_detections_per_img": 8,
                      "rpn_anchor_generator": ANCHORS}  # fmt: skip
ROI = torchvision.ops.MultiScaleRoIAlign


def detector(kind: Callable[..., Any], outputs: list[str], options: dict[str, Any], channels: int = 16) -> Example:
    """Return a detector over the small backbone."""
    network = Detector(kind(Backbone(channels), **options), outputs)
    inputs = {"image": picture(64)[0]}
    free = {"image": {1: "height", 2: "width"}} | {name: {0: "detections"} for name in outputs}
    enliven(network, (inputs["image"],))
    return Example(network, inputs, outputs, free)


def faster_rcnn(backbone: nn.Module, **options: Any) -> Any:
    """Return a Faster R-CNN with heads of a few channels."""
    head = detection.faster_rcnn.TwoMLPHead(16 * 4 * 4, 32)
    return detection.FasterRCNN(
        backbone, box_roi_pool=ROI(["0", "1"], 4, 2), box_head=head, num_classes=None,
        box_predictor=detection.faster_rcnn.FastRCNNPredictor(32, options.pop("num_classes")), **options,
    )  # fmt: skip


def mask_rcnn(backbone: nn.Module, **options: Any) -> Any:
    """Return a Mask R-CNN with heads of a few channels."""
    classes = options.pop("num_classes")
    return detection.MaskRCNN(
        backbone, num_classes=None, box_roi_pool=ROI(["0", "1"], 4, 2), mask_roi_pool=ROI(["0", "1"], 7, 2),
        box_head=detection.faster_rcnn.TwoMLPHead(16 * 4 * 4, 32),
        box_predictor=detection.faster_rcnn.FastRCNNPredictor(32, classes),
        mask_head=detection.mask_rcnn.MaskRCNNHeads(16, (16,), 1),
        mask_predictor=detection.mask_rcnn.MaskRCNNPredictor(16, 16, classes), **options,
    )  # fmt: skip


def ssd(backbone: nn.Module, **options: Any) -> Any:
    """Return an SSD of two maps."""
    anchors = detection.anchor_utils.DefaultBoxGenerator([[2], [2]], scales=[0.2, 0.5, 0.9])
    head = detection.ssd.SSDHead([16, 16], anchors.num_anchors_per_location(), options["num_classes"])
    return detection.ssd.SSD(
        backbone, anchors, (64, 64), head=head, topk_candidates=40, detections_per_img=10, **options
    )


def pictures(network: nn.Module, inputs: dict[str, torch.Tensor], outputs: list[str]) -> Example:
    """Return a network over pictures or videos."""
    free = dict.fromkeys([*inputs, *outputs], SIZE)
    return Example(enliven(network, tuple(inputs.values())), inputs, outputs, free)


class Out(nn.Module):
    """Wraps a segmentation network: returns its only result as a tensor, not a dictionary."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """Return the classes' scores."""
        return self.network(image)["out"]


def lraspp() -> Example:
    """Return LR-ASPP on a narrow MobileNetV3."""
    from torchvision.models import mobilenetv3, segmentation

    block, last = mobilenetv3._mobilenet_v3_conf("mobilenet_v3_small", width_mult=0.25, dilated=True)
    body = mobilenetv3.MobileNetV3(block, last).features
    body = torchvision.models._utils.IntermediateLayerGetter(body, {"3": "low", "11": "high"})
    low, high = (body(torch.rand(1, 3, 64, 64))[name].shape[1] for name in ("low", "high"))
    network = Out(segmentation.lraspp.LRASPP(body, low, high, 5, 16))
    return pictures(network, {"image": photo(64)}, ["out"])


def deeplab() -> Example:
    """Return DeepLabV3 on the small backbone."""
    from torchvision.models import segmentation

    head = nn.Sequential(segmentation.deeplabv3.ASPP(16, [2, 4], 32), nn.Conv2d(32, 5, 1))

    class Body(Backbone):
        def forward(self, images: torch.Tensor) -> Any:
            return {"out": super().forward(images)["1"]}

    return pictures(Out(segmentation.DeepLabV3(Body(), head)), {"input": photo(64)}, ["out"])


def classifier(name: str, side: int, options: dict[str, Any]) -> Example:
    """Return a classifier."""
    network = getattr(torchvision.models, name)(num_classes=10, **options)
    return pictures(network, {"input": photo(side)}, ["output"])


def video() -> Example:
    """Return R(2+1)D, narrow."""
    from torchvision.models.video import resnet

    class Stem(nn.Sequential):
        def __init__(self) -> None:
            super().__init__(nn.Conv3d(3, 64, (3, 7, 7), (1, 4, 4), (1, 3, 3)), nn.BatchNorm3d(64), nn.ReLU())

    network = resnet.VideoResNet(resnet.BasicBlock, [resnet.Conv2Plus1D] * 4, [1, 1, 1, 1], Stem, 5)
    network.layer2 = network.layer3 = network.layer4 = nn.Identity()
    network.fc = nn.Linear(64, 5)
    clip = picture(32, batch=8).transpose(0, 1)[None]
    return pictures(network, {"video": clip}, ["scores"])


BOXES = ["boxes", "labels", "scores"]
BASES = {
    "fasterrcnn": Base(partial(detector, faster_rcnn, BOXES, TWO_STAGES), "ts16 ts11-free", "sim slim ort-all"),
    "maskrcnn": Base(partial(detector, mask_rcnn, [*BOXES, "masks"], TWO_STAGES), "ts16-free", "slim"),
    "retinanet": Base(
        partial(detector, detection.RetinaNet, BOXES,
                SIZES | {"anchor_generator": ANCHORS, "topk_candidates": 40, "detections_per_img": 10}),
        "ts16-free ts12",
    ),
    "fcos": Base(
        partial(detector, detection.FCOS, BOXES,
                SIZES | {"anchor_generator": rpn.AnchorGenerator(((4,), (8,)), ((1.0,),) * 2), "topk_candidates": 40,
                         "detections_per_img": 10}, 32), "ts14",
    ),
    "ssd": Base(partial(detector, ssd, BOXES, {"num_classes": 4, "score_thresh": 0.1}), "ts13 ts11-free", "sim"),
    "lraspp": Base(lraspp, "ts17-free ts11", "slim fp16-io qdq"),
    "deeplabv3": Base(deeplab, "ts12-free dynamo18", "dynamo18:qdq-int8"),
    "squeezenet": Base(partial(classifier, "squeezenet1_1", 64, {}), "ts9", "fp16"),
    "shufflenet": Base(partial(classifier, "shufflenet_v2_x0_5", 64, {}), "ts11 dynamo18", "sim qoperator"),
    "mobilenetv2": Base(partial(classifier, "mobilenet_v2", 64, {"width_mult": 0.25}), "ts10 ts17-free", "qdq"),
    "mnasnet": Base(partial(classifier, "MNASNet", 64, {"alpha": 0.25}), "ts13", "dynamic-uint8"),
    "video-r2plus1d": Base(video, "ts17", "fp16-io"),
}  # fmt: skip
