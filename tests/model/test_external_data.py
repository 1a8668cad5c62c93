"""External weights next to the model: inside its folder, existing, and complete."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.models import convolution, save, save_external, weights
from webbuild.errors import WebbuildError
from webbuild.model.load import load_onnx


def pointing(tmp_path: Path, location: str, **entries: str) -> Path:
    """Save a model, in its own folder, whose weight refers to the external file `location`."""
    model = convolution()
    tensor = model.graph.initializer[-1]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in {"location": location, "length": "432", **entries}.items():
        tensor.external_data.add(key=key, value=value)
    return save(model, tmp_path / "folder" / "model.onnx")


def code(path: Path) -> str:
    with pytest.raises(WebbuildError) as caught:
        load_onnx(path)
    assert caught.value.fix
    return caught.value.code


def test_data_beside_the_model_is_read_and_counted(tmp_path: Path) -> None:
    path = save_external(convolution(), tmp_path / "model.onnx", "model.onnx.data")
    source = load_onnx(path)
    assert source.size == path.stat().st_size + (tmp_path / "model.onnx.data").stat().st_size
    tensor = source.model.graph.initializers["weight"].const_value
    assert tensor is not None
    np.testing.assert_array_equal(tensor.numpy(), weights(4, 3, 3, 3))


def test_data_in_a_folder_below_the_model_is_read(tmp_path: Path) -> None:
    path = pointing(tmp_path, "below/weights.bin")
    (path.parent / "below").mkdir()
    (path.parent / "below" / "weights.bin").write_bytes(bytes(432))
    assert load_onnx(path).size == path.stat().st_size + 432


@pytest.mark.parametrize("location", ["nul\0l", "x" * 5000, "x/" * 5000])
def test_a_name_that_no_file_can_have_is_of_none(tmp_path: Path, location: str) -> None:
    assert code(pointing(tmp_path, location)) == "external-data-missing"


@pytest.mark.parametrize("entry", ["offset", "length"])
def test_a_number_of_thousands_of_digits_is_behind_the_end(tmp_path: Path, entry: str) -> None:
    path = pointing(tmp_path, "weights.bin", **{entry: "9" * 5000})
    (path.parent / "weights.bin").write_bytes(bytes(432))
    assert code(path) == "external-data-truncated"


def test_data_that_is_not_there_is_asked_for_by_name(tmp_path: Path) -> None:
    with pytest.raises(WebbuildError, match=r"weights\.bin.*missing") as caught:
        load_onnx(pointing(tmp_path, "weights.bin"))
    assert caught.value.code == "external-data-missing"
    assert "weights.bin" in caught.value.fix


@pytest.mark.parametrize("location", ["../weights.bin", "below/../../weights.bin", "", "..", "./../weights.bin"])
def test_data_outside_the_folder_is_refused(tmp_path: Path, location: str) -> None:
    (tmp_path / "weights.bin").write_bytes(bytes(432))
    assert code(pointing(tmp_path, location)) == "external-data-outside"


def test_an_absolute_path_is_refused(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(bytes(432))
    assert code(pointing(tmp_path, str(tmp_path / "weights.bin"))) == "external-data-outside"


def test_a_link_that_leads_outside_is_refused(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(bytes(432))
    path = pointing(tmp_path, "inside.bin")
    (path.parent / "inside.bin").symlink_to(tmp_path / "weights.bin")
    assert code(path) == "external-data-outside"


def test_a_file_that_also_has_another_name_is_refused(tmp_path: Path) -> None:
    path = pointing(tmp_path, "weights.bin")
    (tmp_path / "elsewhere.bin").write_bytes(bytes(432))
    (path.parent / "weights.bin").hardlink_to(tmp_path / "elsewhere.bin")
    assert code(path) == "external-data-linked"


def test_a_folder_reached_through_a_link_is_the_models_own(tmp_path: Path) -> None:
    path = pointing(tmp_path, "weights.bin")
    (path.parent / "weights.bin").write_bytes(bytes(432))
    (tmp_path / "link").symlink_to(path.parent)
    assert load_onnx(tmp_path / "link" / "model.onnx").size > 432


@pytest.mark.parametrize("size", [0, 1, 431])
def test_data_that_is_cut_off_is_refused(tmp_path: Path, size: int) -> None:
    path = pointing(tmp_path, "weights.bin")
    (path.parent / "weights.bin").write_bytes(bytes(size))
    assert code(path) == "external-data-truncated"


def test_an_offset_beyond_the_end_is_refused(tmp_path: Path) -> None:
    path = pointing(tmp_path, "weights.bin", offset="4096")
    (path.parent / "weights.bin").write_bytes(bytes(432))
    assert code(path) == "external-data-truncated"


@pytest.mark.parametrize("length", [None, "", "7", "minus one", "-1", "431"])
def test_a_length_that_is_not_the_tensors_is_refused(tmp_path: Path, length: str | None) -> None:
    path = pointing(tmp_path, "weights.bin", **({} if length is None else {"length": length}))
    if length is None:
        model = onnx.load(path, load_external_data=False)
        del model.graph.initializer[-1].external_data[1:]
        save(model, path)
    (path.parent / "weights.bin").write_bytes(bytes(100))
    assert code(path) in ("external-data-truncated", "invalid-model")


def test_data_of_a_constant_inside_a_branch_is_checked_too(tmp_path: Path) -> None:
    tensor = onnx.TensorProto(name="t", dims=[4], data_type=1, data_location=onnx.TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="../weights.bin")
    inner = onnx.helper.make_graph([], "g", [], [], initializer=[tensor])
    model = convolution()
    model.graph.node.append(onnx.helper.make_node("If", ["c"], ["z"], then_branch=inner, else_branch=inner))
    assert code(save(model, tmp_path / "folder" / "model.onnx")) == "external-data-outside"


@pytest.mark.parametrize("kind", [0, 99])
def test_data_of_a_type_that_has_no_size_is_refused(tmp_path: Path, kind: int) -> None:
    path = pointing(tmp_path, "weights.bin")
    (path.parent / "weights.bin").write_bytes(bytes(432))
    model = onnx.load(path, load_external_data=False)
    model.graph.initializer[-1].data_type = kind
    assert code(save(model, path)) == "invalid-model"
