"""The demo page, operated as a user does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Locator, Page, expect

from webbuild.browser.console import Console

LOADED = 180_000
"""Timeout of loading, in milliseconds: SwiftShader compiles shaders for half a minute on two cores."""
_POLLING = 50
"""Polling interval in milliseconds: polling in each animation frame would affect the page's frames."""


class DemoPage:
    """An open page, and its console messages."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.console = page, Console()
        self.console.listen(page)
        page.set_default_timeout(LOADED)
        page.goto(url)

    def at(self, name: str) -> Locator:
        return self.page.get_by_test_id(name)

    def wait_for_result(self) -> int:
        """Wait until the page is idle and shows a result; return the number of people."""
        self.wait_until_idle()
        return self.count()

    def wait_until_idle(self) -> None:
        """Wait until nothing loads or runs, and the page shows a result count if it has one."""
        self._wait_until_ready_or_failed()
        assert self.state() == "ready", self.page.locator("#failure").inner_text()

    def _wait_until_ready_or_failed(self) -> None:
        self.page.wait_for_function(
            """() => document.body.dataset.state === "error" || (document.body.dataset.state === "ready"
                && document.querySelector("[data-testid=result-count]")?.textContent !== "")""",
            timeout=LOADED,
            polling=_POLLING,
        )

    def state(self) -> str:
        return str(self.page.evaluate("document.body.dataset.state"))

    def count(self) -> int:
        return int(self.at("result-count").inner_text())

    def choose(self, sample: int) -> int:
        self.show(sample)
        return self.count()

    def show(self, sample: int) -> None:
        """Choose a sample, and wait for its run."""
        with self.another_run():
            self.at(f"sample-{sample}").click()

    def slide(self, name: str, value: float) -> int:
        """Set a slider as dragging does, and wait for the run."""
        with self.another_run():
            self.at(name).fill(str(value))
        return self.count()

    @contextmanager
    def another_run(self) -> Iterator[None]:
        """Wait, after the block, for a run that began inside it: the page updates its timing text.

        A run in progress before the block is waited for first, so that it is not mistaken for the one inside.
        """
        self._wait_until_ready_or_failed()
        self.page.evaluate(
            """() => {
              const total = document.getElementById("timing-total");
              globalThis.writes = 0;
              globalThis.watcher?.disconnect();
              globalThis.watcher = new MutationObserver(() => { if (/\\d/.test(total.textContent)) writes += 1; });
              watcher.observe(total, { childList: true, characterData: true, subtree: true });
            }"""
        )
        yield
        self.page.wait_for_function("() => writes > 0", timeout=LOADED, polling=_POLLING)
        self.wait_until_idle()

    def switch(self, backend: str) -> int:
        """Switch the backend by clicking the label of its radio button."""
        self.at(f"backend-{backend}").locator("xpath=ancestor::label").click()
        expect(self.at("backend-chip")).not_to_have_text("", timeout=LOADED)
        return self.wait_for_result()

    def chip(self) -> str:
        return self.at("backend-chip").inner_text()

    def overflow(self) -> int:
        """Return the horizontal overflow in pixels, once layout has settled: a new width takes a few frames.

        It is 0 only if it was 0 for ten frames.
        """
        return int(
            self.page.evaluate(
                """async () => {
                  let [x, zeros] = [0, 0];
                  for (let frame = 0; frame < 70 && zeros < 10; frame++) {
                    await new Promise(requestAnimationFrame);
                    scrollTo({ left: 1e5, behavior: "instant" });
                    x = scrollX;
                    zeros = x > 0 ? 0 : zeros + 1;
                    scrollTo({ left: 0, behavior: "instant" });
                  }
                  return x;
                }"""
            )
        )
