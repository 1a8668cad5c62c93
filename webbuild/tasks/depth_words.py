"""What a depth model and its configuration say of the map: which output it is, and what its numbers mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from webbuild.facts import ModelFacts, TensorFact
from webbuild.manifest import DepthTask
from webbuild.tasks.metadata import literal

MODEL_TYPES = frozenset({"depth_anything", "dpt", "zoedepth", "glpn", "depth_pro", "prompt_depth_anything"})
"""What transformers calls its networks of depth."""
_METRIC = frozenset({"zoedepth", "glpn", "depth_pro"})
_NAMES = ("depth", "disparity", "inverse_depth", "inv_depth", "disp")
_SURE = ("confidence", "certainty")


class Meaning(Struct, frozen=True):
    """What the numbers of a map are, and a sentence that says where that is known from."""

    quantity: Literal["depth", "inverse-depth"]
    unit: Literal["metres", "relative"]
    near: float | None
    far: float | None
    said: str


def plane_of(fact: TensorFact) -> tuple[int, int] | None:
    """Return the height and width of a map [1, h, w] or [1, 1, h, w] of floats, None for anything else."""
    match fact.shape:
        case (1, int(height), int(width)) | (1, 1, int(height), int(width)):
            return (height, width) if fact.dtype == "float32" and min(height, width) > 1 else None
    return None


def named_depth(fact: TensorFact) -> bool:
    """Whether an output's name says that it is depth: `predicted_depth`, `disparity`."""
    words = fact.name.lower().replace(".", "_").replace("/", "_")
    return any(words == name or words.endswith(f"_{name}") or words.startswith(f"{name}_") for name in _NAMES)


def depth_type(facts: ModelFacts) -> str:
    """Return what `config.json` calls the network if that is one of depth, else nothing."""
    told = facts.companions.config.get("model_type")
    return told if isinstance(told, str) and told in MODEL_TYPES else ""


def find_maps(outputs: Sequence[TensorFact]) -> tuple[TensorFact | None, TensorFact | None]:
    """Return the output that holds the depth and the one that holds the confidence, None for what there is not.

    Depth is the map of that name, else the first that is no confidence. An uncertainty is neither.
    """
    maps = [fact for fact in outputs if plane_of(fact) is not None and "uncertain" not in fact.name.lower()]
    sure = next((fact for fact in maps if any(word in fact.name.lower() for word in _SURE)), None)
    rest = [fact for fact in maps if fact is not sure]
    depth = next((fact for fact in rest if named_depth(fact)), rest[0] if rest else None)
    return depth, None if sure is None or depth is None or plane_of(sure) != plane_of(depth) else sure


def task_of(depth: TensorFact, confidence: TensorFact | None, meaning: Meaning) -> DepthTask:
    """Return the task of a model with these outputs."""
    return DepthTask(
        output=depth.name,
        confidence=None if confidence is None else confidence.name,
        quantity=meaning.quantity,
        unit=meaning.unit,
        near=meaning.near,
        far=meaning.far,
    )


def single_meaning(facts: ModelFacts, depth: TensorFact) -> Meaning:
    """Return what a map made from one picture holds: distances if anything says so, else relative inverse depth."""
    config, kind = facts.companions.config, depth_type(facts)
    far = number(config.get("max_depth"))
    if kind in _METRIC or config.get("depth_estimation_type") == "metric":
        said = f"output '{depth.name}' holds metres, as config.json says (model_type {kind or 'unknown'})"
        return Meaning("depth", "metres", None, far, said)
    known = "config.json names a network of" if kind else "taken for"
    said = f"output '{depth.name}': {known} relative inverse depth, as MiDaS and Depth Anything give it: large is near"
    return Meaning("inverse-depth", "relative", None, None, said)


def told_numbers(source: Mapping[str, Any], *names: str) -> list[float]:
    """Return the numbers under the first of these names, nothing where there are none."""
    for name in names:
        value = source.get(name)
        parsed = literal(value) if isinstance(value, str) else value
        if isinstance(parsed, list | tuple) and parsed and all(number(each) is not None for each in parsed):
            return [float(each) for each in parsed]
    return []


def number(value: object) -> float | None:
    """Return a finite number, None for anything else."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain and math.isfinite(value) else None  # type: ignore[arg-type]
