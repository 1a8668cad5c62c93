"""What a pass is, and how passes are found and ordered."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, ClassVar, Literal

from msgspec import Struct

import webbuild.passes
from webbuild.phrase_head import PhraseHead
from webbuild.raw_head import RawHead
from webbuild.set_head import SetHead
from webbuild.targets.table import Table

if TYPE_CHECKING:
    import onnx_ir as ir


Suppression = Literal["gpu", "cpu", "keep"]


class Edit(Struct, frozen=True):
    """A change that a pass made (`done`), or one that it left alone, and why."""

    code: str
    where: str
    done: bool
    why: str


class Options(Struct, frozen=True):
    """What a pass may know besides the graph.

    Attributes:
        dims: sizes for free dimensions, by their name or as "input:axis".
        candidates: how many candidates a detection head keeps; None lets the pass choose.
        table: what the build can do that the WebGPU graph is for; None where nothing is known.
        raw: the post-processing that the model lacks; None for nothing to add.
        binding: bytes that every device gives to a shader in one buffer: 128 MiB are promised.
        nms: where suppression runs: on the GPU by fixed shapes, in every graph on the CPU with fixed shapes around
            it, or exactly as exported.
    """

    dims: Mapping[str, int] = {}
    candidates: int | None = None
    raw: RawHead | SetHead | PhraseHead | None = None
    table: Table | None = None
    binding: int = 128 << 20
    nms: Suppression = "gpu"


class Pass(ABC):
    """A rewrite of a whole graph.

    The subclass's docstring is what `webbuild explain CODE` prints. A pass is idempotent: a second call changes
    nothing and reports nothing done.
    """

    code: ClassVar[str]
    after: ClassVar[tuple[str, ...]] = ()
    """Codes of the passes that must have run before."""
    target: ClassVar[str | None] = None
    """The target whose graph this pass is for; None for every graph."""
    suppresses: ClassVar[bool] = False
    """Whether it rewrites the suppression of boxes, so that `Options.nms` decides where it runs."""

    @classmethod
    def is_for(cls, target: str | None, options: Options) -> bool:
        """Whether this pass runs on the graph for a target, or on what is common to all where that is None."""
        if cls.suppresses and options.nms == "keep":
            return False
        on_cpu = cls.suppresses and options.nms == "cpu" and target is not None
        return cls.target in (None, "wasm" if on_cpu else target)

    @abstractmethod
    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Change the model in place and return what was changed and what was refused."""

    def done(self, where: str, why: str) -> Edit:
        """Return a record of a change."""
        return Edit(self.code, where, True, why)

    def left(self, where: str, why: str) -> Edit:
        """Return a record of a refusal."""
        return Edit(self.code, where, False, why)


@cache
def all_passes() -> tuple[type[Pass], ...]:
    """Return every pass in this folder, each after those it names in `after`."""
    found: dict[str, type[Pass]] = {}
    for module in pkgutil.iter_modules(webbuild.passes.__path__):
        if module.name.startswith("_"):
            continue
        members = vars(importlib.import_module(f"webbuild.passes.{module.name}")).values()
        for member in members:
            if inspect.isclass(member) and issubclass(member, Pass) and not inspect.isabstract(member):
                found[member.code] = member
    order = TopologicalSorter({code: sorted(found[code].after) for code in sorted(found)})
    return tuple(found[code] for code in order.static_order())
