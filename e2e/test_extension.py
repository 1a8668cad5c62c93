"""The browser extension example, loaded into Chromium with a bundle next to it."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.chromium_flags import chromium_flags
from webbuild.browser.console import Console

EXAMPLE = Path(__file__).parents[1] / "web" / "integrations" / "extension"


@pytest.fixture
def extension(with_gpu: BrowserHandle, bundle: Path, tmp_path: Path) -> Iterator[tuple[BrowserContext, str]]:
    """Yield a browser with the extension, and the address of the extension's folder."""
    folder = tmp_path / "extension"
    shutil.copytree(EXAMPLE, folder)
    shutil.copytree(bundle, folder / bundle.name)
    flags = [f"--disable-extensions-except={folder}", f"--load-extension={folder}"]
    context = with_gpu.browser.browser_type.launch_persistent_context(
        tmp_path / "profile", executable_path=with_gpu.path, args=[*chromium_flags(webgpu=False), *flags]
    )
    worker = context.service_workers[0] if context.service_workers else context.wait_for_event("serviceworker")
    yield context, worker.url.removesuffix("background.js")
    context.close()


def test_its_page_and_its_offscreen_document_run_the_model(extension: tuple[BrowserContext, str], bundle: Path) -> None:
    context, url = extension
    page, console = context.new_page(), Console()
    console.listen(page)
    page.goto(f"{url}page.html")
    assert page.evaluate("crossOriginIsolated")
    picture = next((bundle / "samples").glob("*several*"))
    page.get_by_label("Choose a picture").set_input_files(picture)
    expect(page.get_by_role("status")).to_have_text("6 people found")
    address = f"data:image/jpeg;base64,{base64.b64encode(picture.read_bytes()).decode()}"
    ask = "async (picture) => chrome.runtime.sendMessage({ to: 'model', picture })"
    assert len(page.evaluate(ask, address)["poses"]) == 6
    assert console.errors == []
