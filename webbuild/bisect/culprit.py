"""The findings of a bisection: the fewest nodes that show a difference, and the error by depth."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from webbuild.bisect.trial_result import SubgraphResult
from webbuild.subgraph.extract import Subgraph

CulpritCode = Literal[
    "node-mismatch",
    "node-throws",
    "node-session-failure",
    "node-hangs",
    "node-crashes",
    "fusion-mismatch",
    "joint-mismatch",
    "shader-cache-interaction",
    "error-accumulation",
]
"""Codes of findings; `webbuild.bisect.codes` explains them."""


class Culprit(Struct, frozen=True):
    """One finding: the fewest nodes that show it, and their result.

    `node` is the culprit, None if errors accumulate or several nodes are needed. `downstream` is whether another
    finding is upstream, although this one got reference values as inputs. `placement` is gpu or cpu, empty if the
    engine does not report it; `reproduced` is whether a session with only this piece shows it.
    """

    code: CulpritCode
    subgraph: Subgraph
    result: SubgraphResult
    node: int | None = None
    downstream: bool = False
    placement: str = ""
    reproduced: bool = True


class DepthError(Struct, frozen=True):
    """The error of one value of the whole graph, relative to its largest magnitude, at the node that computes it."""

    node: int
    value: str
    error: float | None


class BisectResult(Struct, frozen=True):
    """The result of a bisection: the culprits, and the error by depth.

    `whole_graph` is the run of the whole graph; `compared_values` is the number of values with signal, `sessions` the
    number of sessions on the backend. `unresolved` are pieces with failing sessions although the whole graph runs.
    `unfinished` says why the search stopped early, empty if it finished.
    """

    whole_graph: SubgraphResult
    culprits: tuple[Culprit, ...]
    sessions: int
    compared_values: int
    depth_errors: tuple[DepthError, ...] = ()
    unresolved: tuple[SubgraphResult, ...] = ()
    unfinished: str = ""
