"""Accessibility of a page: axe-core's rules, and keyboard focus with the Tab key."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

AXE = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"
_MAX_STOPS = 200
_TO_THE_TOP = """() => {
  // The next Tab starts where the last click was, unless something above has had the focus since.
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");
  document.activeElement?.blur();
  scrollTo(0, 0);
}"""
_STOP = """(earlier) => {
  const all = [...document.querySelectorAll("*")];
  const hidden = (each) => getComputedStyle(each).opacity === "0";
  const outlined = (each) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
  };
  // A hidden input lies where its parent does. It shows its focus there, or on the label after it.
  const box = (each) => {
    const { left, right, top, bottom } = (hidden(each) ? each.parentElement : each).getBoundingClientRect();
    return { left, right, top, bottom };
  };
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const marks = [hidden(at) ? at.nextElementSibling : at, at.parentElement].filter(Boolean);
  const section = (each) => each.closest("section, header, footer, form");
  const before = all[earlier];
  return {
    index: all.indexOf(at),
    name: at.id || at.dataset.testid || `${at.localName} ${at.textContent.trim().slice(0, 30)}`,
    marked: marks.some(outlined),
    box: box(at),
    // Both at once: a list scrolls as the focus moves in it.
    before: before && section(before) === section(at) ? box(before) : null,
  };
}"""
_CONTROLS = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
  .filter((each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility({ visibilityProperty: true }))
  // The arrow keys move within a group of radio buttons.
  .filter((each) => each.type !== "radio" || each.checked)
  .map((each) => [
    [...document.querySelectorAll("*")].indexOf(each),
    each.id || each.dataset.testid || `${each.localName} ${each.textContent.trim().slice(0, 30)}`,
  ])"""


@cache
def _source() -> str:
    return AXE.read_text("utf-8")


def violations(page: Page) -> list[str]:
    """Return accessibility violations, one line each: from axe's rules, and from the focus order."""
    return axe_violations(page) + focus_problems(page)


def axe_violations(page: Page) -> list[str]:
    """Return violations of axe's rules, one line each. A page without anything to check is a violation."""
    page.evaluate(_source())
    report: dict[str, Any] = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    if not report["passes"]:
        return ["axe: no rule found anything to check"]
    return [
        f"{rule['id']} {node['target'][0]}: {rule['help']} ({node['failureSummary']})"
        for rule in report["violations"]
        for node in rule["nodes"]
    ]


def focus_problems(page: Page) -> list[str]:
    """Return problems with the focus order, tabbing from the top of the page.

    Every control is reached and shows the focus. Within a section, the order is from top to bottom and along each line.
    """
    page.evaluate(_TO_THE_TOP)
    stops: list[dict[str, Any]] = []
    for _ in range(_MAX_STOPS):
        page.keyboard.press("Tab")
        stop = page.evaluate(_STOP, stops[-1]["index"] if stops else -1)
        if stop is None or any(stop["index"] == earlier["index"] for earlier in stops):
            break
        stops.append(stop)
    reached = {stop["index"] for stop in stops}
    missed = [name for index, name in page.evaluate(_CONTROLS) if index not in reached]
    page.evaluate(_TO_THE_TOP)
    return [
        *(f"focus: {name} is not reached with the Tab key" for name in missed),
        *(f"focus: {stop['name']} does not show that it has the focus" for stop in stops if not stop["marked"]),
        *(
            f"focus: {after['name']} comes after {before['name']}, and lies before it"
            for before, after in pairwise(stops)
            if after["before"] and _lies_before(after["box"], after["before"])
        ),
    ]


def _lies_before(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether one control is above another, or to the left of it in the same line."""
    overlap = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
    same_line = overlap > 0.5 * min(one["bottom"] - one["top"], other["bottom"] - other["top"])
    return bool(one["right"] <= other["left"]) if same_line else bool(one["bottom"] <= other["top"])
