"""A whole search without a browser: a subject whose backend is native ONNX Runtime with faults."""

from __future__ import annotations

from pathlib import Path

import onnx

from tests.bisect.generated import feeds, graph
from tests.bisect.planted import Fault, Faulty
from webbuild.bisect.bisect import How, look
from webbuild.bisect.browser import Options
from webbuild.bisect.engine import Engine as Runs
from webbuild.bisect.found import Result
from webbuild.bisect.native import Native
from webbuild.bisect.report import Report
from webbuild.bisect.subject import Case, Subject
from webbuild.bisect.tester import Tester
from webbuild.probe.engine import Engine
from webbuild.targets.target import Target


def subject(model: onnx.ModelProto, folder: Path, *names: str) -> Subject:
    """Return a model as it is searched; its engine's files are not those of an engine."""
    files = [folder / name for name in ("ort.jspi.min.mjs", "glue.mjs", "engine.wasm")]
    for file in files:
        file.write_text(file.name)
    cases = (Case("numbers", feeds(*(names or ("x",)))),)
    return Subject("model", "0" * 64, graph(model), cases, Engine(Target("1.2.3", "webgpu"), *files), Options())


def looked(
    made: Subject, folder: Path, *faults: Fault, resume: bool = False, engine: Runs | None = None
) -> tuple[Report, Result, Tester]:
    folder.mkdir(parents=True, exist_ok=True)
    return look(made, How(resume=resume), engine or Faulty(*faults), Native(), folder)
