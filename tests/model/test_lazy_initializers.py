"""Large weights, memory-mapped: the same model, the same refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import numpy_helper

from tests.models import parsed
from webbuild.errors import WebbuildError
from webbuild.model import lazy_initializers
from webbuild.model import read_file as model
from webbuild.model.load import OnnxModel, load_onnx
from webbuild.runners.native import NativeRunner

TEXT = """<ir_version: 8, opset_import: ["" : 17]>
g (float[1,4] x) => (float[1,3] y) <int64[2] s = {1, 3}> { p = MatMul (x, w) q = Add (p, b) y = Reshape (q, s) }"""


@pytest.fixture(autouse=True)
def _small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "LARGE_FILE_BYTES", 0)
    monkeypatch.setattr(lazy_initializers, "_MIN_TENSOR_BYTES", 12)


def proto() -> onnx.ModelProto:
    made = parsed(TEXT)
    generator = np.random.default_rng(0)
    for name, shape in (("w", (4, 3)), ("b", (3,))):
        values = generator.random(shape, np.float32)
        made.graph.initializer.append(numpy_helper.from_array(values, name))
    return made


def saved(made: onnx.ModelProto, folder: Path) -> Path:
    path = folder / "model.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def held(source: OnnxModel) -> dict[str, list[float]]:
    values = source.model.graph.initializers.values()
    return {value.name or "": value.const_value.numpy().ravel().tolist() for value in values if value.const_value}


def test_weights_stay_in_the_file_and_are_the_same(tmp_path: Path) -> None:
    made = proto()
    source = load_onnx(saved(made, tmp_path))
    tensors = {value.name: value.const_value for value in source.model.graph.initializers.values()}
    assert {name for name, each in tensors.items() if isinstance(each, ir.ExternalTensor)} == {"w", "b"}
    assert held(source) == {each.name: numpy_helper.to_array(each).ravel().tolist() for each in made.graph.initializer}
    assert source.size == len(made.SerializeToString())
    assert source.graph_bytes is not None
    assert numpy_helper.to_array(made.graph.initializer[1]).tobytes() not in source.graph_bytes


def test_a_session_of_the_graph_alone_answers_as_the_file_does(tmp_path: Path) -> None:
    path = saved(proto(), tmp_path)
    feeds = {"x": np.arange(4, dtype=np.float32)[None]}
    alone = NativeRunner(path, load_onnx(path).graph_bytes).run(feeds)["y"]
    assert np.abs(alone).max() > 0
    np.testing.assert_array_equal(alone, NativeRunner(path).run(feeds)["y"])


def test_a_small_file_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(proto(), tmp_path)
    apart = load_onnx(path)
    monkeypatch.setattr(model, "LARGE_FILE_BYTES", 1 << 20)
    whole = load_onnx(path)
    assert whole.graph_bytes is None
    assert held(whole) == held(apart)
    assert (whole.sha256, whole.size, whole.signature) == (apart.sha256, apart.size, apart.signature)


def test_a_file_that_a_link_leads_to_is_read_whole(tmp_path: Path) -> None:
    path = saved(proto(), tmp_path)
    link = tmp_path / "link.onnx"
    link.symlink_to(path)
    assert load_onnx(link).graph_bytes is None


def test_a_file_cut_off_anywhere_is_refused_as_a_small_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = proto().SerializeToString()
    path = tmp_path / "cut.onnx"
    for end in range(7, len(data), 7):
        path.write_bytes(data[:end])
        told = []
        for least in (0, 1 << 20):
            monkeypatch.setattr(model, "LARGE_FILE_BYTES", least)
            with pytest.raises(WebbuildError) as error:
                load_onnx(path)
            told.append(error.value.code)
        assert told[0] == told[1], end


def test_a_tensor_of_too_few_bytes_is_not_read_from_what_is_behind_it(tmp_path: Path) -> None:
    made = proto()
    made.graph.initializer[1].dims[0] = 40
    with pytest.raises(WebbuildError, match="too small"):
        load_onnx(saved(made, tmp_path))
