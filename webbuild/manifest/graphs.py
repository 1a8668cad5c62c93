"""The graphs of a model: for which target each is, and what it needs there."""

from __future__ import annotations

from typing import Literal

import msgspec

from webbuild.manifest.files import Path as Path
from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count, Size
from webbuild.manifest.output import Output as Output
from webbuild.manifest.suppression import Suppression

TargetName = Literal["webgpu", "wasm"]
Feature = Literal["shader-f16"]
Precision = Literal["fp32", "fp16", "mixed"]
Weights = Literal["fp32", "int8"]


class HeadStatus(ManifestStruct, kw_only=True, frozen=True):
    """Where a graph reports on its fixed-shape detection head.

    The float32 output `output` of shape [2] holds (converged as 0 or 1, number of candidates above the
    confidence threshold before suppression). Not converged, or more candidates than `capacity`: the run is
    repeated on the graph of target `fallback`.
    """

    output: str
    capacity: Count
    rounds: Count
    fallback: TargetName


class Graph(ManifestStruct, kw_only=True, frozen=True):
    """One ONNX graph of the bundle, for one target. Graphs of one precision share their weight files.

    Of several for `webgpu` the best comes first: a visitor gets the first whose `features` the adapter has and whose
    answers are right there. `cpuNodes` are the names of nodes that a GPU provider is to leave to the CPU, since its
    kernels get them wrong. `allOnGpu` says that the engine leaves it none either. `features` are what the adapter must
    have: without them the graph throws, and another is to be taken. `precision` is fp32 where the model computes as it
    was exported, fp16 where what may be is in half precision, mixed where some of that had to stay as it was.
    `weight_dtype` is int8 where the weights were rounded to whole numbers with scales, to be downloaded so; what they
    become is what the graph computes with. `macs` are the multiply-accumulates of a run, where shapes tell. With
    `optimized` the engine's own optimizer would win nothing, and is left out when the graph is loaded. With
    `suppression` the file ends before that; `outputs` are those after it.
    """

    target: TargetName
    file: Path
    weights: list[Path]
    nodes: Count
    outputs: list[Output]
    head_status: HeadStatus | None
    cpu_nodes: list[str] = []
    all_on_gpu: bool = False
    features: list[Feature] = []
    precision: Precision = "fp32"
    weight_dtype: Weights = "fp32"
    macs: Size = 0
    optimized: bool = False
    suppression: Suppression | msgspec.UnsetType = msgspec.UNSET

    @property
    def name(self) -> str:
        """What reports call it, such as `webgpu fp16`: the target, and its precision where that was reduced."""
        return self.target if self.precision == "fp32" else f"{self.target} {self.precision}"

    @property
    def for_one_picture(self) -> Graph:
        """What it is for one of several pictures: every output has 1 as its first size."""
        outputs = [msgspec.structs.replace(each, shape=[1, *each.shape[1:]]) for each in self.outputs]
        return msgspec.structs.replace(self, outputs=outputs)


class DisabledTarget(ManifestStruct, kw_only=True, frozen=True):
    """A target that would throw, answer wrongly or make no session, so that the model runs on WASM instead.

    The bundle holds no such graph. `code` is the finding's, which `webbuild explain` knows.
    """

    target: Literal["webgpu"]
    code: str
    reason: str
