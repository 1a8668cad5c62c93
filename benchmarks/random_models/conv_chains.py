"""Chains around a convolution: operators that an engine fuses into it, and layout changes next to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.random_models.chain import ChainBuilder, chain


def activation(links: ChainBuilder, x: str) -> str:
    """Add an activation of one or a few nodes."""
    dice = links.dice
    match dice.roll(0, 13):
        case 0 | 1 | 2 | 3 | 4:
            return links.node(dice.some("Relu", "Sigmoid", "Tanh", "HardSwish", "Softplus"), x)
        case 5:
            return links.node("LeakyRelu", x, alpha=dice.some(0.1, 0.3))
        case 6:
            return links.node("HardSigmoid", x, alpha=dice.some(0.2, 1 / 6), beta=0.5)
        case 7:
            low, high = dice.some((0, 6), (-1, 1), (0.5, 2), (0, None), (None, 1))
            bounds = ["" if bound is None else links.initializer(bound, np.float32) for bound in (low, high)]
            return links.node("Clip", x, *bounds)
        case 8 | 9:
            return links.node("Mul", x, links.node("Sigmoid", x))
        case 10:
            half = links.node("Mul", x, links.initializer(0.5, np.float32))
            root = links.node("Div", x, links.initializer(1.4142135, np.float32))
            return links.node("Mul", half, links.node("Add", links.node("Erf", root), links.initializer(1, np.float32)))
        case 11:
            return links.node("Elu", x, alpha=dice.some(1.0, 0.5))
        case 12:
            channels = links.at(x).shape[1]
            slope = (channels, *[1] * (links.at(x).ndim - 2)) if dice.odds(0.6) else (1,)
            return links.node("PRelu", x, links.initializer(dice.floats(*slope)))
    return links.node("Mul", x, links.node("Tanh", links.node("Softplus", x)))


def conv(links: ChainBuilder, x: str, transposed: bool = False) -> str:
    """Add a convolution that fits, with random groups, strides and padding."""
    dice, shape = links.dice, links.at(x).shape
    inputs, rank = shape[1], len(shape) - 2
    groups = [g for g in range(1, inputs + 1) if inputs % g == 0]
    group = dice.some(*groups) if dice.odds(0.4) else 1
    outputs = group * (dice.roll(1, 9) if group > 1 else dice.channels())
    kernel = [min(k, size) for k, size in zip(dice.ints(rank, 1, 3), shape[2:], strict=True)]
    kernel = [1] * rank if dice.odds(0.25) else kernel
    attributes: dict[str, Any] = {"group": group} if group > 1 else {}
    if dice.odds(0.7):
        attributes["pads"] = [k // 2 for k in kernel] * 2
    if dice.odds(0.3):
        attributes["strides"] = dice.ints(rank, 1, 2)
    parts = (inputs, outputs // group, *kernel) if transposed else (outputs, inputs // group, *kernel)
    weights = links.initializer(dice.floats(*parts) / np.float32(max(1, np.prod(parts[1:])) ** 0.5))
    bias = [links.initializer(dice.floats(outputs))] if dice.odds(0.5) else []
    return links.node("ConvTranspose" if transposed else "Conv", x, weights, *bias, **attributes)


def picture(links: ChainBuilder) -> str:
    """Add an input of pictures, sometimes of rows."""
    dice = links.dice
    return links.feed(dice.floats(dice.roll(1, 2), dice.channels(), *dice.ints(dice.some(1, 2, 2, 2, 2), 2, 11)))


def per_channel(links: ChainBuilder, x: str, low: float | None = None) -> str:
    """Add an initializer with a value for each channel."""
    array = links.at(x)
    return links.initializer(links.dice.floats(array.shape[1], *[1] * (array.ndim - 2), low=low, high=2))


def norm(links: ChainBuilder, x: str) -> str:
    """Add a normalization over channels or whole pictures."""
    dice, channels = links.dice, links.at(x).shape[1]
    scale, shift = links.initializer(dice.floats(channels)), links.initializer(dice.floats(channels))
    if dice.odds(0.75):
        mean, spread = links.initializer(dice.floats(channels)), links.initializer(dice.floats(channels, low=0.1))
        return links.node("BatchNormalization", x, scale, shift, mean, spread, epsilon=1e-3)
    return links.node("InstanceNormalization", x, scale, shift)


@chain(6)
def conv_and_activations(links: ChainBuilder) -> None:
    x = conv(links, picture(links), links.dice.odds(0.15))
    for _ in range(links.dice.roll(1, 3)):
        x = activation(links, x)


@chain(4)
def conv_and_arithmetic(links: ChainBuilder) -> None:
    """A Mul, an Add, a normalization, a skip connection: folded into the weights or fused after the convolution."""
    dice = links.dice
    x = conv(links, picture(links), dice.odds(0.15))
    for _ in range(dice.roll(1, 3)):
        match dice.roll(0, 5):
            case 0:
                x = links.node(dice.some("Mul", "Div"), x, per_channel(links, x, 0.5))
            case 1:
                x = links.node(dice.some("Add", "Sub"), x, per_channel(links, x))
            case 2:
                x = norm(links, x)
            case 3:
                other = links.feed(dice.floats(*links.at(x).shape))
                x = links.node("Add", *((x, other) if dice.odds(0.5) else (other, x)))
            case _:
                x = activation(links, x)


@chain(2)
def pad_and_conv(links: ChainBuilder) -> None:
    dice, x = links.dice, picture(links)
    rank = links.at(x).ndim
    mode = dice.some("constant", "constant", "constant", "reflect", "edge")
    around = dice.ints(rank - 2, 0, 1 if mode == "reflect" else 3)
    value = [links.initializer(dice.some(0, 0, 1, -2), np.float32)] if mode == "constant" and dice.odds(0.6) else []
    first = [0, dice.roll(0, 1) if mode == "constant" and dice.odds(0.2) else 0]
    x = links.node("Pad", x, links.ints(*first, *around, 0, 0, *dice.some(around, around[::-1])), *value, mode=mode)
    if dice.odds(0.3):
        kernel = [min(2, size) for size in links.at(x).shape[2:]]
        links.node(dice.some("MaxPool", "AveragePool"), x, kernel_shape=kernel, strides=kernel)
    else:
        activation(links, conv(links, x))


def _resized(links: ChainBuilder, x: str) -> str:
    dice, shape = links.dice, links.at(x).shape
    mode = dice.some("nearest", "linear", "cubic") if len(shape) == 4 else "nearest"
    how = dice.some("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
    scales = [1, 1, *(dice.some(2, 2, 1.5, 0.5, 3) for _ in shape[2:])]
    return links.node(
        "Resize", x, "", links.initializer(scales, np.float32), mode=mode, coordinate_transformation_mode=how
    )


def _squeezed(links: ChainBuilder, x: str) -> str:
    """Multiply the channels by factors from their means."""
    dice, array = links.dice, links.at(x)
    axes = list(range(2, array.ndim))
    if dice.odds(0.4):
        mean = links.node("GlobalAveragePool", x)
    elif links.opset >= 18:
        mean = links.node("ReduceMean", x, links.ints(*axes), keepdims=1)
    else:
        mean = links.node("ReduceMean", x, axes=axes, keepdims=1)
    channels = array.shape[1]
    weights = links.initializer(dice.floats(channels, channels, *[1] * len(axes)) / np.float32(channels))
    gate = links.node("Conv", mean, weights, links.initializer(dice.floats(channels)))
    return links.node("Mul", x, links.node(dice.some("Sigmoid", "HardSigmoid"), gate))


def _shuffled(links: ChainBuilder, x: str) -> str:
    shape = list(links.at(x).shape)
    groups = links.dice.some(*(g for g in range(1, shape[1] + 1) if shape[1] % g == 0))
    apart = links.node("Reshape", x, links.ints(shape[0], groups, shape[1] // groups, *shape[2:]))
    order = [0, 2, 1, *range(3, len(shape) + 1)]
    return links.node("Reshape", links.node("Transpose", apart, perm=order), links.ints(*shape))


def _forked(links: ChainBuilder, x: str) -> str:
    """Split the channels, change one part, and concatenate them."""
    dice, channels = links.dice, links.at(x).shape[1]
    if channels < 2:
        return activation(links, x)
    first = dice.roll(1, channels - 1)
    a, b = links.nodes_of("Split", x, links.ints(first, channels - first), outputs=2, axis=dice.some(1, 1, 1 - 4))
    a = conv(links, activation(links, a)) if dice.odds(0.5) else activation(links, a)
    return a if links.at(a).shape[2:] != links.at(b).shape[2:] else links.node("Concat", a, b, axis=1)


def _pooled(links: ChainBuilder, x: str) -> str:
    dice, sizes = links.dice, links.at(x).shape[2:]
    kernel = [min(dice.roll(1, 3), size) for size in sizes]
    pads = [(k - 1) // 2 for k in kernel] * 2
    return links.node(
        dice.some("MaxPool", "AveragePool"),
        x,
        kernel_shape=kernel,
        pads=pads,
        strides=dice.ints(len(kernel), 1, 2),
        ceil_mode=dice.roll(0, 1),
    )


def _cut(links: ChainBuilder, x: str) -> str:
    dice, shape = links.dice, links.at(x).shape
    axis = dice.roll(1, len(shape) - 1)
    start, step = dice.roll(0, shape[axis] - 1), dice.roll(1, 2)
    return links.node("Slice", x, links.ints(start), links.ints(2**31), links.ints(axis), links.ints(step))


def _turned(links: ChainBuilder, x: str) -> str:
    """Transpose the channels to the end, compute something, and maybe transpose them back."""
    rank = links.at(x).ndim
    x = links.node("Transpose", x, perm=[0, *range(2, rank), 1])
    match links.dice.roll(0, 3):
        case 0:
            x = links.node("Softmax", x, axis=-1)
        case 1:
            x = links.node("Add", x, links.initializer(links.dice.floats(links.at(x).shape[-1])))
        case 2:
            x = links.node(
                "MatMul", x, links.initializer(links.dice.floats(links.at(x).shape[-1], links.dice.roll(1, 9)))
            )
    return links.node("Transpose", x, perm=[0, rank - 1, *range(1, rank - 1)])


@chain(8)
def network(links: ChainBuilder) -> None:
    """A small network of convolutions with other operators between them."""
    dice, x = links.dice, picture(links)
    steps = (conv, activation, norm, _resized, _squeezed, _shuffled, _forked, _pooled, _cut, _turned)
    x = conv(links, x)
    for _ in range(dice.roll(2, 5)):
        step = dice.some(*steps, conv)
        x = step(links, x)
        if links.at(x).size > 60000:
            break
