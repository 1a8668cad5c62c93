"""axe-core, run in an open page: what keeps people with other eyes, hands or screens from using it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

AXE = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"


@cache
def _source() -> str:
    return AXE.read_text("utf-8")


def violations(page: Page) -> list[str]:
    """Return what axe finds wrong, a line for each element, over all rules that it has.

    A page on which axe finds nothing to check is a violation.
    """
    page.evaluate(_source())
    report: dict[str, Any] = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    if not report["passes"]:
        return ["axe: no rule found anything to check"]
    return [
        f"{rule['id']} {node['target'][0]}: {rule['help']} ({node['failureSummary']})"
        for rule in report["violations"]
        for node in rule["nodes"]
    ]
