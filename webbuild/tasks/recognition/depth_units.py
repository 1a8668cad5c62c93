"""Depth units: the depth output of a model, and the meaning of its numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from webbuild.manifest.manifest import DepthTask
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.tasks.recognition.metadata import parse_literal

DEPTH_MODEL_TYPES = frozenset({"depth_anything", "dpt", "zoedepth", "glpn", "depth_pro", "prompt_depth_anything"})
"""What transformers calls its networks of depth."""
_METRIC_MODEL_TYPES = frozenset({"zoedepth", "glpn", "depth_pro"})
_DEPTH_NAMES = ("depth", "disparity", "inverse_depth", "inv_depth", "disp")
_CONFIDENCE_NAMES = ("confidence", "certainty")


class DepthUnits(Struct, frozen=True):
    """What the numbers of a map are, and a sentence that says where that is known from."""

    quantity: Literal["depth", "inverse-depth"]
    unit: Literal["metres", "relative"]
    near: float | None
    far: float | None
    source: str


def map_size(spec: TensorSpec) -> tuple[int, int] | None:
    """Return the height and width of a map [1, h, w] or [1, 1, h, w] of floats, None for anything else."""
    match spec.shape:
        case (1, int(height), int(width)) | (1, 1, int(height), int(width)):
            return (height, width) if spec.dtype == "float32" and min(height, width) > 1 else None
    return None


def is_depth_name(spec: TensorSpec) -> bool:
    """Whether an output's name says that it is depth: `predicted_depth`, `disparity`."""
    words = spec.name.lower().replace(".", "_").replace("/", "_")
    return any(words == name or words.endswith(f"_{name}") or words.startswith(f"{name}_") for name in _DEPTH_NAMES)


def depth_model_type(signature: ModelSignature) -> str:
    """Return what `config.json` calls the network if that is one of depth, else nothing."""
    model_type = signature.hub_files.config.get("model_type")
    return model_type if isinstance(model_type, str) and model_type in DEPTH_MODEL_TYPES else ""


def find_depth_outputs(outputs: Sequence[TensorSpec]) -> tuple[TensorSpec | None, TensorSpec | None]:
    """Return the output that holds the depth and the one that holds the confidence, None for what there is not.

    Depth is the map of that name, else the first that is no confidence. An uncertainty is neither.
    """
    maps = [fact for fact in outputs if map_size(fact) is not None and "uncertain" not in fact.name.lower()]
    sure = next((fact for fact in maps if any(word in fact.name.lower() for word in _CONFIDENCE_NAMES)), None)
    rest = [fact for fact in maps if fact is not sure]
    depth = next((fact for fact in rest if is_depth_name(fact)), rest[0] if rest else None)
    return depth, None if sure is None or depth is None or map_size(sure) != map_size(depth) else sure


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
    """Return what a map made from one picture holds: distances if anything says so, else relative inverse depth."""
    config, kind = signature.hub_files.config, depth_model_type(signature)
    far = finite_number(config.get("max_depth"))
    if kind in _METRIC_MODEL_TYPES or config.get("depth_estimation_type") == "metric":
        source = f"output '{depth.name}' holds metres, as config.json says (model_type {kind or 'unknown'})"
        return DepthUnits("depth", "metres", None, far, source)
    known = "config.json names a network of" if kind else "assumed to be"
    source = (
        f"output '{depth.name}': {known} relative inverse depth, as from MiDaS and Depth Anything: larger is nearer"
    )
    return DepthUnits("inverse-depth", "relative", None, None, source)


def read_numbers(source: Mapping[str, Any], *names: str) -> list[float]:
    """Return the numbers under the first of these names, nothing where there are none."""
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
