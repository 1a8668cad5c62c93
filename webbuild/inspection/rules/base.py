"""Rules: the decorated functions of this folder, and one rule for every `Defect` that a pass works around."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import onnx_ir as ir
from msgspec import Struct, structs

import webbuild.inspection.rules
from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.graph import node_label
from webbuild.inspection.placement import PlacementKind
from webbuild.inspection.result import CpuPartition, MemoryEstimate
from webbuild.passes.registry import all_passes
from webbuild.passes.workarounds.base import Defect, Severity, Symptom
from webbuild.targets.table import Outcome

NodePredicate = Callable[[ir.Node, InspectionContext], str | Symptom | None]
"""Returns why a node fails, as text or as a `Symptom` that overrides its rule; None if the node does not fail."""

ModelPredicate = Callable[[InspectionContext, Sequence[CpuPartition], MemoryEstimate], Iterator[Finding]]
"""Yields findings about a model as a whole."""


class Rule(Struct, frozen=True, kw_only=True):
    """A failure of a node that is recognized without running the model.

    Attributes:
        code: the code of the finding.
        page: the text of `webbuild explain CODE`: what happens, why, the fix, and the source.
        operators: the operators that the rule checks; empty for all.
        affects: returns why a node fails, None if it does not.
        place: the placement of affected nodes; None for any.
        summary: the outcome in a few words.
        fix: what to change at export.
        severity: see `Severity`.
        outcome: the outcome of the node.
        passes: codes of the passes that fix it; a finding names the first unless its symptom names another.
    """

    code: str
    page: str
    operators: tuple[str, ...]
    affects: NodePredicate
    place: PlacementKind | None
    summary: str
    fix: str
    severity: Severity
    outcome: Outcome | None
    passes: tuple[str, ...]

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """Return the finding about a node, None if the node is not affected."""
        if self.place not in (None, context.placements[node].kind):
            return None
        symptom = self.affects(node, context)
        if symptom is None:
            return None
        if isinstance(symptom, str):
            symptom = Symptom(symptom)
        fixed_by = self.passes[:1] if symptom.fixed_by is None else (symptom.fixed_by,)
        return Finding(
            code=self.code,
            severity=symptom.severity or self.severity,
            outcome=symptom.outcome or self.outcome,
            where=node_label(node),
            summary=symptom.summary or self.summary,
            reason=symptom.reason,
            fix=symptom.fix or self.fix,
            fixed_by=tuple(code for code in fixed_by if code),
        )


class ModelRule(Struct, frozen=True, kw_only=True):
    """A failure, or a cost, of a model as a whole. `gpu_only` rules are skipped for the WASM build."""

    code: str
    page: str
    check: ModelPredicate
    gpu_only: bool = True


def rule(
    code: str,
    *operators: str,
    fix: str = "",
    placement: PlacementKind | None = "gpu",
    summary: str = "throws",
    severity: Severity = "error",
    outcome: Outcome = "throws",
    passes: tuple[str, ...] = (),
) -> Callable[[NodePredicate], Rule]:
    """Decorator: turn a function that returns why a node fails into a `Rule`; its docstring is the page.

    `fix` may be omitted if every `Symptom` of the function has one.
    """
    return lambda affects: Rule(
        code=code,
        page=inspect.getdoc(affects) or "",
        operators=operators,
        affects=affects,
        place=placement,
        summary=summary,
        fix=fix,
        severity=severity,
        outcome=outcome,
        passes=passes,
    )


def model_rule(code: str, *, gpu_only: bool = True) -> Callable[[ModelPredicate], ModelRule]:
    """Decorator: turn a function that yields findings about a whole model into a rule; its docstring is the page."""
    return lambda check: ModelRule(code=code, page=inspect.getdoc(check) or "", check=check, gpu_only=gpu_only)


def _defect_rule(defect: Defect, code: str) -> Rule:
    """Return the rule of a defect: it calls the pass's `affects`, and names the pass if it will rewrite the node."""

    def affects(node: ir.Node, context: InspectionContext) -> Symptom | None:
        symptom = defect.affects(node, context)
        if symptom is None or (symptom.finding or defect.finding) != code:
            return None
        fixed = defect.refusal(node, context) is None
        return structs.replace(symptom, fixed_by=defect.code if fixed else symptom.fixed_by or "")

    return Rule(
        code=code,
        page=defect.explain_finding(),
        operators=defect.operators,
        affects=affects,
        place="gpu" if defect.gpu_only else None,
        summary=defect.summary or ("wrong answer" if defect.outcome == "wrong" else "throws"),
        fix=defect.fix,
        severity=defect.severity,
        outcome=defect.outcome,
        passes=(defect.code,),
    )


@cache
def all_rules() -> tuple[Rule | ModelRule, ...]:
    """Return every rule of this folder and of every defect, sorted by code."""
    defects = [kind() for kind in all_passes() if issubclass(kind, Defect)]
    rules: list[Rule | ModelRule] = [
        _defect_rule(defect, code) for defect in defects for code in (defect.finding, *defect.other_findings)
    ]
    for module in pkgutil.iter_modules(webbuild.inspection.rules.__path__):
        members = vars(importlib.import_module(f"webbuild.inspection.rules.{module.name}")).values()
        rules += [member for member in members if isinstance(member, Rule | ModelRule)]
    return tuple(sorted({each.code: each for each in rules}.values(), key=lambda each: each.code))


@cache
def rules_for(operator: str) -> tuple[Rule, ...]:
    """Return the rules that check nodes of an operator."""
    return tuple(
        each for each in all_rules() if isinstance(each, Rule) and (not each.operators or operator in each.operators)
    )


@cache
def model_rules() -> tuple[ModelRule, ...]:
    """Return the rules that check the whole model."""
    return tuple(each for each in all_rules() if isinstance(each, ModelRule))
