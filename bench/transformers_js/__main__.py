"""The bundles of the shipped RT-DETR and Grounding DINO against transformers.js, in one run, on the same pictures.

python -m bench.transformers_js --write
python -m bench.transformers_js --backend webgpu --model rt-detr --runs 1
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.marked import rewrite
from bench.plain.measure import Effort, Side, bundled
from bench.transformers_js.measure import confidence, pipelined
from bench.transformers_js.models import SHIPPED, WEBBUILD, Shipped, lay_out, patch
from bench.transformers_js.table import Plan, table, text, vacuous
from bench.transformers_js.visits import BUNDLE, EXPORTED, PATCHED, Failed, Visited, visit
from webbuild.browser.chromium import chromium
from webbuild.verify.inputs import gather
from webbuild.verify.opened import Bundle, open_bundle

PAGE = Path(__file__).parents[2] / "docs" / "transformers-js.md"
SECONDS = 600.0
PLANS = {
    "wasm": Plan(visits=3, pictures=3, effort=Effort(runs=12, warming=3, seconds=SECONDS)),
    "webgpu": Plan(visits=1, pictures=1, effort=Effort(runs=3, warming=1, seconds=SECONDS)),
}
"""A GPU that is computed on the CPU takes seconds where another takes milliseconds."""


def compare(shipped: Shipped, folder: Path, plans: dict[str, Plan]) -> dict[str, Visited]:
    """Pack a model, and measure both on each backend. A backend that fails is no end of the others."""
    out = folder / "bundles" / shipped.name
    _say(f"{shipped.title}: pack")
    packed = subprocess.run([*WEBBUILD, "pack", str(shipped.file), "--no-verify", "-o", str(out)], check=False)
    if packed.returncode:
        failed = Failed(BUNDLE, f"`webbuild pack` ends with {packed.returncode}")
        return {backend: Visited({}, (failed,)) for backend in plans}
    bundle, found = open_bundle(out), {}
    for backend, plan in plans.items():
        found[backend] = _compare(shipped, bundle, folder / f"laid-{backend}", backend, plan)
        _say(shipped.title, *table({backend: found[backend]}), *map(str, found[backend].failed))
    return found


def _compare(shipped: Shipped, bundle: Bundle, folder: Path, backend: str, plan: Plan) -> Visited:
    samples = gather(bundle, [])[: plan.pictures]
    threshold = confidence(bundle.manifest)
    laid = lay_out(shipped, folder)
    patched: list[Path] = []

    def exported() -> Side:
        _say(f"{shipped.title}, {backend}: transformers.js")
        with chromium() as browser:
            return pipelined(browser, shipped, laid, backend, samples, threshold=threshold, effort=plan.effort)

    def mended() -> Side:
        if not patched:
            patched.append(patch(laid, backend))
        return exported()

    def ours() -> Side:
        _say(f"{shipped.title}, {backend}: {BUNDLE}")
        with chromium() as browser:
            return bundled(browser, bundle, backend, samples, plan.effort)

    return visit({EXPORTED: exported, PATCHED: mended, BUNDLE: ours}, plan.visits)


def _say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr, flush=True)


def _plans(options: argparse.Namespace) -> dict[str, Plan]:
    chosen = {}
    for backend in options.backend or PLANS:
        plan = PLANS[backend]
        effort = Effort(options.runs or plan.effort.runs, plan.effort.warming, options.seconds)
        chosen[backend] = Plan(options.visits or plan.visits, options.pictures or plan.pictures, effort)
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and write with `--write`. Returns 1 where both ran and found nothing that is the same."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, help="how often each is visited")
    parser.add_argument("--runs", type=int, help="of each visit")
    parser.add_argument("--pictures", type=int, help="how many of the bundle's samples")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long one step may take")
    parser.add_argument("--backend", action="append", choices=tuple(PLANS))
    parser.add_argument("--model", action="append", choices=[each.name for each in SHIPPED])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args(arguments)
    chosen, plans = [each for each in SHIPPED if each.name in (options.model or [each.name])], _plans(options)
    with chromium() as browser:
        version = browser.version
    with tempfile.TemporaryDirectory() as name:
        found = {each.title: compare(each, Path(name), plans) for each in chosen}
    measured = text(found, plans, version)
    print(measured)
    if any(vacuous(each) for by_backend in found.values() for each in by_backend.values()):
        print("nothing that both found: these are not times of the same work", file=sys.stderr)
        return 1
    if options.write:
        rewrite(PAGE, measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
