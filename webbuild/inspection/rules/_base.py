"""What a rule is, and how rules are found."""

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
from webbuild.findings import Finding, Severity
from webbuild.inspection.context import Context
from webbuild.inspection.graph import label
from webbuild.inspection.inspection import Island, Memory
from webbuild.targets.table import Outcome


class Known:
    """A known failure.

    The docstring is what `webbuild explain CODE` prints: what happens, why, the mend, and the source.
    """

    code: ClassVar[str]


class Rule(Known, ABC):
    """A failure of a node, recognised without running anything."""

    operators: ClassVar[tuple[str, ...]] = ()
    """The operators that it is about; empty for all."""
    severity: ClassVar[Severity] = "error"
    outcome: ClassVar[Outcome | None] = "throws"
    passes: ClassVar[tuple[str, ...]] = ()
    """Codes of the passes that mend it."""

    @abstractmethod
    def check(self, node: ir.Node, context: Context) -> Finding | None:
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
            where=label(node),
            what=what,
            why=why,
            fix=fix,
            mended_by=next(iter(self.passes), "") if mended_by is None else mended_by,
        )


class ModelRule(Known, ABC):
    """A failure, or a cost, of a model as a whole."""

    gpu_alone: ClassVar[bool] = True
    """Whether it says nothing of a build that computes everything on the CPU."""

    @abstractmethod
    def check(self, context: Context, islands: Sequence[Island], memory: Memory) -> Iterator[Finding]:
        """Yield what will happen to the model."""


@cache
def known() -> tuple[Known, ...]:
    """Return every rule in this folder, by code."""
    found: dict[str, Known] = {}
    for module in pkgutil.iter_modules(webbuild.inspection.rules.__path__):
        if module.name.startswith("_"):
            continue
        members = vars(importlib.import_module(f"webbuild.inspection.rules.{module.name}")).values()
        for member in members:
            if inspect.isclass(member) and issubclass(member, Known) and hasattr(member, "code"):
                found[member.code] = member()
    return tuple(found[code] for code in sorted(found))


@cache
def rules_of(operator: str) -> tuple[Rule, ...]:
    """Return the rules that look at nodes of an operator."""
    return tuple(
        rule for rule in known() if isinstance(rule, Rule) and (not rule.operators or operator in rule.operators)
    )


@cache
def model_rules() -> tuple[ModelRule, ...]:
    """Return the rules that look at the whole model."""
    return tuple(rule for rule in known() if isinstance(rule, ModelRule))
