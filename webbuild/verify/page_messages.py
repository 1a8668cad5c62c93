"""Values that cross between the runner page and Python, in the runtime's own shapes."""

from __future__ import annotations

import math

from msgspec import Struct, field

from webbuild.tasks.class_scores import ClassScore
from webbuild.tasks.detection import Detection, OrientedObject, Segment
from webbuild.tasks.regions import Region


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
    why: str = ""


class ModelInfo(_JsStruct, frozen=True):
    """What `model.info()` says."""

    engine: EngineInfo
    adapter: AdapterInfo | None
    timings: LoadTimings
    placement: tuple[ProviderNodes, ...] | None
    precision: PrecisionInfo = PrecisionInfo()


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
    decode: float
    total: float


class FallbackRun(_JsStruct, frozen=True):
    """Which graph a run was repeated on, and why."""

    target: str
    why: str


class RunResult(_JsStruct, frozen=True):
    """What `run()` gave. Tensors and maps wait in the page. The data of all masks do so in `cells`, one after another.

    `min` and `max` are the least and the largest depth; `map` has the numbers of the regions.
    """

    kind: str
    width: int
    height: int
    backend: str
    timings: RunTimings
    poses: tuple[Detection, ...] = ()
    detections: tuple[Detection, ...] = ()
    segments: tuple[Segment, ...] = ()
    objects: tuple[OrientedObject, ...] = ()
    cells: TensorHandle | None = None
    outputs: tuple[TensorHandle, ...] = ()
    classes: tuple[ClassScore, ...] = ()
    depth: TensorHandle | None = None
    confidence: TensorHandle | None = None
    min: float = math.nan
    max: float = math.nan
    regions: tuple[Region, ...] = ()
    map: TensorHandle | None = None
    repeated: FallbackRun | None = None
    warnings: tuple[RuntimeWarningInfo, ...] = field(default_factory=tuple)

    @property
    def detections_of_any_kind(self) -> tuple[Detection, ...]:
        """Whatever the task calls them."""
        return self.poses or self.detections or self.segments or self.objects


class RuntimeFailure(_JsStruct, frozen=True):
    """What the runtime threw."""

    code: str
    message: str
    fix: str
