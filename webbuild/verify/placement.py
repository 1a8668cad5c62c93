"""Where the nodes went. On WebGPU every one of them has to run there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from webbuild.verify.report import Placement, Problem
from webbuild.verify.wire import Placed

WANTED = {"webgpu": "WebGpuExecutionProvider", "wasm": "CPUExecutionProvider"}
WANTED_OF_JSEP = {**WANTED, "webgpu": "JsExecutionProvider"}


def summarise(backend: str, placed: Sequence[Placed], *, jsep: bool = False) -> tuple[Placement, ...]:
    """Count the nodes of each provider, most first; those of a provider that is not the backend's are named."""
    wanted = (WANTED_OF_JSEP if jsep else WANTED)[backend]
    lists = (
        Placement(
            provider=each.provider,
            at_home=each.provider == wanted,
            count=max(each.count, len(each.nodes)),
            operators=dict(Counter(node.op for node in each.nodes).most_common()),
            nodes=() if each.provider == wanted else each.nodes,
        )
        for each in placed
        if each.nodes or each.count
    )
    return tuple(sorted(lists, key=lambda placement: -placement.count))


def misplaced(
    backend: str, placements: Sequence[Placement], *, where: str = "", jsep: bool = False, forced: Sequence[str] = ()
) -> Iterator[Problem]:
    """Name what is not where it belongs. Unknown is not the same as none.

    Args:
        backend: `webgpu` or `wasm`.
        placements: where its nodes are.
        where: what a report calls it, where that is not the backend alone.
        jsep: whether it is the engine's default entry. The patches are made for the bundle's own builds: that one may
            leave nodes to the CPU, only not all of them.
        forced: names of nodes that belong on the CPU: those that the bundle leaves to it, and those that cast an int64
            input, which the caller gives there and no GPU takes; only their result is copied over.
    """
    if not placements:
        yield Problem(
            code="no-placement",
            where=where or backend,
            message="the engine did not say where its nodes run",
            fix="check that this build of the engine logs `Node(s) placed on [...]` at its lowest severity",
        )
    for placement in placements:
        strays = [node for node in placement.nodes if node.name not in forced]
        count = placement.count - len(placement.nodes) + len(strays)
        if placement.at_home or not count or (jsep and any(other.at_home for other in placements)):
            continue
        names = ", ".join(f"{node.op} {node.name}".strip() for node in strays[:5]) or "unnamed"
        more = f" and {count - 5} more" if strays and count > 5 else ""
        yield Problem(
            code="off-gpu" if backend == "webgpu" else "off-backend",
            where=where or backend,
            message=f"{count} node(s) run on {placement.provider}: {names}{more}",
            fix="see in report.html of the bundle what was left alone, and why",
        )
