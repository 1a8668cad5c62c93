"""Whether the engine's graph capture is right when inputs change between runs, on each build that supports it.

python -m benchmarks.graph_capture dist/yolo-pose dist/depth-from-focus
"""

from __future__ import annotations

import argparse
import base64
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from benchmarks.graph_capture_models import CaptureModel, bundle_models, conv_model
from webbuild.browser.chromium import BrowserHandle, open_chromium
from webbuild.browser.media_types import media_type
from webbuild.browser.server import Server
from webbuild.manifest.file_entry import read_engine_wasm
from webbuild.ortweb import packaged_assets

PAGE = Path(__file__).with_suffix(".html")
ORDER = (0, 1, 0, 2, 3, 1, 0, 4, 5, 0)
"""The input variant of each run. The first run is not a replay; a repeated variant reveals stale outputs."""
TOLERANCE = 1e-4
"""Tolerance of equal outputs, relative to the output's largest magnitude."""

Answer = dict[str, NDArray[np.float32]]


class CaptureCase(Struct, frozen=True):
    """Whether a session captures, who owns the buffers, and whether the page returns the engine's after each run."""

    capture: bool
    inputs: Literal["caller", "engine"]
    outputs: Literal["engine", "engine, disposed", "caller"]


PLAIN = CaptureCase(False, "caller", "engine, disposed")
CASES = (
    CaptureCase(True, "caller", "engine"),
    CaptureCase(True, "caller", "caller"),
    CaptureCase(True, "engine", "engine"),
    CaptureCase(True, "engine", "engine, disposed"),
)


class CaptureRun(Struct, frozen=True):
    """The outputs of each run, its milliseconds until the commands were submitted, and the error that ended it."""

    answers: list[Answer]
    times: list[float]
    error: str | None = None

    @property
    def latency(self) -> float:
        """Milliseconds of the fastest run after the first two, which compile and capture."""
        return min(self.times[2:])


def verdict(told: CaptureRun, right: CaptureRun) -> str:
    """Return the verdict on a session, compared with one without capture."""
    if right.error is not None or len(right.answers) < len(ORDER):
        return f"nothing to compare with: {right.error}"
    if not _relative_error(right.answers[0], right.answers[1]) > 100 * TOLERANCE:
        return "nothing to compare: its answers are the same for all inputs"
    off = [_relative_error(answer, wanted) for answer, wanted in zip(told.answers, right.answers, strict=False)]
    wrong = [str(run) for run, each in enumerate(off, start=1) if not each < TOLERANCE]
    if told.error is None and len(told.answers) < len(ORDER):
        return "nothing to compare: it did not answer every run"
    said = f"silently wrong in run {', '.join(wrong)}, by {max(off):.0%} of the largest number" if wrong else "right"
    if told.error is None:
        return said
    return f"{f'{said}; ' if wrong else ''}run {len(told.answers) + 1} throws: {told.error}"


def _relative_error(answer: Answer, wanted: Answer) -> float:
    """Return the largest difference of two outputs relative to the largest expected magnitude."""
    parts = [np.abs(answer[name] - right).max() / max(np.abs(right).max(), 1e-9) for name, right in wanted.items()]
    return float(np.max(parts))


def measure(
    browser: BrowserHandle, server: Server, subject: CaptureModel, engine: dict[str, str], case: CaptureCase
) -> CaptureRun:
    """Run it on a separate page, because a trap ends the engine."""
    files = {"model": subject.graph, **{file.name: file for file in subject.weights}}
    for name, file in files.items():
        server.virtual[f"/{name}"] = ("application/octet-stream", file.read_bytes())
    first = subject.variants[0]
    wanted = {
        "engine": engine,
        "model": f"{server.origin}/model",
        "weights": [{"path": file.name, "url": f"{server.origin}/{file.name}"} for file in subject.weights],
        "inputs": [
            {"name": n, "type": array.dtype.name, "dims": list(array.shape), "identity": _identity(array)}
            for n, array in first.items()
        ],
        "outputs": [{"name": out.name, "type": out.dtype, "dims": out.shape} for out in subject.outputs],
        "variants": [{name: _text(array) for name, array in feeds.items()} for feeds in subject.variants],
        "order": ORDER,
        "capture": case.capture,
        "feeder": case.inputs,
        "owner": case.outputs,
    }
    with browser.page() as (page, _):
        page.goto(f"{server.origin}/capture.html")
        page.wait_for_function("() => globalThis.measure !== undefined")
        told: dict[str, Any] = page.evaluate("w => measure(w)", wanted)
    answers = [{name: _array(text) for name, text in answer.items()} for answer in told["answers"]]
    return CaptureRun(answers, told["times"], told["error"])


def _identity(array: NDArray[Any]) -> str:
    """Return a graph of one Identity."""
    import onnx_ir as ir

    kind = ir.TensorType(ir.DataType.from_numpy(array.dtype))
    x, y = (ir.Value(name=name, type=kind, shape=ir.Shape(array.shape)) for name in "xy")
    graph = ir.Graph([x], [y], nodes=[ir.Node("", "Identity", [x], outputs=[y])], opset_imports={"": 21}, name="g")
    model = ir.Model(graph, ir_version=10)
    return base64.b64encode(ir.to_proto(model).SerializeToString()).decode()


def _text(array: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def _array(text: str) -> NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(text), np.float32)


def table_rows(
    browser: BrowserHandle, server: Server, subject: CaptureModel, build: str, engine: dict[str, str], times: int
) -> Iterator[str]:
    """Yield a table row for a session without capture, and one for each case with it."""
    right, plain = None, 0.0
    for case in (PLAIN, *CASES):
        told = [measure(browser, server, subject, engine, case) for _ in range(times)]
        right = right or told[0]
        said = " / ".join(dict.fromkeys(verdict(each, right) for each in told))
        pace = min((each.latency for each in told if len(each.times) == len(ORDER)), default=0.0)
        plain = plain or pace
        ratio = f"{pace / plain:.2f}" if pace else ""
        which = f"{'on' if case.capture else 'off'} | the {case.inputs}'s | the {case.outputs}'s"
        yield f"| {subject.name} | {build} | {which} | {said} | {ratio} |"


def engines(server: Server, folder: Path | None) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the builds with WebGPU, of this engine or of the one in `folder`, and their addresses for the page."""
    for spec, files in packaged_assets.engine_build_files():
        if spec.build == "wasm":
            continue
        plain = [file.name.removesuffix(".zst") for file in files]
        paths = [f"engine/{name}" for name in plain]
        for path, file in zip(paths, files if folder is None else [folder / name for name in plain], strict=True):
            server.virtual[f"/{path}"] = (media_type(path), read_engine_wasm(file))
        yield spec.build, dict(zip(("entry", "glue", "wasm"), (f"{server.origin}/{p}" for p in paths), strict=True))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", nargs="*", type=Path, help="measured in addition to a model of one Conv")
    parser.add_argument("--build", choices=("jspi", "asyncify"), help="only this one")
    parser.add_argument("--times", type=int, default=3, help="how often each session is created and run")
    parser.add_argument("--engine", type=Path, help="the dist folder of another onnxruntime-web")
    options = parser.parse_args()
    with Server(packaged_assets.WEB_ROOT) as server, open_chromium() as browser, ExitStack() as stack:
        server.virtual["/capture.html"] = ("text/html", PAGE.read_bytes())
        subjects = [conv_model(), *(stack.enter_context(bundle_models(each)) for each in options.bundle)]
        print("| model | build | capture | inputs | outputs | | run, captured / not |", flush=True)
        print("|---" * 7 + "|", flush=True)
        for subject in subjects:
            for build, engine in engines(server, options.engine):
                if options.build in (None, build):
                    for row in table_rows(browser, server, subject, build, engine, options.times):
                        print(row, flush=True)


if __name__ == "__main__":
    main()
