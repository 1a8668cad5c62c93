"""Rules: the files of this folder, and one made of every defect that a pass works around."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from typing import ClassVar

import onnx_ir as ir

import webbuild.inspection.rules
from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.graph import node_label
from webbuild.inspection.inspection import CpuPartition, MemoryEstimate
from webbuild.passes.base import all_passes
from webbuild.passes.defect import Defect, Severity
from webbuild.passes.workarounds.cpu_fallback import CpuFallback
from webbuild.targets.table import Outcome


class KnownDefect:
    """A known failure.

    The docstring is what `webbuild explain CODE` prints: what happens, why, the fix, and the source.
    """

    code: str


class Rule(KnownDefect, ABC):
    """A failure of a node, recognised without running anything."""

    operators: tuple[str, ...] = ()
    """The operators that it is about; empty for all."""
    severity: Severity = "error"
    outcome: Outcome | None = "throws"
    passes: tuple[str, ...] = ()
    """Codes of the passes that mend it."""

    @abstractmethod
    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """Return what will happen to a node, None if this rule has nothing to say of it."""

    def finding(
        self,
        node: ir.Node,
        what: str,
        why: str,
        fix: str,
        *,
        severity: Severity | None = None,
        outcome: Outcome | None = None,
        mended_by: str | None = None,
    ) -> Finding:
        """Return a finding about a node, with the rule's severity, outcome and pass unless others are given."""
        return Finding(
            code=self.code,
            severity=severity or self.severity,
            outcome=outcome or self.outcome,
            where=node_label(node),
            what=what,
            why=why,
            fix=fix,
            mended_by=self.passes[:1] if mended_by is None else (mended_by,) if mended_by else (),
        )


class DefectRule(Rule):
    """The rule of a defect: it asks the pass, and names it where the pass will rewrite the node."""

    def __init__(self, defect: Defect, code: str) -> None:
        self.defect = defect
        self.code, self.operators = code, defect.operators
        self.severity, self.outcome = defect.severity, defect.outcome
        self.passes = (defect.code,)
        self.__doc__ = defect.explain_finding()

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `Rule`."""
        if self.defect.gpu_only and not context.on_gpu(node):
            return None
        symptom = self.defect.affects(node, context)
        if symptom is None or (symptom.finding or self.defect.finding) != self.code:
            return None
        fixed = self.defect.reaches(node, context) and self.defect.refusal(node, context) is None
        return self.finding(
            node,
            symptom.what or self.defect.what,
            symptom.why,
            symptom.fix or self.defect.fix,
            severity=symptom.severity,
            outcome=symptom.outcome,
            mended_by=self.defect.code if fixed else CpuFallback.code if symptom.on_cpu else "",
        )


class ModelRule(KnownDefect, ABC):
    """A failure, or a cost, of a model as a whole."""

    gpu_only: ClassVar[bool] = True
    """Whether it says nothing of a build that computes everything on the CPU."""

    @abstractmethod
    def check(
        self, context: InspectionContext, islands: Sequence[CpuPartition], memory: MemoryEstimate
    ) -> Iterator[Finding]:
        """Yield what will happen to the model."""


@cache
def all_rules() -> tuple[KnownDefect, ...]:
    """Return every rule in this folder and of every defect, by code."""
    defects = [kind() for kind in all_passes() if issubclass(kind, Defect)]
    found: dict[str, KnownDefect] = {
        code: DefectRule(defect, code) for defect in defects for code in (defect.finding, *defect.other_findings)
    }
    for module in pkgutil.iter_modules(webbuild.inspection.rules.__path__):
        members = vars(importlib.import_module(f"webbuild.inspection.rules.{module.name}")).values()
        for member in members:
            if inspect.isclass(member) and issubclass(member, KnownDefect) and "code" in vars(member):
                found[member.code] = member()
    return tuple(found[code] for code in sorted(found))


@cache
def rules_for(operator: str) -> tuple[Rule, ...]:
    """Return the rules that look at nodes of an operator."""
    return tuple(
        rule for rule in all_rules() if isinstance(rule, Rule) and (not rule.operators or operator in rule.operators)
    )


@cache
def model_rules() -> tuple[ModelRule, ...]:
    """Return the rules that look at the whole model."""
    return tuple(rule for rule in all_rules() if isinstance(rule, ModelRule))
