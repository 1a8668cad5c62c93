"""The code that a bundle's page shows, run as a developer would paste it: in a page next to the bundle's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as Timeout

from e2e.demo_page import LOADED
from webbuild.browser.console import Console
from webbuild.browser.server import Server


def run_pasted(page: Page, bundle: Path, code: str, given: str, wanted: str) -> Any:
    """Run the code with a sample as `image` and the variables in `given`; return the value of `wanted` afterwards."""
    sample = next((bundle / "samples").iterdir())
    script = f'const image = document.querySelector("img");\n{given}\n{code}\nglobalThis.wanted = {wanted};\n'
    (bundle.parent / "pasted.js").write_text(script)
    (bundle.parent / "pasted.html").write_text(
        f'<!doctype html><title>Pasted</title><img src="{bundle.name}/samples/{sample.name}" alt="">'
        '<script>addEventListener("error", ({ message }) => { globalThis.failure = message; })</script>'
        '<script type="module" src="pasted.js"></script>'
    )
    console = Console()
    console.listen(page)
    with Server(bundle.parent) as server:
        page.goto(f"{server.url}pasted.html")
        try:
            page.wait_for_function("globalThis.wanted !== undefined || globalThis.failure", timeout=LOADED)
        except Timeout as error:
            raise AssertionError(f"the code did not end; the page said {console.complaints}") from error
        assert page.evaluate("globalThis.failure") is None, console.complaints
        return page.evaluate("globalThis.wanted")
