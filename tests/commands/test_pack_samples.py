"""Tensors given as samples: used, or refused with their names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.commands.program import pack, refused
from tests.models import convolution, save, weights
from webbuild.runners.native import NativeRunner

pytestmark = pytest.mark.usefixtures("stand_in")


def test_tensors_given_as_samples_are_used(tmp_path: Path) -> None:
    path = save(convolution(), tmp_path / "small.onnx")
    np.savez(tmp_path / "one.npz", x=weights(1, 3, 8, 8))
    manifest = pack(path, "--sample", str(tmp_path / "one.npz"))
    assert manifest.golden is not None
    assert manifest.golden.sample == "one.npz"
    stored = np.fromfile(tmp_path / "out" / manifest.golden.inputs["x"], np.float32)
    np.testing.assert_array_equal(stored, weights(1, 3, 8, 8).ravel())


def test_samples_of_one_name_are_told_apart(tmp_path: Path) -> None:
    path = save(convolution(), tmp_path / "small.onnx")
    inputs = {"first": 9 * weights(1, 3, 8, 8), "second": weights(1, 3, 8, 8)}
    for folder, x in inputs.items():
        (tmp_path / folder).mkdir()
        np.savez(tmp_path / folder / "one.npz", x=x.astype(np.float32))
    given = [str(tmp_path / folder / "one.npz") for folder in inputs]
    manifest = pack(path, "--sample", given[0], "--sample", given[1])
    assert manifest.golden is not None
    read = {
        name: np.fromfile(tmp_path / "out" / file, np.float32)
        for name, file in (("x", manifest.golden.inputs["x"]), ("y", manifest.golden.outputs["y"]))
    }
    answer = NativeRunner(path).run({"x": read["x"].reshape(1, 3, 8, 8)})
    np.testing.assert_allclose(read["y"], answer["y"].ravel(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", ["no file", "no archive", "wrong name", "wrong shape", "wrong type", "a pickle"])
def test_samples_that_do_not_fit_are_refused(tmp_path: Path, case: str) -> None:
    path, sample = save(convolution(), tmp_path / "small.onnx"), tmp_path / "one.npz"
    match case:
        case "no archive":
            sample.write_bytes(b"hello")
        case "wrong name":
            np.savez(sample, z=weights(1, 3, 8, 8))
        case "wrong shape":
            np.savez(sample, x=weights(1, 3, 8, 9))
        case "wrong type":
            np.savez(sample, x=weights(1, 3, 8, 8).astype(np.float64))
        case "a pickle":
            np.savez(sample, x=np.array([{}], object), allow_pickle=True)
    assert refused(path, "--sample", str(sample)) in ("sample-not-found", "unreadable-tensors", "invalid-sample")


def test_a_folder_stands_for_the_pictures_in_it(tmp_path: Path) -> None:
    path = save(convolution(), tmp_path / "small.onnx")
    (tmp_path / "pictures").mkdir()
    assert refused(path, "--sample", str(tmp_path / "pictures")) == "sample-not-found"
    (tmp_path / "pictures" / "notes.txt").write_text("none")
    for name in ("b.png", "a.jpg"):
        Image.new("RGB", (8, 8), "orange").save(tmp_path / "pictures" / name)
    manifest = pack(path, "--scale", "1/255", "--sample", str(tmp_path / "pictures"))
    assert manifest.golden is not None
    assert manifest.golden.sample == "a.jpg"


def test_a_sample_that_is_missing_is_told_before_the_model_is_looked_for(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.onnx", "--sample", str(tmp_path / "none.jpg")) == "sample-not-found"
