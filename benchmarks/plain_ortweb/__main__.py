"""This bundle of the shipped pose model against plain onnxruntime-web/webgpu, in one run, on the same pictures.

python -m benchmarks.plain_ortweb --write
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.page_markers import replace_marked
from benchmarks.plain_ortweb.measure import PageMeasurement, RunCounts, matching_boxes
from benchmarks.plain_ortweb.pages import BundlePage, PlainPage
from benchmarks.plain_ortweb.table import table_rows
from benchmarks.plain_ortweb.truncate import truncate
from benchmarks.plain_ortweb.turns import measure_in_turns
from webbuild.browser.chromium import open_chromium
from webbuild.verify import formatting
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.inputs import collect_inputs

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "models" / "yolo-pose.onnx"
PAGE = ROOT / "docs" / "vs-onnxruntime-web.md"
BACKENDS = ("wasm", "webgpu")


def text(found: dict[str, tuple[PageMeasurement, PageMeasurement]], browser: str, runs: int) -> str:
    """Return what goes between the page's marks."""
    adapter = " and ".join(dict.fromkeys(ours.adapter for ours, _ in found.values() if ours.adapter)) or "none"
    head = ["| backend | | bundle : by hand | bundle | by hand |", "|---|---|---|---|---|"]
    lines = [line for backend, (ours, theirs) in found.items() for line in table_rows(backend, ours, theirs)]
    same = [
        f"{formatting.runner_name(backend)}: {equal} of {all_} people are the same to an overlap of 0.9."
        for backend, (equal, all_) in ((backend, matching_boxes(*sides)) for backend, sides in found.items())
    ]
    return "\n".join([f"Chromium {browser}, adapter: {adapter}; {runs} runs.", "", *head, *lines, "", *same, ""])


def main() -> None:
    """Measure, print, and write with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--visits", type=int, default=5, help="first visits of each, and as many second ones")
    parser.add_argument("--backend", choices=BACKENDS, help="to measure one alone")
    parser.add_argument("--pictures", type=int, default=6, help="how many of the bundle's samples")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args()
    found, effort = {}, RunCounts(options.runs, visits=options.visits)
    with tempfile.TemporaryDirectory() as name, open_chromium() as browser:
        folder = Path(name)
        (folder / "plain").mkdir()
        pack = [sys.executable, "-c", "from webbuild.cli import main; main()", "pack", str(MODEL), "--no-verify"]
        subprocess.run([*pack, "-o", str(folder / "pose")], check=True)
        bundle, raw = open_bundle(folder / "pose"), truncate(MODEL, folder / "plain" / "raw.onnx")
        samples = collect_inputs(bundle, [])[: options.pictures]
        ours, plain = BundlePage(bundle), PlainPage(raw)
        with ours.server, plain.server:
            for backend in [options.backend] if options.backend else BACKENDS:
                found[backend] = measure_in_turns(browser, (ours, plain), backend, samples, effort)
                print(*table_rows(backend, *found[backend]), sep="\n", file=sys.stderr, flush=True)
        measured = text(found, browser.version, options.runs)
    print(measured)
    if any(matching_boxes(*sides)[0] == 0 for sides in found.values()):
        sys.exit("nobody that both found: these are not times of the same work")
    if options.write:
        replace_marked(PAGE, measured)


if __name__ == "__main__":
    main()
