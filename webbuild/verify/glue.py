"""Glue (JavaScript between two stages), run in a browser on the outputs of the native stages before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.browser.open_browser import LOCAL, Endpoint, open_browser
from webbuild.browser.server import Server
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import TensorInput
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.page_messages import RuntimeFailure
from webbuild.verify.page_rpc import PageError
from webbuild.verify.page_runner import PageRunner
from webbuild.verify.report import Problem, problem_of
from webbuild.verify.run_problems import page_error_problem
from webbuild.verify.variant_reference import VariantReference

GluedInputs = tuple[Sequence[VerifyInput], Sequence[Problem]]
RunGlue = Callable[[Bundle, Sequence[VerifyInput], Sequence[VariantReference]], GluedInputs]
"""Returns the inputs of a stage, completed by its module's outputs, and problems."""

_FIX = "correct the module, and pack the model again"


def glue_in(endpoint: Endpoint, seconds: float) -> RunGlue:
    """Return a function that runs glue in a browser, with a time limit of `seconds` per step."""

    def run(bundle: Bundle, inputs: Sequence[VerifyInput], earlier: Sequence[VariantReference]) -> GluedInputs:
        if bundle.glue is None or bundle.variant != bundle.stage:
            return inputs, ()
        if not any(verify_input.files for verify_input in earlier[0].inputs):
            what = f"no sample is a picture, so {bundle.glue.file} did not run"
            problem = Problem("glue-not-run", bundle.stage, what, "give a picture: webbuild verify DIR --sample FILE")
            return inputs, (problem,)
        try:
            return _run_glue(bundle, inputs, earlier, endpoint, seconds), ()
        except PageError as error:
            return inputs, (page_error_problem(bundle.stage, error),)
        except WebbuildError as error:
            if endpoint.url == LOCAL:
                raise
            return inputs, (problem_of(error, bundle.stage),)

    return run


def _run_glue(
    bundle: Bundle,
    inputs: Sequence[VerifyInput],
    earlier: Sequence[VariantReference],
    endpoint: Endpoint,
    seconds: float,
) -> list[VerifyInput]:
    """Return the inputs of a stage with the tensors that its module computes from the outputs of earlier stages.

    Raises:
        PageError: `glue-failed`, or an error of loading the bundle.
        WebbuildError: the browser cannot be reached.
    """
    assert bundle.glue is not None
    done = []
    with (
        Server(bundle.directory) as server,
        open_browser(endpoint, server) as browser,
        browser.page() as (page, _),
    ):
        runner = PageRunner(page, server, f"{bundle.stage} {bundle.glue.file}", seconds=seconds)
        if "results" in (bundle.directory / bundle.glue.file).read_text("utf-8"):
            runner.load(bundle.loader_file, "wasm", size=earlier[0].bundle.size)
        for at, (verify_input, first) in enumerate(zip(inputs, earlier[0].inputs, strict=True)):
            if first.placement is None or not first.files:
                done.append(verify_input)
                continue
            answers = {each.bundle.stage: each.reference.answers[at].outputs for each in earlier}
            read = {f"{each.stage}.{each.output}": answers[each.stage][each.output] for each in bundle.glue.reads}
            tensors = runner.glue(bundle.glue, read, _picture(first.placement), first.files)
            done.append(
                msgspec.structs.replace(
                    verify_input, feeds={**verify_input.feeds, **check_glue_outputs(bundle, tensors)}
                )
            )
    return done


def _picture(placement: ImagePlacement) -> dict[str, Any]:
    """Return a module's information on the picture: `GlueContext` in TypeScript."""
    return {
        "width": placement.source_width,
        "height": placement.source_height,
        "placed": {name: getattr(placement, name) for name in ("left", "top", "width", "height")},
        "input": {"width": placement.input_width, "height": placement.input_height},
    }


def check_glue_outputs(bundle: Bundle, tensors: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the outputs of a module after checking that they are the inputs that its stage expects.

    Raises:
        PageError: `glue-failed` for a wrong name, type or shape, and for NaN.
    """
    specs = {spec.name: spec for spec in bundle.manifest.inputs if isinstance(spec, TensorInput)}
    for name in sorted(specs.keys() ^ tensors.keys()):
        problem = "is missing" if name in specs else f"is none of {', '.join(specs)}"
        raise _glue_error(bundle, f"'{name}' {problem}")
    for name, spec in specs.items():
        got = f"{tensors[name].dtype.name} {list(tensors[name].shape)}"
        if got != f"{spec.dtype} {list(spec.shape)}":
            raise _glue_error(bundle, f"'{name}' is {got}, wanted {spec.dtype} {list(spec.shape)}")
        if tensors[name].dtype.kind == "f" and np.isnan(tensors[name]).any():
            raise _glue_error(bundle, f"'{name}' has NaN in it")
    return tensors


def _glue_error(bundle: Bundle, what: str) -> PageError:
    assert bundle.glue is not None
    return PageError(RuntimeFailure("glue-failed", f"{bundle.glue.file}: {what}", _FIX))
