"""Depth units: find a model's depth output, and the quantity and unit of its values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from webbuild.manifest.manifest import DepthTask
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.tasks.recognition.metadata import parse_literal

_DEPTH_MODEL_TYPES = frozenset({"depth_anything", "dpt", "zoedepth", "glpn", "depth_pro", "prompt_depth_anything"})
"""`model_type` of transformers' depth models."""
_METRIC_MODEL_TYPES = frozenset({"zoedepth", "glpn", "depth_pro"})
_DEPTH_NAMES = ("depth", "disparity", "inverse_depth", "inv_depth", "disp")
_CONFIDENCE_NAMES = ("confidence", "certainty")


class DepthUnits(Struct, frozen=True):
    """The quantity, unit and range of a depth map's values; `source` is a sentence about where they are from."""

    quantity: Literal["depth", "inverse-depth"]
    unit: Literal["metres", "relative"]
    near: float | None
    far: float | None
    source: str


def _map_size(spec: TensorSpec) -> tuple[int, int] | None:
    """Return the height and width of a map [1, h, w] or [1, 1, h, w] of floats, None for anything else."""
    match spec.shape:
        case (1, int(height), int(width)) | (1, 1, int(height), int(width)):
            return (height, width) if spec.dtype == "float32" and min(height, width) > 1 else None
    return None


def is_depth_name(spec: TensorSpec) -> bool:
    """Whether an output is named as depth: `predicted_depth`, `disparity`."""
    words = spec.name.lower().replace(".", "_").replace("/", "_")
    return any(words == name or words.endswith(f"_{name}") or words.startswith(f"{name}_") for name in _DEPTH_NAMES)


def depth_model_type(signature: ModelSignature) -> str:
    """Return the `model_type` in `config.json` if it is a depth model's, else ""."""
    model_type = signature.hub_files.config.get("model_type")
    return model_type if isinstance(model_type, str) and model_type in _DEPTH_MODEL_TYPES else ""


def find_depth_outputs(outputs: Sequence[TensorSpec]) -> tuple[TensorSpec | None, TensorSpec | None]:
    """Return the depth output and the confidence output, None for a missing one.

    Depth is the map with a depth name, else the first that is not a confidence. An uncertainty is neither.
    """
    maps = [fact for fact in outputs if _map_size(fact) is not None and "uncertain" not in fact.name.lower()]
    confidence = next((fact for fact in maps if any(word in fact.name.lower() for word in _CONFIDENCE_NAMES)), None)
    rest = [fact for fact in maps if fact is not confidence]
    depth = next((fact for fact in rest if is_depth_name(fact)), rest[0] if rest else None)
    fits = confidence is not None and depth is not None and _map_size(confidence) == _map_size(depth)
    return depth, confidence if fits else None


def depth_task(depth: TensorSpec, confidence: TensorSpec | None, meaning: DepthUnits) -> DepthTask:
    """Return the task of a model with these outputs."""
    return DepthTask(
        output=depth.name,
        confidence=None if confidence is None else confidence.name,
        quantity=meaning.quantity,
        unit=meaning.unit,
        near=meaning.near,
        far=meaning.far,
    )


def monocular_units(signature: ModelSignature, depth: TensorSpec) -> DepthUnits:
    """Return the unit of a monocular depth map: metres if a file says so, else relative inverse depth."""
    if signature.metadata.get("task") == "depth":
        source = f"output '{depth.name}' is in metres, as Ultralytics' depth is"
        return DepthUnits("depth", "metres", None, None, source)
    config, kind = signature.hub_files.config, depth_model_type(signature)
    far = finite_number(config.get("max_depth"))
    if kind in _METRIC_MODEL_TYPES or config.get("depth_estimation_type") == "metric":
        source = f"output '{depth.name}' is in metres, as config.json says (model_type {kind or 'unknown'})"
        return DepthUnits("depth", "metres", None, far, source)
    known = "config.json names a network of" if kind else "assumed to be"
    source = (
        f"output '{depth.name}': {known} relative inverse depth, as from MiDaS and Depth Anything: larger is nearer"
    )
    return DepthUnits("inverse-depth", "relative", None, None, source)


def read_numbers(source: Mapping[str, Any], *names: str) -> list[float]:
    """Return the numbers under the first of these names that has numbers, [] if none has."""
    for name in names:
        value = source.get(name)
        parsed = parse_literal(value) if isinstance(value, str) else value
        if isinstance(parsed, list | tuple) and parsed and all(finite_number(each) is not None for each in parsed):
            return [float(each) for each in parsed]
    return []


def finite_number(value: object) -> float | None:
    """Return a finite number, None for anything else."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain and math.isfinite(value) else None  # type: ignore[arg-type]
