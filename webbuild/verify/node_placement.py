"""Node placement of a run: all nodes must run on the GPU if the manifest promises it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from webbuild.verify.page_messages import ProviderNodes
from webbuild.verify.report import Problem, ProviderPlacement

_EXPECTED_PROVIDERS = {"webgpu": "WebGpuExecutionProvider", "wasm": "CPUExecutionProvider"}


def summarize_placement(backend: str, placements: Sequence[ProviderNodes]) -> tuple[ProviderPlacement, ...]:
    """Count the nodes of each provider, most first; nodes of a provider other than the backend's are listed."""
    wanted = _EXPECTED_PROVIDERS[backend]
    lists = (
        ProviderPlacement(
            provider=each.provider,
            expected=each.provider == wanted,
            count=max(each.count, len(each.nodes)),
            operators=dict(Counter(node.op for node in each.nodes).most_common()),
            nodes=() if each.provider == wanted else each.nodes,
        )
        for each in placements
        if each.nodes or each.count
    )
    return tuple(sorted(lists, key=lambda placement: -placement.count))


def misplaced_problems(
    backend: str, placements: Sequence[ProviderPlacement], *, where: str = "", forced: Sequence[str] = ()
) -> Iterator[Problem]:
    """Yield problems for nodes on the wrong provider, and for an unknown placement.

    Args:
        backend: `webgpu` or `wasm`.
        placements: the placement of its nodes.
        where: the name in the report, if it is not the backend.
        forced: names of nodes that belong on the CPU: nodes that the bundle leaves there, and casts of int64 inputs.
            The caller passes int64 on the CPU, no GPU supports it, and only the result of the cast is copied.
    """
    if not placements:
        yield Problem(
            code="no-placement",
            where=where or backend,
            message="the engine did not log where its nodes run",
            fix="check that this build of the engine logs `Node(s) placed on [...]` at its lowest severity",
        )
    for placement in placements:
        strays = [node for node in placement.nodes if node.name not in forced]
        count = placement.count - len(placement.nodes) + len(strays)
        if placement.expected or not count:
            continue
        names = ", ".join(f"{node.op} {node.name}".strip() for node in strays[:5]) or "unnamed"
        more = f" and {count - 5} more" if strays and count > 5 else ""
        yield Problem(
            code="off-gpu" if backend == "webgpu" else "off-backend",
            where=where or backend,
            message=f"{count} node(s) run on {placement.provider}: {names}{more}",
            fix="read in the bundle's report.html which nodes were not rewritten, and why",
        )
