"""The graphs of a model: their targets and requirements."""

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
    """The output in which a graph reports the status of its fixed-shape detection head.

    The float32 output `output` [2] is (converged as 0 or 1, number of candidates above the confidence threshold before
    suppression). If it has not converged, or there are more candidates than `capacity`, the run is repeated on the
    graph of target `fallback`.
    """

    output: str
    capacity: Count
    rounds: Count
    fallback: TargetName


class Graph(ManifestStruct, kw_only=True, frozen=True):
    """One ONNX graph of the bundle, for one target. Graphs of the same precision share their weight files.

    Several graphs for `webgpu` are ordered best first: the runtime takes the first whose `features` the adapter has and
    whose self-test passes.

    - `cpuNodes`: names of nodes to place on the CPU, because their GPU kernels give wrong results.
    - `allOnGpu`: all other nodes run on the GPU.
    - `features`: WebGPU features that the adapter must have, otherwise the graph throws.
    - `precision`: fp32 as exported; fp16 with every convertible node in half precision; mixed with some of these nodes
      kept in float32.
    - `weight_dtype`: int8 if the weights are stored as integers with scales, and dequantized when the graph is loaded.
    - `macs`: multiply-accumulates of a run, as far as shapes are known.
    - `optimized`: the engine's optimizer would not improve the graph, so it is turned off when the graph is loaded.
    - `suppression`: the file ends before NMS, which the runtime computes. `outputs` are those after NMS.
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
        """The name in reports, such as `webgpu fp16`: the target, and the precision if it is reduced."""
        return self.target if self.precision == "fp32" else f"{self.target} {self.precision}"

    @property
    def for_one_picture(self) -> Graph:
        """The entry of this graph for one picture of a batch: every output has 1 as its first size."""
        outputs = [msgspec.structs.replace(each, shape=[1, *each.shape[1:]]) for each in self.outputs]
        return msgspec.structs.replace(self, outputs=outputs)


class DisabledTarget(ManifestStruct, kw_only=True, frozen=True):
    """A target whose graph would throw, give wrong results or create no session.

    The bundle has no graph for it: the model runs on WASM instead. `code` is the code of the finding.
    """

    target: Literal["webgpu"]
    code: str
    reason: str
