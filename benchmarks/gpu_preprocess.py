"""What a frame takes whose pixels are worked on by the GPU, as a part of what it takes where the CPU does it.

python -m benchmarks.gpu_preprocess dist/yolo-pose
"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.bundle_page import adapter_name, open_bundle_page, parse_arguments

PAGE = Path(__file__).with_suffix(".html")
SIZES = ((320, 240), (640, 480), (1280, 720), (1920, 1080), (4032, 3024))
STAGES = ("preprocess", "inference", "postprocess", "whole", "preprocess()")
"""Those of a run, the whole of it, and the call that gives what a run would feed: it reads that back."""
MIN_MILLISECONDS = 1.0
"""Milliseconds: what takes less on the CPU is not worth a ratio."""


def table_row(size: tuple[int, int], told: dict[str, Any]) -> str:
    """Return a line of the table: the medians' ratios, and what the CPU's own stages are of its run."""
    both = {
        feed: {stage: median(run[stage] for run in runs) for stage in STAGES} for feed, runs in told["told"].items()
    }
    gpu, cpu = both["auto"], both["cpu"]
    ratios = " | ".join(f"{gpu[stage] / cpu[stage]:.2f}" if cpu[stage] > MIN_MILLISECONDS else "" for stage in STAGES)
    parts = " | ".join(f"{cpu[stage] / cpu['whole']:.2f}" for stage in ("preprocess", "postprocess"))
    return f"| {size[0]} x {size[1]} | {told['path']} | {ratios} | {parts} |"


def main() -> None:
    """Print the table."""
    arguments = parse_arguments(__doc__, rounds=15)
    with open_bundle_page(arguments.bundle, PAGE) as (page, info):
        print(f"{adapter_name(info)}; {info['feed']['reason']}; {info['decode']['reason']}\n")
        print(f"| picture | made on | {' | '.join(STAGES)} | CPU: preprocess / whole | CPU: decode / whole |")
        print("|---" * (len(STAGES) + 4) + "|", flush=True)
        for width, height in SIZES:
            wanted = {"width": width, "height": height, "rounds": arguments.rounds}
            print(table_row((width, height), page.evaluate("wanted => measure(wanted)", wanted)), flush=True)


if __name__ == "__main__":
    main()
