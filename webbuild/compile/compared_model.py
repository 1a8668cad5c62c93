"""A compiled model, as its proof needs it."""

from __future__ import annotations

from webbuild.compile.compile_model import CompiledModel
from webbuild.equivalence.check import ComparedModel
from webbuild.equivalence.exact_inputs import exact_inputs
from webbuild.manifest.states import state_inputs
from webbuild.runners.native import NativeRunner


def compared_model(original: NativeRunner, compiled: CompiledModel) -> ComparedModel:
    """Return a compiled model with the runner of its original, for a proof of its graphs."""
    inputs = compiled.match.inputs
    return ComparedModel(
        original,
        compiled.match.task,
        options=compiled.options,
        postprocess=compiled.postprocess,
        states=state_inputs(inputs),
        exact=exact_inputs(inputs),
    )
