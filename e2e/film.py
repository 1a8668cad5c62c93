"""The film in the README: `make film` packs the shipped model and records its real output and page.

Writes docs/images/webbuild.webp: a terminal with the output of `webbuild pack`, then the demo page in Chromium.
"""

from __future__ import annotations

import html
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
from PIL import Image
from playwright.sync_api import Locator, Page

from webbuild.browser.chromium import open_chromium
from webbuild.browser.server import Server

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs" / "images" / "webbuild.webp"
WIDTH, HEIGHT = 1200, 760
SHOWN = (960, 608)
"""Size of the film: the page is rendered larger, with its columns next to each other."""
COMMAND = "webbuild pack yolo-pose.onnx"
QUALITY = 72
LOADED = 180_000
"""Timeout of loading on a software adapter, in milliseconds."""
Frame = tuple[Image.Image, int]
"""An image and its duration in milliseconds."""

TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #10151f; color: #d8dee9; font: 17px/1.7 "DejaVu Sans Mono", monospace; }
main { padding: 36px 40px; white-space: pre-wrap; }
b { color: #8fbcff; font-weight: 600; } i { color: #7ee2a8; font-style: normal; }
</style><main>%s</main>"""


def packed(folder: Path) -> list[str]:
    """Pack the shipped model, and return the printed lines."""
    command = [sys.executable, "-m", "webbuild", "pack", str(ROOT / "models" / "yolo-pose.onnx"), "-o", "yolo-pose"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()


def screenshot(page: Page, milliseconds: int) -> Frame:
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return picture.resize(SHOWN, Image.Resampling.LANCZOS), milliseconds


def terminal(page: Page, lines: list[str]) -> Iterator[Frame]:
    """Yield the command while it is typed, and its output line by line."""

    def show(typed: str, printed: list[str], milliseconds: int) -> Frame:
        text = f"<i>$</i> {html.escape(typed)}\n"
        for line in printed:
            label, colon, rest = line.partition(": ")
            text += f"<b>{html.escape(label)}{colon}</b>{html.escape(rest)}\n"
        page.set_content(TERMINAL % text)
        return screenshot(page, milliseconds)

    for end in range(0, len(COMMAND) + 1, 4):
        yield show(COMMAND[:end], [], 90)
    for count in range(1, len(lines) + 1):
        yield show(COMMAND, lines[:count], 450)
    yield show(COMMAND, lines, 1800)


def demo(page: Page, url: str) -> Iterator[Frame]:
    """Yield the page: its first result, a higher threshold, another sample."""
    page.goto(url)
    wait(page)
    yield screenshot(page, 1800)
    slider = page.get_by_role("slider", name="Confidence")
    for value in (0.4, 0.55, 0.7, 0.8):
        move(slider, value)
        page.wait_for_timeout(600)
        yield screenshot(page, 500)
    move(slider, 0.25)
    samples = page.locator("#samples button")
    for index in (1, 3, 0):
        samples.nth(index).click()
        page.wait_for_timeout(300)
        wait(page)
        page.wait_for_timeout(500)
        yield screenshot(page, 1400)


def move(slider: Locator, value: float) -> None:
    slider.evaluate(
        "(it, value) => { it.value = value; it.dispatchEvent(new Event('input', { bubbles: true })); }", value
    )


def wait(page: Page) -> None:
    page.wait_for_function(
        "document.body.dataset.state === 'ready'"
        " && document.querySelector('[data-testid=result-count]')?.textContent !== ''",
        timeout=LOADED,
        polling=50,
    )


def main() -> None:
    """Record the film."""
    with tempfile.TemporaryDirectory() as name, open_chromium() as chromium:
        folder = Path(name)
        lines = packed(folder)
        context = chromium.browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page = context.new_page()
        frames = list(terminal(page, lines))
        with Server(folder / "yolo-pose") as server:
            frames += demo(page, server.url)
    pictures, durations = zip(*frames, strict=True)
    pictures[0].save(
        OUT, save_all=True, append_images=pictures[1:], duration=durations, loop=0, quality=QUALITY, method=6
    )
    click.echo(f"{OUT.relative_to(ROOT)}: {len(frames)} frames, {OUT.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
