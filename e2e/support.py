"""Measures packed bundles in each browser: `python -m e2e.support --write` writes the tables of docs/browsers.md."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from benchmarks.lavapipe.browser import adapter_features
from e2e.browser_table import BundleRow, Measured, Place, Row, tables, write
from e2e.conftest import WEBBUILD
from webbuild.browser.chromium import BrowserHandle, open_chromium
from webbuild.browser.chromium_flags import is_own_gpu_wanted
from webbuild.browser.driven_browser import BrowserName, DrivenBrowser, DrivenPage
from webbuild.browser.find_chromium import CHROMIUM_VARIABLE
from webbuild.browser.firefox import open_firefox
from webbuild.browser.open_browser import Endpoint
from webbuild.browser.server import Server
from webbuild.browser.webkit import open_webkit
from webbuild.equivalence.answer import Answer
from webbuild.errors import WebbuildError
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.inputs import VerifyInput, collect_inputs
from webbuild.verify.page_runner import PageRunner
from webbuild.verify.reference import reference_runner, run_reference
from webbuild.verify.report import BackendRun
from webbuild.verify.run_sample import run_sample
from webbuild.verify.verify import verify_in_browsers

SCRIPT = "runtime/worker.js"
CORES = b'Object.defineProperty(navigator, "hardwareConcurrency", { value: 8 });\n'
"""The number of threads depends on the machine. Here every machine has eight cores."""
ROOT = Path(__file__).parents[1]
BUNDLES: dict[str, tuple[str, ...]] = {
    "yolo-pose": ("models/yolo-pose.onnx", "--precision", "mixed"),
    "rt-detr": ("models/rt-detr/rt-detr.onnx",),
    "grounding-dino": ("models/grounding-dino/grounding-dino.onnx",),
    "mask2former": ("models/mask2former-swin/mask2former.onnx",),
    "depth-from-focus": ("models/depth-from-focus/depth-from-focus.onnx",),
    "video-matting": ("models/video-matting/video-matting.onnx",),
    "super-resolution": ("models/super-resolution/super-resolution.onnx",),
    "top-down-pose": ("models/yolo-pose.onnx", "models/top-down-pose/top-down-pose.onnx"),
}
"""Shipped models and their files: the first is packed in half precision too, the last has two stages."""


class Engine(Struct, frozen=True):
    """A browser, its pages to measure as (backend, cross-origin isolated), and Chromium's executable."""

    browser: BrowserName
    pages: tuple[tuple[str, bool], ...]
    chromium: str = ""

    @property
    def backends(self) -> list[str]:
        """The backends of its pages, each once."""
        return list(dict.fromkeys(backend for backend, _ in self.pages))


WEBGPU, WASM = (("webgpu", True), ("webgpu", False)), (("wasm", True), ("wasm", False))


def engines(swiftshader: str, lavapipe: str) -> list[Engine]:
    """Return all engines. The tests' Chromium uses lavapipe instead of SwiftShader, if that is installed."""
    second = [Engine("chromium", WEBGPU[:1], lavapipe)] if lavapipe != swiftshader else []
    return [
        Engine("chromium", (*WEBGPU, *WASM), swiftshader),
        *second,
        Engine("firefox", (WEBGPU[0], *WASM)),
        Engine("webkit", WASM),
    ]


class Work(Struct, frozen=True):
    """The golden sample, and native ONNX Runtime's result for it."""

    bundle: Bundle
    given: VerifyInput
    expected: Answer


def golden_work(directory: Path) -> Work:
    """Return the golden sample that every browser runs."""
    bundle = open_bundle(directory)
    assert bundle.manifest.golden is not None
    name = bundle.manifest.golden.sample
    (given,) = [given for given in collect_inputs(bundle, []) if given.file is not None and given.file.name == name]
    return Work(bundle, given, run_reference(bundle, reference_runner(bundle), [given]).answers[0])


@contextmanager
def served(bundle: Bundle, *, isolated: bool) -> Iterator[Server]:
    """Serve a bundle to pages that see eight cores."""
    with Server(bundle.directory, isolated=isolated) as server:
        worker = (bundle.directory / SCRIPT).read_bytes()
        server.virtual[f"/{SCRIPT}"] = ("text/javascript", CORES + worker)
        yield server


def adapter_title(browser: DrivenBrowser, backend: str) -> str:
    """Return the adapter's name: neither Firefox nor a Chromium with lavapipe in place of SwiftShader reports it."""
    if backend == "wasm":
        return "processor"
    if is_own_gpu_wanted():
        return "the machine's GPU"
    if isinstance(browser, BrowserHandle) and "shader-f16" not in adapter_features(browser):
        return "SwiftShader"
    return "lavapipe"


def measure(browser: DrivenBrowser, work: Work, backend: str, *, isolated: bool) -> Row:
    """Load the bundle in a fresh page, run the golden sample, compare. The page must report no error.

    Raises:
        AssertionError: a comparison is not OK, or the decoded result was not compared.
    """
    place = Place(browser.name, browser.version, adapter_title(browser, backend))
    with served(work.bundle, isolated=isolated) as server, browser.page() as (page, console):
        engine, decoded, found = _golden(page, server, work, backend)
        assert console.errors == []
    box, keypoint, score = decoded["box"], decoded["keypoint"], decoded["score"]
    assert box is not None
    assert keypoint is not None
    assert score is not None
    return Row(place, backend, isolated, *engine, found, max(box, keypoint), score)


def _golden(
    page: DrivenPage, server: Server, work: Work, backend: str
) -> tuple[tuple[str, int], dict[str, float | None], int]:
    runner = PageRunner(page, server, backend)
    engine = runner.load(work.bundle.loader_file, backend, "fp32").info.engine
    case, _ = run_sample(work.bundle, runner, work.given, work.expected)
    runner.dispose()
    assert [each for each in case.comparisons if each.verdict != "OK"] == []
    decoded = {each.subject.name: each.max_abs for each in case.comparisons if each.subject.stage == "decoded"}
    return (engine.build, engine.threads), decoded, len(case.detections)


def bundle_rows(name: str, directory: Path, engine: Engine, adapter: str) -> list[BundleRow]:
    """Verify every graph of a bundle that a browser can run, on all its samples."""
    (report,) = verify_in_browsers([Endpoint(browser=engine.browser)], directory, engine.backends)
    if isinstance(report, WebbuildError):
        raise report
    title, _, version = report.environment.browser.partition(" ")
    return [_bundle_row(name, run, Place(title, version, _computes(run, adapter))) for run in report.backends]


def _computes(run: BackendRun, adapter: str) -> str:
    return "processor" if run.backend.startswith("wasm") else adapter


def _bundle_row(bundle: str, run: BackendRun, place: Place) -> BundleRow:
    same = sum(each.verdict == "OK" for each in run.comparisons)
    problem = f"not run: {run.skip_reason}" if run.skip_reason else next((each.code for each in run.problems), "")
    problem = problem or ("" if run.comparisons else "nothing compared")
    return BundleRow(bundle, run.backend, place, same, len(run.comparisons), run.tolerance_used or 0.0, problem)


@contextmanager
def named(executable: str) -> Iterator[None]:
    """Make a block start this Chromium."""
    before = os.environ.get(CHROMIUM_VARIABLE)
    if executable:
        os.environ[CHROMIUM_VARIABLE] = executable
    yield
    if before is None:
        os.environ.pop(CHROMIUM_VARIABLE, None)
    else:
        os.environ[CHROMIUM_VARIABLE] = before


def measure_all(chosen: Sequence[Engine], bundles: dict[str, Path], say: Callable[[str], None]) -> Measured:
    """Measure every bundle in every browser."""
    work, rows, others = golden_work(bundles["yolo-pose"]), list[Row](), list[BundleRow]()
    opens: dict[BrowserName, Callable[[], AbstractContextManager[DrivenBrowser]]] = {
        "chromium": open_chromium, "firefox": open_firefox, "webkit": open_webkit,
    }  # fmt: skip
    for engine in chosen:
        with named(engine.chromium):
            with opens[engine.browser]() as browser:
                say(f"{browser.name} {browser.version}, {browser.description}")
                adapter = adapter_title(browser, engine.backends[0])
                rows += [measure(browser, work, backend, isolated=isolated) for backend, isolated in engine.pages]
            for name, directory in bundles.items():
                say(f"  {name}")
                others += bundle_rows(name, directory, engine, adapter)
    where = f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores"
    return Measured(datetime.now(UTC).date().isoformat(), where, tuple(rows), tuple(others))


def main(flags: list[str]) -> int:
    """Pack the shipped models, measure all of them, print the tables; with `--write` store them."""
    import click

    def say(line: str) -> None:
        click.echo(line, err=True)

    with tempfile.TemporaryDirectory() as folder:
        bundles = {name: Path(folder) / name for name in BUNDLES}
        for name, arguments in BUNDLES.items():
            subprocess.run([*WEBBUILD, "pack", *arguments, "-o", bundles[name], "--no-verify"], cwd=ROOT, check=True)
        plain, of_tests = os.environ["WEBBUILD_SWIFTSHADER"], os.environ[CHROMIUM_VARIABLE]
        found = measure_all(engines(plain, of_tests), bundles, say)
    click.echo("\n".join(tables(found).values()))
    if "--write" in flags:
        write(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
