"""Networks on two pictures or video: keypoint matching, optical flow, recurrent matting."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from models.zoo.dense_maps import convolution
from models.zoo.examples import picture, plain
from models.zoo.recipe import Base


class Matcher(nn.Module):
    """Key points of two pictures, and their mutual nearest neighbours."""

    def __init__(self, width: int = 16, count: int = 24) -> None:
        super().__init__()
        self.count = count
        self.body = nn.Sequential(convolution(1, width, 2), convolution(width, width, 2), convolution(width, width, 2))
        self.cells, self.descriptors = nn.Conv2d(width, 65, 1), nn.Conv2d(width, 32, 1)

    def points(self, image: Any) -> Any:
        """Return the best points [1, K, 2] in pixels, and their descriptors [1, K, 32]."""
        body = self.body(image.float() / 255)
        scores = functional.pixel_shuffle(torch.softmax(self.cells(body), 1)[:, :64], 8)
        scores = torch.where(scores == functional.max_pool2d(scores, 5, 1, 2), scores, torch.zeros_like(scores))
        height, width = scores.shape[2], scores.shape[3]
        best = torch.topk(scores.flatten(1), self.count).indices
        x, y = (best % width).float(), torch.div(best, width, rounding_mode="floor").float()
        grid = torch.stack([(x + 0.5) / width, (y + 0.5) / height], -1) * 2 - 1
        found = functional.grid_sample(self.descriptors(body), grid[:, None], align_corners=False)[:, :, 0]
        return torch.stack([x, y], -1), functional.normalize(found, dim=1).transpose(1, 2)

    def forward(self, image0: Any, image1: Any) -> Any:
        """Return both pictures' points, and for each of the first picture its match or -1, and the similarity."""
        (points0, first), (points1, second) = self.points(image0), self.points(image1)
        similarity = first @ second.transpose(1, 2)
        there, back = similarity.argmax(2), similarity.argmax(1)
        mutual = back.gather(1, there) == torch.arange(self.count)
        return points0, points1, torch.where(mutual, there, -torch.ones_like(there)), similarity.max(2).values


class Flow(nn.Module):
    """Optical flow: correlation with shifted features, a coarse flow, and a refinement of the warped picture."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.body = nn.Sequential(convolution(3, width, 2), convolution(width, width, 2))
        self.coarse = nn.Sequential(
            nn.Conv2d(25 + width, 16, 3, padding=1), nn.LeakyReLU(0.1), nn.Conv2d(16, 2, 3, padding=1)
        )
        self.fine = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.LeakyReLU(0.1), nn.Conv2d(8, 2, 3, padding=1))

    def forward(self, frame0: Any, frame1: Any) -> Any:
        """Return the flow in pixels, [N, 2, H, W], and the second picture warped onto the first."""
        first, second = self.body(frame0), self.body(frame1)
        height, width = first.shape[2], first.shape[3]
        padded = functional.pad(second, [2, 2, 2, 2])
        shifted = [padded[:, :, y : y + height, x : x + width] for y in range(5) for x in range(5)]
        volume = torch.cat([(first * one).mean(1, keepdim=True) for one in shifted], 1)
        flow = self.coarse(torch.cat([functional.leaky_relu(volume, 0.1), first], 1))
        flow = functional.interpolate(flow, scale_factor=4, mode="bilinear", align_corners=False) * 4
        flow = flow + self.fine(torch.cat([frame0, warp(frame1, flow), flow], 1))
        return flow, warp(frame1, flow)


def warp(image: Any, flow: Any) -> Any:
    """Return a picture sampled where the flow points."""
    height, width = image.shape[2], image.shape[3]
    rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    where = torch.stack([columns, rows]).float()[None] + flow
    x, y = where[:, 0] / (width - 1) * 2 - 1, where[:, 1] / (height - 1) * 2 - 1
    return functional.grid_sample(image, torch.stack([x, y], 3), padding_mode="border", align_corners=True)


class ConvGru(nn.Module):
    """A convolutional GRU on half of the channels, as in robust video matting."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.gates = nn.Conv2d(2 * channels, 2 * channels, 3, padding=1)
        self.candidate = nn.Conv2d(2 * channels, channels, 3, padding=1)

    def forward(self, maps: Any, state: Any) -> Any:
        """Return the maps, and the state."""
        first, second = maps.chunk(2, 1)
        reset, update = torch.sigmoid(self.gates(torch.cat([second, state], 1))).chunk(2, 1)
        candidate = torch.tanh(self.candidate(torch.cat([second, reset * state], 1)))
        state = (1 - update) * state + update * candidate
        return torch.cat([first, state], 1), state


class BroadcastGru(ConvGru):
    """A GRU with a single zero as its possible initial state, like the ONNX export of robust video matting."""

    def forward(self, maps: Any, state: Any) -> Any:
        """Return the maps, and the state."""
        return super().forward(maps, state.expand_as(maps.chunk(2, 1)[1]))


class VideoMatting(nn.Module):
    """Robust video matting: a matte per frame, with states as inputs and outputs."""

    def __init__(self, width: int = 8, memory: type[ConvGru] = ConvGru) -> None:
        super().__init__()
        self.down = nn.ModuleList(convolution(i, width, 2, activation=nn.Hardswish) for i in (3, width))
        self.memory = nn.ModuleList(memory(width // 2) for _ in range(2))
        self.merge = convolution(2 * width, width)
        self.out = nn.Conv2d(width + 3, 4, 3, padding=1)

    def forward(self, src: Any, r1i: Any, r2i: Any) -> Any:
        """Return foreground, matte and states."""
        half = self.down[0](src)
        low, second = self.memory[1](self.down[1](half), r2i)
        up = functional.interpolate(low, half.shape[-2:], mode="bilinear", align_corners=False)
        found, first = self.memory[0](self.merge(torch.cat([up, half], 1)), r1i)
        found = functional.interpolate(found, src.shape[-2:], mode="bilinear", align_corners=False)
        residual, matte = self.out(torch.cat([found, src], 1)).split([3, 1], 1)
        return (src + residual).clamp(0, 1), matte.clamp(0, 1), first, second


class BroadcastMatting(VideoMatting):
    """Robust video matting with initial states of [1, 1, 1, 1]."""

    def __init__(self) -> None:
        super().__init__(memory=BroadcastGru)


def gray(side: int) -> torch.Tensor:
    """Return a uint8 picture of one channel."""
    return (picture(side, channels=1) * 255).byte()


FRAME, HALF, QUARTER = ({0: "batch", 2: f"height{part}", 3: f"width{part}"} for part in ("", "_2", "_4"))
STATES = {"r1i": lambda: torch.rand(1, 4, 24, 32) - 0.5, "r2i": lambda: torch.rand(1, 4, 12, 16) - 0.5}
ZERO = {name: lambda: torch.zeros(1, 1, 1, 1) for name in ("r1i", "r2i")}
MATTING = ["fgr", "pha", "r1o", "r2o"]
BASES = {
    "matcher": Base(partial(plain, Matcher, {"image0": lambda: gray(64), "image1": lambda: gray(64)},
                            ["keypoints0", "keypoints1", "matches0", "similarity"], {
        name: {2: "height", 3: "width"} for name in ("image0", "image1")}), "ts17 ts16-free dynamo18", "sim ort-all"),
    "flow": Base(partial(plain, Flow, {"frame0": lambda: picture((48, 64)), "frame1": lambda: picture((48, 64))},
                         ["flow", "warped"], dict.fromkeys(["frame0", "frame1", "flow", "warped"], FRAME)),
                 "ts16 ts17-free dynamo20", "ort-fp16-io ts17-free:slim"),
    "video-matting": Base(partial(plain, VideoMatting, {"src": lambda: picture((48, 64)), **STATES}, MATTING,
                                  dict.fromkeys(["src", "fgr", "pha"], FRAME) | {
                                      "r1i": HALF, "r1o": HALF, "r2i": QUARTER, "r2o": QUARTER}),
                          "ts12-free ts17 dynamo18", "ts17:fp16 slim qdq"),
    "video-matting-zero": Base(partial(plain, BroadcastMatting, {"src": lambda: picture((48, 64)), **ZERO}, MATTING,
                                       dict.fromkeys(["src", "fgr", "pha"], FRAME) | {
                                           name: {axis: f"{name}_{axis}" for axis in range(4)}
                                           for name in ("r1i", "r2i", "r1o", "r2o")}),
                               "ts12-free", "ort-fp16"),
}  # fmt: skip
