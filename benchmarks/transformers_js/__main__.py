"""The bundles of the shipped RT-DETR and Grounding DINO compared with transformers.js, on the same pictures.

python -m benchmarks.transformers_js --write
python -m benchmarks.transformers_js --backend webgpu --model rt-detr --runs 1
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.page_markers import replace_marked
from benchmarks.side_by_side.measure import PageMeasurement, RunCounts, measure_bundle
from benchmarks.transformers_js.measure import confidence, measure_pipeline
from benchmarks.transformers_js.models import SHIPPED, WEBBUILD, ShippedModel, patch_model, write_hub_layout
from benchmarks.transformers_js.page_loads import (
    BUNDLE,
    EXPORTED,
    PATCHED,
    FailedRuntime,
    VisitResults,
    measure_in_turn,
)
from benchmarks.transformers_js.table import Plan, is_vacuous, render_table, render_text
from webbuild.browser.chromium import open_chromium
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.inputs import collect_inputs

PAGE = Path(__file__).parents[2] / "docs" / "transformers-js.md"
SECONDS = 600.0
PLANS = {
    "wasm": Plan(visits=3, pictures=3, effort=RunCounts(runs=12, warming=3, seconds=SECONDS)),
    "webgpu": Plan(visits=1, pictures=1, effort=RunCounts(runs=3, warming=1, seconds=SECONDS)),
}
"""Plans by backend: a software adapter takes seconds where a GPU takes milliseconds."""


def compare(shipped: ShippedModel, folder: Path, plans: dict[str, Plan]) -> dict[str, VisitResults]:
    """Pack a model, and measure both on each backend. If a backend fails, the others continue."""
    out = folder / "bundles" / shipped.name
    _say(f"{shipped.title}: pack")
    packed = subprocess.run([*WEBBUILD, "pack", str(shipped.file), "--no-verify", "-o", str(out)], check=False)
    if packed.returncode:
        failed = FailedRuntime(BUNDLE, f"`webbuild pack` ends with {packed.returncode}")
        return {backend: VisitResults({}, (failed,)) for backend in plans}
    bundle, found = open_bundle(out), {}
    for backend, plan in plans.items():
        found[backend] = _compare(shipped, bundle, folder / f"laid-{backend}", backend, plan)
        _say(shipped.title, *render_table({backend: found[backend]}), *map(str, found[backend].failed))
    return found


def _compare(shipped: ShippedModel, bundle: Bundle, folder: Path, backend: str, plan: Plan) -> VisitResults:
    samples = collect_inputs(bundle, [])[: plan.pictures]
    threshold = confidence(bundle.manifest)
    laid = write_hub_layout(shipped, folder)
    patched: list[Path] = []

    def exported() -> PageMeasurement:
        _say(f"{shipped.title}, {backend}: transformers.js")
        with open_chromium() as browser:
            return measure_pipeline(browser, shipped, laid, backend, samples, threshold=threshold, effort=plan.effort)

    def of_patched() -> PageMeasurement:
        if not patched:
            patched.append(patch_model(laid, backend))
        return exported()

    def ours() -> PageMeasurement:
        _say(f"{shipped.title}, {backend}: {BUNDLE}")
        with open_chromium() as browser:
            return measure_bundle(browser, bundle, backend, samples, plan.effort)

    return measure_in_turn({EXPORTED: exported, PATCHED: of_patched, BUNDLE: ours}, plan.visits)


def _say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr, flush=True)


def _plans(options: argparse.Namespace) -> dict[str, Plan]:
    chosen = {}
    for backend in options.backend or PLANS:
        plan = PLANS[backend]
        effort = RunCounts(options.runs or plan.effort.runs, plan.effort.warming, options.seconds)
        chosen[backend] = Plan(options.visits or plan.visits, options.pictures or plan.pictures, effort)
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and write with `--write`. Returns 1 if both ran and have no object in common."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, help="number of visits to each")
    parser.add_argument("--runs", type=int, help="runs per visit")
    parser.add_argument("--pictures", type=int, help="number of the bundle's samples")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time limit of one step")
    parser.add_argument("--backend", action="append", choices=tuple(PLANS))
    parser.add_argument("--model", action="append", choices=[each.name for each in SHIPPED])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args(arguments)
    chosen, plans = [each for each in SHIPPED if each.name in (options.model or [each.name])], _plans(options)
    with open_chromium() as browser:
        version = browser.version
    with tempfile.TemporaryDirectory() as name:
        found = {each.title: compare(each, Path(name), plans) for each in chosen}
    measured = render_text(found, plans, version)
    print(measured)
    if any(is_vacuous(each) for by_backend in found.values() for each in by_backend.values()):
        print("both have no object in common: the times are not comparable", file=sys.stderr)
        return 1
    if options.write:
        replace_marked(PAGE, measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
