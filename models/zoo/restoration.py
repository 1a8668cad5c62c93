"""Image-to-image networks: super-resolution, low-light enhancement and style transfer."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn

from models.zoo.examples import picture, plain
from models.zoo.recipe import Base

SIZE = {0: "batch", 2: "height", 3: "width"}


class Espcn(nn.Module):
    """Super-resolution of the luminance: convolutions and PixelShuffle."""

    def __init__(self, channels: int = 1) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(channels, 16, 5, padding=2), nn.Tanh(), nn.Conv2d(16, 8, 3, padding=1), nn.Tanh(),
            nn.Conv2d(8, channels * 9, 3, padding=1), nn.PixelShuffle(3),
        )  # fmt: skip

    def forward(self, image: Any) -> Any:
        """Return pictures of three times the size, [N, C, 3 H, 3 W]."""
        return self.layers(image).clamp(0, 1)


class Bytes(nn.Module):
    """Super-resolution of uint8 pictures, [N, H, W, 3]."""

    def __init__(self) -> None:
        super().__init__()
        self.network = Espcn(3)

    def forward(self, image: Any) -> Any:
        """Return uint8 pictures, [N, 3 H, 3 W, 3]."""
        found = self.network(image.permute(0, 3, 1, 2).float() / 255)
        return (found * 255).round().to(torch.uint8).permute(0, 2, 3, 1)


class Fsrcnn(nn.Module):
    """Super-resolution: shrink, map, expand, and one transposed convolution."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(1, 16, 5, padding=2), nn.PReLU(16), nn.Conv2d(16, 6, 1), nn.PReLU(6)]
        for _ in range(2):
            layers += [nn.Conv2d(6, 6, 3, padding=1), nn.PReLU(6)]
        layers += [nn.Conv2d(6, 16, 1), nn.PReLU(16), nn.ConvTranspose2d(16, 1, 9, 2, 4, output_padding=1)]
        self.layers = nn.Sequential(*layers)

    def forward(self, image: Any) -> Any:
        """Return pictures of twice the size."""
        return self.layers(image)


class ZeroDce(nn.Module):
    """Zero-DCE: a dark picture is brightened by a curve per pixel, applied eight times."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        inputs = [3, width, width, width, 2 * width, 2 * width, 2 * width]
        outputs = [width] * 6 + [24]
        self.layers = nn.ModuleList(nn.Conv2d(*pair, 3, padding=1) for pair in zip(inputs, outputs, strict=True))

    def forward(self, image: Any, strength: Any) -> Any:
        """Return the brightened picture, and its curves."""
        found = [image]
        for number, layer in enumerate(self.layers):
            first = found[-1] if number < 4 else torch.cat([found[7 - number], found[-1]], 1)
            found.append(torch.tanh(layer(first)) if number == 6 else torch.relu(layer(first)))
        for curve in torch.split(found[-1] * strength, 3, 1):
            image = image + curve * (torch.pow(image, 2) - image)
        return image, found[-1]


class Style(nn.Module):
    """Style transfer: reflect padding, instance norms, residual blocks; pictures from 0 to 255."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Sequential(*_padded(3, 8, 9), *_padded(8, 16, 3, 2))
        self.blocks = nn.ModuleList(nn.Sequential(*_padded(16, 16, 3), *_padded(16, 16, 3)[:-1]) for _ in range(2))
        self.up = nn.Sequential(
            nn.Upsample(scale_factor=2), *_padded(16, 8, 3), nn.ReflectionPad2d(4), nn.Conv2d(8, 3, 9)
        )

    def forward(self, image: Any) -> Any:
        """Return the picture in the style, from 0 to 255."""
        found = self.down(image)
        for block in self.blocks:
            found = found + block(found)
        return (self.up(found) * 20 + 127).clamp(0, 255)


def _padded(inputs: int, outputs: int, size: int, stride: int = 1) -> list[nn.Module]:
    return [
        nn.ReflectionPad2d(size // 2), nn.Conv2d(inputs, outputs, size, stride),
        nn.InstanceNorm2d(outputs, affine=True), nn.ReLU(),
    ]  # fmt: skip


def luminance() -> torch.Tensor:
    """Return a small picture of one channel."""
    return picture(24, channels=1)


SAME = {"image": SIZE, "output": SIZE}
BASES = {
    "espcn": Base(partial(plain, Espcn, {"image": luminance}, ["output"], {
        "image": SIZE, "output": {0: "batch", 2: "height_3", 3: "width_3"}}), "ts11-free ts17 dynamo18",
        "ts17:qdq ts17:fp16 slim"),
    "espcn-bytes": Base(partial(plain, Bytes, {
        "image": lambda: (picture(24) * 255).byte().permute(0, 2, 3, 1)}, ["output"], {
        "image": {1: "height", 2: "width"}, "output": {1: "height_3", 2: "width_3"}}), "ts13 ts17-free", "sim"),
    "fsrcnn": Base(partial(plain, Fsrcnn, {"image": luminance}, ["output"], {}), "ts9 ts17", "ts17:qdq-int8 fp16"),
    "zero-dce": Base(partial(plain, ZeroDce, {
        "image": lambda: picture(48) * 0.2, "strength": lambda: torch.tensor([0.8])}, ["output", "curves"], {
        "image": SIZE, "output": SIZE, "curves": SIZE}), "ts11 ts17-free dynamo20", "ort-fp16-io slim"),
    "style": Base(partial(plain, Style, {"image": lambda: picture(48) * 255}, ["output"], SAME),
                  "ts9 ts17-free dynamo18", "ts17-free:sim ort-all"),
}  # fmt: skip
