"""Random walks: data movement, arithmetic, reductions and casts, each on earlier outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.random_models.chain import ChainBuilder, chain

_FLOAT = np.float32


def _like(links: ChainBuilder, x: str) -> str:
    """Return an input or initializer that broadcasts with a value."""
    array = links.at(x)
    other = links.dice.values(links.dice.spread(array.shape), array.dtype.type)
    return links.initializer(other) if links.dice.odds(0.5) else links.feed(other)


def _move(links: ChainBuilder, x: str) -> str:
    dice, array = links.dice, links.at(x)
    shape, rank = list(array.shape), array.ndim
    axis = dice.roll(0, rank - 1)
    match dice.roll(0, 11):
        case 0 | 1:
            return links.node("Transpose", x, perm=dice.order(rank))
        case 2:
            parts = [size for size in shape if size > 1] or [1]
            return links.node("Reshape", x, links.ints(*dice.some(parts, [-1], [1, *shape], [*shape[:axis], -1])))
        case 3:
            return links.node("Unsqueeze", x, links.ints(dice.some(axis, -1, 0))) if rank < 6 else x
        case 4:
            ones = [i for i, size in enumerate(shape) if size == 1]
            return links.node("Squeeze", x, links.ints(dice.some(*ones))) if ones and rank > 1 else x
        case 5 | 6:
            start, end = sorted(dice.ints(2, 0, shape[axis]))
            step = dice.some(1, 1, 2, 3)
            if dice.odds(0.25):
                return links.node(
                    "Slice", x, links.ints(end), links.ints(-(2**31)), links.ints(axis), links.ints(-step)
                )
            if start == end:
                return x
            return links.node("Slice", x, links.ints(start), links.ints(end), links.ints(axis), links.ints(step))
        case 7:
            size = shape[axis]
            index = dice.whole(dice.some([], [3], [2, 2]), -size, size - 1, dice.some(np.int64, np.int32))
            return links.node(
                "Gather", x, links.initializer(index) if dice.odds(0.6) else links.feed(index), axis=axis - rank
            )
        case 8:
            return links.node("Concat", *dice.some((x, x), (x, x, x)), axis=axis)
        case 9:
            if shape[axis] < 2:
                return x
            first = dice.roll(1, shape[axis] - 1)
            parts = links.nodes_of("Split", x, links.ints(first, shape[axis] - first), outputs=2, axis=axis)
            return parts[dice.roll(0, 1)]
        case 10:
            return links.node("Expand", x, links.ints(dice.roll(1, 3), *shape)) if rank < 6 else x
    return links.node("Tile", x, links.ints(*dice.ints(rank, 1, 2))) if array.size < 2000 else x


def _number(links: ChainBuilder, x: str) -> str:
    dice, dtype = links.dice, links.at(x).dtype
    if dtype == np.bool_:
        return links.node(*dice.some(("Not", x), ("And", x, _like(links, x)), ("Or", x, _like(links, x))))
    if dtype not in (np.float32, np.int32, np.int64):
        return links.node("Cast", x, to=dice.some(1, 6))
    if dtype == np.float32 and dice.odds(0.5):
        op = dice.some("Abs", "Neg", "Tanh", "Sigmoid", "Relu", "Floor", "Sin", "Erf", "Softplus", "Sign", "Round")
        return links.node(op, x)
    other = _like(links, x)
    op = dice.some("Add", "Sub", "Mul", "Max", "Min")
    return links.node(op, *((x, other) if dice.odds(0.6) else (other, x)))


def _reduce(links: ChainBuilder, x: str) -> str:
    dice, array = links.dice, links.at(x)
    rank = array.ndim
    axes = dice.order(rank)[: dice.roll(1, rank)]
    axes = [axis - rank if dice.odds(0.3) else axis for axis in axes]
    whole = array.dtype != np.float32
    if array.dtype == np.bool_ or rank == 0:
        return x
    match dice.roll(0, 4):
        case 0:
            axis = dice.roll(-rank, rank - 1)
            found = links.node(dice.some("ArgMax", "ArgMin"), x, axis=axis, keepdims=dice.roll(0, 1))
            return found if not whole else x
        case 1 if not whole:
            return links.node(dice.some("Softmax", "LogSoftmax"), x, axis=dice.roll(-rank, rank - 1))
        case 2 if not whole and rank:
            axis = dice.roll(0, rank - 1)
            k = links.ints(dice.roll(1, array.shape[axis]))
            values, _ = links.nodes_of("TopK", x, k, outputs=2, axis=axis, largest=dice.roll(0, 1))
            return values
        case 3 if not whole:
            return links.node(
                "CumSum", x, links.initializer(dice.roll(-rank, rank - 1), np.int64), reverse=dice.roll(0, 1)
            )
    op = dice.some("ReduceSum", "ReduceMax", "ReduceMin", *(() if whole else ("ReduceMean", "ReduceL2")))
    keep = dice.roll(0, 1)
    if op == "ReduceSum" or links.opset >= 18:
        return links.node(op, x, links.ints(*axes), keepdims=keep)
    return links.node(op, x, axes=axes, keepdims=keep)


def _choose(links: ChainBuilder, x: str) -> str:
    """Compare, then select or count by the result."""
    dice, array = links.dice, links.at(x)
    if array.dtype not in (np.float32, np.int32, np.int64):
        return x
    mask = links.node(dice.some("Greater", "Less", "Equal", "GreaterOrEqual"), x, _like(links, x))
    match dice.roll(0, 3):
        case 0:
            return links.node("Cast", mask, to=dice.some(1, 6, 7))
        case 1:
            return links.node("Not", mask)
    return links.node("Where", mask, x, _like(links, x))


def _retype(links: ChainBuilder, x: str) -> str:
    return links.node("Cast", x, to=links.dice.some(1, 1, 6, 7, 9))


def _shape_of(links: ChainBuilder, x: str) -> str:
    """Reshape to a shape computed by Shape, Gather and Concat, as exporters write it."""
    if links.at(x).ndim == 0:
        return x
    size = links.node("Gather", links.node("Shape", x), links.initializer(0, np.int64), axis=0)
    first = links.node("Unsqueeze", size, links.ints(0))
    return links.node("Reshape", x, links.node("Concat", first, links.ints(-1), axis=0))


def _put(links: ChainBuilder, x: str) -> str:
    """Overwrite a few rows."""
    dice, array = links.dice, links.at(x)
    if array.ndim == 0 or array.dtype not in (np.float32, np.int32):
        return x
    size, count = array.shape[0], dice.roll(1, min(4, array.shape[0]))
    picks = np.array(dice.order(size)[:count], np.int64)
    picks = np.where(dice.values([count], np.bool_), picks - size, picks)
    new = links.feed(dice.values([count, *array.shape[1:]], array.dtype.type))
    return links.node("ScatterND", x, links.initializer(picks[:, None]), new)


STEPS: tuple[Any, ...] = (_move, _move, _move, _number, _number, _reduce, _choose, _retype, _shape_of, _put)


@chain(10)
def walk(links: ChainBuilder) -> None:
    """Four to nine steps from one or two inputs, each on the last value or an earlier one."""
    dice = links.dice
    kind = dice.some(np.float32, np.float32, np.float32, np.int32, np.int64, np.bool_, np.uint8)
    x = links.feed(dice.values(dice.shape(1, 6, 6), kind))
    for _ in range(dice.roll(4, 9)):
        step = dice.some(*STEPS)
        if links.at(x).ndim == 0 and step in (_move, _reduce, _put):
            step = _number
        x = step(links, x)
        if links.at(x).size > 20000:
            return
