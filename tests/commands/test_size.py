"""`pack --size`: a bundle for images of that size, or an error and nothing written."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest

from tests.commands.program import pack, refused, webbuild
from tests.models import HEADER, parsed, save, weights
from webbuild.manifest.manifest import ImageInput

pytestmark = pytest.mark.usefixtures("stand_in")

FREE = f"""{HEADER}
pictures (float[n,3,h,w] x) => (float[n,4,a,b] y)
{{ y = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, w) }}
"""
EMBEDDED = f"""{HEADER}
patches (float[n,3,h,w] x) => (float[n,tokens,4] y)
<int64[3] rows = {{0, 4, -1}}>
{{
  p = Conv <kernel_shape = [8, 8], strides = [8, 8]> (x, w)
  q = Reshape (p, rows)
  t = Transpose <perm = [0, 2, 1]> (q)
  two = Add (t, bias)
  [placed] y = Add (two, positions)
}}
"""


@pytest.fixture
def free(tmp_path: Path) -> Path:
    proto = parsed(FREE)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights(4, 3, 3, 3), "w"))
    return save(proto, tmp_path / "free.onnx")


@pytest.fixture
def embedded(tmp_path: Path) -> Path:
    """A model for images of 32 x 32 that declares its height and width as dynamic."""
    proto = parsed(EMBEDDED)
    arrays = {"w": weights(4, 3, 8, 8), "bias": weights(1, 1, 4), "positions": weights(1, 16, 4)}
    proto.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in arrays.items())
    return save(proto, tmp_path / "embedded.onnx")


def test_pictures_are_resized_to_it(free: Path) -> None:
    manifest = pack(free, "--size", "48x32")
    (image,) = manifest.inputs
    assert isinstance(image, ImageInput)
    assert list(image.shape) == [1, 3, 32, 48]
    assert [list(output.shape) for output in manifest.outputs] == [[1, 4, 32, 48]]


def test_position_embeddings_of_another_size_are_refused_with_that_size(embedded: Path, tmp_path: Path) -> None:
    done = webbuild("pack", embedded, "-o", tmp_path / "bundle", "--size", "64", "--no-verify")
    assert (done.code, done.error) == (2, "one-size-only")
    assert "'positions' [1, 16, 4] of Add 'placed' is a constant, made for pictures of 32x32" in done.stderr
    assert not (tmp_path / "bundle").exists()


def test_the_size_of_the_embeddings_is_taken(embedded: Path) -> None:
    assert [list(each.shape) for each in pack(embedded, "--size", "32").outputs] == [[1, 16, 4]]


def test_the_inspection_and_a_patched_file_have_it_too(free: Path, tmp_path: Path) -> None:
    done = webbuild("inspect", free, "--target", "1.30.0-webgpu", "--size", "48x32", "--json")
    assert [each["shape"] for each in json.loads(done.stdout)["inputs"]] == [[1, 3, 32, 48]]
    done = webbuild("patch", free, "-o", tmp_path / "out", "--size", "48x32", "--json")
    (outcome,) = json.loads(done.stdout)
    (picture,) = onnx.load(outcome["files"][0]["file"]).graph.input
    assert [dim.dim_value for dim in picture.type.tensor_type.shape.dim] == [1, 3, 32, 48]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--size", "big"], "invalid-size"),
        (["--size", "320,320"], "invalid-size"),
        (["--size", "64", "--dim", "h=64"], "conflicting-options"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(free: Path, options: list[str], error: str) -> None:
    assert refused(free, *options) == error
