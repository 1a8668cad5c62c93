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
    """One finding: the fewest nodes that show it, and what they showed.

    `node` is the node to blame, None where errors accumulate or several are needed. `downstream` says that another
    finding lies upstream: what is wrong here was fed with right values all the same. `placement` is gpu or cpu, empty
    where the engine does not say; `reproduced` whether a session of this piece and nothing else shows it.
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
    """The result of a bisection: the culprits, the error by depth, and why the search is unfinished, if it is.

    `whole_graph` is the whole graph's own run; `compared_values` counts the values that said something;
    `sessions` those made on the backend. `unresolved` are pieces whose sessions fail though the whole runs.
    `unfinished` says why the search ended before all was found, if it did.
    """

    whole_graph: SubgraphResult
    culprits: tuple[Culprit, ...]
    sessions: int
    compared_values: int
    depth_errors: tuple[DepthError, ...] = ()
    unresolved: tuple[SubgraphResult, ...] = ()
    unfinished: str = ""
