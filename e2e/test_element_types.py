"""Tensors of each integer type in Chromium: inputs and outputs equal native ONNX Runtime's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.conftest import Webbuild
from tests.models import HEADER, parsed, save
from webbuild.browser.chromium import BrowserHandle


@pytest.mark.parametrize(
    ("types", "backends"),
    [(("int8", "uint8", "uint32", "uint64"), {"webgpu", "wasm"}), (("int16", "uint16"), {"wasm"})],
    ids=["all builds", "WASM"],  # the WebGPU build has no CPU kernels for 16-bit integers
)
def test_each_integer_type_is_an_input_and_an_output(
    webbuild: Webbuild, webgpu: BrowserHandle, tmp_path: Path, types: tuple[str, ...], backends: set[str]
) -> None:
    inputs, outputs = (", ".join(f"{each}[1,5] {name}_{each}" for each in types) for name in "xy")
    nodes = " ".join(
        f"f_{each} = Cast <to = 1> (x_{each}) d_{each} = Add (f_{each}, one) y_{each} = CastLike (d_{each}, x_{each})"
        for each in types
    )
    model = parsed(f"{HEADER} m ({inputs}) => ({outputs}) <float one = {{1.0}}> {{ {nodes} }}")
    done = webbuild("pack", save(model, tmp_path / "m.onnx"), "-o", tmp_path / "out", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    runs = json.loads(done.stdout)["verify"]["backends"]
    assert {run["backend"] for run in runs} >= backends
    for run in runs:
        compared = [each for result in run["results"] for each in result["comparisons"]]
        assert {f"y_{each}" for each in types} <= {each["subject"]["output"] for each in compared}
        assert {each["verdict"] for each in compared} == {"OK"}
