"""The weights of a first layer show which pixel value range a network was trained on."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import onnx_ir as ir
import pytest
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from tests.commands.program import webbuild
from tests.manifests import image_input
from webbuild.compile.first_layer import find_first_layer, input_mean
from webbuild.compile.layer_ranges import LayerRanges, weigh_ranges
from webbuild.compile.pixel_ranges import CENTRED, IMAGENET, PLAIN, RANGES, SIGNED, UNIT, PixelRange, with_range
from webbuild.compile.preprocessing_trials import sample_canvases
from webbuild.manifest.manifest import ImageInput
from webbuild.preprocess.image import normalize

Numbers = NDArray[np.float64]
PICTURE = image_input(48, 48, "x")
COUNT = 64
DARKER = 0.75
"""The sample photographs are brighter than most."""


def network(
    arrays: dict[str, Numbers], normal: bool = False, outputs: int = COUNT, before: str | None = None
) -> ir.Model:
    """Return Conv, BatchNormalization where `normal`, Relu, and a Conv to this many channels."""
    stored = {name: array.astype(np.float32) for name, array in arrays.items()}
    count = len(stored["w"])
    stored["last"] = np.ones((outputs, count, 1, 1), np.float32)
    nodes = [helper.make_node("Conv", [before or "x", "w", "b"], ["c"], pads=[1, 1, 1, 1])]
    if before:
        nodes.insert(0, helper.make_node("Relu", ["x"], [before]))
    if normal:
        nodes.append(helper.make_node("BatchNormalization", ["c", "g", "b", "mean", "var"], ["n"]))
    nodes.append(helper.make_node("Relu", ["n" if normal else "c"], ["r"]))
    nodes.append(helper.make_node("Conv", ["r", "last"], ["y"]))
    given = helper.make_tensor_value_info("x", 1, PICTURE.shape)
    answer = helper.make_tensor_value_info("y", 1, [1, outputs, 48, 48])
    initializers = [numpy_helper.from_array(array, name) for name, array in stored.items()]
    graph = helper.make_graph(nodes, "g", [given], [answer], initializers)
    return ir.serde.deserialize_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]))


def trained(values: PixelRange, seed: int, layout: str = "folded") -> dict[str, Numbers]:
    """Return the statistics that a normalization after random filters learns from the sample photographs."""
    draw = np.random.default_rng(seed)
    filters = draw.normal(size=(COUNT, 3, 3, 3))
    seen = [normalize(canvas * DARKER, with_range(PICTURE, values))[0] for canvas in sample_canvases(PICTURE)]
    windows = np.concatenate(
        [np.lib.stride_tricks.sliding_window_view(each, (3, 3), axis=(1, 2)).reshape(3, -1, 3, 3) for each in seen], 1
    )
    found = np.tensordot(windows, filters, axes=([0, 2, 3], [1, 2, 3]))
    mean, std = found.mean(axis=0), found.std(axis=0)
    gamma, beta = np.exp(draw.normal(-0.2, 0.6, COUNT)), draw.normal(0, 0.5, COUNT)
    if layout == "stored":
        return {"w": filters, "b": np.zeros(COUNT), "g": gamma, "mean": mean, "var": std**2}
    factor = gamma / std
    return {"w": filters * factor[:, None, None, None], "b": beta - mean * factor}


def weigh(model: ir.Model, image: ImageInput = PICTURE) -> LayerRanges | None:
    return weigh_ranges(model, image, sample_canvases(image), UNIT)


@pytest.mark.parametrize("layout", ["folded", "stored"])
@pytest.mark.parametrize("values", [UNIT, PLAIN, CENTRED], ids=lambda each: each.name)
def test_the_range_that_a_layer_was_trained_on_is_the_likeliest(values: PixelRange, layout: str) -> None:
    for seed in range(8):
        found = weigh(network(trained(values, seed, layout), normal=layout == "stored"))
        assert found is not None
        assert found.best is values


@pytest.mark.parametrize("layout", ["folded", "stored"])
@pytest.mark.parametrize("values", [SIGNED, IMAGENET], ids=lambda each: each.name)
def test_values_around_zero_are_told_from_those_above_it(values: PixelRange, layout: str) -> None:
    """-1..1 and ImageNet's range differ by a factor of two, which the size of a layer's responses does not show."""
    for seed in range(8):
        found = weigh(network(trained(values, seed, layout), normal=layout == "stored"))
        assert found is not None
        assert found.best in (SIGNED, IMAGENET)
        assert found.reason.startswith("likely: the weights of the first layer")
        assert PLAIN not in found.likely


def test_the_mean_of_the_input_is_read_from_the_biases() -> None:
    layer = find_first_layer(network(trained(UNIT, 1)), PICTURE)
    assert layer is not None
    mean = input_mean(layer)
    assert (
        abs(mean.value - np.mean([DARKER * canvas.mean() / 255 for canvas in sample_canvases(PICTURE)]))
        < 3 * mean.error
    )


def test_a_mean_that_is_known_is_said() -> None:
    found = weigh(network(trained(PLAIN, 3, "stored"), normal=True))
    assert found is not None
    assert "and an input mean of about 1" in found.reason


def test_biases_of_what_makes_pictures_say_nothing_of_the_mean() -> None:
    """Super-resolution begins with filters and biases without a normalization: biases are small for every range."""
    arrays = trained(SIGNED, 2)
    asked, pictures = weigh(network(arrays)), weigh(network(arrays, outputs=3))
    assert asked is not None
    assert pictures is not None
    assert asked.reason
    assert UNIT not in asked.likely
    assert UNIT in pictures.likely
    assert PLAIN not in pictures.likely


@pytest.mark.parametrize(
    "change",
    [
        lambda a: {**a, "w": a["w"] / np.sqrt((a["w"] ** 2).sum(axis=(1, 2, 3), keepdims=True))},
        lambda a: {**a, "b": np.zeros(COUNT)},
        lambda a: {name: array[:4] for name, array in a.items()},
    ],
    ids=["filters of one size", "no bias", "few filters"],
)
def test_a_layer_without_a_normalization_says_nothing(change: object) -> None:
    assert callable(change)
    assert find_first_layer(network(change(trained(UNIT, 0))), PICTURE) is None


def test_a_normalization_before_training_says_nothing() -> None:
    arrays = trained(UNIT, 0, "stored") | {"mean": np.zeros(COUNT), "var": np.ones(COUNT)}
    assert find_first_layer(network(arrays, normal=True), PICTURE) is None


def test_a_picture_that_something_else_reads_first_says_nothing() -> None:
    assert find_first_layer(network(trained(UNIT, 0), before="positive"), PICTURE) is None


def test_channels_last_and_grey_are_read_as_they_go_in() -> None:
    grey = msgspec.structs.replace(PICTURE, color="gray", shape=[1, 1, 48, 48], mean=[0.0], std=[1.0])
    arrays = trained(UNIT, 5)
    arrays["w"] = arrays["w"].sum(axis=1, keepdims=True)
    model = network(arrays)
    model.graph.inputs[0].shape = ir.Shape([1, 1, 48, 48])
    found = weigh(model, grey)
    assert found is not None
    assert found.best in (UNIT, SIGNED)
    assert set(found.likely) <= set(RANGES)


def test_a_pack_takes_and_says_what_the_first_layer_tells(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(ir.serde.serialize_model(network(trained(PLAIN, 0))).SerializeToString())
    done = webbuild("pack", path, "--dry-run")
    assert "BGR, stretched to 48 x 48, pixel values 0..255 as they are (likely: the weights of the" in done.stderr
    assert "BGR is a guess: most networks that take 0..255 come from" in done.stderr
