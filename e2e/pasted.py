"""The code that a bundle's page shows, run as a developer would paste it: in a page next to the bundle's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from e2e.demo_page import LOADED
from webbuild.browser.server import Server


def run_pasted(page: Page, bundle: Path, code: str, given: str, wanted: str) -> Any:
    """Run the code with a sample as `image` and the variables in `given`; return the value of `wanted` afterwards."""
    sample = next((bundle / "samples").iterdir())
    script = f'const image = document.querySelector("img");\n{given}\n{code}\nglobalThis.wanted = {wanted};\n'
    (bundle.parent / "pasted.js").write_text(script)
    (bundle.parent / "pasted.html").write_text(
        f'<!doctype html><title>Pasted</title><img src="{bundle.name}/samples/{sample.name}" alt="">'
        '<script type="module" src="pasted.js"></script>'
    )
    with Server(bundle.parent) as server:
        page.goto(f"{server.url}pasted.html")
        page.wait_for_function("globalThis.wanted !== undefined", timeout=LOADED)
        return page.evaluate("globalThis.wanted")
