"""Compare the shipped pose model's bundle with other libraries: in one browser, alternating, on the same pictures.

.venv/zoo/bin/python -m benchmarks.side_by_side.convert build/side-by-side   # the .onnx and .tflite of the libraries
python -m benchmarks.side_by_side --write
python -m benchmarks.side_by_side --render                                   # page and chart from stored results
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.npm_packages import ENGINE, LITERT, TRANSFORMERS, ULTRALYTICS, ULTRALYTICS_ENGINE
from benchmarks.page_markers import replace_marked
from benchmarks.side_by_side import chart, results
from benchmarks.side_by_side.convert_names import FORMATS
from benchmarks.side_by_side.libraries import plain_page, transformers_page, yolo_page
from benchmarks.side_by_side.measure import RunCounts
from benchmarks.side_by_side.pages import BundlePage, VisitedPage
from benchmarks.side_by_side.report import render_table, render_text
from benchmarks.side_by_side.results import BUNDLE, BackendResult, Results
from benchmarks.side_by_side.truncate import truncate
from benchmarks.side_by_side.turns import measure_in_turns
from webbuild.browser.chromium import open_chromium
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.inputs import collect_inputs

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "models" / "yolo-pose.onnx"
PAGE = ROOT / "docs" / "side-by-side.md"
CONVERTED = ROOT / "build" / "side-by-side"
BACKENDS = ("wasm", "webgpu")
PACKAGES = {
    "webbuild and onnxruntime-web": engine_version(),
    "transformers.js": f"{TRANSFORMERS.version} (its onnxruntime-web: {ENGINE.version})",
    "@ultralytics/yolo": f"{ULTRALYTICS.version} (its onnxruntime-web: {ULTRALYTICS_ENGINE.version})",
    "LiteRT.js": LITERT.version,
}


def sides(folder: Path, converted: Path) -> dict[str, VisitedPage]:
    """Return the pages to compare, the bundle first, without those whose model was not converted."""
    pack = [sys.executable, "-m", "webbuild", "pack", str(MODEL), "--no-verify", "-o", str(folder / "pose")]
    subprocess.run(pack, check=True, cwd=ROOT, stdout=sys.stderr)
    (folder / "plain").mkdir()
    raw = truncate(MODEL, folder / "plain" / "raw.onnx")
    found: dict[str, VisitedPage] = {
        BUNDLE: BundlePage(open_bundle(folder / "pose")),
        "onnxruntime-web": plain_page(raw),
        "transformers.js": transformers_page(raw, folder),
    }
    for name, form in (("@ultralytics/yolo", "onnx"), ("LiteRT.js", "litert")):
        if (converted / FORMATS[form]).is_file():
            found[name] = yolo_page(converted / FORMATS[form])
        else:
            print(f"{name}: no {converted / FORMATS[form]}; python -m benchmarks.side_by_side.convert", file=sys.stderr)
    return found


def measure(options: argparse.Namespace) -> Results:
    """Measure every page on each backend."""
    effort, found = RunCounts(options.runs, visits=options.visits), list[BackendResult]()
    with tempfile.TemporaryDirectory() as name, open_chromium() as browser, ExitStack() as servers:
        pages = sides(Path(name), options.converted)
        for side in pages.values():
            servers.enter_context(side.server)
        samples = collect_inputs(open_bundle(Path(name) / "pose"), [])[: options.pictures]
        for backend in options.backend or BACKENDS:
            found.append(results.summarize(backend, *measure_in_turns(browser, pages, backend, samples, effort)))
            print(*render_table(found[-1]), sep="\n", file=sys.stderr, flush=True)
        machine = f"{platform.system()} {platform.machine()}"
        adapter = " and ".join(dict.fromkeys(side.adapter for side in pages.values() if side.adapter))
        return Results(browser.version, adapter, machine, PACKAGES, options.visits, len(samples), found)


def main() -> int:
    """Measure, print, and write with `--write`. Returns 1 if a library found none of the bundle's people."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--visits", type=int, default=5, help="number of first visits to each page, and of second ones")
    parser.add_argument(
        "--backend", action="append", choices=BACKENDS, help="only this one; the stored numbers of others stay"
    )
    parser.add_argument("--pictures", type=int, default=6, help="number of the bundle's samples")
    parser.add_argument("--converted", type=Path, default=CONVERTED, help="[default: build/side-by-side]")
    parser.add_argument("--write", action="store_true", help="write the JSON, the page and the chart")
    parser.add_argument("--render", action="store_true", help="write the page and the chart from the stored JSON")
    options = parser.parse_args()
    found = results.read() if options.render else measure(options)
    print(render_text(found))
    if any(side.equal == 0 for each in found.backends for side in each.sides):
        print("a library found none of the bundle's people: the times are not comparable", file=sys.stderr)
        return 1
    if options.write:
        found = results.merge(found) if options.backend else found
        results.write(found)
    if options.write or options.render:
        replace_marked(PAGE, render_text(found))
        chart.FILE.write_text(chart.draw(found), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
