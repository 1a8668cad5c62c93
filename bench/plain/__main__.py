"""This bundle of the shipped pose model against plain onnxruntime-web/webgpu, in one run, on the same pictures.

python -m bench.plain --write
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.marked import rewrite
from bench.plain.cut import cut
from bench.plain.measure import Effort, Side, alike, bundled, by_hand
from bench.plain.table import rows
from webbuild.browser.chromium import chromium
from webbuild.verify import words
from webbuild.verify.inputs import gather
from webbuild.verify.opened import open_bundle

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "models" / "yolo-pose.onnx"
PAGE = ROOT / "docs" / "plain.md"


def text(found: dict[str, tuple[Side, Side]], browser: str, runs: int) -> str:
    """Return what goes between the page's marks."""
    adapter = " and ".join(dict.fromkeys(ours.adapter for ours, _ in found.values() if ours.adapter)) or "none"
    head = ["| backend | | bundle : by hand | bundle | by hand |", "|---|---|---|---|---|"]
    lines = [line for backend, (ours, theirs) in found.items() for line in rows(backend, ours, theirs)]
    same = [
        f"{words.name(backend)}: {equal} of {all_} people are the same to an overlap of 0.9."
        for backend, (equal, all_) in ((backend, alike(*sides)) for backend, sides in found.items())
    ]
    return "\n".join([f"Chromium {browser}, adapter: {adapter}; {runs} runs.", "", *head, *lines, "", *same, ""])


def main() -> None:
    """Measure, print, and write with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--pictures", type=int, default=6, help="how many of the bundle's samples")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args()
    found, effort = {}, Effort(options.runs)
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        (folder / "plain").mkdir()
        pack = [sys.executable, "-c", "from webbuild.cli import main; main()", "pack", str(MODEL), "--no-verify"]
        subprocess.run([*pack, "-o", str(folder / "pose")], check=True)
        bundle, raw = open_bundle(folder / "pose"), cut(MODEL, folder / "plain" / "raw.onnx")
        samples = gather(bundle, [])[: options.pictures]
        for backend in ("wasm", "webgpu"):
            theirs = by_hand(browser, raw, backend, samples, effort)
            found[backend] = bundled(browser, bundle, backend, samples, effort), theirs
            print(*rows(backend, *found[backend]), sep="\n", file=sys.stderr, flush=True)
        measured = text(found, browser.version, options.runs)
    print(measured)
    if any(alike(*sides)[0] == 0 for sides in found.values()):
        sys.exit("nobody that both found: these are not times of the same work")
    if options.write:
        rewrite(PAGE, measured)


if __name__ == "__main__":
    main()
