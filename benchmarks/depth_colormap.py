"""The cost of a depth map as colours or as depths: bytes read back, milliseconds in the worker and on the page.

python -m benchmarks.depth_colormap dist/depth-from-focus
"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.bundle_page import adapter_name, open_bundle_page, parse_arguments

PAGE = Path(__file__).with_suffix(".html")
SIZES = ((1280, 720), (1920, 1080))


def table_row(size: tuple[int, int], part: str, told: dict[str, Any]) -> str:
    """Return a row of the table."""
    worker, page = (f"{median(told[name]):.1f}" for name in ("worker", "page"))
    return f"| {size[0]} x {size[1]} | {part} | {told['path']} | {told['read']:,} | {worker} | {page} |"


def main() -> None:
    """Print the table."""
    arguments = parse_arguments(__doc__, rounds=11)
    with open_bundle_page(arguments.bundle, PAGE) as (page, info):
        print(f"{adapter_name(info)}; {info['decode']['reason']}\n")
        print("| picture | asked for | made on | bytes read back | ms of inference and decoding | ms of the page |")
        print("|---|---|---|---|---|---|", flush=True)
        for width, height in SIZES:
            wanted = {"width": width, "height": height, "rounds": arguments.rounds}
            for part, told in page.evaluate("wanted => measure(wanted)", wanted).items():
                print(table_row((width, height), part, told), flush=True)


if __name__ == "__main__":
    main()
