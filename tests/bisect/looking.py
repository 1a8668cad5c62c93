"""A whole bisection without a browser: the backend is native ONNX Runtime with planted faults."""

from __future__ import annotations

from pathlib import Path

import onnx

from tests.bisect.generated import feeds, graph
from tests.bisect.planted import Fault, Faulty
from webbuild.bisect.bisect import BisectOptions, search_inputs
from webbuild.bisect.culprit import BisectResult
from webbuild.bisect.model_under_test import BisectInput, ModelUnderTest
from webbuild.bisect.report import BisectReport
from webbuild.bisect.subgraph_runner import SubgraphRunner
from webbuild.ortweb.browser_session import SessionOptions
from webbuild.ortweb.build import OrtWebBuild
from webbuild.runners.native_unoptimized import UnoptimizedNativeRunner
from webbuild.runners.session import SessionRunner as Runs
from webbuild.targets.target import Target


def subject(model: onnx.ModelProto, folder: Path, *names: str) -> ModelUnderTest:
    """Return a model to bisect; its engine files are dummies."""
    files = [folder / name for name in ("ort.jspi.min.mjs", "glue.mjs", "engine.wasm")]
    for file in files:
        file.write_text(file.name)
    cases = (BisectInput("numbers", feeds(*(names or ("x",)))),)
    return ModelUnderTest(
        "model", "0" * 64, graph(model), cases, OrtWebBuild(Target("1.2.3", "webgpu"), *files), SessionOptions()
    )


def looked(
    made: ModelUnderTest, folder: Path, *faults: Fault, resume: bool = False, engine: Runs | None = None
) -> tuple[BisectReport, BisectResult, SubgraphRunner]:
    folder.mkdir(parents=True, exist_ok=True)
    return search_inputs(
        made, BisectOptions(resume=resume), engine or Faulty(*faults), UnoptimizedNativeRunner(), folder
    )
