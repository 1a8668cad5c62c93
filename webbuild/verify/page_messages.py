"""Messages between the runner page and Python, as the runtime defines them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class _JsStruct(Struct, frozen=True, rename="camel"):
    """Base: unknown fields, such as those of later runtimes, are ignored."""


class RuntimeWarningInfo(_JsStruct, frozen=True):
    """A warning of the runtime."""

    code: str
    message: str
    fix: str


class EngineInfo(_JsStruct, frozen=True):
    """The engine, and the chosen build of it."""

    name: str
    version: str
    build: str
    threads: int = 1


class AdapterInfo(_JsStruct, frozen=True):
    """The graphics adapter, as far as the browser reports it."""

    vendor: str = ""
    architecture: str = ""
    device: str = ""
    description: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.vendor, self.architecture, self.device, self.description))) or "unnamed"


class LoadTimings(_JsStruct, frozen=True):
    """Milliseconds of each step of loading; `warmup` includes the first run."""

    engine: float
    weights: float
    session: float
    warmup: float
    total: float


class ExecutedNode(_JsStruct, frozen=True):
    """A node of the optimized graph, possibly fused."""

    op: str
    name: str


class ProviderNodes(_JsStruct, frozen=True):
    """The nodes that a provider runs. The engine names them only if several providers share a graph."""

    provider: str
    nodes: tuple[ExecutedNode, ...]
    count: int = 0


class PrecisionInfo(_JsStruct, frozen=True):
    """The chosen precision, and the reason."""

    used: str = "fp32"
    reason: str = ""


class StageInfo(_JsStruct, frozen=True):
    """One stage in the result of `model.info()`."""

    name: str
    backend: str
    precision: PrecisionInfo


class ModelInfo(_JsStruct, frozen=True):
    """Result of `model.info()`; `stages` is empty for a single stage."""

    engine: EngineInfo
    adapter: AdapterInfo | None
    timings: LoadTimings
    placement: tuple[ProviderNodes, ...] | None
    precision: PrecisionInfo = PrecisionInfo()
    stages: tuple[StageInfo, ...] = ()


class LoadResult(_JsStruct, frozen=True):
    """Result of `load()`."""

    ms: float
    backend: str
    reason: str
    warnings: tuple[RuntimeWarningInfo, ...]
    info: ModelInfo


class TensorHandle(_JsStruct, frozen=True):
    """A tensor in the page, to be fetched by its handle."""

    type: str
    dims: tuple[int, ...]
    handle: int
    bytes: int
    name: str = ""


class TensorsResult(_JsStruct, frozen=True):
    """Result of `runTensors()`."""

    ms: float
    outputs: tuple[TensorHandle, ...]


class RunTimings(_JsStruct, frozen=True):
    """Milliseconds of a run, in the worker."""

    preprocess: float
    inference: float
    postprocess: float
    total: float


class FallbackRun(_JsStruct, frozen=True):
    """The graph on which a run was repeated, and the reason."""

    target: str
    reason: str


class RunAnswer(_JsStruct, frozen=True):
    """Result of `run()` without its arrays; their concatenated bytes stay in the page."""

    result: dict[str, Any]
    arrays: TensorHandle


class AskCost(_JsStruct, frozen=True):
    """Cost of a prompt in addition to the last stage's run.

    `read_bytes` were read back from the GPU, None if not counted. `on_gpu` is whether the GPU computed the result.
    """

    earlier_runs: int
    read_bytes: int | None
    on_gpu: bool


class SceneAnswer(RunAnswer, frozen=True):
    """Result of a prompt on a scene, as `RunAnswer`, and its cost."""

    cost: AskCost


class RunResult(_JsStruct, frozen=True):
    """The part of a result of `run()` that all tasks share.

    `tracks` are the ids of the objects, in a video; `fields` is the whole result, for the task to read.
    """

    backend: str
    timings: RunTimings
    fallback: FallbackRun | None = None
    warnings: tuple[RuntimeWarningInfo, ...] = ()
    tracks: tuple[int | None, ...] = ()
    fields: dict[str, Any] = {}


class RuntimeFailure(_JsStruct, frozen=True):
    """An error thrown by the runtime."""

    code: str
    message: str
    fix: str
