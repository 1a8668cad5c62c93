"""Comparison policies: the tolerances, and the compared parts of the answers."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from webbuild.compare.tolerances import BROWSER, NATIVE, REDUCED_PRECISION, Tolerance
from webbuild.manifest.manifest import Graph

ROUNDING_TOLERANCE = 1e-6
"""Absolute tolerance of small probabilities: 1 / (1 + e) is rounded at the magnitude of 1."""


class Policy(Struct, frozen=True):
    """Rules for the comparison of answers.

    Attributes:
        tolerance: the largest differences between equal answers.
        within_one: outputs with values in -1..1: their absolute rounding error does not shrink with the values.
        rounded: outputs of bytes rounded from floating point numbers: rounding may change a byte by 1.
        predictions: the compared predictions: `all`; `more`, only of tasks with more in the prediction than in the
            outputs (the same code decodes both sides, so others cannot differ); or `none`, if they cannot be decoded.
    """

    tolerance: Tolerance
    within_one: frozenset[str] = frozenset()
    rounded: frozenset[str] = frozenset()
    predictions: Literal["all", "more", "none"] = "all"


EXACT = Policy(NATIVE, predictions="more")
"""The policy of float32 graphs, all on native ONNX Runtime."""


def is_exported_in_float16(graph: Graph) -> bool:
    """Whether a graph computes in float16 because the original does: it gets the reduced-precision tolerance."""
    return graph.precision == "fp32" and "shader-f16" in graph.features


def native_policy(graph: Graph, *, float16: bool = False, rounded: frozenset[str] = frozenset()) -> Policy:
    """Return the policy of a graph against the original, both on native ONNX Runtime.

    `float16` means that the original computes in float16: its rounding changes with each rewrite.
    """
    exact = graph.precision == graph.weight_dtype == "fp32" and not float16
    return Policy(NATIVE if exact else REDUCED_PRECISION, rounded=rounded, predictions="more")


def browser_policy(
    graph: Graph | None, within_one: frozenset[str] = frozenset(), rounded: frozenset[str] = frozenset()
) -> Policy:
    """Return the policy of a graph in a browser against the WASM graph on native ONNX Runtime."""
    exact = graph is None or (graph.precision == "fp32" and not is_exported_in_float16(graph))
    return Policy(BROWSER if exact else REDUCED_PRECISION, within_one, rounded)
