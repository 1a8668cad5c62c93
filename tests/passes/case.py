"""Test cases of the passes: text files in ONNX's own syntax, `cases/<pass>/<what>.onnx.txt`.

Comments at the top may give:
- sizes: `# dims: height=8, x:1=4`
- the missing post-processing: `# raw: {"output": ...}` or `# set: {"output": ...}`
- the build whose table the pass gets: `# target: 1.30.0-webgpu`
- the bytes of the largest buffer: `# binding: 64`

A file whose name begins with `keep_` must be left unchanged.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec
import onnx
import onnx_ir as ir
import onnx_ir.passes.common as common
from msgspec import Struct

from webbuild.passes.analysis import shape_inference
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.registry import all_passes
from webbuild.postprocess.class_maps import ClassMapsPostprocess
from webbuild.postprocess.detr import DetrPostprocess
from webbuild.postprocess.label_scores import LabelScoresPostprocess
from webbuild.postprocess.postprocess import Postprocess
from webbuild.postprocess.yolo import YoloPostprocess
from webbuild.targets.table import load_table
from webbuild.targets.target import parse_target

FOLDER = Path(__file__).parent / "cases"


class Case(Struct, frozen=True, eq=False):
    """A model, the pass to test, and whether that pass must leave the model unchanged."""

    path: Path
    kind: type[Pass]
    keep: bool
    options: PassOptions

    @property
    def name(self) -> str:
        return f"{self.kind.code}/{self.path.name.removesuffix('.onnx.txt')}"

    def load(self) -> ir.Model:
        """Return the model with inferred shapes, as a pass gets it."""
        return read(self.path)


class Outcome(Struct, frozen=True):
    """The result of a case: after the pass, and after a second call."""

    model: ir.Model
    rewrites: list[Rewrite]
    before: str
    after: str
    again: list[Rewrite]
    after_again: str


def all_cases() -> list[Case]:
    kinds = {kind.code: kind for kind in all_passes()}
    files = sorted(FOLDER.glob("*/*.onnx.txt"))
    return [Case(f, kinds[f.parent.name], f.name.startswith("keep_"), _options(f)) for f in files]


def read(path: Path) -> ir.Model:
    model = ir.from_onnx_text(path.read_text("utf-8"))
    shape_inference.infer_shapes(model)
    return model


@cache
def outcome(case: Case) -> Outcome:
    """Apply the pass of a case twice."""
    model = case.load()
    before = text(model)
    rewrites = case.kind(case.options).apply_to_each_graph(model)
    after = text(model)
    again = model.clone()
    rewrites_again = case.kind(case.options).apply_to_each_graph(again)
    return Outcome(model, rewrites, before, after, rewrites_again, text(again))


def text(model: ir.Model) -> str:
    """Return a model as text, without the shapes of intermediate values; long constants are shortened."""
    proto = ir.to_proto(model)
    del proto.graph.value_info[:]
    return re.sub(r"\{([^{}\n=\"]{120,})\}", _shorten, onnx.printer.to_text(proto)) + "\n"


def tidy(model: ir.Model) -> ir.Model:
    """Return the model without unused nodes: passes leave them to `canonicalize`."""
    tidied = model.clone()
    common.RemoveUnusedNodesPass()(tidied)
    return tidied


def _shorten(match: re.Match[str]) -> str:
    values = match[1].split(",")
    return f"{{{','.join(values[:8])}, ... {len(values)} values, the sum is {sum(map(float, values)):g}}}"


def _options(path: Path) -> PassOptions:
    keys, told = ("dims", "raw", "set", "maps", "labels", "target", "binding"), path.read_text("utf-8")
    sizes, raw, several, maps, labels, build, binding = (
        re.search(rf"^# {key}: (.+)$", told, re.MULTILINE) for key in keys
    )
    pairs = (pair.rpartition("=") for pair in sizes[1].split(",")) if sizes else ()
    head: Postprocess | None = msgspec.json.decode(raw[1], type=YoloPostprocess) if raw else None
    if maps:
        head = msgspec.json.decode(maps[1], type=ClassMapsPostprocess)
    if labels:
        head = msgspec.json.decode(labels[1], type=LabelScoresPostprocess)
    if several:
        head = msgspec.json.decode(several[1], type=DetrPostprocess)
    known = load_table(parse_target(build[1])) if build else None
    least = int(binding[1]) if binding else PassOptions().max_binding_size
    return PassOptions(
        dims={name.strip(): int(size) for name, _, size in pairs},
        missing_postprocess=head,
        table=known,
        max_binding_size=least,
    )
