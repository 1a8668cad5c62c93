"""Tasks of the main thread from Chromium's trace, in CPU time, which does not grow on a busy machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "v8", "blink.user_timing"]

TraceEvent = dict[str, Any]

LONG_TASK_MS = 50
"""Milliseconds: browsers call a task that takes longer a long task."""


class MainThreadTask:
    """A task of the main thread: milliseconds of CPU time, and its larger parts."""

    def __init__(self, event: TraceEvent, events: list[TraceEvent]) -> None:
        self.ms = _cpu_milliseconds(event)
        end = event["ts"] + event["dur"]
        inside = [e for e in events if event["ts"] < e["ts"] < end and e.get("tdur", 0) > 2000]
        self.parts = [f"{e['name']} {_cpu_milliseconds(e):.0f}" for e in inside]

    def __repr__(self) -> str:
        return f"{self.ms:.0f} ms: {', '.join(self.parts)}"


@contextmanager
def main_thread_tasks(browser: Browser, page: Page) -> Iterator[list[MainThreadTask]]:
    """Trace the block. The list is filled after it, longest task first: all long tasks, and at least 20 tasks."""
    tasks: list[MainThreadTask] = []
    browser.start_tracing(page=page, categories=_CATEGORIES)
    try:
        yield tasks
    finally:
        events: list[TraceEvent] = json.loads(browser.stop_tracing())["traceEvents"]
    processes = _renderer_processes(events, page.url)
    threads = {
        (e["pid"], e["tid"])
        for e in events
        if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain" and e["pid"] in processes
    }
    own = [e for e in events if (e["pid"], e["tid"]) in threads and "dur" in e]
    long = sorted((e for e in own if e["name"].endswith("RunTask")), key=_cpu_milliseconds, reverse=True)
    beyond = sum(_cpu_milliseconds(event) > LONG_TASK_MS for event in long)
    tasks += [MainThreadTask(event, own) for event in long[: max(20, beyond)]]


def _renderer_processes(events: list[TraceEvent], url: str) -> set[int]:
    """Return the renderer processes of the page: a browser also has renderers of other pages."""
    committed = [event["args"]["data"] for event in events if event["name"] == "FrameCommittedInBrowser"]
    started = [event["args"]["data"] for event in events if event["name"] == "TracingStartedInBrowser"]
    frames = [*committed, *(frame for data in started for frame in data["frames"])]
    return {frame["processId"] for frame in frames if frame["url"] == url and "processId" in frame}


def _cpu_milliseconds(event: TraceEvent) -> float:
    """Return the CPU time in milliseconds; the wall time if the platform does not measure CPU time."""
    microseconds: float = event["tdur"] if "tdur" in event else event["dur"]
    return microseconds / 1000
