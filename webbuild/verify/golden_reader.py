"""Reads the golden runs of a bundle: recorded inputs and outputs."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.manifest import manifest as manifests
from webbuild.manifest.manifest import Output, StateInput
from webbuild.manifest.states import state_inputs
from webbuild.manifest.uint8_tensors import from_uint8
from webbuild.preprocess.state_feeds import state_feeds
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import FIX_REPACK


def read_golden(bundle: Bundle) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]] | None:
    """Return the inputs and outputs of the golden run, None if the bundle has none.

    Raises:
        WebbuildError: `invalid-golden` for a file that is missing or of the wrong size.
    """
    run = bundle.manifest.golden
    if run is None:
        return None
    known = bundle.manifest.inputs
    recorded = {spec.name: _golden_input(bundle, run, spec) for spec in known if not isinstance(spec, StateInput)}
    inputs = {**recorded, **state_feeds(known)}
    named = {spec.name: spec for spec in bundle.manifest.outputs}
    return inputs, {name: _read_tensor(bundle, path, named[name]) for name, path in run.outputs.items()}


def read_golden_sequence(bundle: Bundle) -> tuple[int, dict[str, NDArray[Any]]] | None:
    """Return the number of runs of the golden inputs, and outputs of the last run; None without a sequence.

    Raises:
        WebbuildError: `invalid-golden` for a file that is missing or of the wrong size.
    """
    run, manifest = bundle.manifest.golden, bundle.manifest
    if run is None or not run.sequence:
        return None
    states = {spec.output: msgspec.structs.replace(spec, name=spec.output) for spec in state_inputs(manifest.inputs)}
    named: dict[str, Output | manifests.Input] = {**states, **{spec.name: spec for spec in manifest.outputs}}
    return run.sequence.steps, {
        name: _read_tensor(bundle, path, named[name]) for name, path in run.sequence.outputs.items()
    }


def _golden_input(bundle: Bundle, run: manifests.Golden, spec: manifests.Input) -> NDArray[Any]:
    path = run.inputs[spec.name]
    if spec.name in run.uint8_inputs and isinstance(spec, manifests.PictureInput | manifests.StackInput):
        return from_uint8(_read_tensor(bundle, path, spec, "uint8"), spec)
    return _read_tensor(bundle, path, spec)


def _read_tensor(bundle: Bundle, path: str, spec: Output | manifests.Input, dtype: str | None = None) -> NDArray[Any]:
    try:
        data = (bundle.directory / path).read_bytes()
        return np.frombuffer(data, np.dtype(dtype or spec.dtype).newbyteorder("<")).reshape(spec.shape)
    except (OSError, ValueError) as error:
        raise WebbuildError("invalid-golden", f"{path}: {error}", FIX_REPACK) from error
