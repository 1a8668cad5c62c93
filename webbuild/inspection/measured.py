"""A model measured in Chromium, to hold a prediction against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.browser.chromium import chromium
from webbuild.errors import USAGE, WebbuildError, printable
from webbuild.facts import TensorFact
from webbuild.inspection.graph import frozen, walk
from webbuild.inspection.inspection import Inspection
from webbuild.inspection.truth import End, Measurement, compared, name
from webbuild.model import Source
from webbuild.passes._shapes import infer
from webbuild.probe.engine import cache_folder, engine
from webbuild.probe.lab import Answer, Lab, lab
from webbuild.probe.node import Probe
from webbuild.targets.target import parse
from webbuild.verify.native import NativeRunner

LARGEST = 1 << 29
"""Bytes of a model that goes into the page as one text."""
_SEEN = 1 << 27
"""Bytes of intermediate values that come back to find the first wrong one."""
_TOLERANCE = 1e-3
"""Of an output's largest magnitude: engines add in other orders."""

Arrays = dict[str, NDArray[Any]]


def measure(inspection: Inspection, source: Source, dims: Mapping[str, int], seconds: float = 300) -> Measurement:
    """Make a session of a model, in the sizes that were inspected, and run it once on random inputs.

    Raises:
        WebbuildError: `no-chromium`, `chromium-failed`, `no-adapter`, `no-version`, `no-build`, `too-large-to-measure`,
            `not-fed`.
    """
    build = engine(parse(inspection.target), cache_folder())
    with chromium() as browser, lab(browser, build, seconds) as page:
        page.adapter()
        return measured_in(page, inspection, source, dims)


def measured_in(
    page: Lab, inspection: Inspection, source: Source, dims: Mapping[str, int], feeds: Arrays | None = None
) -> Measurement:
    """Measure a model in a page that is open, on random inputs where none are given. See `measure`."""
    model = named(source, dims)
    feeds = random_feeds(inspection.model, inspection.inputs) if feeds is None else feeds
    data = serialised(model, source.path.name)
    if any(value.dtype is ir.DataType.STRING for value in (*model.graph.inputs, *model.graph.outputs)):
        (answer,) = page.measure([Probe("model", "", 0, "", data, {}, run=False)])
        return compared(inspection, answer.log, ended(answer, None), printable(answer.error or "not run: text"), None)
    wanted, refused = _native(source.path, data, feeds)
    (answer,) = page.measure([_probe(data, feeds)])
    end = ended(answer, wanted)
    wrong = _first_wrong(page, model, source.path, feeds) if end == "wrong" else None
    return compared(inspection, answer.log, end, printable(answer.error or refused), wrong)


def named(source: Source, dims: Mapping[str, int]) -> ir.Model:
    """Return a copy of a model in these sizes, its nodes named by their places in the order of the inspection."""
    model = frozen(source.model, dims)
    for index, node in enumerate(list(walk(model.graph))):
        node.node.name = name(index)
    return model


def serialised(model: ir.Model, file: str, largest: int = LARGEST) -> bytes:
    """Return a model with its external data inside. Raises WebbuildError `too-large-to-measure`."""
    weights = sum(value.const_value.nbytes for value in model.graph.initializers.values() if value.const_value)
    if weights > largest:
        raise WebbuildError(
            "too-large-to-measure",
            f"{file}: {weights >> 20} MiB of weights; a page is given {largest >> 20} at most",
            "measure it in a bundle: webbuild pack, then webbuild verify",
            exit_code=USAGE,
        )
    ir.external_data.load_to_model(model)
    data: bytes = ir.to_proto(model).SerializeToString()
    return data


def random_feeds(file: str, inputs: Sequence[TensorFact]) -> Arrays:
    """Return values for every input of a model's file: floats in 0..1, integers and booleans 0 or 1.

    Raises:
        WebbuildError: `not-fed` for an input that is no tensor of numbers.
    """
    generator = np.random.default_rng(0)
    feeds: Arrays = {}
    for fact in inputs:
        sizes = [size if isinstance(size, int) else 1 for size in fact.shape]
        try:
            kind = np.dtype(fact.dtype)
        except TypeError:
            kind = np.dtype(object)
        if kind.kind not in "fiub":
            raise WebbuildError(
                "not-fed",
                f"{file}: input '{fact.name}' is {fact.dtype}; only tensors of numbers are made up",
                "leave out what would run the model, such as --measure",
                exit_code=USAGE,
            )
        floats = kind.kind == "f"
        feeds[fact.name] = (generator.random(sizes) if floats else generator.integers(0, 2, sizes)).astype(kind)
    return feeds


def ended(answer: Answer, wanted: Mapping[str, NDArray[Any]] | None) -> End:
    """Return how a run ended. Without anything to compare with, what came out counts as right."""
    if answer.stage:
        return "no-session" if answer.stage == "create" else "throws"
    if wanted is None:
        return "runs"
    return "wrong" if any(True for _ in _differing(answer, wanted)) else "runs"


def _probe(data: bytes, feeds: Arrays) -> Probe:
    return Probe("model", "", 0, "", data, feeds)


def _native(path: Path, data: bytes, feeds: Arrays) -> tuple[Arrays | None, str]:
    """Return what native ONNX Runtime gives, or why it gives nothing."""
    try:
        return NativeRunner(path, data).run(feeds), ""
    except WebbuildError as error:
        return None, f"not compared: {error.message}"


def _first_wrong(page: Lab, model: ir.Model, path: Path, feeds: Arrays) -> int | None:
    """Return the first node with a wrong answer, given all of them as outputs. That keeps some from being fused."""
    infer(model)  # an output needs a type
    made: dict[str, int] = {}
    for node in model.graph:
        for value in node.outputs:
            made[value.name or ""] = int((node.name or "n0")[1:])
            if value.name and value.dtype is not None and not value.is_graph_output():
                model.graph.outputs.append(value)
    data = ir.to_proto(model).SerializeToString()
    wanted, _ = _native(path, data, feeds)
    if wanted is None or sum(value.nbytes for value in wanted.values()) > _SEEN:
        return None
    (answer,) = page.measure([_probe(data, feeds)])
    if answer.stage:
        return None
    return min((made[each] for each in _differing(answer, wanted) if each in made), default=None)


def _differing(answer: Answer, wanted: Mapping[str, NDArray[Any]]) -> Iterator[str]:
    for each, want in wanted.items():
        held = answer.outputs.get(each)
        if held is None or not _same(held.array(), want):
            yield each


def _same(got: NDArray[Any], want: NDArray[Any]) -> bool:
    if got.shape != want.shape:
        return False
    if want.dtype.kind != "f":
        return bool(np.array_equal(got, want))
    finite = np.abs(want[np.isfinite(want)]).astype(np.float64)
    limit = _TOLERANCE * float(finite.max(initial=0.0))
    return bool(np.allclose(got.astype(np.float64), want.astype(np.float64), rtol=0, atol=limit, equal_nan=True))
