"""Examples of passes and findings: the smallest case of their tests, and its result."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnx_ir as ir

from tools.docs import markdown
from webbuild.inspection.finding import Finding
from webbuild.inspection.inspect import inspect
from webbuild.targets.table import load_table
from webbuild.targets.target import parse_target

_TESTS = Path(__file__).parents[2] / "tests"
_PASSES, _FINDINGS = _TESTS / "passes" / "cases", _TESTS / "inspection" / "cases"
_END = ".onnx.txt"
_LONG = 60
"""Number of lines from which a graph is collapsed."""


def pass_example(code: str) -> list[str]:
    """Return the graph before and after a pass, in ONNX's text format, and the pass's report."""
    found = [(case, case.with_name(case.name.replace(_END, ".snapshot"))) for case in _cases(_PASSES / code)]
    if not found:
        return []
    case, snapshot = min(found, key=lambda pair: len(pair[1].read_text("utf-8")))
    said, _, after = snapshot.read_text("utf-8").partition("\n\n")
    parts = [
        f"## Example: {_title(case)}",
        "Before:",
        _graph(_without_comments(case)),
        "After:",
        _graph(after),
        "What the pass reports:",
        markdown.fenced(said),
    ]
    if kept := sorted(_title(each) for each in (_PASSES / code).glob(f"keep_*{_END}")):
        parts += ["Graphs that the pass leaves alone in its tests:", "\n".join(f"- {title}" for title in kept)]
    return parts


def finding_example(code: str) -> list[str]:
    """Return a graph with the finding, and the message of `inspect`."""
    found = list(_cases(_FINDINGS / code))
    if not found:
        return []
    case = min(found, key=lambda path: path.stat().st_size)
    said = _inspected(case, code)
    return [f"## Example: {_title(case)}", _graph(_without_comments(case)), "`webbuild inspect` says:", said]


def _inspected(case: Path, code: str) -> str:
    lines = case.read_text("utf-8").splitlines()
    options = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# ") and ": " in line)
    sizes = (pair.rpartition("=") for pair in options.get("dims", "").split(",") if pair)
    dims = {name.strip(): int(size) for name, _, size in sizes}
    table = load_table(parse_target(options.get("target", "1.30.0-webgpu")))
    model = onnx.parser.parse_model(case.read_text("utf-8"))
    findings = inspect(case.name, ir.from_proto(model), table, dims).findings
    return markdown.fenced("\n".join(_finding_lines(each) for each in findings if each.code == code))


def _finding_lines(finding: Finding) -> str:
    fix = f"webbuild pack (pass {', '.join(finding.fixed_by)})" if finding.fixed_by else finding.fix
    return f"{finding.severity}[{finding.code}] {finding.summary}: {finding.reason}\n  {finding.where}\n  fix: {fix}"


def _cases(folder: Path) -> list[Path]:
    """Return the cases with a change or a finding."""
    return [path for path in sorted(folder.glob(f"*{_END}")) if not path.name.startswith("keep_")]


def _title(path: Path) -> str:
    return path.name.removesuffix(_END).removeprefix("keep_").replace("_", " ")


def _without_comments(path: Path) -> str:
    return "\n".join(line for line in path.read_text("utf-8").splitlines() if not line.startswith("#"))


def _graph(text: str) -> str:
    """Return a graph as code; a long one is collapsed."""
    code = markdown.fenced(text)
    if text.count("\n") < _LONG:
        return code
    inside = "\n".join(f"    {line}" if line else "" for line in code.splitlines())
    return f'??? note "{text.count(chr(10))} lines"\n\n{inside}'
