"""A visit that is looked at closely, and slower for it: nodes, kernels, copies, memory, the page's main thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from webbuild.bench.course import WARMING, Course
from webbuild.bench.report import Blocking, Examined, Growth, PerFrame
from webbuild.bench.visitor import Counted, Visitor
from webbuild.browser.tracing import LONG, Task, main_thread_tasks
from webbuild.verify.placement import summarise
from webbuild.verify.wire import Placed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def examine(browser: Browser, page: Page, course: Course, backend: str) -> Examined:
    """Load, run and count in a page of a profile that knows nothing of the bundle. Raises PageError.

    The main thread is traced from the opening of the page to the end of the runs that warm up.
    """
    course.say(f"{backend}: a closer look")
    with main_thread_tasks(browser, page) as tasks:
        visitor = Visitor(page, course.server, seconds=course.seconds)
        arrived = visitor.load(course.bundle.entry, backend, course.precision, examined=True)
        visitor.first(course.samples[0])
        visitor.hold(course.samples)
        course.run(visitor, WARMING)
    heap, before = visitor.heap(), visitor.counted()
    course.run(visitor, course.runs)
    after = visitor.counted()
    more_heap = visitor.heap()
    visitor.dispose()
    placed = arrived.info.placement or ()
    return Examined(
        nodes=sum(max(each.count, len(each.nodes)) for each in placed),
        cpu_nodes=cpu_nodes(arrived.backend, placed),
        per_frame=per_frame(before, after, course.runs),
        growth=Growth(
            runs=course.runs,
            wasm=after.wasm_bytes - before.wasm_bytes,
            gpu=after.buffer_bytes - before.buffer_bytes,
            heap=None if heap is None or more_heap is None else more_heap - heap,
        ),
        blocking=blocking(tasks),
    )


def cpu_nodes(backend: str, placed: Sequence[Placed]) -> int | None:
    """Return how many nodes do not run where the backend has them, None where the engine does not say."""
    if not placed:
        return None
    return sum(each.count for each in summarise(backend, placed) if not each.at_home)


def per_frame(before: Counted, after: Counted, runs: int) -> PerFrame:
    """Return what was counted between, by run."""
    return PerFrame(
        dispatches=(after.dispatches - before.dispatches) / runs,
        submits=(after.submits - before.submits) / runs,
        uploads=(after.uploads - before.uploads) / runs,
        uploaded_bytes=(after.uploaded_bytes - before.uploaded_bytes) / runs,
        readbacks=(after.readbacks - before.readbacks) / runs,
        read_bytes=(after.read_bytes - before.read_bytes) / runs,
    )


def blocking(tasks: Sequence[Task]) -> Blocking:
    """Sum up the tasks of a main thread."""
    beyond = [task.ms - LONG for task in tasks if task.ms > LONG]
    return Blocking(longest=max((task.ms for task in tasks), default=0.0), tasks=len(beyond), beyond=sum(beyond))
