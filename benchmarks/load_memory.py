"""Memory of Chromium's renderer while it loads a bundle, above an empty page's, on a first and a second visit.

    python -m benchmarks.load_memory dist/yolo-pose --backend wasm

Resident memory as Linux counts it: JavaScript, WebAssembly, the engine's code, and uncollected garbage.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from webbuild.browser.chromium import BrowserHandle, open_chromium
from webbuild.browser.server import Server

_LOAD = """async ([loader, backend]) => {
  const { load } = await import(loader);
  const model = await load({ backend });
  await new Promise((resolve) => setTimeout(resolve, 3000));  // downloaded files are stored for the next visit
  await model.dispose();
}"""
_RESET_PEAK = "5"
"""See proc(5): writing this to `clear_refs` resets the peak."""


def measure_visits(chromium: BrowserHandle, bundle: Path, backend: str) -> list[int]:
    """Load the bundle twice in a fresh profile; return each visit's peak memory above an empty page."""
    loader = "/" + json.loads((bundle / "package.json").read_text("utf-8"))["name"] + ".js"
    peaks, empty = list[int](), 0
    with Server(bundle) as server, chromium.page() as (page, _):
        server.virtual["/empty.html"] = ("text/html", b"<!doctype html><title>Memory</title>")
        for _visit in range(2):
            page.goto(f"{server.origin}/empty.html")
            renderers = _renderers(os.getpid())
            for process in renderers:
                Path(f"/proc/{process}/clear_refs").write_text(_RESET_PEAK)
            empty = empty or max(_status_bytes(process, "VmRSS") for process in renderers)
            page.evaluate(_LOAD, [loader, backend])
            peaks.append(max(_status_bytes(each, "VmHWM") for each in _renderers(os.getpid())) - empty)
    return peaks


def _renderers(process: int) -> list[int]:
    """Return the renderers among a process and its descendants."""
    try:
        command = Path(f"/proc/{process}/cmdline").read_bytes()
        children = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    except OSError:
        return []
    own = [process] if b"--type=renderer" in command else []
    return own + [each for child in children for each in _renderers(int(child))]


def _status_bytes(process: int, field: str) -> int:
    lines = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{field}:"))


def main() -> int:
    """Print a row for each visit to each bundle."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundles", type=Path, nargs="+", metavar="bundle")
    parser.add_argument("--backend", choices=("webgpu", "wasm"), default="wasm")
    args = parser.parse_args()
    print("| bundle | visit | memory at its peak, above an empty page |")
    print("|---|---|---|")
    for bundle in args.bundles:
        with open_chromium() as chromium:
            for name, peak in zip(("first", "second"), measure_visits(chromium, bundle, args.backend), strict=True):
                print(f"| {bundle.name} | {name} | {peak / 1e6:.0f} MB |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
