"""A graph's output depends only on its receptive field, and tiles with that halo give the whole image's result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.native import Session
from tests.picture_nets import GLOBAL, LOCAL, Builder, Net, tripled
from webbuild.passes.analysis.receptive_field import GlobalContext, ReceptiveField, receptive_field
from webbuild.preprocess.tiles import fits_halo, tile_spans

NCHW = (2, 3)


def field_of(model: onnx.ModelProto) -> ReceptiveField | GlobalContext:
    return receptive_field(ir.from_proto(model).graph, {"x": NCHW}, "y", NCHW)


def runner(model: onnx.ModelProto) -> Callable[[NDArray[Any]], NDArray[Any]]:
    session = Session(model)
    return lambda picture: session.run({"x": picture})["y"]


@pytest.mark.parametrize("name", LOCAL)
def test_a_local_network_has_its_halo_multiple_and_scale(name: str) -> None:
    net, halo, multiple, scale = LOCAL[name]
    assert field_of(net(32, 40)) == ReceptiveField(halo=halo, multiple=multiple, scale=scale)


@pytest.mark.parametrize("name", GLOBAL)
def test_a_global_network_names_the_node(name: str) -> None:
    net, node = GLOBAL[name]
    assert str(field_of(net(32, 40))) == node


def test_a_softmax_of_the_channels_is_local_from_opset_13_on() -> None:
    graph = 'opset_import: ["" : {}]> g (float[1,3,8,8] x) => (float[1,3,8,8] y) {{ y = Softmax <axis = 1> (x) }}'
    fields = [field_of(onnx.parser.parse_model(f"<ir_version: 7, {graph.format(opset)}")) for opset in (12, 13)]
    assert str(fields[0]) == "Softmax 'y' reads all rows of the picture"
    assert fields[1] == ReceptiveField(halo=0, multiple=1, scale=1)


def test_an_enlargement_by_three_says_that_it_rounds() -> None:
    assert field_of(tripled(32, 40)) == ReceptiveField(halo=2, multiple=1, scale=3, rounded="Resize 'v1_0'")


@pytest.mark.parametrize("name", LOCAL)
def test_pixels_beyond_the_halo_change_nothing_and_one_at_its_edge_does(name: str) -> None:
    net, halo, multiple, scale = LOCAL[name]
    run = runner(net(64, 64))
    picture = np.random.default_rng(0).random((1, 3, 64, 64), dtype=np.float32)
    answer, reaches_edge = run(picture), False
    for pixel in range(32, 32 + multiple):  # how far the fields of view of a block's pixels differ
        kept = np.s_[..., pixel * scale : (pixel + 1) * scale, pixel * scale : (pixel + 1) * scale]
        around = np.zeros(picture.shape, bool)
        around[..., pixel - halo : pixel + halo + 1, pixel - halo : pixel + halo + 1] = True
        inner = np.zeros(picture.shape, bool)
        inner[..., pixel - halo + 1 : pixel + halo, pixel - halo + 1 : pixel + halo] = True
        changed = np.random.default_rng(1).random(picture.shape, dtype=np.float32)
        assert np.array_equal(run(np.where(around, picture, changed))[kept], answer[kept])
        reaches_edge |= not np.array_equal(run(np.where(inner, picture, changed))[kept], answer[kept])
    assert reaches_edge


def tiled(net: Net, picture: NDArray[Any], size: int, halo: int, multiple: int, scale: int) -> NDArray[Any]:
    """Return the result assembled from tiles of size x size."""
    run = runner(net(size, size))
    height, width = picture.shape[2:]
    whole = np.zeros((1, 3, height * scale, width * scale), np.float32)
    for row in tile_spans(height, size, halo, multiple):
        for column in tile_spans(width, size, halo, multiple):
            tile = run(picture[..., row.offset : row.offset + size, column.offset : column.offset + size])
            rows, columns = (np.arange(each.start * scale, each.end * scale) for each in (row, column))
            own = tile[..., rows - row.offset * scale, :][..., columns - column.offset * scale]
            whole[..., rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] = own
    return whole


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize(("height", "width"), [(64, 96), (44, 32)])
def test_tiles_give_the_whole_picture_bit_for_bit(name: str, height: int, width: int) -> None:
    net, halo, multiple, scale = LOCAL[name]
    picture = np.random.default_rng(1).random((1, 3, height, width), dtype=np.float32)
    whole = runner(net(height, width))(picture)
    assert np.array_equal(tiled(net, picture, 32, halo, multiple, scale), whole)


@pytest.mark.parametrize("name", ["compact", "residual_dense"])
def test_tiles_with_less_than_the_halo_differ(name: str) -> None:
    net, halo, multiple, scale = LOCAL[name]
    length = 32 + 32 - 2 * (halo - 1)  # no more overlap than twice the halo
    picture = np.random.default_rng(1).random((1, 3, 32, length), dtype=np.float32)
    whole = runner(net(32, length))(picture)
    assert not np.array_equal(tiled(net, picture, 32, halo - 1, multiple, scale), whole)


@st.composite
def chains(draw: st.DrawFn) -> list[tuple[str, int, int]]:
    """Draw layers (kind, kernel, mode); as many upsample, later, as downsample."""
    layer = st.tuples(st.sampled_from(LAYERS), st.sampled_from([1, 2, 3, 5]), st.integers(0, 3))
    return draw(st.lists(layer, min_size=1, max_size=5))


LAYERS = ["conv", "dilated", "maximum", "mean", "reflected", "halved", "blocks"]


def chain(layers: list[tuple[str, int, int]]) -> Net:
    def net(height: int, width: int) -> onnx.ModelProto:
        g, x, into, halvings = Builder(height, width), "x", 3, list[int]()
        for kind, kernel, mode in layers:
            odd = kernel | 1
            if kind == "conv":
                x = g.op("Relu", g.conv(x, into, into, odd))
            elif kind == "dilated":
                x = g.conv(x, into, into, odd, dilations=[2, 2], pads=[odd // 2 * 2] * 4)
            elif kind in ("maximum", "mean"):
                operator = "MaxPool" if kind == "maximum" else "AveragePool"
                x = g.op(operator, x, kernel_shape=[odd] * 2, pads=[odd // 2] * 4)
            elif kind == "reflected":
                before, after = mode % 2, odd - 1 - mode % 2 if odd > 1 else 0
                edges = g.constant([0, 0, before * (odd > 1), before * (odd > 1), 0, 0, after, after])
                x = g.conv(g.op("Pad", x, edges, mode="reflect"), into, into, odd, pads=[0] * 4)
            elif len(halvings) < 2:
                if kind == "blocks":
                    x, into = g.op("SpaceToDepth", x, blocksize=2), into * 4
                else:
                    pads = [kernel - 1, kernel - 1, 0, 0] if mode % 2 else [0, 0, kernel - 1, kernel - 1]
                    x = g.conv(x, into, into, kernel, strides=[2, 2], pads=pads)
                halvings.append(mode if kind != "blocks" else 4)
        for mode in reversed(halvings):
            if mode == 4:
                x, into = g.op("DepthToSpace", x, blocksize=2), into // 4
            elif mode < 3:
                x = g.resize(x, 2, ["nearest", "linear", "cubic"][mode])
            else:
                x = g.conv(x, into, into, 4, "ConvTranspose", strides=[2, 2], pads=[1] * 4)
        return g.model(x)

    return net


@given(chains())
def test_tiles_of_random_networks_give_the_whole_picture(layers: list[tuple[str, int, int]]) -> None:
    net = chain(layers)
    field = field_of(net(64, 64))
    assert isinstance(field, ReceptiveField)
    assume(fits_halo(64, field.halo, field.multiple))
    width = 64 + (64 - 2 * field.halo) // field.multiple * field.multiple  # no more overlap than needed
    picture = np.random.default_rng(2).random((1, 3, 64, width), dtype=np.float32)
    whole = runner(net(64, width))(picture)
    assert np.array_equal(tiled(net, picture, 64, field.halo, field.multiple, field.scale), whole)
