"""Write the table of kernels in docs/browsers.md from the measurements of `webbuild probe --browser firefox`.

python -m benchmarks.browser_kernels
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from benchmarks.page_markers import replace_marked
from benchmarks.prediction.probes import inspect_probe
from webbuild.ortweb import packaged_assets
from webbuild.probe.probe_model import Probe
from webbuild.probe.registry import family_probes
from webbuild.targets.browser_differences import BrowserDifferences, load_differences
from webbuild.targets.table import MeasuredCase, load_table
from webbuild.targets.target import Target

PAGE = Path(__file__).parents[1] / "docs" / "browsers.md"
ENGINE = Target(packaged_assets.engine_version(), "webgpu")


def kernel_table(found: BrowserDifferences) -> str:
    """Return a row per operator and outcome: the number of cases, the first one's message and its findings."""
    ends: dict[tuple[str, str, str, str], list[MeasuredCase]] = {}
    pairs = [(each, each.outcome) for each in found.failing]
    pairs += [(each.case, each.chromium) for each in found.differences]
    for case, chromium in pairs:
        ends.setdefault((case.op, case.dtype, chromium, case.outcome), []).append(case)
    where = f"{found.browser} and {found.against} on one machine"
    lines = [
        f"Measured {found.measured} in {where}: {found.cases} cases; {len(found.subgroups)} use subgroups in Chromium.",
        "",
        "| operator | type | Chromium | Firefox | cases | the first | message | `inspect` |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (op, dtype, *outcomes), cases in sorted(ends.items()):
        first = min(cases, key=lambda case: (len(case.name), case.name))
        message = first.message.replace("|", "\\|").replace("`", "'")
        cells = (f"`{op}`", dtype, *outcomes, str(len(cases)), first.name, message, _findings(first.name))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def measured_probe(name: str) -> Probe:
    """Return the probe of a case."""
    return _family(name.partition("/")[0])[name]


@cache
def _family(name: str) -> dict[str, Probe]:
    return {probe.name: probe for probe in family_probes(name)}


def _findings(name: str) -> str:
    found = inspect_probe(measured_probe(name), load_table(ENGINE)).findings
    return ", ".join(f"`{finding.code}`" for finding in found)


def main() -> int:
    """Run the command."""
    found = load_differences(ENGINE, "firefox")
    if found is None:
        print("nothing was measured in Firefox", file=sys.stderr)
        return 2
    replace_marked(PAGE, kernel_table(found), "kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
