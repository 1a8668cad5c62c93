"""Chromium's own trace of what the main thread did, by processor time: a busy machine makes no task longer."""

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
"""Milliseconds: what browsers call a long task is longer."""


class MainThreadTask:
    """A task of the main thread: milliseconds of processor time, and the larger parts of it."""

    def __init__(self, event: TraceEvent, events: list[TraceEvent]) -> None:
        self.ms = _cpu_milliseconds(event)
        end = event["ts"] + event["dur"]
        inside = [e for e in events if event["ts"] < e["ts"] < end and e.get("tdur", 0) > 2000]
        self.parts = [f"{e['name']} {_cpu_milliseconds(e):.0f}" for e in inside]

    def __repr__(self) -> str:
        return f"{self.ms:.0f} ms: {', '.join(self.parts)}"


@contextmanager
def main_thread_tasks(browser: Browser, page: Page) -> Iterator[list[MainThreadTask]]:
    """Trace the block; the list it gives is filled after it, the longest task first: at least all long ones."""
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
    """The processes that showed the page, or do when the trace starts: a browser keeps renderers of other pages too."""
    committed = [event["args"]["data"] for event in events if event["name"] == "FrameCommittedInBrowser"]
    started = [event["args"]["data"] for event in events if event["name"] == "TracingStartedInBrowser"]
    frames = [*committed, *(frame for data in started for frame in data["frames"])]
    return {frame["processId"] for frame in frames if frame["url"] == url and "processId" in frame}


def _cpu_milliseconds(event: TraceEvent) -> float:
    """Processor time in milliseconds, or the time on the clock where the platform measures no other."""
    microseconds: float = event["tdur"] if "tdur" in event else event["dur"]
    return microseconds / 1000
