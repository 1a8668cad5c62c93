"""Defects of the engine: each says which nodes it hits and how, and is the pass that rewrites them.

`webbuild inspect` makes a rule of every `Defect` (`webbuild.inspection.rules.base`), so that the fix it prints is the
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
    """What decides, besides the node itself, whether a defect hits it: the same for a pass and for the inspection."""

    @property
    def model(self) -> ir.Model:
        """The whole model."""

    @property
    def table(self) -> KernelTable | None:
        """What the target's kernels take; None where that is not known."""

    def on_gpu(self, node: ir.Node | None) -> bool:
        """Whether a node runs on the GPU."""

    def is_constant(self, value: ir.Value | None) -> bool:
        """Whether a value is a constant, or will be one."""

    def once(self, read: Callable[[ir.Model], T]) -> T:
        """Return what a function reads off the whole model, and no rewrite of the same pass changes."""


def read_once(model: ir.Model, known: dict[Callable[[ir.Model], Any], Any], read: Callable[[ir.Model], T]) -> T:
    """Return `read(model)`, cached in `known`."""
    if read not in known:
        known[read] = read(model)
    cached: T = known[read]
    return cached


class Symptom(Struct, frozen=True):
    """How a defect shows at one node: the reason, and what differs from the defect's own attributes."""

    reason: str
    summary: str = ""
    outcome: Outcome | None = None
    severity: Severity | None = None
    fix: str = ""
    finding: str = ""
    """One of the defect's `other_findings`; empty for its own."""
    fixed_by: str | None = None
    """Code of another pass that fixes it, where the defect's own refuses it; empty for none."""


class Defect(ABC):
    """A defect of the engine that a pass works around. A mixin of `Pass`, whose `code` is the pass's.

    The docstring's first paragraph is the transformation, its second begins with `Defect:` and says what happens. The
    others say why, and give limits, exactness and `Source:`.
    """

    code: ClassVar[str]
    finding: ClassVar[str]
    """Code of the finding in `webbuild inspect`."""
    other_findings: ClassVar[tuple[str, ...]] = ()
    """Codes of findings that the same rewrite fixes; `Symptom.finding` says which it is."""
    operators: ClassVar[tuple[str, ...]]
    severity: ClassVar[Severity] = "error"
    outcome: ClassVar[Outcome] = "throws"
    summary: ClassVar[str] = ""
    """What happens, in a few words; empty for "throws" and "wrong answer", as `outcome` says."""
    fix: ClassVar[str]
    """What to change at export, where the rewrite is refused."""
    probe: ClassVar[str]
    """The measured case that shows it: of `webbuild.probe`, or for several nodes a file of `benchmarks/traps`."""
    gpu_only: ClassVar[bool] = True
    """Whether it hits only nodes that run on the GPU."""
    also_rewrites: ClassVar[str] = ""
    """Which nodes the pass rewrites besides those that the defect hits, and why; empty for none."""

    @abstractmethod
    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        """Return how the defect shows at a node of `operators`, None if it does not."""

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        """Return why the pass cannot rewrite an affected node, None if it can."""
        return None

    @classmethod
    def explain_finding(cls) -> str:
        """Return the page of the finding: the pass's, with what happens first."""
        transformation, defect, *rest = (inspect.getdoc(cls) or "").split("\n\n")
        what = defect.removeprefix("Defect: ")
        fix = f"Fix: the pass {cls.code} of `webbuild pack`: {transformation}"
        return "\n\n".join([what[0].upper() + what[1:], fix, *rest])


class PassContext(Struct, frozen=True):
    """The context of a pass. A node whose place is not known is taken to be on the GPU."""

    model: ir.Model
    options: PassOptions
    known: dict[Callable[[ir.Model], Any], Any] = {}
    """What `once` has read."""

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
        """Whether the target's table does not place a node elsewhere."""
        return node is not None and placement(self.model, node, self.options) in ("gpu", None)


class DefectDecomposition(Defect, Decomposition):
    """A defect whose nodes are written in other operators, if all of these have a GPU kernel."""

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether the defect hits a node on the GPU."""
        return placement(model, node, options) == "gpu" and self.affects(node, PassContext(model, options)) is not None

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        """See `Defect`: it is tried, and taken back."""
        draft = RewriteContext(context.model, node)
        try:
            self.write(draft, node, PassOptions(table=context.table))
        except NotApplicableError as reason:
            return str(reason)
        draft.rollback()
        return None


class Workaround(Defect, Pass):
    """A defect with a rewrite of one node."""

    target: ClassVar[str | None] = "webgpu"
    after: ClassVar[tuple[str, ...]] = ("fold-constants",)

    @abstractmethod
    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        """Rewrite an affected node; return what was done, for the report."""

    def rewrites_node(self, node: ir.Node, context: PassContext) -> bool:
        """Whether to rewrite a node: if the defect hits it. Passes with `also_rewrites` override this."""
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
