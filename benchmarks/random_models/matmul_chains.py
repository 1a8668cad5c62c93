"""Chains around a matrix product: dense layers, attention, normalization of rows, quantized pairs."""

from __future__ import annotations

import numpy as np

from benchmarks.random_models.chain import ChainBuilder, chain


def rows(links: ChainBuilder) -> str:
    """Add an input of rows: [..., rows, width]."""
    dice = links.dice
    return links.feed(dice.floats(*dice.ints(dice.roll(0, 2), 1, 3), dice.roll(1, 13), dice.channels()))


def bent(links: ChainBuilder, x: str) -> str:
    """Add an activation as transformers write it."""
    dice = links.dice
    match dice.roll(0, 5):
        case 0:
            return links.node(dice.some("Relu", "Tanh", "Sigmoid"), x)
        case 1:
            root = links.node("Div", x, links.initializer(1.41421356, np.float32))
            raised = links.node("Add", links.node("Erf", root), links.initializer(1.0, np.float32))
            return links.node("Mul", links.node("Mul", x, raised), links.initializer(0.5, np.float32))
        case 2:
            cube = links.node(
                "Mul", links.node("Pow", x, links.initializer(3.0, np.float32)), links.initializer(0.044715, np.float32)
            )
            inner = links.node("Mul", links.node("Add", x, cube), links.initializer(0.7978845608, np.float32))
            raised = links.node("Add", links.node("Tanh", inner), links.initializer(1.0, np.float32))
            return links.node("Mul", x, links.node("Mul", raised, links.initializer(0.5, np.float32)))
        case 3:
            steep = links.node("Mul", x, links.initializer(1.702, np.float32))
            return links.node("Mul", x, links.node("Sigmoid", steep))
        case 4:
            return links.node("Mul", x, links.node("Sigmoid", x))
    return links.node("Softmax", x, axis=dice.some(-1, links.at(x).ndim - 1))


def product(links: ChainBuilder, x: str) -> str:
    """Multiply by constant weights, optionally transposed or scaled."""
    dice, width = links.dice, links.at(x).shape[-1]
    out = dice.channels()
    if dice.odds(0.3):
        weights = links.node("Transpose", links.initializer(dice.floats(out, width)), perm=[1, 0])
    else:
        weights = links.initializer(dice.floats(width, out) / np.float32(width**0.5))
    x = links.node("MatMul", x, weights)
    if dice.odds(0.3):
        x = links.node(dice.some("Mul", "Div"), x, links.initializer(dice.some(2.0, 0.125), np.float32))
    return x


def layer_norm(links: ChainBuilder, x: str) -> str:
    """Normalize rows, in one node or in many."""
    dice, shape = links.dice, links.at(x).shape
    count = dice.roll(1, min(2, len(shape) - 1))
    axes, scale = list(range(-count, 0)), links.initializer(dice.floats(*shape[-count:]))
    if dice.odds(0.4) and links.opset >= 17:
        shift = [links.initializer(dice.floats(*shape[-count:]))] if dice.odds(0.7) else []
        return links.node("LayerNormalization", x, scale, *shift, axis=-count)

    def mean(value: str) -> str:
        if links.opset >= 18:
            return links.node("ReduceMean", value, links.ints(*axes), keepdims=1)
        return links.node("ReduceMean", value, axes=axes, keepdims=1)

    centred = x if dice.odds(0.3) else links.node("Sub", x, mean(x))
    square = links.node("Pow", centred, links.initializer(2.0, np.float32))
    spread = links.node("Sqrt", links.node("Add", mean(square), links.initializer(1e-5, np.float32)))
    even = links.node("Mul", links.node("Div", centred, spread), scale)
    return links.node("Add", even, links.initializer(dice.floats(*shape[-count:]))) if dice.odds(0.7) else even


@chain(6)
def dense(links: ChainBuilder) -> None:
    """Products, biases, activations, norms and skip connections, as in a transformer's feed-forward layers."""
    dice, x = links.dice, rows(links)
    for _ in range(dice.roll(1, 3)):
        before, x = x, product(links, x)
        if dice.odds(0.7):
            bias = links.initializer(dice.floats(links.at(x).shape[-1]))
            x = links.node("Add", *((x, bias) if dice.odds(0.5) else (bias, x)))
        x = bent(links, x) if dice.odds(0.6) else x
        if links.at(x).shape == links.at(before).shape and dice.odds(0.7):
            x = links.node("Add", x, before)
        x = layer_norm(links, x) if dice.odds(0.5) else x


@chain(4)
def turned_product(links: ChainBuilder) -> None:
    """A product of two inputs, each transposed, reshaped or scaled before."""
    dice = links.dice
    batch, (m, k, n) = dice.ints(dice.roll(0, 2), 1, 4), dice.ints(3, 1, 40)
    rank = len(batch) + 2
    swap = [*range(rank - 2), rank - 1, rank - 2]

    def side(shape: tuple[int, int]) -> str:
        if not dice.odds(0.6):
            return links.feed(dice.floats(*batch, *shape))
        if rank == 4 and dice.odds(0.5):
            return links.node(
                "Transpose", links.feed(dice.floats(batch[0], shape[0], batch[1], shape[1])), perm=[0, 2, 1, 3]
            )
        return links.node("Transpose", links.feed(dice.floats(*batch, shape[1], shape[0])), perm=swap)

    a, b = side((m, k)), side((k, n))
    if dice.odds(0.3):
        a = links.node("Mul", a, links.initializer(0.5, np.float32))
    x = links.node("MatMul", a, b)
    if dice.odds(0.4):
        x = links.node("Transpose", x, perm=dice.some(swap, list(range(rank))[::-1]))
    if dice.odds(0.4):
        bent(links, x)


@chain(4)
def attention(links: ChainBuilder) -> None:
    """Multi-head attention: scaled products, an optional mask, Softmax, and merged heads."""
    dice = links.dice
    batch, heads, size, length = (
        dice.roll(1, 2),
        dice.roll(1, 5),
        dice.some(dice.roll(1, 20), 8, 16, 32),
        dice.roll(1, 17),
    )
    width = heads * size
    x = links.feed(dice.floats(batch, length, width))

    def head(order: list[int]) -> str:
        weights = links.initializer(dice.floats(width, width) / np.float32(width**0.5))
        part = links.node("Add", links.node("MatMul", x, weights), links.initializer(dice.floats(width)))
        return links.node("Transpose", links.node("Reshape", part, links.ints(0, -1, heads, size)), perm=order)

    q, k, v = head([0, 2, 1, 3]), head([0, 2, 3, 1]), head([0, 2, 1, 3])
    scores = links.node("MatMul", q, k)
    scores = links.node(
        *dice.some(
            ("Mul", scores, links.initializer(size**-0.5, np.float32)),
            ("Div", scores, links.initializer(size**0.5, np.float32)),
        )
    )
    if dice.odds(0.4):
        mask = dice.values(dice.some([1, 1, length, length], [batch, 1, 1, length]), np.bool_)
        mask[..., 0] = True
        if dice.odds(0.5):
            scores = links.node("Add", scores, links.feed(np.where(mask, 0, -10000).astype(np.float32)))
        else:
            scores = links.node("Where", links.feed(mask), scores, links.initializer(-1e4, np.float32))
    mixed = links.node("MatMul", links.node("Softmax", scores, axis=dice.some(-1, 3)), v)
    joined = links.node("Reshape", links.node("Transpose", mixed, perm=[0, 2, 1, 3]), links.ints(0, 0, width))
    if dice.odds(0.6):
        out = links.node("MatMul", joined, links.initializer(dice.floats(width, width) / np.float32(width**0.5)))
        out = links.node("Add", links.node("Add", out, links.initializer(dice.floats(width))), x)
        layer_norm(links, out)


@chain(2)
def gemm(links: ChainBuilder) -> None:
    dice, (m, k) = links.dice, links.dice.ints(2, 1, 30)
    x = links.feed(dice.floats(m, k, *dice.ints(dice.roll(0, 2), 1, 3)))
    x = links.node("Flatten", x, axis=1)
    for _ in range(dice.roll(1, 2)):
        width, out = links.at(x).shape[1], dice.roll(1, 40)
        down = dice.roll(0, 1)
        weights = links.initializer(dice.floats(*((out, width) if down else (width, out))) / np.float32(width**0.5))
        bias = (
            [links.initializer(dice.floats(*dice.some((out,), (1, out), (m, out), (1,), ())))] if dice.odds(0.8) else []
        )
        x = links.node("Gemm", x, weights, *bias, transB=down, alpha=dice.some(1.0, 0.5), beta=dice.some(1.0, 2.0))
        x = bent(links, x) if dice.odds(0.6) else x


def _quantized(links: ChainBuilder, x: str, dtype: type[np.generic]) -> str:
    """Add a pair of QuantizeLinear and DequantizeLinear after a value."""
    scale, point = links.initializer(0.031, np.float32), links.initializer(links.dice.roll(0, 9), dtype)
    return links.node("DequantizeLinear", links.node("QuantizeLinear", x, scale, point), scale, point)


@chain(3)
def quantized_pairs(links: ChainBuilder) -> None:
    """A layer between pairs of QuantizeLinear and DequantizeLinear, its weights stored in 8 bits."""
    dice, dtype = links.dice, links.dice.some(np.uint8, np.int8)
    out, width = dice.roll(1, 16), dice.roll(1, 16)
    pictures = dice.odds(0.5)
    x = links.feed(dice.floats(2, width, 6, 5) if pictures else dice.floats(3, width))
    x = _quantized(links, x, dtype)
    shape = (out, width, *dice.some((1, 1), (3, 3))) if pictures else (width, out)
    stored, each = links.initializer(dice.whole(shape, -127, 127, np.int8)), dice.odds(0.5)
    scale = links.initializer(dice.floats(*((out,) if each else ()), low=0.001, high=0.02))
    points = [links.initializer(np.zeros((out,) if each else ()), np.int8)] if dice.odds(0.7) else []
    weights = links.node("DequantizeLinear", stored, scale, *points, axis=0 if pictures else 1)
    if pictures:
        x = links.node("Conv", x, weights, *([links.initializer(dice.floats(out))] if dice.odds(0.5) else []))
    else:
        x = links.node("MatMul", x, weights)
        x = links.node("Add", x, links.initializer(dice.floats(out))) if dice.odds(0.5) else x
    x = links.node("Relu", x) if dice.odds(0.5) else x
    _quantized(links, x, dtype)
