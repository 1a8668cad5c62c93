"""Hand-written networks for dense prediction: masks, mattes, depth, text maps."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from models.zoo.examples import photo, picture, plain
from models.zoo.recipe import Base

SIZE = {0: "batch", 2: "height", 3: "width"}


def convolution(inputs: int, outputs: int, stride: int = 1, dilation: int = 1, activation: Any = nn.ReLU) -> nn.Module:
    """Return a convolution of 3 by 3 with its batch norm."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, dilation, dilation, bias=False), nn.BatchNorm2d(outputs), activation()
    )


class UNet(nn.Module):
    """U-Net, and the mask above a threshold input."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        widths = [width, 2 * width, 4 * width]
        pairs = list(zip([3, *widths], widths, strict=False))
        self.down = nn.ModuleList(nn.Sequential(convolution(i, o), convolution(o, o)) for i, o in pairs)
        self.ups = nn.ModuleList(nn.ConvTranspose2d(2 * o, o, 2, 2) for o in widths[:2])
        self.merge = nn.ModuleList(convolution(2 * o, o) for o in widths[:2])
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, image: Any, threshold: Any) -> Any:
        """Return probabilities and a mask of 0 and 255, uint8."""
        found = [self.down[0](image)]
        for layer in self.down[1:]:
            found.append(layer(functional.max_pool2d(found[-1], 2)))
        last = found[2]
        for level in (1, 0):
            last = self.merge[level](torch.cat([found[level], self.ups[level](last)], 1))
        probability = torch.sigmoid(self.out(last))
        return probability, (probability > threshold).to(torch.uint8) * 255


class IBNorm(nn.Module):
    """MODNet's norm: batch norm for one half of the channels, instance norm for the other."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.half = channels // 2
        self.batch, self.instance = nn.BatchNorm2d(self.half), nn.InstanceNorm2d(self.half)

    def forward(self, maps: Any) -> Any:
        """Return normalized maps."""
        return torch.cat([self.batch(maps[:, : self.half].contiguous()), self.instance(maps[:, self.half :])], 1)


class Modnet(nn.Module):
    """MODNet: semantics at low resolution, edges at high resolution, both fused into a matte."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.low = nn.Sequential(convolution(3, width, 2, activation=nn.ReLU6), convolution(width, 2 * width, 2),
                                 convolution(2 * width, 4 * width, 2))  # fmt: skip
        self.squeeze = nn.Sequential(nn.Linear(4 * width, width, bias=False), nn.ReLU(),
                                     nn.Linear(width, 4 * width, bias=False), nn.Sigmoid())  # fmt: skip
        self.high = nn.Sequential(nn.Conv2d(4 * width + 3, width, 3, padding=1), IBNorm(width), nn.ReLU())
        self.fuse = nn.Sequential(nn.Conv2d(width + 3, width, 3, padding=1), IBNorm(width), nn.ReLU(),
                                  nn.Conv2d(width, 1, 1))  # fmt: skip

    def forward(self, image: Any) -> Any:
        """Return the matte, [N, 1, H, W]."""
        low = self.low(image)
        weights = self.squeeze(functional.adaptive_avg_pool2d(low, 1).flatten(1))
        low = low * weights[:, :, None, None].expand_as(low)
        half = functional.interpolate(image, scale_factor=0.5, mode="bilinear", align_corners=False)
        up = functional.interpolate(low, scale_factor=4.0, mode="bilinear", align_corners=False)
        high = functional.interpolate(self.high(torch.cat([up, half], 1)), scale_factor=2.0, mode="bilinear")
        return torch.sigmoid(self.fuse(torch.cat([high, image], 1)))


class Depth(nn.Module):
    """Depth by dilated convolutions and a pooled one, resized to a size input."""

    def __init__(self, width: int = 12) -> None:
        super().__init__()
        self.body = nn.Sequential(convolution(3, width, 2, activation=nn.ELU), convolution(width, width, 2))
        self.rates = nn.ModuleList(convolution(width, width, dilation=rate) for rate in (1, 2, 4))
        self.pooled = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, width, 1), nn.Hardswish())
        self.out = nn.Sequential(convolution(4 * width, width), nn.Conv2d(width, 1, 3, padding=1))

    def forward(self, image: Any, size: Any) -> Any:
        """Return depths from 0 to 10, [N, 1, size[0], size[1]]."""
        body = self.body(image)
        pooled = functional.interpolate(self.pooled(body), body.shape[-2:], mode="bilinear", align_corners=True)
        depth = torch.sigmoid(self.out(torch.cat([*[rate(body) for rate in self.rates], pooled], 1))) * 10
        return functional.interpolate(depth, [size[0], size[1]], mode="bilinear", align_corners=True)


class Dbnet(nn.Module):
    """DBNet: a text map by a feature pyramid and differentiable binarization."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.stages = nn.ModuleList(convolution(i, width, 2, activation=nn.Hardswish) for i in (3, width, width, width))
        self.lateral = nn.ModuleList(nn.Conv2d(width, width, 1) for _ in range(3))
        self.probability, self.threshold = (
            nn.Sequential(convolution(3 * width, width), nn.ConvTranspose2d(width, width, 2, 2),
                          nn.BatchNorm2d(width), nn.ReLU(), nn.ConvTranspose2d(width, 1, 2, 2), nn.Sigmoid())
            for _ in range(2)
        )  # fmt: skip

    def forward(self, x: Any) -> Any:
        """Return each pixel's text probability, and the binarization at the learned threshold."""
        found = [self.stages[0](x)]
        for stage in self.stages[1:]:
            found.append(stage(found[-1]))
        levels = [layer(one) for layer, one in zip(self.lateral, found[1:], strict=True)]
        for level in (1, 0):
            levels[level] = levels[level] + functional.interpolate(levels[level + 1], scale_factor=2, mode="nearest")
        joined = [functional.interpolate(one, scale_factor=2**level) for level, one in enumerate(levels)]
        probability, threshold = (head(torch.cat(joined, 1)) for head in (self.probability, self.threshold))
        return probability, torch.reciprocal(1 + torch.exp(-50 * (probability - threshold)))


BASES = {
    "unet": Base(partial(plain, UNet, {
        "image": lambda: picture(48), "threshold": lambda: torch.tensor([0.5])}, ["probability", "mask"], {
        "image": SIZE, "probability": SIZE, "mask": SIZE}), "ts11 ts17-free dynamo18", "qdq fp16 ts17-free:slim"),
    "modnet": Base(partial(plain, Modnet, {"image": lambda: picture(64) * 2 - 1}, ["matte"], {
        "image": SIZE, "matte": SIZE}), "ts11-free ts17", "sim dynamic-uint8 ts17:fp16-io"),
    "depth-aspp": Base(partial(plain, Depth, {
        "image": lambda: photo((48, 64)), "size": lambda: torch.tensor([60, 80])}, ["depth"], {
        "image": {0: "batch"}, "depth": {0: "batch", 2: "height", 3: "width"}}), "ts13-free", "slim qdq-int8"),
    "dbnet": Base(partial(plain, Dbnet, {"x": lambda: photo((64, 96))}, ["maps", "binary"], {
        "x": SIZE, "maps": SIZE, "binary": SIZE}), "ts11-free ts17 dynamo18-free", "slim ts17:ort-fp16-io ort-all"),
}  # fmt: skip
