"""Comparison policies: the tolerances, and which parts of the answers are compared."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from webbuild.compare.tolerances import BROWSER, NATIVE, REDUCED_PRECISION, Tolerance
from webbuild.manifest.manifest import Graph

ROUNDING_TOLERANCE = 1e-6
"""Absolute tolerance of small probabilities: 1 / (1 + e) is rounded at the magnitude of 1."""


class Policy(Struct, frozen=True):
    """How answers are compared.

    Attributes:
        tolerance: the largest differences between equal answers.
        within_one: outputs that hold numbers from -1 to 1, whose rounding does not shrink with them.
        rounded: outputs of bytes that were floating point numbers: a rounding may turn one into the next.
        predictions: which are compared: all of them; those that say more than an output does, where the same code
            decodes both sides, so that others cannot differ; or none, where nothing is known to decode them with.
    """

    tolerance: Tolerance
    within_one: frozenset[str] = frozenset()
    rounded: frozenset[str] = frozenset()
    predictions: Literal["all", "more", "none"] = "all"


EXACT = Policy(NATIVE, predictions="more")
"""The policy of float32 graphs, all on native ONNX Runtime."""


def is_exported_in_float16(graph: Graph) -> bool:
    """Whether a graph computes in float16 because the original does: its tolerance is that of reduced precision."""
    return graph.precision == "fp32" and "shader-f16" in graph.features


def native_policy(graph: Graph, *, float16: bool = False, rounded: frozenset[str] = frozenset()) -> Policy:
    """Return the policy of a graph against the original, both on native ONNX Runtime.

    `float16` means that the original computes in float16, whose rounding changes with each rewrite.
    """
    exact = graph.precision == graph.weight_dtype == "fp32" and not float16
    return Policy(NATIVE if exact else REDUCED_PRECISION, rounded=rounded, predictions="more")


def browser_policy(
    graph: Graph | None, within_one: frozenset[str] = frozenset(), rounded: frozenset[str] = frozenset()
) -> Policy:
    """Return the policy of a graph in a browser against the graph for WASM on native ONNX Runtime."""
    exact = graph is None or (graph.precision == "fp32" and not is_exported_in_float16(graph))
    return Policy(BROWSER if exact else REDUCED_PRECISION, within_one, rounded)
