"""What a frame takes whose input is made on the GPU, as a part of what it takes where the CPU makes it.

python -m bench.feed dist/yolo-pose
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from typing import Any

from webbuild.browser.chromium import chromium
from webbuild.browser.server import Server

PAGE = Path(__file__).with_suffix(".html")
SIZES = ((320, 240), (640, 480), (1280, 720), (1920, 1080), (4032, 3024))
STAGES = ("preprocess", "inference", "decode", "whole")


def row(size: tuple[int, int], told: dict[str, Any]) -> str:
    """Return a line of the table: the medians' ratios, and the CPU's preprocessing as a part of its frame."""
    both = {
        feed: {stage: median(run[stage] for run in runs) for stage in STAGES} for feed, runs in told["told"].items()
    }
    gpu, cpu = both["auto"], both["cpu"]
    ratios = [gpu["preprocess"] / cpu["preprocess"], gpu["inference"] / cpu["inference"], gpu["whole"] / cpu["whole"]]
    cells = " | ".join(f"{ratio:.2f}" for ratio in ratios)
    return f"| {size[0]} x {size[1]} | {told['path']} | {cells} | {cpu['preprocess'] / cpu['whole']:.2f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    with Server(arguments.bundle) as server, chromium() as browser, browser.page() as (page, _):
        server.virtual["/feed.html"] = ("text/html", PAGE.read_bytes())
        page.goto(f"{server.origin}/feed.html")
        page.wait_for_function("() => globalThis.measure !== undefined")
        info = page.evaluate("folder => open(folder)", server.url)
        print(f"{info['adapter']['description'] or info['adapter']['vendor']}; {info['feed']['why']}\n")
        print("| picture | made on | preprocess | inference | the whole run | the CPU's preprocess in its run |")
        print("|---|---|---|---|---|---|")
        for width, height in SIZES:
            wanted = {"width": width, "height": height, "rounds": arguments.rounds}
            print(row((width, height), page.evaluate("wanted => measure(wanted)", wanted)), flush=True)


if __name__ == "__main__":
    main()
