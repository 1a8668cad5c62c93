"""Hand-written networks: text line recognition, face detection, classification of uint8 pictures."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
import torchvision
from torch import nn
from torch.nn import functional

from models.zoo.dense_maps import convolution
from models.zoo.examples import picture, plain
from models.zoo.recipe import Base


class Crnn(nn.Module):
    """CRNN: a text line recognizer with bidirectional LSTMs over the columns."""

    def __init__(self, characters: int = 20) -> None:
        super().__init__()
        self.body = nn.Sequential(convolution(1, 8), nn.MaxPool2d(2), convolution(8, 16), nn.MaxPool2d(2),
                                  convolution(16, 24), nn.MaxPool2d((2, 1)), nn.Conv2d(24, 24, (4, 1)),
                                  nn.ReLU())  # fmt: skip
        self.read = nn.LSTM(24, 16, 2, bidirectional=True)
        self.out = nn.Linear(32, characters)

    def forward(self, line: Any) -> Any:
        """Return logarithms of probabilities, [W / 4, N, characters]."""
        columns = self.body(line).squeeze(2).permute(2, 0, 1)
        return functional.log_softmax(self.out(self.read(columns)[0]), 2)


class Faces(nn.Module):
    """MediaPipe's face detector: NHWC pictures, TensorFlow's SAME padding, boxes from anchors, NMS."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, width, 5, 2)
        self.depth = nn.ModuleList(nn.Conv2d(c, c, 3, 2, groups=c) for c in (width, width + 8))
        self.point = nn.ModuleList(nn.Conv2d(c, c + 8, 1) for c in (width, width + 8))
        self.scores, self.boxes = nn.Conv2d(width + 16, 2, 1), nn.Conv2d(width + 16, 2 * 16, 1)
        rows, columns = torch.meshgrid(torch.arange(8), torch.arange(8), indexing="ij")
        self.register_buffer("anchors", ((torch.stack([columns, rows], 2) + 0.5) / 8).reshape(-1, 1, 2).repeat(1, 2, 1))

    def maps(self, image: Any) -> Any:
        """Return scores [A] and boxes with key points [A, 16] of a uint8 picture, [1, 64, 64, 3]."""
        found = image.permute(0, 3, 1, 2).float() / 127.5 - 1
        found = torch.relu(self.first(functional.pad(found, [1, 2, 1, 2])))
        for depth, point in zip(self.depth, self.point, strict=True):
            small = functional.pad(functional.max_pool2d(found, 2), [0, 0, 0, 0, 0, 8])
            found = torch.relu(small + point(depth(functional.pad(found, [0, 1, 0, 1]))))
        scores = self.scores(found).permute(0, 2, 3, 1).reshape(-1)
        return torch.sigmoid(scores.clamp(-100, 100)), self.boxes(found).permute(0, 2, 3, 1).reshape(-1, 16)

    def forward(self, image: Any, threshold: Any) -> Any:
        """Return the faces above a threshold: corners and six points from 0 to 1 [F, 16], and scores [F]."""
        scores, raw = self.maps(image)
        places = raw.reshape(-1, 8, 2) / 64
        centers = places[:, :1] + self.anchors.reshape(-1, 1, 2)
        half = (places[:, 1:2].abs() + 0.1) / 2
        faces = torch.cat([centers - half, centers + half, places[:, 2:] + self.anchors.reshape(-1, 1, 2)], 1).flatten(
            1
        )
        kept = (scores > threshold).nonzero()[:, 0]
        faces, scores = faces[kept], scores[kept]
        best = torchvision.ops.nms(faces[:, :4], scores, 0.3)
        return faces[best], scores[best]


class RawFaces(Faces):
    """The detector without post-processing, as MediaPipe ships it."""

    def forward(self, image: Any) -> Any:
        """Return boxes [1, A, 16] and scores [1, A, 1]."""
        scores, raw = self.maps(image)
        return raw[None], scores[None, :, None]


class Labels(nn.Module):
    """A classifier of uint8 pictures of any size, which returns the best labels."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.body = nn.Sequential(convolution(3, width, 2), convolution(width, width, 2), nn.AdaptiveAvgPool2d(1))
        self.out = nn.Linear(width, 12)
        self.register_buffer("mean", torch.tensor([123.7, 116.3, 103.5]).view(1, 3, 1, 1))

    def forward(self, image: Any) -> Any:
        """Return the best five probabilities and their classes, for a uint8 picture, [H, W, 3]."""
        found = (image.permute(2, 0, 1)[None].float() - self.mean) / 58
        found = functional.interpolate(found, (32, 32), mode="bilinear", align_corners=False)
        return torch.topk(torch.softmax(self.out(self.body(found).flatten(1)), 1), 5)


def bytes_of(height: int, width: int) -> torch.Tensor:
    """Return a uint8 picture, [1, height, width, 3]."""
    return (picture((height, width)) * 255).byte().permute(0, 2, 3, 1).contiguous()


BASES = {
    "crnn": Base(partial(plain, Crnn, {"line": lambda: picture((32, 80), channels=1) * 2 - 1}, ["characters"], {
        "line": {0: "batch", 3: "width"}, "characters": {0: "columns", 1: "batch"}}),
        "ts11-free ts17 dynamo18", "ts17:dynamic-int8 slim ts17:fp16-io"),
    "faces": Base(partial(plain, Faces, {
        "image": lambda: bytes_of(64, 64), "threshold": lambda: torch.tensor(0.6)}, ["faces", "scores"], {
        "faces": {0: "count"}, "scores": {0: "count"}}), "ts13-free ts17", "slim"),
    "faces-raw": Base(partial(plain, RawFaces, {"image": lambda: bytes_of(64, 64)}, ["regressors", "classificators"],
                              {}), "ts11 ts17 dynamo18", "qdq-int16 ts17:ort-fp16 sim"),
    "labels": Base(partial(plain, Labels, {"image": lambda: bytes_of(40, 56)[0]}, ["probabilities", "classes"], {
        "image": {0: "height", 1: "width"}}), "ts11 ts17-free dynamo18", "slim qdq"),
}  # fmt: skip
