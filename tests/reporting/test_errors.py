"""Every error that the program or its runtime can report has a documentation page."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from msgspec import Struct

from tests.commands.program import webbuild
from webbuild.compare.comparison import Mismatch, NoSignal
from webbuild.errors import DOCS, page_url
from webbuild.reporting.errors import error_pages
from webbuild.reporting.problem_text import problem_lines, see
from webbuild.reporting.write import encode_json

ROOT = Path(__file__).parents[2]
PAGES = {code: text for pages in error_pages().values() for code, text in pages.items()}


class WhatFailed(Struct):
    """A problem."""

    code: str
    where: str
    message: str
    fix: str


_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def test_every_error_of_the_program_has_a_page() -> None:
    codes = {code for file in (ROOT / "webbuild").rglob("*.py") for code in _raised(ast.parse(file.read_text("utf-8")))}
    assert len(codes) > 90
    assert codes <= set(PAGES), f"without a page in error_pages.toml: {sorted(codes - set(PAGES))}"


def test_every_error_of_the_runtime_has_a_page() -> None:
    text = (ROOT / "web" / "src" / "api" / "errors.ts").read_text("utf-8")
    union = re.search(r"type ErrorCode =([^;]+);", text)
    assert union is not None
    declared = set(re.findall(r'"([^"]+)"', union[1]))
    sources = [file.read_text("utf-8") for file in (ROOT / "web" / "src").rglob("*.ts")]
    thrown = {code for source in sources for code in re.findall(r'new WebbuildError\(\s*"([^"]+)"', source)}
    assert len(thrown) > 20
    assert thrown <= declared <= set(PAGES), f"without a page: {sorted(declared - set(PAGES))}"


def test_an_error_of_the_runtime_has_the_address_of_its_page() -> None:
    text = (ROOT / "web" / "src" / "api" / "errors.ts").read_text("utf-8")
    assert f'const DOCS = "{DOCS}";' in text
    assert page_url("CODE") == f"{DOCS}codes/CODE/"
    assert "return `${DOCS}codes/${this.code}/`;" in text


def test_every_warning_of_the_runtime_and_every_problem_of_a_report_has_a_page() -> None:
    schema = ROOT / "web" / "src" / "manifest" / "definitions.ts"  # `code` is also the name of a field there
    sources = [file for file in (ROOT / "web" / "src").rglob("*.ts") if file != schema]
    runtime = "\n".join(file.read_text("utf-8") for file in sources)
    reports = [ast.parse(file.read_text("utf-8")) for file in (ROOT / "webbuild").rglob("*.py")]
    codes = {code for tree in reports for code in _problems(tree)} | set(re.findall(r'\bcode: "([^"]+)"', runtime))
    assert {"off-gpu", "ran-fallback"} <= codes
    assert codes <= set(PAGES), f"without a page: {sorted(codes - set(PAGES))}"


def test_every_reason_of_a_comparison_has_a_page() -> None:
    assert set(error_pages()["comparisons"]) == {*get_args(Mismatch), *get_args(NoSignal)}


def test_what_has_a_code_in_json_has_its_address() -> None:
    comparison = {"verdict": "DIFFERS", "reason": "too-far"}
    shown = json.loads(encode_json(({"code": "off-gpu", "reason": "other"}, comparison, {"code": 3}, {"reason": "x"})))
    assert shown == [
        {"code": "off-gpu", "url": page_url("off-gpu"), "reason": "other"},
        {"verdict": "DIFFERS", "reason": "too-far", "url": page_url("too-far")},
        {"code": 3},
        {"reason": "x"},
    ]


def test_an_address_is_printed_once_for_problems_of_one_code() -> None:
    problems = [WhatFailed(code, "webgpu", "it failed", "try again") for code in ("off-gpu", "off-gpu", "gpu-error")]
    lines = [line for each in problem_lines(problems) for line in each]
    assert [line for line in lines if "see:" in line] == [see("off-gpu"), see("gpu-error")]
    assert sum(line == "error[off-gpu] webgpu: it failed" for line in lines) == 2


def test_no_page_is_about_an_error_that_is_gone() -> None:
    files = [*(ROOT / "webbuild").rglob("*.py"), *(ROOT / "web" / "src").rglob("*.ts")]
    text = "\n".join(file.read_text("utf-8") for file in files)
    gone = [code for code in PAGES if not re.search(rf"[\"']{re.escape(code)}[\"']", text)]
    assert gone == []


@pytest.mark.parametrize("code", sorted(PAGES))
def test_a_page_says_what_happened_why_and_the_fix(code: str) -> None:
    assert _CODE.fullmatch(code)
    assert re.fullmatch(r"[^\n]+\.\n\nUsual causes: [^\n]+\.\n\nFix: [^\n]+\.?", PAGES[code])


def test_explain_prints_an_errors_page_and_lists_all() -> None:
    shown = webbuild("explain", "output-mismatch").stdout
    assert shown.startswith("output-mismatch\n\nA rewritten graph gives other answers than the original")
    assert "\nFix: " in shown
    listed = webbuild("explain").stdout
    assert all(f"\n  {code} " in listed for code in PAGES)


@pytest.mark.parametrize(("asked", "meant"), [("output-mismach", "output-mismatch"), ("noadapter", "no-adapter")])
def test_a_misspelt_code_is_answered_with_the_nearest(asked: str, meant: str) -> None:
    done = webbuild("explain", asked)
    assert (done.code, done.error) == (2, "unknown-code")
    assert meant in done.stderr
    assert len(done.stderr) < 400


def _raised(tree: ast.Module) -> Iterator[str]:
    """Yield the codes that a module raises: constants passed as an error's code, directly or through a function here
    that passes on its first argument.
    """
    makers = {"WebbuildError"} | {
        function.name
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and function.args.args
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and _name(call) == "WebbuildError" and call.args
        if isinstance(call.args[0], ast.Name) and call.args[0].id == function.args.args[0].arg
    }
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _name(call) in makers and call.args:
            yield from _constants(call.args[0])


def _problems(tree: ast.Module) -> Iterator[str]:
    """Yield the codes of the problems that a module creates."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _name(call) == "Problem":
            yield from (code for each in call.keywords if each.arg == "code" for code in _constants(each.value))


def _constants(code: ast.expr) -> Iterator[str]:
    if isinstance(code, ast.Constant):
        yield str(code.value)
    elif isinstance(code, ast.IfExp):
        yield from (*_constants(code.body), *_constants(code.orelse))


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
