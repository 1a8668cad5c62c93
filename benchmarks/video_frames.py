"""Cost of a VideoFrame that the GPU reads without a copy, relative to one that the CPU reads.

python -m benchmarks.video_frames dist/yolo-pose
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import CDPSession, Page

from webbuild.browser.chromium import open_chromium
from webbuild.browser.chromium_flags import is_own_gpu_wanted
from webbuild.browser.server import Server

PAGE = Path(__file__).with_suffix(".html")
SIZES = ((320, 240), (1280, 720), (1920, 1080))
PATHS = ("external", "copied", "cpu")
EXTERNAL_TEXTURE_FLAGS = (
    "--use-vulkan=native",
    "--ignore-gpu-blocklist",
    "--disable-vulkan-surface",
    "--enable-gpu-rasterization",
    "--enable-features=Vulkan,VulkanFromANGLE,DefaultANGLEVulkan",
)
"""Flags that let Chromium import VideoFrames as external textures: all drawing runs on Vulkan."""
SOFTWARE_FLAGS = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
"""The same on a software adapter."""
BLOCKS = 5
"""The paths alternate, so that other load on the machine affects all of them."""


def scripts(worker: str) -> dict[str, tuple[str, bytes]]:
    """Return the files of a worker without external textures, by their paths."""
    without = "delete GPUDevice.prototype.importExternalTexture;"
    copying = f'import "/without.js"; import "{worker}";'
    return {
        f"/{name}.js": ("text/javascript", code.encode()) for name, code in (("without", without), ("copying", copying))
    }


def measure_frame(session: CDPSession, page: Page, way: str, rounds: int) -> tuple[float, float]:
    """Return the milliseconds of a frame: processor time of all browser processes, and wall time."""
    before = _seconds(session)
    clock = page.evaluate("wanted => feed(wanted)", {"way": way, "rounds": rounds})
    return (_seconds(session) - before) / rounds * 1000, clock


def _seconds(session: CDPSession) -> float:
    processes: list[dict[str, Any]] = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(float(process["cpuTime"]) for process in processes)


def table_row(session: CDPSession, page: Page, size: tuple[int, int], rounds: int) -> str:
    """Return a row of the table. Raises SystemExit if a frame took another path than the one to measure."""
    ways = page.evaluate("size => show(size)", dict(zip(("width", "height"), size, strict=True)))
    if tuple(ways) != PATHS:
        raise SystemExit(f"wanted {', '.join(PATHS)}, got {', '.join(ways)}")
    blocks = [{way: measure_frame(session, page, way, rounds) for way in PATHS} for _ in range(BLOCKS)]
    work, clock = ({way: median(block[way][kind] for block in blocks) for way in PATHS} for kind in (0, 1))
    cells = [f"{work[way]:.1f} ({work[way] / work['cpu']:.2f})" for way in PATHS]
    return f"| {size[0]} x {size[1]} | {' | '.join(cells)} | {' | '.join(f'{clock[way]:.1f}' for way in PATHS)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    software = () if is_own_gpu_wanted() else SOFTWARE_FLAGS
    with (
        Server(arguments.bundle) as server,
        open_chromium(extra=(*EXTERNAL_TEXTURE_FLAGS, *software)) as browser,
        browser.page() as (page, _),
    ):
        server.virtual.update(scripts(f"{server.url}runtime/worker.js"))
        server.virtual["/frames.html"] = ("text/html", PAGE.read_bytes())
        page.goto(f"{server.origin}/frames.html")
        page.wait_for_function("() => globalThis.feed !== undefined")
        info = page.evaluate("folder => open(folder)", server.url)
        print(f"{info['adapter']['description'] or info['adapter']['vendor']}; {info['preprocess']['reason']}\n")
        print(
            f"| frame | {' | '.join(f'{way}: CPU ms' for way in PATHS)} | {' | '.join(f'{way}: ms' for way in PATHS)} |"
        )
        print("|---" * 7 + "|", flush=True)
        session = browser.browser.new_browser_cdp_session()
        for size in SIZES:
            print(table_row(session, page, size, arguments.rounds), flush=True)


if __name__ == "__main__":
    main()
