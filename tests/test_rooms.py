"""Which room may import which: always downwards, and heavy libraries only where they belong."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import webbuild

ROOT = Path(webbuild.__file__).parent

LAYERS = (
    ("__main__",),
    ("cli",),
    ("commands",),
    ("precision",),
    ("bisect",),
    ("prepared",),
    ("recognise", "overrides", "size_order"),
    ("bundle", "trial"),
    ("inspection", "prompts"),
    ("prove_variant",),
    ("prove",),
    ("leaps",),
    ("proof",),
    ("bench",),
    ("verify",),
    ("completed",),
    ("plan", "dims", "samples", "head", "reference_head", "reference_set"),
    ("probe",),
    ("made_up_stack",),
    ("made_up", "stacks"),
    ("passes", "tasks", "browser"),
    ("findings",),
    ("targets",),
    ("model", "assets", "reference_rotated", "stored"),
    ("in_place", "early_opset"),
    (
        "manifest",
        "levels",
        "facts",
        "external",
        "lookalike",
        "phrase_head",
        "operators",
        "prose",
        "raw_head",
        "set_head",
        "talk",
        "archive",
        "report_file",
    ),
    ("labels", "companions", "input_specs", "tensor_data", "storage"),
    ("errors", "nodes", "memory", "task_specs", "templates"),
)
"""From top to bottom; what stands in one line does not import its neighbours."""

LIBRARIES = {
    "playwright": {"bench", "bisect", "browser", "probe", "verify"},
    "onnxruntime": {"bisect", "operators", "probe", "verify"},
    "onnxscript": {"passes"},
    "onnx": {
        *("model", "in_place", "targets", "inspection", "external", "nodes", "operators", "probe", "prose"),
        *("early_opset", "bisect", "tensor_data", "precision"),
    },
    "onnx_ir": {
        *(
            "bisect",
            "model",
            "passes",
            "plan",
            "inspection",
            "bundle",
            "trial",
            "recognise",
            "tensor_data",
            "precision",
        ),
    },
    "tokenizers": {"tasks"},
    "jinja2": {"bundle", "templates"},
    "zstandard": {"stored"},
    "PIL": {"tasks", "verify"},
    "click": {"cli", "commands", "bench", "bisect", "browser", "verify"},
    "rich": {"cli", "commands", "bench", "inspection", "talk", "verify"},
}


def room(file: Path) -> str:
    return file.relative_to(ROOT).with_suffix("").parts[0]


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


FILES = sorted(file for file in ROOT.rglob("*.py") if file.name != "__init__.py")
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def test_every_room_has_its_level() -> None:
    assert {room(file) for file in FILES} == set(LEVEL), "say in LAYERS where a new room stands"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_room_imports_only_what_stands_below_it(file: Path) -> None:
    here = room(file)
    for name in imported(file):
        package, _, rest = name.partition(".")
        there = rest.partition(".")[0]
        if package == "webbuild" and there not in ("", "__version__", here):
            assert LEVEL[there] > LEVEL[here], f"{here} imports {name}"
        if package in LIBRARIES:
            assert here in LIBRARIES[package], f"{here} imports {name}"


def test_the_program_starts_without_the_heavy_libraries() -> None:
    heavy = ("onnx", "onnx_ir", "onnxruntime", "onnxscript", "numpy", "playwright", "rich", "jinja2", "PIL", "msgspec")
    code = f"import sys, webbuild.cli; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
