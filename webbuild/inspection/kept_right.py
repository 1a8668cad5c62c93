"""What no pass mends in a graph for WebGPU: nodes that are left to the CPU, or a graph that is not shipped at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from webbuild.errors import WebbuildError
from webbuild.findings import Finding
from webbuild.inspection.graph import label, walk
from webbuild.inspection.inspect import inspect
from webbuild.inspection.inspection import Inspection
from webbuild.inspection.rules._base import model_rules
from webbuild.manifest import Withheld
from webbuild.passes._base import Edit
from webbuild.passes.force_cpu import ForceCpu, name_all
from webbuild.targets.table import Table

if TYPE_CHECKING:
    import onnx_ir as ir

_MISTAKES = ("throws", "wrong")
_HARM = ("no-session", *_MISTAKES)


class Kept(Struct, frozen=True):
    """The nodes that were named for the CPU, and why the graph must not be shipped; None where it may."""

    edits: tuple[Edit, ...] = ()
    withheld: Withheld | None = None


def keep_right(model: ir.Model, table: Table) -> Kept:
    """Name the nodes of a patched graph that would still throw or be wrong on the GPU, so that the CPU runs them.

    Where that is not enough, for want of any kernel or because the build takes no names (jsep), the graph is withheld:
    the runtime then takes the one for WASM, and says why.
    """
    if table.target.build == "wasm":
        return Kept()
    if table.target.build == "jsep":
        return Kept((), unfit(model, table))
    found = inspect("", model, table, {})
    edits = _leave_to_cpu(model, found)
    return Kept(tuple(edits), _reason(inspect("", model, table, {}) if edits else found, "webgpu"))


def _leave_to_cpu(model: ir.Model, found: Inspection) -> list[Edit]:
    told = {finding.where: finding for finding in found.findings if _is_for_cpu(finding)}
    wanted = [
        (each.node, told[where].why)
        for each, node in zip(walk(model.graph), found.nodes, strict=True)
        if (where := label(each.node)) in told and told[where].code in node.codes
    ]
    named = name_all(model, [node for node, _ in wanted])
    return [
        ForceCpu().done(f"{node.op_type} '{name}'", f"left to the CPU: {why}")
        for name, (node, why) in zip(named, wanted, strict=True)
    ]


def require_wasm(model: ir.Model, table: Table, withheld: Withheld) -> None:
    """See that the graph for WASM, to which a model is to step, gets a session there.

    Args:
        model: that graph.
        table: of the WASM build.
        withheld: why it steps there.

    Raises:
        WebbuildError: `no-browser-build` where no build of the engine can run the model.
    """
    error = next(_errors(inspect("", model, table, {})), None)
    if error is not None and error.outcome == "no-session":
        raise WebbuildError(
            "no-browser-build",
            f"no build of onnxruntime-web runs it: on {withheld.build}, {withheld.why}; on WASM, {error.why}",
            "export the model without it, and compute that part in JavaScript",
        )


def _is_for_cpu(finding: Finding) -> bool:
    """Whether the CPU mends it: what has an error, a pass of its own or none, and what names this as its mend."""
    return finding.mended_by == ForceCpu.code or (finding.severity == "error" and finding.outcome in _MISTAKES)


def unfit(model: ir.Model, table: Table) -> Withheld | None:
    """Return why a graph must not run on the default entry's build, jsep, by its table; None where it may.

    That one takes no names of nodes for the CPU: what is left to it in a graph for the native build is an error here.
    """
    return _reason(inspect("", model, table, {}), "jsep")


def _reason(found: Inspection, build: Literal["webgpu", "jsep"]) -> Withheld | None:
    error = next(_errors(found), None)
    if error is None:
        return None
    return Withheld(build=build, code=error.code, why=f"{error.where}: {error.what}, {error.why}")


def _errors(found: Inspection) -> Iterator[Finding]:
    """Yield what would go wrong at a node. What is too large for a browser is so for WASM as well."""
    about = {rule.code for rule in model_rules()}
    for finding in found.findings:
        harms = finding.steps or (finding.severity == "error" and finding.outcome in _HARM)
        if harms and finding.code not in about:
            yield finding
