"""Write docs/upstream.md: each browser's defects, with the smallest model that reproduces them.

python -m benchmarks.upstream_issues          # prints the cases that would be bisected
python -m benchmarks.upstream_issues --write  # runs `webbuild bisect`, and writes the page

The cases come from the measured differences of `webbuild probe --browser firefox`: the first one of each operator.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from msgspec import Struct

from benchmarks.browser_kernels import ENGINE, measured_probe
from webbuild.browser.driven_browser import BrowserName
from webbuild.probe.native_process import reference_outputs
from webbuild.probe.probe_model import Probe
from webbuild.targets.browser_differences import BrowserDifferences, load_differences
from webbuild.targets.table import load_table

PAGE = Path(__file__).parents[1] / "docs" / "upstream.md"
WELL = ("gpu", "cpu")
_HEAD = """# Defects of browsers and engines

Kernels that throw or are wrong in one browser and right in another, or that fail in both: the first case of each
operator, found by `webbuild probe --browser firefox` and searched by `webbuild bisect --browser`. Each section is the
`issue.md` that bisect writes, ready to be filed; `repro.onnx` and `repro.html` come with it. Written by
`python -m benchmarks.upstream_issues --write`.

{contents}
"""


class UpstreamIssue(Struct, frozen=True):
    """A case that fails in a browser."""

    browser: BrowserName
    op: str
    case: str

    @property
    def title(self) -> str:
        """The heading of its section."""
        return f"{self.op} of {self.case} in {'Chromium' if self.browser == 'chromium' else 'Firefox'}"


def upstream_issues(found: BrowserDifferences) -> list[UpstreamIssue]:
    """Return the first failing case of each operator, in the browser where it fails; Chromium if in both.

    Omitted are cases that are wrong in both browsers, differ by float16's rounding or in NaNs, fail the same way in
    float32, or do not run in native ONNX Runtime either.
    """
    ended = {case.name: case.outcome for case in load_table(ENGINE).cases}
    failing: list[tuple[str, str, BrowserName]] = [
        (each.op, each.name, "chromium") for each in found.failing if each.outcome != "wrong"
    ]
    for each in found.differences:
        twin = ended.get(each.case.name.removeprefix("float16/"))
        known = twin == each.chromium and each.case.name not in ended
        failing += [(each.case.op, each.case.name, "firefox")] if each.case.outcome not in WELL else []
        failing += [(each.case.op, each.case.name, "chromium")] if each.chromium not in WELL and not known else []
    first: dict[tuple[str, BrowserName], str] = {}
    for op, name, browser in sorted(failing, key=lambda one: (one[0], one[2], len(one[1]), one[1])):
        first.setdefault((op, browser), name)
    issues = (UpstreamIssue(browser, op, name) for (op, browser), name in first.items())
    return [issue for issue in issues if _runs_natively(measured_probe(issue.case))]


def search(issue: UpstreamIssue, folder: Path) -> str:
    """Return the issue that `webbuild bisect` writes about a case.

    Raises:
        RuntimeError: bisect found nothing.
    """
    probe = measured_probe(issue.case)
    model, sample, out = folder / "model.onnx", folder / "sample.npz", folder / "out"
    model.write_bytes(probe.model)
    np.savez(sample, **probe.feeds)  # type: ignore[arg-type]
    command = [sys.executable, "-m", "webbuild", "bisect", model, "--browser", issue.browser, "--sample", sample]
    done = subprocess.run([*map(str, command), "-o", str(out)], capture_output=True, text=True, check=False)
    if done.returncode != 1 or not (out / "issue.md").is_file():
        raise RuntimeError(f"{issue.title}: nothing was found\n{done.stdout}{done.stderr}")
    return (out / "issue.md").read_text("utf-8")


def section(issue: UpstreamIssue, text: str) -> str:
    """Return an issue as a section of the page."""
    title, _, body = text.partition("\n")
    return f"\n## {issue.title}\n\n**{title.removeprefix('# ')}**\n{re.sub('^## ', '### ', body, flags=re.MULTILINE)}"


def render(sections: Sequence[tuple[UpstreamIssue, str]]) -> str:
    """Return the page."""
    contents = "\n".join(
        f"- {issue.title}: {text.partition(chr(10))[0].removeprefix('# ')}" for issue, text in sections
    )
    return _HEAD.format(contents=contents) + "".join(section(issue, text) for issue, text in sections)


def _runs_natively(probe: Probe) -> bool:
    return not isinstance(reference_outputs(probe.model, probe.feeds), str)


def _searched(issues: Sequence[UpstreamIssue]) -> Iterator[tuple[UpstreamIssue, str]]:
    for issue in issues:
        print(issue.title, flush=True)
        with TemporaryDirectory() as folder:
            yield issue, search(issue, Path(folder))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    found = load_differences(ENGINE, "firefox")
    if found is None:
        print("nothing was measured in Firefox", file=sys.stderr)
        return 2
    issues = upstream_issues(found)
    if given.write:
        PAGE.write_text(render(list(_searched(issues))), "utf-8")
    else:
        print("\n".join(issue.title for issue in issues))
    return 0


if __name__ == "__main__":
    sys.exit(main())
