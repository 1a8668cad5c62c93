"""The comparison with transformers.js: its inputs, and what is reported where it gives no result."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from benchmarks.npm_packages import ENGINE, Package, check_integrity
from benchmarks.side_by_side.measure import PageMeasurement, RunCounts
from benchmarks.transformers_js.__main__ import PAGE
from benchmarks.transformers_js.measure import confidence
from benchmarks.transformers_js.models import SHIPPED, token_count, without_postprocess, write_hub_layout
from benchmarks.transformers_js.page_loads import (
    BUNDLE,
    EXPORTED,
    PATCHED,
    FailedRuntime,
    VisitResults,
    measure_in_turn,
)
from benchmarks.transformers_js.table import Plan, is_vacuous, render_text
from tests.benchmarks.test_side_by_side import BOX, side
from tests.manifests import manifest
from webbuild.bench.formatting import DASH
from webbuild.verify.page_messages import RuntimeFailure
from webbuild.verify.page_rpc import PageError

PLANS = {"wasm": Plan(3, 3, RunCounts(12)), "webgpu": Plan(1, 1, RunCounts(3))}


def test_rt_detr_is_given_without_its_post_processing() -> None:
    rt_detr, _ = SHIPPED
    cut = without_postprocess(onnx.load(rt_detr.file))
    assert [value.name for value in cut.graph.input] == ["pixel_values"]
    assert [value.name for value in cut.graph.output] == ["logits", "pred_boxes"]
    assert "TopK" not in [node.op_type for node in cut.graph.node[-20:]]


def test_a_package_that_is_not_the_pinned_one_is_refused() -> None:
    with pytest.raises(ValueError, match="onnxruntime-web"):
        check_integrity(b"another archive", ENGINE)
    empty = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="
    check_integrity(b"", Package("nothing", "1", empty))


def test_grounding_dino_is_laid_out_with_the_processor_that_the_pipeline_needs(tmp_path: Path) -> None:
    _, grounding = SHIPPED
    laid = write_hub_layout(grounding, tmp_path)
    told = json.loads((laid / "preprocessor_config.json").read_text("utf-8"))
    assert told["processor_class"] == "GroundingDinoProcessor"
    assert told["image_processor_type"] == "GroundingDinoImageProcessor"
    assert (laid / "tokenizer.json").is_file()


def test_a_prompt_is_padded_only_where_the_graph_has_a_length(tmp_path: Path) -> None:
    _, grounding = SHIPPED
    laid = write_hub_layout(grounding, tmp_path)
    file = laid / "onnx" / "model.onnx"
    assert token_count(laid) is None
    model = onnx.load(file)
    (ids,) = [value for value in model.graph.input if value.name == "input_ids"]
    ids.type.tensor_type.shape.dim[1].dim_value = 256
    onnx.save(model, file)
    assert token_count(laid) == 256


def ways(*failing: str, taken: list[str]) -> dict[str, Callable[[], PageMeasurement]]:
    """Return the three ways to run; the named ones fail."""

    def way(name: str) -> Callable[[], PageMeasurement]:
        def measure() -> PageMeasurement:
            taken.append(name)
            if name in failing:
                raise PageError(RuntimeFailure("uncaught", f"{name}:\nno", ""))
            return side(session=100.0 * len(taken))

        return measure

    return {name: way(name) for name in (EXPORTED, PATCHED, BUNDLE)}


def test_a_way_that_failed_is_no_end_of_the_others() -> None:
    taken: list[str] = []
    found = measure_in_turn(ways(EXPORTED, PATCHED, taken=taken), 2)
    assert taken == [EXPORTED, PATCHED, BUNDLE, BUNDLE]
    assert list(found.sides) == [BUNDLE]
    assert found.failed == (FailedRuntime(EXPORTED, f"{EXPORTED}: no"), FailedRuntime(PATCHED, f"{PATCHED}: no"))
    taken.clear()
    found = measure_in_turn(ways(BUNDLE, taken=taken), 2)
    assert taken == [EXPORTED, BUNDLE, EXPORTED]
    assert list(found.sides) == [EXPORTED]


def test_visits_alternate_and_are_told_by_their_medians() -> None:
    taken: list[str] = []
    found = measure_in_turn(ways(taken=taken), 3)
    assert taken == [EXPORTED, BUNDLE] * 3
    assert found.sides[EXPORTED].session == 300.0
    assert len(found.sides[EXPORTED].times) == 60


def test_what_gives_nothing_is_told_with_its_message() -> None:
    refused = VisitResults(
        {BUNDLE: side()}, (FailedRuntime(EXPORTED, "no `Cast` | none"), FailedRuntime(PATCHED, "none either"))
    )
    patched = VisitResults({BUNDLE: side(), PATCHED: side(times=[40.0] * 20)}, (FailedRuntime(EXPORTED, "no kernel"),))
    told = render_text({"RT-DETR": {"wasm": refused, "webgpu": patched}}, PLANS, "156").splitlines()
    assert "- WASM: 3 visits of 12 runs on 3 pictures." in told
    assert "- WebGPU (adapter: google swiftshader): 1 visit of 3 runs on 1 picture." in told
    assert "| WebGPU | a run, median | 0.50 | 20.0 ms | 40.0 ms |" in told
    assert f"| WASM | a run, median | {DASH} | 20.0 ms | {DASH} |" in told
    assert "WebGPU: transformers.js has the graph that `webbuild patch` makes." in told
    assert "WebGPU: 1 of 1 objects are the same to an overlap of 0.9." in told
    assert "| RT-DETR | WASM | transformers.js, as exported | `no 'Cast' \\| none` |" in told
    assert "| RT-DETR | WASM | transformers.js, patched | `none either` |" in told
    assert "| RT-DETR | WebGPU | transformers.js, as exported | `no kernel` |" in told
    assert PAGE.is_file()


def test_nothing_is_told_of_failures_where_there_are_none() -> None:
    told = render_text({"RT-DETR": {"wasm": VisitResults({BUNDLE: side(), EXPORTED: side()}, ())}}, PLANS, "156")
    assert "did not run" not in told
    assert "webbuild patch" not in told


def test_times_of_other_work_are_no_comparison() -> None:
    far = [[[value + 30.0 for value in BOX]], []]
    assert is_vacuous(VisitResults({BUNDLE: side(), PATCHED: side(found=far)}, ()))
    assert not is_vacuous(VisitResults({BUNDLE: side(), PATCHED: side()}, ()))
    assert not is_vacuous(VisitResults({BUNDLE: side()}, ()))


def test_both_find_at_the_bundles_threshold() -> None:
    assert confidence(manifest()) == 0.25
