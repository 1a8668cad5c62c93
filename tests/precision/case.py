"""Cases of the conversion: text files in ONNX's own syntax, `cases/<what>.onnx.txt`.

A comment at the top may name nodes to keep in float32, `# keep: one, two`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import onnx_ir as ir

from tests.passes.case import read
from webbuild.precision.convert import Fp16Graph, plan_conversion
from webbuild.targets.table import KernelTable, load_table
from webbuild.targets.target import parse_target

FOLDER = Path(__file__).parent / "cases"
FILES = sorted(FOLDER.glob("*.onnx.txt"))


def measured() -> KernelTable:
    """Return the table of the engine build that bundles contain."""
    return load_table(parse_target("1.30.0-webgpu"))


def model(file: Path) -> ir.Model:
    return read(file)


def kept(file: Path) -> tuple[str, ...]:
    told = re.search(r"^# keep: (.+)$", file.read_text("utf-8"), re.MULTILINE)
    return tuple(name.strip() for name in told[1].split(",")) if told else ()


@cache
def converted(file: Path) -> Fp16Graph:
    return plan_conversion(model(file), measured()).convert(kept(file))
