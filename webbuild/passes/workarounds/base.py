"""Base classes of passes that work around a defect of the engine: which nodes it affects, how, and their rewrite.

Every `Defect` is also a rule of `webbuild inspect` (`webbuild.inspection.rules.base`), so that the fix it prints is the
one that `webbuild pack` applies.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal, Protocol, TypeVar

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.analysis.kernel_lookup import placement
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.decompose.base import Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import constant, find_nodes
from webbuild.targets.table import KernelTable, Outcome

T = TypeVar("T")
Severity = Literal["error", "warning", "note"]
"""error: no session, a throw or a wrong answer. warning: slow. note: good to know."""


class DefectContext(Protocol):
    """The facts about the model that decide whether a defect affects a node; a pass and `inspect` provide the same."""

    @property
    def model(self) -> ir.Model:
        """The whole model."""

    @property
    def table(self) -> KernelTable | None:
        """The kernels of the target; None if not known."""

    def on_gpu(self, node: ir.Node | None) -> bool:
        """Whether a node runs on the GPU."""

    def is_constant(self, value: ir.Value | None) -> bool:
        """Whether a value is constant, or becomes so by constant folding."""

    def once(self, read: Callable[[ir.Model], T]) -> T:
        """Return `read(model)`, cached: no rewrite of the same pass may change it."""


def read_once(model: ir.Model, known: dict[Callable[[ir.Model], Any], Any], read: Callable[[ir.Model], T]) -> T:
    """Return `read(model)`, cached in `known`."""
    if read not in known:
        known[read] = read(model)
    cached: T = known[read]
    return cached


class Symptom(Struct, frozen=True):
    """The effect of a defect on one node: the reason, and overrides of the defect's attributes."""

    reason: str
    summary: str = ""
    outcome: Outcome | None = None
    severity: Severity | None = None
    fix: str = ""
    finding: str = ""
    """One of the defect's `other_findings`; empty for the defect's `finding`."""
    fixed_by: str | None = None
    """Code of another pass that fixes the node if this pass refuses it; empty for none."""


class Defect(ABC):
    """A defect of the engine that a pass works around. A mixin of `Pass`, with the same `code`.

    The docstring's first paragraph is the transformation. The second begins with `Defect:` and says what happens. The
    others give the cause, limits, exactness and `Source:`.
    """

    code: ClassVar[str]
    finding: ClassVar[str]
    """Code of the finding in `webbuild inspect`."""
    other_findings: ClassVar[tuple[str, ...]] = ()
    """Codes of other findings that the same rewrite fixes; `Symptom.finding` names the one of a node."""
    operators: ClassVar[tuple[str, ...]]
    severity: ClassVar[Severity] = "error"
    outcome: ClassVar[Outcome] = "throws"
    summary: ClassVar[str] = ""
    """The effect in a few words; empty to derive "throws" or "wrong answer" from `outcome`."""
    fix: ClassVar[str]
    """What to change at export if the pass refuses the rewrite."""
    probe: ClassVar[str]
    """The measured case that shows the defect: of `webbuild.probe`, or of `benchmarks/traps` for several nodes."""
    gpu_only: ClassVar[bool] = True
    """Whether the defect affects only nodes that run on the GPU."""
    also_rewrites: ClassVar[str] = ""
    """Which nodes the pass rewrites in addition to the affected ones, and why; empty for none."""

    @abstractmethod
    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        """Return the effect of the defect on a node of `operators`, None if the node is not affected."""

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        """Return why the pass cannot rewrite an affected node, None if it can."""
        return None

    @classmethod
    def explain_finding(cls) -> str:
        """Return the page of the finding: the pass's docstring, starting with the defect."""
        transformation, defect, *rest = (inspect.getdoc(cls) or "").split("\n\n")
        what = defect.removeprefix("Defect: ")
        fix = f"Fix: the pass {cls.code} of `webbuild pack`: {transformation}"
        return "\n\n".join([what[0].upper() + what[1:], fix, *rest])


class PassContext(Struct, frozen=True):
    """The context of a pass. A node of unknown placement counts as on the GPU."""

    model: ir.Model
    options: PassOptions
    known: dict[Callable[[ir.Model], Any], Any] = {}
    """The cache of `once`."""

    @property
    def table(self) -> KernelTable | None:
        """See `DefectContext`."""
        return self.options.table

    def is_constant(self, value: ir.Value | None) -> bool:
        """See `DefectContext`."""
        return value is None or constant(value) is not None

    def once(self, read: Callable[[ir.Model], T]) -> T:
        """See `DefectContext`."""
        return read_once(self.model, self.known, read)

    def on_gpu(self, node: ir.Node | None) -> bool:
        """Whether the target's table places a node on the GPU, or does not know it."""
        return node is not None and placement(self.model, node, self.options) in ("gpu", None)


class DefectDecomposition(Defect, Decomposition):
    """A defect whose nodes are decomposed into other operators, if all of these have a GPU kernel."""

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether a node runs on the GPU and is affected."""
        return placement(model, node, options) == "gpu" and self.affects(node, PassContext(model, options)) is not None

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        """See `Defect`: tries the rewrite, and rolls it back."""
        draft = RewriteContext(context.model, node)
        try:
            self.write(draft, node, PassOptions(table=context.table))
        except NotApplicableError as reason:
            return str(reason)
        draft.rollback()
        return None


class Workaround(Defect, Pass):
    """A defect that is fixed by rewriting one node."""

    target: ClassVar[str | None] = "webgpu"
    after: ClassVar[tuple[str, ...]] = ("fold-constants",)

    @abstractmethod
    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        """Rewrite an affected node; return a description for the report."""

    def rewrites_node(self, node: ir.Node, context: PassContext) -> bool:
        """Whether to rewrite a node: if it is affected. Passes with `also_rewrites` override this."""
        return self.affects(node, context) is not None

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite each affected node of the model's graph."""
        rewrites, context = [], PassContext(model, options)
        for node in find_nodes(model, *self.operators):
            if (self.gpu_only and not context.on_gpu(node)) or not self.rewrites_node(node, context):
                continue
            refusal = self.refusal(node, context)
            if refusal is not None:
                rewrites.append(self.skipped(node, refusal))
            else:
                rewrites.append(self.applied(node, self.rewrite(node, context)))
        return rewrites
