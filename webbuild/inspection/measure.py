"""Measures a model in Chromium to check the prediction of an inspection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.browser.chromium import open_chromium
from webbuild.errors import USAGE, WebbuildError, printable
from webbuild.inspection.graph import walk_nodes, with_fixed_sizes
from webbuild.inspection.measured_outcome import Measurement, RunOutcome, compare_with_prediction, indexed_name
from webbuild.inspection.result import Inspection
from webbuild.model.cache_folder import cache_folder
from webbuild.model.load import OnnxModel
from webbuild.ortweb.build import get_build
from webbuild.passes.analysis.input_ranges import input_ranges
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.probe.browser_harness import ProbeHarness, ProbeResponse, open_harness
from webbuild.probe.probe_model import Probe
from webbuild.runners.native import NativeRunner
from webbuild.samples.random_inputs import random_feeds
from webbuild.targets.target import parse_target

MAX_MODEL_BYTES = 1 << 29
"""Maximum bytes of a model that is sent to the page as one string."""
_MAX_OUTPUT_BYTES = 1 << 27
"""Maximum bytes of intermediate values that are returned to find the first wrong one."""
_TOLERANCE = 1e-3
"""Relative to an output's largest magnitude: engines sum in different orders."""

Tensors = dict[str, NDArray[Any]]


def measure_in_chromium(
    inspection: Inspection, source: OnnxModel, dims: Mapping[str, int], seconds: float = 300
) -> Measurement:
    """Create a session of a model with the inspected sizes, and run it once on random inputs.

    Raises:
        WebbuildError: `no-chromium`, `chromium-failed`, `no-adapter`, `version-not-found`, `unknown-build`,
            `too-large-to-measure`, `cannot-generate-input`.
    """
    build = get_build(parse_target(inspection.target), cache_folder())
    with open_chromium() as browser, open_harness(browser, build, seconds) as page:
        page.adapter()
        return measure_in_page(page, inspection, source, dims)


def measure_in_page(
    page: ProbeHarness, inspection: Inspection, source: OnnxModel, dims: Mapping[str, int], feeds: Tensors | None = None
) -> Measurement:
    """Measure a model in an open page, on `feeds` or else random inputs. See `measure_in_chromium`."""
    model = _with_indexed_names(source, dims)
    feeds = random_feeds(inspection.model, inspection.inputs, input_ranges(model)) if feeds is None else feeds
    data = serialize(model, source.path.name)
    if any(value.dtype is ir.DataType.STRING for value in (*model.graph.inputs, *model.graph.outputs)):
        (answer,) = page.measure([Probe("model", "", 0, "", data, {}, run=False)])
        return compare_with_prediction(
            inspection, model, answer.log, run_outcome(answer, None), printable(answer.error or "not run: text"), None
        )
    native_outputs, refused = _native(source.path, data, feeds)
    (answer,) = page.measure([_probe(data, feeds)])
    outcome = run_outcome(answer, native_outputs)
    wrong = _first_wrong(page, model, source.path, feeds) if outcome == "wrong" else None
    return compare_with_prediction(inspection, model, answer.log, outcome, printable(answer.error or refused), wrong)


def _with_indexed_names(source: OnnxModel, dims: Mapping[str, int]) -> ir.Model:
    """Return a copy of a model with these sizes, its nodes named by their index in the inspection."""
    model = with_fixed_sizes(source.model, dims)
    for index, node in enumerate(list(walk_nodes(model.graph))):
        node.node.name = indexed_name(index)
    return model


def serialize(model: ir.Model, file: str, largest: int = MAX_MODEL_BYTES) -> bytes:
    """Return a model as bytes, including external data. Raises WebbuildError `too-large-to-measure`."""
    weights = sum(value.const_value.nbytes for value in model.graph.initializers.values() if value.const_value)
    if weights > largest:
        raise WebbuildError(
            "too-large-to-measure",
            f"{file}: {weights >> 20} MiB of weights; a page takes at most {largest >> 20} MiB",
            "measure it in a bundle: webbuild pack, then webbuild verify",
            exit_code=USAGE,
        )
    ir.external_data.load_to_model(model)
    data: bytes = ir.to_proto(model).SerializeToString()
    return data


def run_outcome(answer: ProbeResponse, expected: Mapping[str, NDArray[Any]] | None) -> RunOutcome:
    """Return the outcome of a run. Without expected outputs, any output counts as right."""
    if answer.stage:
        return "no-session" if answer.stage == "create" else "throws"
    if expected is None:
        return "runs"
    return "wrong" if any(True for _ in _differing_outputs(answer, expected)) else "runs"


def _probe(data: bytes, feeds: Tensors) -> Probe:
    return Probe("model", "", 0, "", data, feeds)


def _native(path: Path, data: bytes, feeds: Tensors) -> tuple[Tensors | None, str]:
    """Return the outputs of native ONNX Runtime, or None and why there are none."""
    try:
        return NativeRunner(path, data).run(feeds), ""
    except WebbuildError as error:
        return None, f"not compared: {error.message}"


def _first_wrong(page: ProbeHarness, model: ir.Model, path: Path, feeds: Tensors) -> int | None:
    """Return the first node with a wrong result, after making all values outputs, which prevents some fusions."""
    infer_shapes(model)  # an output needs a type
    node_by_output: dict[str, int] = {}
    for node in model.graph:
        for value in node.outputs:
            node_by_output[value.name or ""] = int((node.name or "n0")[1:])
            if value.name and value.dtype is not None and not value.is_graph_output():
                model.graph.outputs.append(value)
    data = ir.to_proto(model).SerializeToString()
    expected, _ = _native(path, data, feeds)
    if expected is None or sum(value.nbytes for value in expected.values()) > _MAX_OUTPUT_BYTES:
        return None
    (answer,) = page.measure([_probe(data, feeds)])
    if answer.stage:
        return None
    return min(
        (node_by_output[each] for each in _differing_outputs(answer, expected) if each in node_by_output), default=None
    )


def _differing_outputs(answer: ProbeResponse, expected: Mapping[str, NDArray[Any]]) -> Iterator[str]:
    for each, want in expected.items():
        got = answer.outputs.get(each)
        if got is None or not _is_close(got.array(), want):
            yield each


def _is_close(got: NDArray[Any], want: NDArray[Any]) -> bool:
    if got.shape != want.shape:
        return False
    if want.dtype.kind != "f":
        return bool(np.array_equal(got, want))
    finite = np.abs(want[np.isfinite(want)]).astype(np.float64)
    limit = _TOLERANCE * float(finite.max(initial=0.0))
    return bool(np.allclose(got.astype(np.float64), want.astype(np.float64), rtol=0, atol=limit, equal_nan=True))
