"""Import layers: a package imports only from layers below its own, and heavy libraries only where they are listed."""

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
    ("bisect", "compile"),
    ("bench", "bundle"),
    ("precision", "verify"),
    ("equivalence", "inspection"),
    ("probe", "reporting", "samples"),
    ("ortweb", "passes", "tasks"),
    ("model", "subgraph"),
    ("browser", "compare", "preprocess", "quantization", "runners", "targets"),
    ("errors", "manifest", "postprocess"),
)
"""Packages of `webbuild` by layer, from top to bottom. A package imports only from the layers below its own."""

LIBRARIES = {
    "PIL": {"preprocess", "reporting", "verify"},
    "click": {"bisect", "browser", "cli", "commands", "reporting"},
    "jinja2": {"bundle", "reporting"},
    "onnx": {"bisect", "inspection", "model", "precision", "probe", "runners", "subgraph", "targets"},
    "onnx_ir": {
        *("bisect", "bundle", "compile", "equivalence", "inspection"),
        *("model", "passes", "precision", "quantization"),
    },
    "onnxruntime": {"model", "probe", "runners"},
    "onnxscript": {"passes"},
    "playwright": {"bench", "browser", "ortweb", "probe", "verify"},
    "rich": {"bench", "commands", "inspection", "reporting", "verify"},
    "tokenizers": {"preprocess"},
    "zstandard": {"manifest"},
}
"""Packages that may import a library. Any package may import a library that is not listed."""


def package_of(file: Path) -> str:
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


def test_every_package_has_its_layer() -> None:
    assert {package_of(file) for file in FILES} == set(LEVEL), "add the new package to LAYERS"
    assert len(LAYERS) <= 12


def test_the_root_holds_the_entry_points_alone() -> None:
    names = {file.name for file in ROOT.iterdir() if file.is_file()}
    assert names == {"__init__.py", "__main__.py", "cli.py", "errors.py", "py.typed"}


def test_the_top_of_the_tasks_holds_tasks_and_what_every_task_is_made_of() -> None:
    made_of = {"__init__", "base", "registry", "run_context", "task_match", "type_names"}
    files = {file.stem: file for file in (ROOT / "tasks").glob("*.py")}
    others = [name for name, file in files.items() if "\nTASK = " not in file.read_text("utf-8")]
    assert {*others} == made_of, "put it into the folder of tasks/ that says what it does"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_package_imports_only_from_layers_below_its_own(file: Path) -> None:
    here = package_of(file)
    for name in imported(file):
        package, _, rest = name.partition(".")
        there = rest.partition(".")[0]
        if package == "webbuild" and there not in ("", "__version__", here):
            assert LEVEL[there] > LEVEL[here], f"{here} imports {name}"
        if package in LIBRARIES:
            assert here in LIBRARIES[package], f"{here} imports {name}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_only_a_task_knows_which_task_it_is(file: Path) -> None:
    if package_of(file) == "tasks":
        return
    calls = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call)]
    asking = [
        call.lineno
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "isinstance" and "Task" in ast.unparse(call.args[1])
    ]
    assert asking == [], "give `TaskKind` a method for this"


def test_the_program_starts_without_the_heavy_libraries() -> None:
    heavy = ("onnx", "onnx_ir", "onnxruntime", "onnxscript", "numpy", "playwright", "rich", "jinja2", "PIL", "msgspec")
    code = f"import sys, webbuild.cli; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
