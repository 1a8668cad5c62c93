"""The status of a graph's fixed-shape detection head, and the fallback that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import Graph


def fallback_reason(graph: Graph, outputs: Mapping[str, NDArray[Any]]) -> str:
    """Return why a run has to be repeated on the graph's fallback; empty if it is final.

    A convergence flag other than exactly 1, also NaN, counts as not converged. A missing status is a reason too.
    """
    if graph.head_status is None:
        return ""
    if graph.head_status.output not in outputs:
        return f"the graph gave no {graph.head_status.output}"
    converged, candidates = (float(value) for value in np.ravel(outputs[graph.head_status.output])[:2])
    if converged != 1:
        return f"the detection head did not converge in {graph.head_status.rounds} rounds"
    if candidates > graph.head_status.capacity:
        return f"{candidates:.0f} candidates, more than the {graph.head_status.capacity} of the head"
    return ""
