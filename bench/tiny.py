"""Runs many tiny models in Chromium on one build of the engine, each as if it were alone."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from playwright.sync_api import Error

from webbuild import assets
from webbuild.browser.chromium import Chromium, chromium
from webbuild.browser.server import Server
from webbuild.stored import engine_content

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGE = Path(__file__).with_suffix(".html")
BATCH = 40
SECONDS = 60.0
"""What a model may take; a page that is silent for longer is given up."""
GPU = ("WebGpuExecutionProvider", "JsExecutionProvider")
FEEDABLE = (
    "float32",
    "float64",
    "float16",
    "bool",
    "string",
    *(f"{s}int{n}" for s in ("", "u") for n in (8, 16, 32, 64)),
)

Array = NDArray[Any]
Ending = Literal["ran", "no-session", "throws", "crash"]
Build = Literal["webgpu", "jsep", "wasm"]


class Job(Struct, frozen=True):
    """A model and what goes in.

    `cpu_nodes` are the names of the nodes that the GPU is not to be given, `options` the provider's others.
    """

    name: str
    model: bytes
    feeds: dict[str, NDArray[Any]]
    cpu_nodes: tuple[str, ...] = ()
    options: dict[str, Any] = {}


class Answer(Struct, frozen=True):
    """How a job ended. `gpu` and `cpu` are the operators placed there; constants that were folded are in neither."""

    ending: Ending
    message: str
    outputs: dict[str, NDArray[Any]]
    gpu: tuple[str, ...]
    cpu: tuple[str, ...]

    @property
    def wholly_gpu(self) -> bool:
        """Whether there was work, and all of it on the GPU."""
        return bool(self.gpu) and not self.cpu


def run_all(jobs: Sequence[Job], build: Build) -> Iterator[tuple[Job, Answer]]:
    """Run every job. What throws, hangs or crashes costs the page, and what follows gets a new one."""
    with Server(assets.ROOT) as server, chromium() as browser:
        server.virtual["/tiny.html"] = ("text/html", PAGE.read_bytes())
        server.virtual["/engine.wasm"] = ("application/wasm", engine_content(_engine(build)[2]))
        rest = list(jobs)
        lonely = 0
        while rest:
            batch = rest[: 1 if lonely else BATCH]
            answers = _on_a_page(browser, server.origin, build, rest if not lonely else batch)
            if not answers and len(batch) > 1:
                lonely = len(batch)  # one of these took the page with it: which one shows when each is alone
                continue
            answers = answers or [Answer("crash", "the page went silent", {}, (), ())]
            lonely = max(0, lonely - len(answers))
            yield from zip(rest, answers, strict=False)
            rest = rest[len(answers) :]


def _on_a_page(browser: Chromium, origin: str, build: Build, jobs: Sequence[Job]) -> list[Answer]:
    """Return the answers to the first jobs: until one throws, or a batch goes silent, which is then left out."""
    answers: list[Answer] = []
    with browser.page() as (page, _):
        page.goto(f"{origin}/tiny.html")
        page.wait_for_function("() => globalThis.begin !== undefined")
        entry, glue = (f"{origin}/{file.relative_to(assets.ROOT).as_posix()}" for file in _engine(build)[:2])
        engine = {"entry": entry, "glue": glue, "wasm": f"{origin}/engine.wasm"}
        page.evaluate("engine => start(engine)", {**engine, "provider": "wasm" if build == "wasm" else "webgpu"})
        for at in range(0, len(jobs), BATCH):
            try:
                told, doubtful = _told(page, jobs[at : at + BATCH], wary=build == "jsep")
            except Error:
                break
            answers += [_answer(each) for each in told]
            if doubtful:
                break
    return answers


def _told(page: Page, jobs: Sequence[Job], *, wary: bool) -> tuple[list[dict[str, Any]], bool]:
    """Return what the page told of the first jobs, and whether the last of them leaves it in doubt."""
    page.evaluate("([jobs, wary]) => begin(jobs, wary)", [[_sent(job) for job in jobs], wary])
    count, finished = 0, False
    while not finished:  # a page that goes on telling is not silent, however long a batch takes
        news = "count => globalThis.finished || globalThis.told.length > count"
        page.wait_for_function(news, arg=count, timeout=SECONDS * 1000, polling=50)
        count, finished = page.evaluate("() => [globalThis.told.length, globalThis.finished]")
    told, doubtful = page.evaluate("() => [globalThis.told, globalThis.doubtful]")
    return told, doubtful


def _engine(build: Build) -> list[Path]:
    """Return the build's entry, glue and WebAssembly."""
    if build == "jsep":
        return assets.jsep_files()[1]
    name = "wasm" if build == "wasm" else "jspi"
    return next(files for spec, files in assets.engine_files() if spec.build == name)


def _sent(job: Job) -> dict[str, Any]:
    return {
        "model": base64.b64encode(job.model).decode(),
        "feeds": {name: _tensor(array) for name, array in job.feeds.items()},
        "cpuNodes": list(job.cpu_nodes),
        "options": job.options,
    }


def _tensor(array: NDArray[Any]) -> dict[str, Any]:
    text = array.dtype.kind in "OSU"
    data = [str(each) for each in array.ravel()] if text else base64.b64encode(array.tobytes()).decode()
    return {"dtype": "string" if text else array.dtype.name, "shape": list(array.shape), "data": data}


def _answer(told: dict[str, Any]) -> Answer:
    placed: dict[str, list[str]] = told["placements"]
    gpu = [op for provider, ops in placed.items() if provider in GPU for op in ops or ["*"]]
    cpu = [op for provider, ops in placed.items() if provider not in GPU for op in ops or ["*"]]
    outputs = {name: _array(value) for name, value in told["outputs"].items()}
    return Answer(told["outcome"], told["message"][:600], outputs, tuple(gpu), tuple(cpu))


def _array(value: dict[str, Any]) -> NDArray[Any]:
    if value["dtype"] == "string":
        return np.array(value["data"], object).reshape(value["shape"])
    return np.frombuffer(base64.b64decode(value["data"]), value["dtype"]).reshape(value["shape"])
