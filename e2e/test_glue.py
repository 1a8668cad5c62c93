"""JavaScript between two stages, run by `verify` on the outputs of the native stages before it, and by the runtime."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Webbuild
from tests.stages import pair
from webbuild.browser import module_syntax
from webbuild.compile.stages.glue_syntax import check_glue_syntax

GLUE = """
export default ({ encoder: { detail } }, { picture }) => {
  BEFORE
  const data = Float32Array.from({ length: 8 }, (_, at) => detail.data[16 * at] + at / 8 + picture.width / 1000);
  return { vector: { type: "float32", dims: [1, 8], data } };
};
"""


def verified(webbuild: Webbuild, folder: Path, before: str) -> tuple[int, dict[str, Any]]:
    """Pack the pair with a module that runs `before` first, and return verify's result on WASM."""
    module = folder / "vector.js"
    module.write_text(GLUE.replace("BEFORE", before))
    done = webbuild("pack", *pair(folder), "--glue", module, "-o", folder / "out", "--no-verify")
    assert done.returncode == 0, done.stderr
    done = webbuild("verify", folder / "out", "--backend", "wasm", "--json")
    return done.returncode, json.loads(done.stdout)


def test_a_module_is_compared_with_what_it_makes_of_native_answers(webbuild: Webbuild, tmp_path: Path) -> None:
    code, report = verified(webbuild, tmp_path, "")
    assert (code, report["problems"]) == (0, [])
    whole = next(run for run in report["backends"] if run["backend"] == "wasm whole")
    assert {each["verdict"] for result in whole["results"] for each in result["comparisons"]} == {"OK"}


@pytest.mark.parametrize(
    ("before", "where"),
    [
        ("if (globalThis.document === undefined) throw new Error('only on a page');", ["wasm whole"]),
        ("return { vector: { type: 'float32', dims: [1, 8], data: new Float32Array(8).fill(NaN) } };", ["decoder"]),
    ],
    ids=["the runtime's", "on native answers"],
)
def test_a_module_that_fails_is_named(webbuild: Webbuild, tmp_path: Path, before: str, where: list[str]) -> None:
    code, report = verified(webbuild, tmp_path, before)
    found = [*report["problems"], *(each for run in report["backends"] for each in run["problems"])]
    assert (code, [(each["code"], each["where"]) for each in found]) == (1, [("glue-failed", at) for at in where])


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("", None),
        ("return { vector: };", "vector.js:3: Unexpected token '}'"),
        ("const data = 1;", "vector.js:4: Identifier 'data' has already been declared"),
        ("globalThis.ran = 1; throw new Error('it ran');", None),
    ],
)
def test_a_module_that_is_no_javascript_is_not_packed(
    webbuild: Webbuild, tmp_path: Path, before: str, said: str | None
) -> None:
    module = tmp_path / "vector.js"
    module.write_text(GLUE.replace("BEFORE", before) + "if (globalThis.never === undefined) throw new Error('it ran');")
    done = webbuild("pack", *pair(tmp_path), "--glue", module, "--dry-run")
    if said is None:
        assert done.returncode == 0, done.stderr
        return
    assert done.returncode == 2
    assert "error[invalid-glue]" in done.stderr
    assert said in done.stderr


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (module_syntax._COMPILE.replace("document.head.append(script);", ""), "no answer within 0.1 s"),
        ("() => { throw new Error('the page is gone'); }", "the page is gone"),
    ],
    ids=["one that does not answer", "one that fails"],
)
def test_a_browser_that_fails_leaves_the_syntax_unchecked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    module = tmp_path / "vector.js"
    module.write_text(GLUE.replace("BEFORE", ""))
    monkeypatch.setattr(module_syntax, "_COMPILE", script)
    monkeypatch.setattr(module_syntax, "_SECONDS", 0.1)
    with ThreadPoolExecutor(1) as pool:  # this thread may run another test's Playwright
        [note] = pool.submit(lambda: list(check_glue_syntax([module]))).result()
    assert "vector.js is not checked: Chromium failed: " in note
    assert said in note
