"""Measures a packed bundle in each browser: `python -m e2e.support --write` writes what docs/browsers.md shows."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from e2e.browser_table import Row, table, write
from e2e.conftest import MODEL, WEBBUILD
from e2e.firefox import firefox
from e2e.firefox_install import ensure
from webbuild.browser.chromium import BrowserHandle, open_chromium
from webbuild.browser.ensure_chromium import LocalSystem
from webbuild.browser.server import Server
from webbuild.equivalence.answer import Answer
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.inputs import VerifyInput, collect_inputs
from webbuild.verify.page_rpc import Page
from webbuild.verify.page_runner import PageRunner
from webbuild.verify.reference import reference_runner, run_reference
from webbuild.verify.run_sample import run_sample

SCRIPT = "runtime/worker.js"
CORES = b'Object.defineProperty(navigator, "hardwareConcurrency", { value: 8 });\n'
"""How many threads are taken depends on the machine. Here every machine has eight cores."""
WANTED = [
    ("Chromium", "webgpu", True),
    ("Chromium", "webgpu", False),
    ("Chromium", "wasm", True),
    ("Chromium", "wasm", False),
    ("Firefox", "webgpu", True),
    ("Firefox", "wasm", True),
    ("Firefox", "wasm", False),
]
"""Browser, backend, whether the page is isolated from other origins."""


class Work(Struct, frozen=True):
    """The golden sample, and native ONNX Runtime's answer to it."""

    bundle: Bundle
    given: VerifyInput
    expected: Answer


def golden_work(directory: Path) -> Work:
    """Return what every browser is given."""
    bundle = open_bundle(directory)
    assert bundle.manifest.golden is not None
    name = bundle.manifest.golden.sample
    (given,) = [given for given in collect_inputs(bundle, []) if given.file is not None and given.file.name == name]
    return Work(bundle, given, run_reference(bundle, reference_runner(bundle), [given]).answers[0])


@contextmanager
def served(bundle: Bundle, *, isolated: bool) -> Iterator[Server]:
    """Serve a bundle to a machine of eight cores."""
    with Server(bundle.directory, isolated=isolated) as server:
        worker = (bundle.directory / SCRIPT).read_bytes()
        server.virtual[f"/{SCRIPT}"] = ("text/javascript", CORES + worker)
        yield server


def measure(page: Page, work: Work, browser: str, version: str, backend: str, *, isolated: bool) -> Row:
    """Load the bundle, run the golden sample, compare.

    Raises:
        AssertionError: a comparison is not OK, or there was none of the decoded result.
    """
    with served(work.bundle, isolated=isolated) as server:
        runner = PageRunner(page, server, backend)
        if backend == "webgpu" and runner.adapter() is None:
            return Row(browser, version, backend, isolated)
        engine = runner.load(work.bundle.loader_file, backend).info.engine
        case, _ = run_sample(work.bundle, runner, work.given, work.expected)
        runner.dispose()
    assert [each for each in case.comparisons if each.verdict != "OK"] == []
    decoded = {each.subject.name: each.max_abs for each in case.comparisons if each.subject.stage == "decoded"}
    box, keypoint, score = decoded["box"], decoded["keypoint"], decoded["score"]
    assert box is not None
    assert keypoint is not None
    assert score is not None
    found = len(case.detections)
    return Row(browser, version, backend, isolated, engine.build, engine.threads, found, max(box, keypoint), score)


def in_chromium(browser: BrowserHandle, work: Work, backend: str, *, isolated: bool) -> Row:
    """Measure in a fresh page, which must say nothing bad."""
    with browser.page() as (page, console):
        row = measure(page, work, "Chromium", browser.version, backend, isolated=isolated)
        assert console.errors == []
    return row


def in_firefox(path: Path, work: Work, backend: str, *, isolated: bool) -> Row:
    """Measure in a fresh browser, which must say nothing bad."""
    with firefox(path) as page:
        row = measure(page, work, "Firefox", page.version, backend, isolated=isolated)
        assert page.complaints == []
    return row


def main(arguments: list[str]) -> int:
    """Pack the shipped model, measure everything, show it; with `--write` keep it."""
    import click

    def say(line: str) -> None:
        click.echo(line, err=True)

    other = ensure(LocalSystem(), say)
    with tempfile.TemporaryDirectory() as folder, open_chromium() as browser:
        out = Path(folder) / "yolo-pose"
        subprocess.run([*WEBBUILD, "pack", MODEL, "-o", out, "--no-verify"], check=True)
        work = golden_work(out)
        rows = [
            in_firefox(other, work, backend, isolated=isolated)
            if name == "Firefox"
            else in_chromium(browser, work, backend, isolated=isolated)
            for name, backend, isolated in WANTED
        ]
    click.echo(table(rows))
    if "--write" in arguments:
        write(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
