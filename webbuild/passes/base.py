"""Base class of passes: a pass rewrites the graph in place and reports each change and each refusal."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping
from itertools import islice
from typing import ClassVar, Literal

import onnx_ir as ir
from msgspec import Struct
from onnx_ir.passes import InPlacePass, PassResult
from onnx_ir.passes.common import CheckerPass

from webbuild.passes.graphs import changes, count_change, each_graph
from webbuild.postprocess.postprocess import Postprocess
from webbuild.targets.table import KernelTable

NmsPlacement = Literal["shader", "gpu", "cpu", "keep"]


class Rewrite(Struct, frozen=True):
    """A change that a pass made (`applied`), or one that it refused, and why."""

    code: str
    location: str
    applied: bool
    reason: str


class PassOptions(Struct, frozen=True):
    """Options of the passes.

    Attributes:
        dims: sizes for free dimensions, by their name or as "input:axis".
        table: kernel table of the build that runs the WebGPU graph; None if there is none.
        missing_postprocess: the post-processing that the model lacks; None for nothing to add.
        max_binding_size: largest storage buffer of a shader, in bytes; WebGPU guarantees 128 MiB.
        nms: where NMS runs. "shader": in the runtime's compute shader after the graph, or as "gpu" if that cannot do
            it. "gpu": on the GPU, with static shapes. "cpu": on the CPU in every graph, with static shapes around it.
            "keep": as exported.
        int32_inputs: whether int64 inputs may become int32; those of a bundle may.
        states: inputs that take an output of the previous run; each has the type of that output.
    """

    dims: Mapping[str, int] = {}
    missing_postprocess: Postprocess | None = None
    table: KernelTable | None = None
    max_binding_size: int = 128 << 20
    nms: NmsPlacement = "gpu"
    int32_inputs: bool = False
    states: frozenset[str] = frozenset()


CHECK = "WEBBUILD_CHECK_PASSES"
"""Environment variable: if it is set, `onnx.checker` checks the model after every pass that changed it."""


class PassFailedError(Exception):
    """A pass raised, or left an invalid model. `where` is the node that it was rewriting, "" if unknown."""

    def __init__(self, code: str, where: str, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.code, self.where, self.error = code, where, error


class Pass(InPlacePass):
    """A rewrite of each graph of a model.

    `webbuild explain CODE` prints the subclass's docstring. A pass is idempotent: a second call changes nothing and
    reports no change.

    Args:
        options: the options of all passes.

    Attributes:
        rewrites: the changes of all calls, in order.
        skips: the refusals of the last call; earlier ones may have been resolved since.
    """

    code: ClassVar[str]
    after: ClassVar[tuple[str, ...]] = ()
    """Codes of the passes that must have run before."""
    target: ClassVar[str | None] = None
    """The target whose graph this pass is for; None for every graph."""
    tolerance: ClassVar[float] = 0.0
    """Largest allowed change of an output, relative to its largest magnitude; 0 if the rewrite is exact."""
    scope: ClassVar[Literal["each graph", "whole model", "main graph"]] = "each graph"
    """What `apply` is called with.

    - "each graph": the main graph, then each body of an If, Loop or Scan as the graph of its own model.
    - "whole model": the model, once; the pass walks the graphs itself.
    - "main graph": the model, once; the pass changes the model's inputs or outputs.
    """
    rewrites_nms: ClassVar[bool] = False
    """Whether the pass rewrites NMS, so that `PassOptions.nms` decides on which targets it runs."""

    def __init__(self, options: PassOptions = PassOptions()) -> None:  # noqa: B008 - it is frozen
        self.options = options
        self.rewrites: list[Rewrite] = []
        self.skips: list[Rewrite] = []
        self._modified = False
        self._nothing_at: int | None = None

    def call(self, model: ir.Model) -> PassResult:
        """Apply the pass, for `onnx_ir.passes.PassManager`; skip it if nothing changed since its last no-op call.

        Raises:
            PassFailedError: the rewrite raised.
        """
        self._modified = False
        if self._nothing_at == changes(model):
            return PassResult(model, modified=False)
        try:
            rewrites = self.apply_to_each_graph(model)
        except Exception as error:
            raise PassFailedError(self.code, _node_in(error), error) from error
        done = [rewrite for rewrite in rewrites if rewrite.applied]
        self.rewrites += done
        self.skips = [rewrite for rewrite in rewrites if not rewrite.applied]
        self._modified = bool(done)
        if done:
            count_change(model)
        else:
            self._nothing_at = changes(model)
        return PassResult(model, modified=self._modified)

    def ensures(self, model: ir.Model) -> None:
        """Check the model if the pass changed it; also with ONNX's checker if `CHECK` is set, as in tests.

        Raises:
            PassFailedError: a node reads an output of a removed node, or `onnx.checker` rejects the model.
        """
        if not self._modified:
            return
        if (reader := _reader_of_removed_node(model)) is not None:
            cause = ValueError("it reads an output of a removed node")
            raise PassFailedError(self.code, reader.name or reader.op_type, cause)
        if not os.environ.get(CHECK):
            return
        try:
            CheckerPass()(model)
        except Exception as error:
            raise PassFailedError(self.code, "", error) from error

    @classmethod
    def runs_on(cls, target: str | None, options: PassOptions) -> bool:
        """Whether this pass runs on the graph for a target, or, for None, on the graph that all targets share."""
        if cls.rewrites_nms and options.nms == "keep":
            return False
        on_cpu = cls.rewrites_nms and options.nms == "cpu" and target is not None
        return cls.target in (None, "wasm" if on_cpu else target)

    def apply_to_each_graph(self, model: ir.Model) -> list[Rewrite]:
        """Change the model's graph and the bodies in it; return the changes and the refusals."""
        parts = islice(each_graph(model), None if self.scope == "each graph" else 1)
        return [rewrite for part in parts for rewrite in self.apply(part, self.options)]

    @abstractmethod
    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Change the model's graph in place; return the changes and the refusals."""

    def applied(self, where: ir.Node | str, reason: str) -> Rewrite:
        """Return a record of a change."""
        return Rewrite(self.code, _location(where), True, reason)

    def skipped(self, where: ir.Node | str, reason: str) -> Rewrite:
        """Return a record of a refusal."""
        return Rewrite(self.code, _location(where), False, reason)


def _location(where: ir.Node | str) -> str:
    return where if isinstance(where, str) else f"{where.op_type} '{where.name}'"


def _node_in(error: Exception) -> str:
    """Return the variable `node` of the innermost stack frame that has one: the node that was being rewritten."""
    where, frame = "", error.__traceback__
    while frame is not None:
        node = frame.tb_frame.f_locals.get("node")
        if isinstance(node, ir.Node):
            where = _location(node)
        frame = frame.tb_next
    return where


def _reader_of_removed_node(model: ir.Model) -> ir.Node | None:
    """Return a node of any graph that reads an output of a removed node, None if there is none."""
    for node in ir.traversal.RecursiveGraphIterator(model.graph):
        for value in node.inputs:
            maker = None if value is None else value.producer()
            if maker is not None and maker.graph is None:
                return node
    return None
