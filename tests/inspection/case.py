"""Test cases of the rules: models in ONNX's text format, `cases/<code>/<what>.onnx.txt`.

Comments at the top may give `# target: 1.30.0-wasm` and `# dims: N=2`. In a file whose name begins with `keep_` the
rule must find nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

import onnx
import onnx_ir as ir
from msgspec import Struct

from webbuild.inspection.inspect import inspect
from webbuild.inspection.result import Inspection
from webbuild.targets.table import load_table
from webbuild.targets.target import Target, parse_target

FOLDER = Path(__file__).parent / "cases"


class Case(Struct, frozen=True):
    """A model, the rule's code, and whether the rule must find nothing."""

    path: Path
    code: str
    keep: bool
    target: Target
    dims: dict[str, int]

    @property
    def name(self) -> str:
        return f"{self.code}/{self.path.name.removesuffix('.onnx.txt')}"

    def proto(self) -> onnx.ModelProto:
        model: onnx.ModelProto = onnx.parser.parse_model(self.path.read_text("utf-8"))
        return model

    def inspect(self) -> Inspection:
        return inspect(self.path.name, ir.from_proto(self.proto()), load_table(self.target), self.dims)


def all_cases() -> list[Case]:
    return [_case(file) for file in sorted(FOLDER.glob("*/*.onnx.txt"))]


def _case(file: Path) -> Case:
    text = file.read_text("utf-8")
    target, sizes = (re.search(rf"^# {key}: (.+)$", text, re.MULTILINE) for key in ("target", "dims"))
    pairs = (pair.rpartition("=") for pair in sizes[1].split(",")) if sizes else ()
    return Case(
        file,
        file.parent.name,
        file.name.startswith("keep_"),
        parse_target(target[1] if target else "1.30.0-webgpu"),
        {name.strip(): int(size) for name, _, size in pairs},
    )
