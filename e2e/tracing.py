"""Chromium's own trace of what the main thread did, by processor time: a busy machine makes no task longer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page

_CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]


@contextmanager
def main_thread_tasks(browser: Browser, page: Page) -> Iterator[list[float]]:
    """Trace the block; the list it gives is filled behind it with every task's milliseconds of processor time."""
    tasks: list[float] = []
    browser.start_tracing(page=page, categories=_CATEGORIES)
    try:
        yield tasks
    finally:
        events = json.loads(browser.stop_tracing())["traceEvents"]
    main = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and _is_main(e["args"]["name"])}
    tasks += [
        event.get("tdur", event["dur"]) / 1000
        for event in events
        if event["name"].endswith("RunTask") and "dur" in event and (event["pid"], event["tid"]) in main
    ]


def _is_main(thread: str) -> bool:
    return thread == "CrRendererMain"
