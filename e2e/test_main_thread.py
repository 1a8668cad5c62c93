"""The page stays responsive: no long task on its main thread, while loading or running."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser

from e2e.conftest import Open
from e2e.demo_page import DemoPage
from e2e.long_task import COUNT, longest_task_allowed
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server
from webbuild.browser.tracing import main_thread_tasks

pytestmark = pytest.mark.alone
BUSY = f"() => new Promise((resolve) => setTimeout(() => resolve(({COUNT})(8))))"
"""A main-thread task that is four times as long as allowed."""


@pytest.fixture
def opened(open_page: Open, root: Server) -> Callable[[Browser], DemoPage]:
    """Return a page that has rendered text before: a browser that just started takes 20 ms to find its fonts."""
    return lambda browser: open_page(browser, f"{root.url}report.html", reduced_motion="no-preference")


def test_loading_and_ten_runs(opened: Callable[[Browser], DemoPage], without_gpu: Browser, root: Server) -> None:
    demo = opened(without_gpu)
    with main_thread_tasks(without_gpu, demo.page) as tasks:
        demo.page.goto(root.url)
        demo.wait_for_result()
        for run in range(10):
            demo.choose((run + 1) % 4)
    assert tasks[0].ms < longest_task_allowed(demo.page), tasks


def test_loading_and_a_run_on_webgpu(
    opened: Callable[[Browser], DemoPage], webgpu: BrowserHandle, root: Server
) -> None:
    demo = opened(webgpu.browser)
    with main_thread_tasks(webgpu.browser, demo.page) as tasks:
        demo.page.goto(root.url)
        demo.wait_for_result()
    assert demo.chip() == "WebGPU"
    assert tasks[0].ms < longest_task_allowed(demo.page), tasks


def test_a_long_task_would_be_seen(opened: Callable[[Browser], DemoPage], without_gpu: Browser, root: Server) -> None:
    demo = opened(without_gpu)
    with main_thread_tasks(without_gpu, demo.page) as tasks:
        demo.page.goto(root.url)
        demo.page.evaluate(BUSY)
    assert tasks[0].ms > longest_task_allowed(demo.page)
