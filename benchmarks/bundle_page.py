"""Pages of benchmarks that measure a bundle."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webbuild.browser.chromium import open_chromium
from webbuild.browser.server import Server

if TYPE_CHECKING:
    from playwright.sync_api import Page


def parse_arguments(about: str | None, rounds: int) -> argparse.Namespace:
    """Return the command line's options: `bundle`, a folder, and `rounds` with a default."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--rounds", type=int, default=rounds)
    return parser.parse_args()


@contextmanager
def open_bundle_page(bundle: Path, page_file: Path) -> Iterator[tuple[Page, dict[str, Any]]]:
    """Open a page that defines `open(folder)` and `measure(wanted)`; yield it with the result of `model.info()`."""
    with Server(bundle) as server, open_chromium() as browser, browser.page() as (page, _):
        server.virtual[f"/{page_file.name}"] = ("text/html", page_file.read_bytes())
        page.goto(f"{server.origin}/{page_file.name}")
        page.wait_for_function("() => globalThis.measure !== undefined")
        yield page, page.evaluate("folder => open(folder)", server.url)


def adapter_name(info: dict[str, Any]) -> str:
    """Return the adapter's name."""
    return str(info["adapter"]["description"] or info["adapter"]["vendor"])
