"""The bundles of the shipped RT-DETR and Grounding DINO against transformers.js, in one run, on the same pictures.

python -m bench.transformers_js --write
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from bench.marked import rewrite
from bench.plain.measure import Side, alike, bundled
from bench.plain.table import rows
from bench.transformers_js.measure import confidence, pipelined
from bench.transformers_js.models import SHIPPED, WEBBUILD, Shipped, lay_out, patch
from bench.transformers_js.packages import ENGINE, TRANSFORMERS
from webbuild.browser.chromium import Chromium, chromium
from webbuild.verify import words
from webbuild.verify.inputs import gather
from webbuild.verify.opened import open_bundle
from webbuild.verify.page_calls import PageError

PAGE = Path(__file__).parents[2] / "docs" / "transformers-js.md"


class Compared(Struct, frozen=True):
    """The bundle; transformers.js, None where it gave nothing; what it said of the model as exported and as patched."""

    ours: Side
    theirs: Side | None
    refused: str = ""
    still: str = ""


def text(found: Mapping[str, Mapping[str, Compared]], browser: str, runs: int) -> str:
    """Return what goes between the page's marks: by model, by backend."""
    adapters = [each.ours.adapter for by_backend in found.values() for each in by_backend.values()]
    adapter = " and ".join(dict.fromkeys(filter(None, adapters))) or "none"
    versions = f"{TRANSFORMERS.name} {TRANSFORMERS.version} on {ENGINE.name} {ENGINE.version}"
    lines = [f"Chromium {browser}, adapter: {adapter}; {runs} runs; {versions}.", ""]
    for title, by_backend in found.items():
        lines += [f"### {title}", "", *_table(by_backend), ""]
    return "\n".join(lines)


def _table(found: Mapping[str, Compared]) -> list[str]:
    lines: list[str] = []
    sides = [(name, each.ours, each.theirs) for name, each in found.items() if each.theirs is not None]
    if sides:
        lines += ["| backend | | bundle : transformers.js | bundle | transformers.js |", "|---|---|---|---|---|"]
    for backend, ours, theirs in sides:
        lines += rows(backend, ours, theirs)
    for backend, ours, theirs in sides:
        equal, all_ = alike(ours, theirs)
        lines += ["", f"{words.name(backend)}: {equal} of {all_} objects are the same to an overlap of 0.9."]
    for backend, each in found.items():
        lines += _refusal(backend, each)
    return lines


def _refusal(backend: str, each: Compared) -> list[str]:
    if not each.refused:
        return []
    instead = f"nor of the graph that `webbuild patch` makes of it (`{each.still}`)"
    if each.theirs is not None:
        instead = "the figures are of the graph that `webbuild patch` makes of it"
    said = f"transformers.js gives nothing of the model as it was exported (`{each.refused}`)"
    return ["", f"{words.name(backend)}: {said}; {instead}."]


def compare(
    browser: Chromium, shipped: Shipped, folder: Path, backends: Sequence[str], runs: int
) -> dict[str, Compared]:
    """Pack a model, and measure both on each backend."""
    out = folder / "bundles" / shipped.name
    subprocess.run([*WEBBUILD, "pack", str(shipped.file), "--no-verify", "-o", str(out)], check=True)
    bundle = open_bundle(out)
    samples = gather(bundle, [])
    threshold = confidence(bundle.manifest)
    found: dict[str, Compared] = {}
    for backend in backends:
        laid = lay_out(shipped, folder / f"laid-{backend}")

        def theirs(laid: Path = laid, backend: str = backend) -> Side:
            return pipelined(browser, shipped, laid, backend, samples, threshold=threshold, runs=runs)

        side, refused = _tried(theirs)
        still = ""
        if side is None:
            print(shipped.title, backend, refused, file=sys.stderr, flush=True)
            patch(laid, backend)
            side, still = _tried(theirs)
        found[backend] = Compared(bundled(browser, bundle, backend, samples, runs), side, refused, still)
        print(shipped.title, *_table({backend: found[backend]}), sep="\n", file=sys.stderr, flush=True)
    return found


def _tried(measure: Callable[[], Side]) -> tuple[Side | None, str]:
    try:
        return measure(), ""
    except PageError as error:
        return None, " ".join(str(error).split())[:240]


def main() -> None:
    """Measure, print, and write with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--backend", action="append", choices=("wasm", "webgpu"))
    parser.add_argument("--model", action="append", choices=[each.name for each in SHIPPED])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args()
    chosen = [each for each in SHIPPED if each.name in (options.model or [each.name])]
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        backends = options.backend or ["wasm", "webgpu"]
        found = {each.title: compare(browser, each, Path(name), backends, options.runs) for each in chosen}
        measured = text(found, browser.version, options.runs)
    print(measured)
    both = [each for by_backend in found.values() for each in by_backend.values()]
    if any(each.theirs is not None and alike(each.ours, each.theirs)[0] == 0 for each in both):
        sys.exit("nothing that both found: these are not times of the same work")
    if options.write:
        rewrite(PAGE, measured)


if __name__ == "__main__":
    main()
