"""A sample of the zoo: models that native ONNX Runtime runs are patched, and right in Chromium on WebGPU and WASM."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.zoo.__main__ import measure
from benchmarks.zoo.row import Row
from benchmarks.zoo.stored import STORED, restore
from benchmarks.zoo.zoo_model import load_zoo

NAMES = sorted(file.name.removesuffix(".zst") for file in STORED.glob("*.zst"))
ONE_OF_EACH_KIND = {
    "bert.ts14-free.dynamic-int8",
    "detr.ts17.slim",
    "gtcrn.ts11",
    "llama-past.ts17-free.q4",
    "modernbert.dynamo18-free",
    "resnet10t.ts9.opset21",
    "segformer.dynamo18",
    "shufflenet.ts11.qoperator",
    "swin.ts17.ort-swin",
    "tf-ssd.tf2onnx",
}
"""Each exporter, quantizer and optimizer, dynamic sizes, a state; images, text and audio. The others are slow."""


@pytest.fixture(scope="module")
def rows(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    """Return the result of each model that a test requests."""
    folder = tmp_path_factory.mktemp("zoo")
    chosen = {item.name for item in request.session.items if item.path == request.path}
    for name in NAMES:
        if f"test_it_is_taken_and_right[{name}]" in chosen:
            restore(STORED / f"{name}.zst", folder)
    models = list(load_zoo(folder, ""))
    with ThreadPoolExecutor(1) as pool:  # another file's `with_gpu` may run: a thread has one Playwright at a time
        measured = pool.submit(measure, models, folder / "patched", unpatched=False).result()
    return {row.name: row for row in measured}


def test_the_sample_is_there() -> None:
    assert len(NAMES) >= 30
    assert set(NAMES) >= ONE_OF_EACH_KIND


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in ONE_OF_EACH_KIND else pytest.mark.slow) for name in NAMES]
)
def test_it_is_taken_and_right(rows: dict[str, Row], name: str) -> None:
    row = rows[name]
    assert (row.patched.error, row.patched.error_with_sizes, row.patched.on_wasm) == ("", "", "")
    assert (row.after.ending, row.wasm.ending) == ("right", "right"), (row.after.reason, row.wasm.reason)
    assert not row.mispredicted, f"on the CPU: {row.after.cpu}, predicted: {row.patched.predicted_cpu}"
    assert row.after.gpu_nodes
