"""Convolutions, pools, normalizations, resizing, recurrent layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.random_models.single_operator import RandomChoices, SingleOperator, maker

AFTER = ("Relu", "Sigmoid", "Clip", "LeakyRelu", "Tanh", "HardSigmoid")


def _window(dice: RandomChoices, rank: int) -> tuple[list[int], dict[str, Any], list[int]]:
    """Return a kernel, attributes, and sizes that fit the window."""
    kernel = [1] * rank if dice.odds(0.2) else dice.ints(rank, 1, 3 if rank == 3 else 5)
    attributes: dict[str, Any] = {}
    dilations = dice.ints(rank, 1, 2) if dice.odds(0.3) else [1] * rank
    if dilations != [1] * rank:
        attributes["dilations"] = dilations
    if dice.odds(0.5):
        attributes["strides"] = dice.ints(rank, 1, 3)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    if dice.odds(0.2):
        attributes["auto_pad"] = dice.some("SAME_UPPER", "SAME_LOWER", "VALID")
    elif dice.odds(0.6):
        attributes["pads"] = [dice.roll(0, min(2, k - 1)) for k in kernel * 2]
    sizes = [r + dice.roll(0, 4 if rank == 3 else 9) for r in reach]
    return kernel, attributes, sizes


def _grouped(dice: RandomChoices) -> tuple[int, int, int]:
    """Return the number of groups, and input and output channels per group."""
    if dice.odds(0.55):
        return 1, dice.channels(), dice.channels()
    if dice.odds(0.3):
        return dice.channels(), 1, dice.roll(1, 3)
    return dice.roll(2, 8), dice.roll(1, 12), dice.roll(1, 12)


@maker(12)
def conv(dice: RandomChoices) -> SingleOperator:
    rank = dice.some(1, 2, 2, 2, 2, 3)
    kernel, attributes, sizes = _window(dice, rank)
    group, inner, outer = _grouped(dice)
    if rank == 3:
        group, inner, outer = dice.some(1, 1, 1, 2, 3), dice.roll(1, 9), dice.roll(1, 9)
    if group > 1:
        attributes["group"] = group
    if dice.odds(0.7):
        attributes["kernel_shape"] = kernel
    x, w = dice.floats(dice.roll(1, 2), group * inner, *sizes), dice.floats(group * outer, inner, *kernel)
    bias = dice.floats(group * outer) if dice.odds(0.6) else None
    fixed = (1, 2) if dice.odds(0.85) else ()
    then = dice.some(*AFTER) if dice.odds(0.25) else ""
    return SingleOperator(
        "Conv", [x, w, bias] if bias is not None else [x, w], attributes, fixed[: 1 + (bias is not None)], then=then
    )


@maker(4)
def conv_transpose(dice: RandomChoices) -> SingleOperator:
    rank = dice.some(1, 2, 2, 2, 2, 2, 2, 3)
    kernel, attributes, sizes = _window(dice, rank)
    attributes.pop("auto_pad", None)
    sizes = [max(1, size // 2) for size in sizes]
    group, inner, outer = _grouped(dice) if rank < 3 else (dice.roll(1, 2), dice.roll(1, 4), dice.roll(1, 4))
    if "pads" in attributes:
        attributes["pads"] = [min(p, (k - 1) // 2) for p, k in zip(attributes["pads"], kernel * 2, strict=True)]
    if group > 1:
        attributes["group"] = group
    if "strides" in attributes and dice.odds(0.3):
        attributes["output_padding"] = [dice.roll(0, s - 1) for s in attributes["strides"]]
    x, w = dice.floats(1, group * inner, *sizes), dice.floats(group * inner, outer, *kernel)
    inputs = [x, w, dice.floats(group * outer)] if dice.odds(0.6) else [x, w]
    return SingleOperator("ConvTranspose", inputs, attributes, (1, 2)[: len(inputs) - 1])


@maker(4)
def pool(dice: RandomChoices) -> SingleOperator:
    rank = dice.some(1, 2, 2, 2, 3)
    op = dice.some("MaxPool", "AveragePool")
    kernel, attributes, sizes = _window(dice, rank)
    if op == "AveragePool":
        attributes.pop("dilations", None)
        attributes["count_include_pad"] = dice.roll(0, 1)
    if "auto_pad" not in attributes:
        attributes["ceil_mode"] = dice.roll(0, 1)
        attributes["pads"] = [
            min(p, (k - 1) // 2) for p, k in zip(attributes.get("pads", [0] * 2 * rank), kernel * 2, strict=True)
        ]
    x = dice.floats(dice.roll(1, 2), dice.channels(), *sizes)
    indices = op == "MaxPool" and dice.odds(0.1)
    return SingleOperator(
        op, [x], {**attributes, "kernel_shape": kernel}, outputs=1 + indices, opset=dice.some(11, 17, 19, 21)
    )


@maker()
def global_pool(dice: RandomChoices) -> SingleOperator:
    return SingleOperator(
        dice.some("GlobalAveragePool", "GlobalMaxPool"),
        [dice.floats(2, dice.channels(), *dice.ints(dice.roll(1, 3), 1, 9))],
    )


@maker(3)
def normalize(dice: RandomChoices) -> SingleOperator:
    x = dice.floats(*dice.ints(1, 1, 3), dice.channels(), *dice.ints(dice.roll(0, 3), 1, 9))
    c = x.shape[1]
    match dice.some("batch", "batch", "instance", "layer", "layer", "lp", "group"):
        case "batch":
            parts = [dice.floats(c), dice.floats(c), dice.floats(c), dice.floats(c, low=0.1)]
            return SingleOperator(
                "BatchNormalization", [x, *parts], {"epsilon": 1e-3}, (1, 2, 3, 4), opset=dice.some(9, 14, 15, 17)
            )
        case "instance":
            x = x if x.ndim > 2 else dice.floats(1, c, 5)
            return SingleOperator("InstanceNormalization", [x, dice.floats(c), dice.floats(c)], {}, (1, 2))
        case "layer":
            axis = dice.roll(1, x.ndim - 1)
            rest = x.shape[axis:]
            inputs = [x, dice.floats(*rest), dice.floats(*rest)][: dice.roll(2, 3)]
            return SingleOperator(
                "LayerNormalization", inputs, {"axis": dice.some(axis, axis - x.ndim)}, (1, 2)[: len(inputs) - 1]
            )
        case "lp":
            return SingleOperator(
                "LpNormalization", [x], {"axis": dice.roll(-x.ndim, x.ndim - 1), "p": dice.roll(1, 2)}
            )
    groups = dice.roll(1, 4)
    x = dice.floats(2, groups * dice.roll(1, 5), *dice.ints(2, 1, 7))
    return SingleOperator(
        "GroupNormalization",
        [x, dice.floats(x.shape[1]), dice.floats(x.shape[1])],
        {"num_groups": groups},
        (1, 2),
        opset=21,
    )


@maker(5)
def resize(dice: RandomChoices) -> SingleOperator:
    shape = [dice.roll(1, 2), dice.roll(1, 5), *dice.ints(dice.some(1, 2, 2, 2, 3), 1, 9)]
    mode = dice.some("nearest", "linear", "linear", "cubic") if len(shape) == 4 else dice.some("nearest", "linear")
    attributes: dict[str, Any] = {"mode": mode}
    attributes["coordinate_transformation_mode"] = dice.some(
        "half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"
    )
    if mode == "nearest":
        attributes["nearest_mode"] = dice.some("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    if mode == "cubic":
        attributes |= {"cubic_coeff_a": dice.some(-0.75, -0.5), "exclude_outside": dice.roll(0, 1)}
    last = dice.odds(0.15) and len(shape) == 4
    if dice.odds(0.5):
        spatial = [dice.some(0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 0.34, 2.5) for _ in shape[2:]]
        scales = [1.0, *spatial, 1.0] if last else [1.0, 1.0, *spatial]
        inputs = [dice.floats(*shape), np.zeros(0, np.float32), np.array(scales, np.float32)]
        if any(int(s * f) < 1 for s, f in zip(shape, scales, strict=True)):
            inputs[2] = np.ones(len(shape), np.float32)
        return SingleOperator("Resize", inputs, attributes, (1, 2), opset=dice.some(11, 13, 18, 19))
    sizes = [dice.roll(1, 17) for _ in shape[2:]]
    wanted = [shape[0], *sizes, shape[3]] if last else [*shape[:2], *sizes]
    return SingleOperator(
        "Resize",
        [dice.floats(*shape), None, None, np.array(wanted, np.int64)],
        attributes,
        (3,),
        opset=dice.some(13, 18, 19),
    )


@maker()
def recurrent(dice: RandomChoices) -> SingleOperator:
    op, gates = dice.some(("LSTM", 4), ("GRU", 3))
    way = dice.some("forward", "reverse", "bidirectional")
    many, hidden, width = 1 + (way == "bidirectional"), dice.roll(1, 9), dice.roll(1, 9)
    x = dice.floats(dice.roll(1, 5), dice.roll(1, 3), width)
    weights = [dice.floats(many, gates * hidden, width), dice.floats(many, gates * hidden, hidden)]
    bias = [dice.floats(many, 2 * gates * hidden)] if dice.odds(0.7) else []
    attributes = {"hidden_size": hidden, "direction": way}
    if op == "GRU":
        attributes["linear_before_reset"] = dice.roll(0, 1)
    return SingleOperator(
        op, [x, *weights, *bias], attributes, tuple(range(1, 3 + len(bias))), outputs=2 if op == "GRU" else 3
    )


@maker()
def grid_sample(dice: RandomChoices) -> SingleOperator:
    n, c = dice.roll(1, 2), dice.roll(1, 5)
    grid = dice.floats(n, dice.roll(1, 7), dice.roll(1, 7), 2, low=-1.3, high=1.3)
    attributes = {
        "mode": dice.some("bilinear", "nearest", "bicubic"),
        "padding_mode": dice.some("zeros", "border", "reflection"),
        "align_corners": dice.roll(0, 1),
    }
    return SingleOperator("GridSample", [dice.floats(n, c, *dice.ints(2, 2, 9)), grid], attributes, opset=16)
