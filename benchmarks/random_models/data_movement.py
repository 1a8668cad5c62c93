"""Operators that move values: slice, concatenate, gather, scatter, pad."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.random_models.single_operator import RandomChoices, SingleOperator, maker


def _ints(*values: int) -> Any:
    return np.array(values, np.int64)


def _kind(dice: RandomChoices) -> Any:
    return dice.some(np.float32, np.float32, np.float32, np.int32, np.bool_, np.uint8, np.int64)


@maker(2)
def transpose(dice: RandomChoices) -> SingleOperator:
    shape = dice.shape(1, 6, 7)
    return SingleOperator("Transpose", [dice.values(shape, _kind(dice))], {"perm": dice.order(len(shape))})


@maker(4)
def cut(dice: RandomChoices) -> SingleOperator:
    shape = dice.shape(1, 5)
    axes = dice.order(len(shape))[: dice.roll(1, len(shape))]
    starts, ends, steps = [], [], []
    for axis in axes:
        size = shape[axis]
        a, b = sorted((dice.roll(0, size - 1), dice.roll(0, size - 1)))
        if dice.odds(0.35):
            a = size - 1 if dice.odds(0.4) else b
            starts.append(a)
            ends.append(-(2**62) if dice.odds(0.5) else dice.roll(-1, a - 1) if a > 0 else -(2**62))
            ends[-1] = -(2**62) if ends[-1] == -1 else ends[-1]
            steps.append(-dice.roll(1, 3))
        else:
            starts.append(a - size if dice.odds(0.3) else a)
            ends.append(2**62 if dice.odds(0.3) else b + 1)
            steps.append(dice.roll(1, 3))
    axes = [axis - len(shape) if dice.odds(0.2) else axis for axis in axes]
    inputs = [dice.values(shape, _kind(dice)), _ints(*starts), _ints(*ends), _ints(*axes), _ints(*steps)]
    return SingleOperator("Slice", inputs, {}, (1, 2, 3, 4), opset=dice.some(11, 13))


@maker(2)
def pad(dice: RandomChoices) -> SingleOperator:
    shape = dice.shape(1, 5)
    mode = dice.some("constant", "constant", "reflect", "edge")
    most = min(shape) - 1 if mode == "reflect" else 3
    pads = dice.ints(2 * len(shape), -1 if mode == "constant" and min(shape) > 2 else 0, max(0, min(3, most)))
    inputs = [dice.values(shape, dice.some(np.float32, np.float32, np.int32)), _ints(*pads)]
    if mode == "constant" and dice.odds(0.5):
        inputs.append(np.asarray(2, inputs[0].dtype))
    return SingleOperator("Pad", inputs, {"mode": mode}, tuple(range(1, len(inputs))), opset=dice.some(11, 13, 18))


@maker(2)
def join(dice: RandomChoices) -> SingleOperator:
    shape, dtype = dice.shape(1, 5, 5), _kind(dice)
    axis = dice.roll(0, len(shape) - 1)
    parts = dice.roll(1, 5) if dice.odds(0.6) else dice.roll(6, 20)
    values = []
    for _ in range(parts):
        shape[axis] = dice.roll(1, 5)
        values.append(dice.values(shape, dtype))
    return SingleOperator(
        "Concat",
        values,
        {"axis": dice.some(axis, axis - len(shape))},
        tuple(i for i in range(1, parts) if dice.odds(0.1)),
    )


@maker(2)
def split(dice: RandomChoices) -> SingleOperator:
    shape = dice.shape(1, 5, 5)
    axis, parts = dice.roll(0, len(shape) - 1), dice.ints(dice.roll(1, 5) if dice.odds(0.6) else dice.roll(6, 18), 1, 4)
    shape[axis] = sum(parts)
    x = dice.values(shape, _kind(dice))
    return SingleOperator("Split", [x, _ints(*parts)], {"axis": axis}, (1,), outputs=len(parts), opset=13)


@maker(3)
def gather(dice: RandomChoices) -> SingleOperator:
    shape, dtype = dice.shape(1, 5), _kind(dice)
    axis = dice.roll(0, len(shape) - 1)
    low = 0 - shape[axis] if dice.odds(0.4) else 0
    index: Any = dice.some(np.int64, np.int32)
    wanted = dice.some([], dice.ints(dice.roll(1, 3), 1, 5))
    op = dice.some("Gather", "GatherElements")
    if op == "GatherElements":
        wanted = [dice.roll(1, size) for size in shape]
    inputs = [dice.values(shape, dtype), dice.whole(wanted, low, shape[axis] - 1, index)]
    return SingleOperator(op, inputs, {"axis": dice.some(axis, axis - len(shape))}, (1,) if dice.odds(0.5) else ())


@maker(2)
def gather_nd(dice: RandomChoices) -> SingleOperator:
    shape = dice.shape(2, 5, 6)
    batch = dice.roll(0, 1)
    depth = dice.roll(1, len(shape) - batch)
    lead = [*shape[:batch], *dice.ints(dice.roll(1, 2), 1, 5)]
    picks = np.stack(
        [dice.whole(lead, 0 - size if dice.odds(0.2) else 0, size - 1) for size in shape[batch : batch + depth]], -1
    )
    return SingleOperator(
        "GatherND", [dice.values(shape, dice.some(np.float32, np.int32)), picks], {"batch_dims": batch}
    )


@maker(2)
def scatter(dice: RandomChoices) -> SingleOperator:
    shape, dtype = dice.shape(1, 4, 6), dice.some(np.float32, np.float32, np.int32)
    reduction = dice.some("none", "none", "add", "mul", "max", "min")
    data = dice.values(shape, dtype)
    if dice.odds(0.5):
        axis = dice.roll(0, len(shape) - 1)
        count = dice.roll(1, shape[axis])
        wanted = [*shape[:axis], count, *shape[axis + 1 :]]
        order: Any = np.array(dice.order(shape[axis])[:count]).reshape(
            [count if i == axis else 1 for i in range(len(shape))]
        )
        order = np.where(dice.values(order.shape, np.bool_), order - shape[axis], order) if dice.odds(0.3) else order
        inputs = [data, np.broadcast_to(order, wanted).astype(np.int64), dice.values(wanted, dtype)]
        return SingleOperator("ScatterElements", inputs, {"axis": axis, "reduction": reduction}, opset=18)
    depth = dice.roll(1, len(shape))
    rows = np.array(np.unravel_index(dice.order(int(np.prod(shape[:depth])))[: dice.roll(1, 9)], shape[:depth]))
    picks = rows.T.astype(np.int64)
    if dice.odds(0.3):
        picks = np.where(dice.values(picks.shape, np.bool_), picks - np.array(shape[:depth]), picks)
    return SingleOperator(
        "ScatterND", [data, picks, dice.values([len(picks), *shape[depth:]], dtype)], {"reduction": reduction}, opset=18
    )


@maker(2)
def spread(dice: RandomChoices) -> SingleOperator:
    shape = dice.shape(1, 5, 5)
    x = dice.values(dice.spread(shape) or [1], dice.some(np.float32, np.int32, np.bool_))
    if dice.odds(0.5):
        return SingleOperator("Expand", [x, _ints(*shape)], {}, (1,))
    return SingleOperator("Tile", [x, _ints(*dice.ints(x.ndim, 1, 3))], {}, (1,))


@maker()
def blocks(dice: RandomChoices) -> SingleOperator:
    block, c, h, w = dice.roll(2, 3), dice.roll(1, 5), dice.roll(1, 5), dice.roll(1, 5)
    if dice.odds(0.7):
        return SingleOperator(
            "DepthToSpace",
            [dice.floats(2, c * block * block, h, w)],
            {"blocksize": block, "mode": dice.some("DCR", "CRD")},
        )
    return SingleOperator("SpaceToDepth", [dice.floats(2, c, h * block, w * block)], {"blocksize": block})


@maker()
def reshape(dice: RandomChoices) -> SingleOperator:
    shape = dice.shape(1, 6, 6)
    x = dice.values(shape, _kind(dice))
    match dice.roll(0, 3):
        case 0:
            return SingleOperator("Reshape", [x, _ints(-1)], {}, (1,))
        case 1:
            return SingleOperator("Flatten", [x], {"axis": dice.roll(0, len(shape))})
        case 2:
            return SingleOperator("Unsqueeze", [x, _ints(dice.roll(0, len(shape)))], {}, (1,))
    order = dice.order(len(shape))
    return SingleOperator("Reshape", [x, _ints(*(shape[i] for i in order))], {}, (1,))


@maker()
def triangle(dice: RandomChoices) -> SingleOperator:
    x = dice.values(dice.shape(2, 4), dice.some(np.float32, np.int32))
    return SingleOperator("Trilu", [x, np.array(dice.roll(-3, 3), np.int64)], {"upper": dice.roll(0, 1)}, (1,))


@maker()
def hot(dice: RandomChoices) -> SingleOperator:
    depth = dice.roll(1, 9)
    inputs = [dice.whole(dice.shape(1, 3), 0, depth - 1), np.array(depth, np.int64), np.array([0, 1], np.float32)]
    return SingleOperator("OneHot", inputs, {"axis": dice.some(-1, 0, 1)}, (1, 2))
