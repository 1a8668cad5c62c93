"""Values that cross between the runner page and Python, in the runtime's own shapes."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class _JsStruct(Struct, frozen=True, rename="camel"):
    """Base: fields that the runtime adds later are ignored."""


class RuntimeWarningInfo(_JsStruct, frozen=True):
    """A warning of the runtime."""

    code: str
    message: str
    fix: str


class EngineInfo(_JsStruct, frozen=True):
    """The engine that runs, and the build of it that was chosen."""

    name: str
    version: str
    build: str
    threads: int = 1


class AdapterInfo(_JsStruct, frozen=True):
    """The graphics adapter, as far as the browser tells."""

    vendor: str = ""
    architecture: str = ""
    device: str = ""
    description: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.vendor, self.architecture, self.device, self.description))) or "unnamed"


class LoadTimings(_JsStruct, frozen=True):
    """Milliseconds of each stage of loading; `warmup` holds the first run."""

    engine: float
    weights: float
    session: float
    warmup: float
    total: float


class ExecutedNode(_JsStruct, frozen=True):
    """A node of the graph as it runs, fused nodes among them."""

    op: str
    name: str


class ProviderNodes(_JsStruct, frozen=True):
    """The nodes a provider runs. The engine names them only where several providers share a graph."""

    provider: str
    nodes: tuple[ExecutedNode, ...]
    count: int = 0


class PrecisionInfo(_JsStruct, frozen=True):
    """The precision that was taken, and why that one."""

    used: str = "fp32"
    reason: str = ""


class StageInfo(_JsStruct, frozen=True):
    """What `model.info()` says about one stage of several."""

    name: str
    backend: str
    precision: PrecisionInfo


class ModelInfo(_JsStruct, frozen=True):
    """What `model.info()` says; `stages` is empty for a model of one."""

    engine: EngineInfo
    adapter: AdapterInfo | None
    timings: LoadTimings
    placement: tuple[ProviderNodes, ...] | None
    precision: PrecisionInfo = PrecisionInfo()
    stages: tuple[StageInfo, ...] = ()


class LoadResult(_JsStruct, frozen=True):
    """What `load()` came to."""

    ms: float
    backend: str
    reason: str
    warnings: tuple[RuntimeWarningInfo, ...]
    info: ModelInfo


class TensorHandle(_JsStruct, frozen=True):
    """A tensor that waits in the page."""

    type: str
    dims: tuple[int, ...]
    handle: int
    bytes: int
    name: str = ""


class TensorsResult(_JsStruct, frozen=True):
    """What `runTensors()` came to."""

    ms: float
    outputs: tuple[TensorHandle, ...]


class RunTimings(_JsStruct, frozen=True):
    """Milliseconds of a run, in the worker."""

    preprocess: float
    inference: float
    postprocess: float
    total: float


class FallbackRun(_JsStruct, frozen=True):
    """Which graph a run was repeated on, and why."""

    target: str
    reason: str


class RunAnswer(_JsStruct, frozen=True):
    """What `run()` gave, without the arrays in it, which wait in the page one after another as bytes."""

    result: dict[str, Any]
    arrays: TensorHandle


class AskCost(_JsStruct, frozen=True):
    """What a question about a picture took besides the last stage's own run.

    `read_bytes` were read back from the GPU, None where nobody counted. `on_gpu` says where the result was made.
    """

    earlier_runs: int
    read_bytes: int | None
    on_gpu: bool


class SceneAnswer(RunAnswer, frozen=True):
    """What a scene answered, as `RunAnswer`, and what that took."""

    cost: AskCost


class RunResult(_JsStruct, frozen=True):
    """What `run()` says of any task.

    `tracks` are the ids of what was found, in a video; `fields` is all of it, for the task to read.
    """

    backend: str
    timings: RunTimings
    fallback: FallbackRun | None = None
    warnings: tuple[RuntimeWarningInfo, ...] = ()
    tracks: tuple[int | None, ...] = ()
    fields: dict[str, Any] = {}


class RuntimeFailure(_JsStruct, frozen=True):
    """What the runtime threw."""

    code: str
    message: str
    fix: str
