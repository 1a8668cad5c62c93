"""Values that cross between the runner page and Python, in the runtime's own shapes."""

from __future__ import annotations

import math

from msgspec import Struct, field

from webbuild.tasks.classify import ClassScore
from webbuild.tasks.detection import Detection, OrientedObject, Segment
from webbuild.tasks.regions import Region


class _Js(Struct, frozen=True, rename="camel"):
    """Base: fields that the runtime adds later are ignored."""


class Warned(_Js, frozen=True):
    """A warning of the runtime."""

    code: str
    message: str
    fix: str


class Engine(_Js, frozen=True):
    """The engine that runs, and the build of it that was chosen."""

    name: str
    version: str
    build: str
    threads: int = 1


class Adapter(_Js, frozen=True):
    """The graphics adapter, as far as the browser tells."""

    vendor: str = ""
    architecture: str = ""
    device: str = ""
    description: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.vendor, self.architecture, self.device, self.description))) or "unnamed"


class LoadTimings(_Js, frozen=True):
    """Milliseconds of each stage of loading; `warmup` holds the first run."""

    engine: float
    weights: float
    session: float
    warmup: float
    total: float


class Node(_Js, frozen=True):
    """A node of the graph as it runs, fused nodes among them."""

    op: str
    name: str


class Placed(_Js, frozen=True):
    """The nodes a provider runs. The engine names them only where several providers share a graph."""

    provider: str
    nodes: tuple[Node, ...]
    count: int = 0


class Computed(_Js, frozen=True):
    """The precision that was taken, and why that one."""

    used: str = "fp32"
    why: str = ""


class Info(_Js, frozen=True):
    """What `model.info()` says."""

    engine: Engine
    adapter: Adapter | None
    timings: LoadTimings
    placement: tuple[Placed, ...] | None
    precision: Computed = Computed()


class Loaded(_Js, frozen=True):
    """What `load()` came to."""

    ms: float
    backend: str
    reason: str
    warnings: tuple[Warned, ...]
    info: Info


class Held(_Js, frozen=True):
    """A tensor that waits in the page."""

    type: str
    dims: tuple[int, ...]
    handle: int
    bytes: int
    name: str = ""


class Ran(_Js, frozen=True):
    """What `runTensors()` came to."""

    ms: float
    outputs: tuple[Held, ...]


class RunTimings(_Js, frozen=True):
    """Milliseconds of a run, in the worker."""

    preprocess: float
    inference: float
    decode: float
    total: float


class Repeated(_Js, frozen=True):
    """Which graph a run was repeated on, and why."""

    target: str
    why: str


class Answer(_Js, frozen=True):
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
    cells: Held | None = None
    outputs: tuple[Held, ...] = ()
    classes: tuple[ClassScore, ...] = ()
    depth: Held | None = None
    confidence: Held | None = None
    min: float = math.nan
    max: float = math.nan
    regions: tuple[Region, ...] = ()
    map: Held | None = None
    repeated: Repeated | None = None
    warnings: tuple[Warned, ...] = field(default_factory=tuple)

    @property
    def found(self) -> tuple[Detection, ...]:
        """Whatever the task calls them."""
        return self.poses or self.detections or self.segments or self.objects


class Failure(_Js, frozen=True):
    """What the runtime threw."""

    code: str
    message: str
    fix: str
