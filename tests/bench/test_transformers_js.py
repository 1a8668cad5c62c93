"""The comparison with transformers.js: what it is given, and what is told where it gives nothing."""

from __future__ import annotations

import onnx
import pytest

from bench.transformers_js.__main__ import PAGE, Compared, text
from bench.transformers_js.measure import confidence
from bench.transformers_js.models import SHIPPED, without_ending
from bench.transformers_js.packages import ENGINE, Package, check
from tests.bench.test_plain import side
from tests.manifests import manifest


def test_rt_detr_is_given_without_its_post_processing() -> None:
    rt_detr, _ = SHIPPED
    cut = without_ending(onnx.load(rt_detr.file))
    assert [value.name for value in cut.graph.input] == ["pixel_values"]
    assert [value.name for value in cut.graph.output] == ["logits", "pred_boxes"]
    assert "TopK" not in [node.op_type for node in cut.graph.node[-20:]]


def test_a_package_that_is_not_the_pinned_one_is_refused() -> None:
    with pytest.raises(ValueError, match="onnxruntime-web"):
        check(b"another archive", ENGINE)
    empty = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="
    check(b"", Package("nothing", "1", empty))


def test_what_gives_nothing_is_told_with_its_message() -> None:
    refused = Compared(side(), None, "no kernel for Cast", "none either")
    mended = Compared(side(), side(p50=40.0), "no kernel for Cast")
    told = text({"RT-DETR": {"wasm": refused, "webgpu": mended}}, "156", 5)
    assert "| WebGPU | a run, median | 0.50 | 20.0 ms | 40.0 ms |" in told
    assert "| WASM |" not in told
    assert "WASM: transformers.js gives nothing of the model as it was exported (`no kernel for Cast`); nor" in told
    assert "WebGPU: 1 of 1 objects are the same" in told
    assert PAGE.is_file()


def test_both_find_at_the_bundles_threshold() -> None:
    assert confidence(manifest()) == 0.25
