"""First and later visits in one persistent profile: a bundle and plain onnxruntime-web, alternating.

    python -m benchmarks.side_by_side.later_visits --write

Unlike in a private window, later visits in a persistent profile find code that the browser has compiled.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import BrowserContext, Playwright, sync_playwright

from benchmarks.page_markers import replace_marked
from benchmarks.side_by_side.__main__ import MODEL, ROOT
from benchmarks.side_by_side.libraries import plain_page
from benchmarks.side_by_side.pages import BundlePage, VisitedPage
from benchmarks.side_by_side.truncate import truncate
from webbuild.browser.chromium_flags import chromium_flags
from webbuild.browser.find_chromium import find_chromium
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.inputs import VerifyInput, collect_inputs

PAGE = ROOT / "docs" / "speed.md"
ORDINALS = ("first", "second", "third", "fourth", "fifth")
_STAY = 7000.0
"""Milliseconds to wait after the last run, so that idle-time work is done and the browser has cached its code."""

Times = dict[str, list[list[float]]]
"""By page and turn, the milliseconds to the first result of every visit."""


def make_sides(folder: Path) -> dict[str, VisitedPage]:
    """Pack the model, truncate its export; return both pages on separate servers: code is cached by origin."""
    pack = [sys.executable, "-m", "webbuild", "pack", str(MODEL), "--no-verify", "-o", str(folder / "pose")]
    subprocess.run(pack, check=True, cwd=ROOT, stdout=sys.stderr)
    (folder / "plain").mkdir()
    raw = truncate(MODEL, folder / "plain" / "raw.onnx")
    return {"webbuild": BundlePage(open_bundle(folder / "pose")), "onnxruntime-web": plain_page(raw)}


def visit_in_profile(context: BrowserContext, side: VisitedPage, backend: str, given: VerifyInput, runs: int) -> float:
    """Visit once, run `runs` more times, wait; return the milliseconds to the first result."""
    page = context.new_page()
    first = side.visit(page, backend, given).first_result
    side.hold([given])
    for _ in range(runs):
        side.run(0)
    page.wait_for_timeout(_STAY)
    page.close()
    return first


def measure(playwright: Playwright, options: argparse.Namespace) -> Times:
    """Measure both pages; each turn has a fresh profile and swaps their order."""
    times: Times = {}
    executable = find_chromium(Path(playwright.chromium.executable_path)).path
    for turn in range(options.turns):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as profile:
            sides = make_sides(Path(folder))
            [given, *_] = collect_inputs(open_bundle(Path(folder) / "pose"), [])
            context = playwright.chromium.launch_persistent_context(
                profile, executable_path=executable, args=list(chromium_flags(webgpu=True))
            )
            for name in sides:
                times.setdefault(name, []).append([])
            names = list(sides) if turn % 2 == 0 else list(sides)[::-1]
            for _ in range(options.visits):
                for name in names:
                    first = visit_in_profile(context, sides[name], options.backend, given, options.runs)
                    times[name][-1].append(first)
            context.close()
            for side in sides.values():
                side.server.close()
    return times


def render(times: Times, backend: str, runs: int) -> str:
    """Return the table: medians, and the median of the ratios within a turn."""
    visits = len(times["webbuild"][0])
    lines = [
        f"{len(times['webbuild'])} turns on {backend}, {runs} more runs on each visit; ms to the first result:",
        "",
        f"| | {' | '.join(f'{ordinal} visit' for ordinal in ORDINALS[:visits])} |",
        "|---" * (visits + 1) + "|",
    ]
    for name, turns in times.items():
        lines.append(f"| {name} | {' | '.join(f'{median(turn[v] for turn in turns):.0f}' for v in range(visits))} |")
    pairs = list(zip(*times.values(), strict=True))
    ratios = [median(own[v] / other[v] for own, other in pairs) for v in range(visits)]
    lines.append(f"| ratio | {' | '.join(f'{ratio:.2f}' for ratio in ratios)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, print, and write with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=("wasm", "webgpu"), default="wasm")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--visits", type=int, default=4, choices=range(1, len(ORDINALS) + 1))
    parser.add_argument("--runs", type=int, default=20, help="runs of each visit after the first one")
    parser.add_argument("--write", action="store_true", help="write the table of docs/speed.md")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        text = render(measure(playwright, options), options.backend, options.runs)
    print(text)
    if options.write:
        replace_marked(PAGE, text, f"later-visits-{options.backend}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
