"""Run many tiny models in Chromium on one build of the engine, isolated from each other's failures."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from playwright.sync_api import Error

from webbuild.browser.chromium import BrowserHandle, open_chromium
from webbuild.browser.server import Server
from webbuild.manifest.file_entry import read_engine_wasm
from webbuild.ortweb import packaged_assets
from webbuild.targets.target import Build

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGE = Path(__file__).with_suffix(".html")
BATCH = 40
SECONDS = 60.0
"""Time limit of a model in seconds."""
GPU = "WebGpuExecutionProvider"
FEEDABLE = (
    "float32",
    "float64",
    "float16",
    "bool",
    "string",
    *(f"{s}int{n}" for s in ("", "u") for n in (8, 16, 32, 64)),
)

Array = NDArray[Any]
JobStatus = Literal["ran", "no-session", "throws", "crash"]


class Job(Struct, frozen=True):
    """A model and its inputs.

    `cpu_nodes` are the names of nodes that must run on the CPU, `options` other provider options. `counts` requests
    the kernels of a second run.
    """

    name: str
    model: bytes
    feeds: dict[str, NDArray[Any]]
    cpu_nodes: tuple[str, ...] = ()
    options: dict[str, Any] = {}
    counts: bool = False


class JobResult(Struct, frozen=True):
    """A job's outcome. `gpu` and `cpu` are the operators placed there; folded constants are in neither.

    `kernels` are the shaders of a run and their counts, if the job counts them.
    """

    ending: JobStatus
    message: str
    outputs: dict[str, NDArray[Any]]
    gpu: tuple[str, ...]
    cpu: tuple[str, ...]
    kernels: dict[str, int] = {}

    @property
    def wholly_gpu(self) -> bool:
        """Whether nodes ran, all of them on the GPU."""
        return bool(self.gpu) and not self.cpu


def run_all(jobs: Sequence[Job], build: Build, seconds: float = SECONDS) -> Iterator[tuple[Job, JobResult]]:
    """Run every job. After a job that throws, hangs or crashes, the next ones run on a new page.

    A page without a result for `seconds` counts as hanging.
    """
    with Server(packaged_assets.WEB_ROOT) as server, open_chromium() as browser:
        server.virtual["/tiny.html"] = ("text/html", PAGE.read_bytes())
        server.virtual["/engine.wasm"] = ("application/wasm", read_engine_wasm(_engine(build)[2]))
        rest = list(jobs)
        lonely = 0
        while rest:
            batch = rest[: 1 if lonely else BATCH]
            answers = _run_on_page(browser, server.origin, build, rest if not lonely else batch, seconds)
            if not answers and len(batch) > 1:
                lonely = len(batch)  # one of these crashed the page: running each alone shows which
                continue
            answers = answers or [JobResult("crash", "the page went silent", {}, (), ())]
            lonely = max(0, lonely - len(answers))
            yield from zip(rest, answers, strict=False)
            rest = rest[len(answers) :]


def _run_on_page(
    browser: BrowserHandle, origin: str, build: Build, jobs: Sequence[Job], seconds: float
) -> list[JobResult]:
    """Return the results of the first jobs, until one throws, or a batch hangs, which is then left out."""
    answers: list[JobResult] = []
    with browser.page() as (page, _):
        page.goto(f"{origin}/tiny.html")
        page.wait_for_function("() => globalThis.begin !== undefined")
        entry, glue = (
            f"{origin}/{file.relative_to(packaged_assets.WEB_ROOT).as_posix()}" for file in _engine(build)[:2]
        )
        engine = {"entry": entry, "glue": glue, "wasm": f"{origin}/engine.wasm"}
        page.evaluate("engine => start(engine)", {**engine, "provider": build})
        for at in range(0, len(jobs), BATCH):
            try:
                told, doubtful = _page_results(page, jobs[at : at + BATCH], seconds)
            except Error:
                break
            answers += [_answer(each) for each in told]
            if doubtful:
                break
    return answers


def _page_results(page: Page, jobs: Sequence[Job], seconds: float) -> tuple[list[dict[str, Any]], bool]:
    """Return the page's results of the first jobs, and whether the page is unreliable after the last."""
    page.evaluate("jobs => begin(jobs)", [_to_wire(job) for job in jobs])
    count, finished = 0, False
    while not finished:  # a page that still reports results does not hang, however long a batch takes
        news = "count => globalThis.finished || globalThis.told.length > count"
        page.wait_for_function(news, arg=count, timeout=seconds * 1000, polling=50)
        count, finished = page.evaluate("() => [globalThis.told.length, globalThis.finished]")
    told, doubtful = page.evaluate("() => [globalThis.told, globalThis.doubtful]")
    return told, doubtful


def _engine(build: Build) -> list[Path]:
    """Return the build's entry script, WebAssembly loader script and WebAssembly."""
    name = "wasm" if build == "wasm" else "jspi"
    return next(files for spec, files in packaged_assets.engine_build_files() if spec.build == name)


def _to_wire(job: Job) -> dict[str, Any]:
    return {
        "model": base64.b64encode(job.model).decode(),
        "feeds": {name: _tensor(array) for name, array in job.feeds.items()},
        "cpuNodes": list(job.cpu_nodes),
        "options": job.options,
        "counts": job.counts,
    }


def _tensor(array: NDArray[Any]) -> dict[str, Any]:
    text = array.dtype.kind in "OSU"
    data = [str(each) for each in array.ravel()] if text else base64.b64encode(array.tobytes()).decode()
    return {"dtype": "string" if text else array.dtype.name, "shape": list(array.shape), "data": data}


def _answer(told: dict[str, Any]) -> JobResult:
    placed: dict[str, list[str]] = told["placements"]
    gpu = [op for provider, ops in placed.items() if provider == GPU for op in ops or ["*"]]
    cpu = [op for provider, ops in placed.items() if provider != GPU for op in ops or ["*"]]
    outputs = {name: _array(value) for name, value in told["outputs"].items()}
    kernels: dict[str, int] = told.get("kernels", {})
    return JobResult(told["outcome"], told["message"][:600], outputs, tuple(gpu), tuple(cpu), kernels)


def _array(value: dict[str, Any]) -> NDArray[Any]:
    if value["dtype"] == "string":
        return np.array(value["data"], object).reshape(value["shape"])
    return np.frombuffer(base64.b64decode(value["data"]), value["dtype"]).reshape(value["shape"])
