"""Matting networks: BiRefNet with deformable convolutions, MODNet, and RVM's recurrent decoder with its refiner."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from models.zoo.dense_maps import SIZE, IBNorm, convolution
from models.zoo.examples import photo, picture, plain
from models.zoo.recipe import Base, Example
from models.zoo.video_networks import ConvGru
from models.zoo.weights import enliven


def resized(maps: Any, like: Any, align: bool = True) -> Any:
    """Return maps at the height and width of others."""
    size = [int(side) for side in like.shape[-2:]]
    return functional.interpolate(maps, size, mode="bilinear", align_corners=align)


class DeformConv(nn.Module):
    """A modulated deformable convolution, decomposed into gathers of four neighbours as exporters write it."""

    def __init__(self, inputs: int, outputs: int, kernel: int) -> None:
        super().__init__()
        self.kernel = kernel
        self.offset = nn.Conv2d(inputs, 2 * kernel**2, kernel, padding=kernel // 2)
        self.mask = nn.Conv2d(inputs, kernel**2, kernel, padding=kernel // 2)
        self.weight = nn.Parameter(torch.randn(outputs, inputs, kernel, kernel) / (inputs * kernel**2) ** 0.5)

    def forward(self, maps: Any) -> Any:
        """Return maps of the same size."""
        kernel, (count, channels, height, width) = self.kernel, (int(size) for size in maps.shape)
        taps, border = kernel**2, max(kernel // 2, 1)
        shift = border - kernel // 2
        tall, wide = height + 2 * border, width + 2 * border
        y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        base = torch.stack([
            torch.stack([y + shift + tap // kernel, x + shift + tap % kernel]) for tap in range(taps)
        ])[None, None].float()  # fmt: skip
        places = base + self.offset(maps).view(count, 1, taps, 2, height, width)
        below = places.floor()
        index, share = below.long(), places - below
        rows, columns = (
            ((part := index[:, :, :, axis : axis + 1]).clamp(0, size - 1), (part + 1).clamp(0, size - 1))
            for axis, size in enumerate((tall, wide))
        )
        down, right = ((1 - (part := share[:, :, :, axis : axis + 1]), part) for axis in (0, 1))
        flat = functional.pad(maps, [border] * 4).view(count, 1, channels, tall * wide)
        line, whole = (count, 1, 1, taps * height * width), (count, 1, channels, taps * height * width)
        total = 0
        for below_, after in ((0, 0), (1, 1), (1, 0), (0, 1)):
            at = rows[below_].view(line) * wide + columns[after].view(line)
            found = flat.gather(3, at.expand(whole)).view(count, 1, channels, taps, height, width)
            total = total + (right[after] * down[below_]).view(count, 1, 1, taps, height, width) * found
        total = total * (2 * torch.sigmoid(self.mask(maps))).view(count, 1, 1, taps, height, width)
        total = total.view(count, channels, kernel, kernel, height, width).permute(0, 1, 4, 2, 5, 3)
        total = total.reshape(count, channels, height * kernel, width * kernel)
        return functional.conv2d(total, self.weight, stride=kernel)


class DeformableAspp(nn.Module):
    """Deformable convolutions of several kernel sizes and the global mean, concatenated."""

    def __init__(self, width: int, inner: int, kernels: tuple[int, ...]) -> None:
        super().__init__()
        self.branches = nn.ModuleList(
            nn.Sequential(DeformConv(width, inner, kernel), nn.BatchNorm2d(inner), nn.ReLU()) for kernel in kernels
        )
        self.pooled = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, inner, 1, bias=False), nn.ReLU())
        self.merge = _pointwise((len(kernels) + 1) * inner, width)

    def forward(self, maps: Any) -> Any:
        """Return maps of the same shape."""
        found = [branch(maps) for branch in self.branches]
        return self.merge(torch.cat([*found, resized(self.pooled(maps), maps)], 1))


class DecoderBlock(nn.Module):
    """BiRefNet's decoder block: a convolution, the deformable ASPP, a convolution."""

    def __init__(self, inputs: int, outputs: int, width: int, inner: int, kernels: tuple[int, ...]) -> None:
        super().__init__()
        self.first, self.last = convolution(inputs, width), nn.Conv2d(width, outputs, 3, padding=1)
        self.aspp, self.norm = DeformableAspp(width, inner, kernels), nn.BatchNorm2d(outputs)

    def forward(self, maps: Any) -> Any:
        """Return maps of the same size."""
        return self.norm(self.last(self.aspp(self.first(maps))))


class BiRefNet(nn.Module):
    """BiRefNet: a Swin encoder at two scales, and a decoder with the picture's patches as input at every level."""

    def __init__(
        self, swin: dict[str, Any], width: int = 64, inner: int = 256, kernels: tuple[int, ...] = (1, 1, 3, 7)
    ) -> None:
        super().__init__()
        self.encoder = _encoder("swin_tiny_patch4_window7_224", strict_img_size=False, **swin)
        channels = [2 * size for size in self.encoder.feature_info.channels()][::-1]
        self.levels = len(channels)
        patches = [3 * 4 ** (self.levels + 1 - level) for level in range(self.levels)]
        outputs = [*channels[1:], channels[-1] // 2]
        beside = [max(size // 8, 4) for size in channels]
        self.squeeze = DecoderBlock(sum(channels), channels[0], width, inner, kernels)
        self.patches = nn.ModuleList(_simple(*pair, width) for pair in zip(patches, beside, strict=True))
        pairs = zip(channels, beside, outputs, strict=True)
        self.blocks = nn.ModuleList(DecoderBlock(i + b, o, width, inner, kernels) for i, b, o in pairs)
        self.lateral = nn.ModuleList(nn.Conv2d(size, size, 1) for size in channels[1:])
        self.attention = nn.ModuleList(nn.Sequential(convolution(o, 16), nn.Conv2d(16, 1, 1)) for o in outputs[:-1])
        self.full = _simple(3, beside[-1], width)
        self.out = nn.Conv2d(outputs[-1] + beside[-1], 1, 1)

    def forward(self, image: Any) -> Any:
        """Return the matte, [N, 1, H, W]."""
        half = functional.interpolate(image, scale_factor=0.5, mode="bilinear", align_corners=True)
        whole, small = ([one.permute(0, 3, 1, 2) for one in self.encoder(each)] for each in (image, half))
        levels = [torch.cat([one, resized(other, one)], 1) for one, other in zip(whole, small, strict=True)][::-1]
        found = self.squeeze(torch.cat([*(resized(one, levels[0]) for one in levels[:0:-1]), levels[0]], 1))
        for level, block in enumerate(self.blocks):
            beside = resized(self.patches[level](as_patches(image, found)), found)
            found = block(torch.cat([found, beside], 1))
            if level + 1 < self.levels:
                found = found * self.attention[level](found).sigmoid()
                found = resized(found, levels[level + 1]) + self.lateral[level](levels[level + 1])
        return torch.sigmoid(self.out(torch.cat([resized(found, image), self.full(image)], 1)))


def as_patches(image: Any, like: Any) -> Any:
    """Return a picture cut into tiles of the maps' size, stacked as channels: [N, 3 R C, h, w]."""
    height, width = (int(size) for size in like.shape[-2:])
    rows, columns = int(image.shape[2]) // height, int(image.shape[3]) // width
    tiles = image.view(-1, 3, rows, height, columns, width).permute(0, 1, 2, 4, 3, 5)
    return tiles.reshape(-1, 3 * rows * columns, height, width)


def _pointwise(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


def _simple(inputs: int, outputs: int, width: int) -> nn.Module:
    return nn.Sequential(nn.Conv2d(inputs, width, 3, padding=1), nn.Conv2d(width, outputs, 3, padding=1))


def _encoder(name: str, **options: Any) -> Any:
    import timm

    return timm.create_model(name, features_only=True, pretrained=False, **options)


class ModnetBranches(nn.Module):
    """MODNet on MobileNetV2: semantics at stride 32, edges at stride 4, both fused into a matte."""

    def __init__(self, width: int = 32, encoder: str = "mobilenetv2_100") -> None:
        super().__init__()
        self.encoder = _encoder(encoder)
        two, four, *_, last = self.encoder.feature_info.channels()
        self.squeeze = nn.Sequential(nn.Linear(last, last // 4, bias=False), nn.ReLU(),
                                     nn.Linear(last // 4, last, bias=False), nn.Sigmoid())  # fmt: skip
        self.low16, self.low8 = _normed(last, 3 * width, 5), _normed(3 * width, width, 5)
        self.to2, self.to4 = _normed(two, width, 1), _normed(four, width, 1)
        self.down2, self.mix4 = _normed(width + 3, width, 3, 2), _normed(2 * width, 2 * width, 3)
        self.high4 = nn.Sequential(_normed(3 * width + 3, 2 * width, 3), _normed(2 * width, width, 3))
        self.high2 = nn.Sequential(_normed(2 * width, 2 * width, 3), _normed(2 * width, width, 3))
        self.fuse4, self.fuse2 = _normed(width, width, 5), _normed(2 * width, width, 5)
        self.last = nn.Sequential(_normed(width + 3, width // 2, 3), nn.Conv2d(width // 2, 1, 1))

    def forward(self, image: Any) -> Any:
        """Return the matte, [N, 1, H, W]."""
        two, four, *_, low = self.encoder(image)
        low = low * self.squeeze(low.mean((2, 3)))[:, :, None, None]
        low = self.low8(_twice(self.low16(_twice(low))))
        half, quarter = (functional.interpolate(image, scale_factor=each, mode="bilinear") for each in (0.5, 0.25))
        high = self.down2(torch.cat([half, self.to2(two)], 1))
        high = self.mix4(torch.cat([high, self.to4(four)], 1))
        high = _twice(self.high4(torch.cat([high, _twice(low), quarter], 1)))
        high = self.high2(torch.cat([high, self.to2(two)], 1))
        low = _twice(self.fuse4(_twice(low)))
        fused = _twice(self.fuse2(torch.cat([low, high], 1)))
        return torch.sigmoid(self.last(torch.cat([fused, image], 1)))


def _normed(inputs: int, outputs: int, kernel: int, stride: int = 1) -> nn.Module:
    layer = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2)
    return nn.Sequential(layer, IBNorm(outputs), nn.ReLU())


def _twice(maps: Any) -> Any:
    return functional.interpolate(maps, scale_factor=2, mode="bilinear", align_corners=False)


class RobustMatting(nn.Module):
    """RVM on MobileNetV3: a recurrent decoder on a smaller picture, and a guided filter that refines the matte."""

    def __init__(self, ratio: float = 0.25, widths: tuple[int, ...] = (80, 40, 32, 16), **options: Any) -> None:
        super().__init__()
        self.ratio = ratio
        self.encoder = _encoder(
            options.pop("name", "mobilenetv3_large_100"), out_indices=(0, 1, 2, 4), output_stride=16, **options
        )
        *high, last = self.encoder.feature_info.channels()
        self.aspp = _pointwise(last, 128)
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(last, 128, 1, bias=False), nn.Sigmoid())
        self.bottom = ConvGru(64)
        inputs = zip((128, *widths), [*high[::-1]], widths, strict=False)
        self.up = nn.ModuleList(convolution(before + beside + 3, width) for before, beside, width in inputs)
        self.memory = nn.ModuleList(ConvGru(width // 2) for width in widths[:3])
        self.out = convolution(widths[2] + 3, widths[3])
        self.project = nn.Conv2d(widths[3], 4, 1)
        self.box = nn.Sequential(nn.Conv2d(24, 16, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 4, 1))
        self.hidden = nn.Conv2d(widths[3], 16, 1)

    def forward(self, src: Any, r1i: Any, r2i: Any, r3i: Any, r4i: Any) -> Any:
        """Return foreground, matte and states."""
        small = functional.interpolate(src, scale_factor=self.ratio, mode="bilinear") if self.ratio < 1 else src
        *high, last = self.encoder(small)
        found, fourth = self.bottom(self.aspp(last) * self.gate(last), r4i)
        states = [fourth]
        for up, memory, beside, state in zip(self.up, self.memory, high[::-1], (r3i, r2i, r1i), strict=True):
            guide = functional.interpolate(small, [int(side) for side in beside.shape[-2:]], mode="area")
            found, kept = memory(up(torch.cat([resized(found, beside, False), beside, guide], 1)), state)
            states.append(kept)
        hidden = self.out(torch.cat([resized(found, small, False), small], 1))
        residual = self.project(hidden)
        if self.ratio < 1:
            residual = self.refine(src, small, residual, hidden)
        return (src + residual[:, :3]).clamp(0, 1), residual[:, 3:].clamp(0, 1), *states[::-1]

    def refine(self, src: Any, small: Any, residual: Any, hidden: Any) -> Any:
        """Return the residual at the picture's size, by a fast guided filter."""
        guide, large = (torch.cat([one, one.mean(1, keepdim=True)], 1) for one in (small, src))
        mean, center = _box(guide), _box(residual)
        covariance, variance = _box(guide * residual) - mean * center, _box(guide * guide) - mean * mean
        slope = self.box(torch.cat([covariance, variance, self.hidden(hidden)], 1))
        return resized(slope, src, False) * large + resized(center - slope * mean, src, False)


def _box(maps: Any) -> Any:
    """Return the mean of 3 x 3 neighbours, by a depthwise convolution."""
    channels = int(maps.shape[1])
    return functional.conv2d(maps, torch.ones(channels, 1, 3, 3) / 9, padding=1, groups=channels)


def states(side: int, widths: tuple[int, ...]) -> dict[str, torch.Tensor]:
    """Return states for this size of the encoder's input."""
    return {
        f"r{level}i": torch.rand(1, width, side >> level, side >> level) - 0.5 for level, width in enumerate(widths, 1)
    }


def birefnet(side: int, **options: Any) -> Example:
    """Return BiRefNet for pictures of a size."""
    inputs = {"input": photo(side)}
    return Example(enliven(BiRefNet(**options), tuple(inputs.values())), inputs, ["matte"])


def rvm(side: int, ratio: float, **options: Any) -> Example:
    """Return RVM for frames of a size, which its encoder gets downscaled by a ratio."""
    network = RobustMatting(ratio, **options)
    widths = [one.candidate.out_channels for one in (*reversed(network.memory), network.bottom)]
    inputs = {"src": picture(side), **states(int(side * ratio), tuple(widths))}
    return Example(enliven(network, tuple(inputs.values())), inputs, ["fgr", "pha", "r1o", "r2o", "r3o", "r4o"])


TINY_SWIN = {"img_size": 64, "embed_dim": 12, "depths": (2, 2), "num_heads": (2, 2), "window_size": 4}
BASES = {
    "birefnet": Base(partial(birefnet, 64, swin=TINY_SWIN, width=8, inner=12, kernels=(1, 3, 5)),
                     "ts17 ts16", "ts17:fp16-io"),
    "modnet-mobile": Base(partial(plain, partial(ModnetBranches, 8, "mobilenetv2_035"), {
        "input": lambda: picture(64) * 2 - 1}, ["output"], dict.fromkeys(["input", "output"], SIZE)),
                          "ts11 ts17-free dynamo18", "slim"),
    "rvm": Base(partial(rvm, 128, 0.5, name="mobilenetv3_small_050", widths=(16, 12, 8, 8)),
                "ts12 ts17 dynamo18", "slim"),
}  # fmt: skip
