"""The longest allowed main-thread task, measured by a loop in the same page, so that a slow machine is no failure."""

from __future__ import annotations

from statistics import median

from playwright.sync_api import Page

from webbuild.browser.tracing import LONG_TASK_MS, main_thread_tasks

COUNT = """(times) => {
  let sum = 0;
  for (let number = 0; number < times * 1e7; number++) sum = (sum * 31 + number) % 1000003;
  return sum;
}"""
"""A loop that takes `times` * 50 ms on a quiet machine with two cores."""
ROUNDS = 5
SLOWDOWN = 2
"""A loading page shares two cores with the browser's other processes; the loop has a core for itself."""


def longest_task_allowed(page: Page) -> float:
    """Return milliseconds of processor time; call it right after the tasks to compare."""
    browser = page.context.browser
    assert browser is not None
    with main_thread_tasks(browser, page) as counted:
        for _ in range(ROUNDS):
            page.evaluate(COUNT, 1)
    return SLOWDOWN * max(LONG_TASK_MS, median(task.ms for task in counted[:ROUNDS]))
