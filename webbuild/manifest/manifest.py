"""The manifest: the contract between the Python tooling and the TypeScript runtime.

Its JSON schema (`manifest.schema.json`) is generated from these structs, and the TypeScript types from that
schema. JSON names are camelCase. Every field is written out in the JSON, defaults included.
"""

from __future__ import annotations

import importlib
from functools import cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from webbuild.manifest.inputs import CropInput as CropInput
from webbuild.manifest.inputs import DType as DType
from webbuild.manifest.inputs import FocusInput as FocusInput
from webbuild.manifest.inputs import ImageInput as ImageInput
from webbuild.manifest.inputs import Input as Input
from webbuild.manifest.inputs import Interpolation as Interpolation
from webbuild.manifest.inputs import Letterbox as Letterbox
from webbuild.manifest.inputs import MaskInput as MaskInput
from webbuild.manifest.inputs import NumberInput as NumberInput
from webbuild.manifest.inputs import OptionInput as OptionInput
from webbuild.manifest.inputs import PictureInput as PictureInput
from webbuild.manifest.inputs import PromptInput as PromptInput
from webbuild.manifest.inputs import PromptRole as PromptRole
from webbuild.manifest.inputs import SizeInput as SizeInput
from webbuild.manifest.inputs import StackInput as StackInput
from webbuild.manifest.inputs import StateInput as StateInput
from webbuild.manifest.inputs import TensorInput as TensorInput
from webbuild.manifest.tasks import ClassifyTask as ClassifyTask
from webbuild.manifest.tasks import DepthTask as DepthTask
from webbuild.manifest.tasks import DetectTask as DetectTask
from webbuild.manifest.tasks import GroundingTask as GroundingTask
from webbuild.manifest.tasks import HeatmapHead as HeatmapHead
from webbuild.manifest.tasks import ImageSegmentationTask as ImageSegmentationTask
from webbuild.manifest.tasks import ImageTask as ImageTask
from webbuild.manifest.tasks import Keypoint as Keypoint
from webbuild.manifest.tasks import KeypointsTask as KeypointsTask
from webbuild.manifest.tasks import ManifestStruct
from webbuild.manifest.tasks import MatteTask as MatteTask
from webbuild.manifest.tasks import ObbTask as ObbTask
from webbuild.manifest.tasks import PoseTask as PoseTask
from webbuild.manifest.tasks import RegressionHead as RegressionHead
from webbuild.manifest.tasks import RowTask as RowTask
from webbuild.manifest.tasks import SegmentTask as SegmentTask
from webbuild.manifest.tasks import SimccHead as SimccHead
from webbuild.manifest.tasks import Task as Task
from webbuild.manifest.tasks import TensorTask as TensorTask

if TYPE_CHECKING:
    AnyTask = Task

SCHEMA_VERSION: Literal[1] = 1
_OPTIONAL = {"variants"}
"""Fields that are left out where there is nothing to say."""

Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Path = Annotated[str, Meta(description="Relative to the manifest, with forward slashes.")]
TargetName = Literal["webgpu", "wasm"]
Feature = Literal["shader-f16"]
Precision = Literal["fp32", "fp16", "mixed"]
Weights = Literal["fp32", "int8"]


class Generator(ManifestStruct, kw_only=True, frozen=True):
    """The program that wrote the bundle."""

    name: Literal["webbuild"] = "webbuild"
    version: str


class Engine(ManifestStruct, kw_only=True, frozen=True):
    """The build of onnxruntime-web inside the bundle."""

    name: Literal["onnxruntime-web"] = "onnxruntime-web"
    version: str


class Source(ManifestStruct, kw_only=True, frozen=True):
    """The model as it was given to `webbuild pack`."""

    file: str
    sha256: Sha256
    size: int
    producer: str
    license: str


class Output(ManifestStruct, kw_only=True, frozen=True):
    """A tensor that a run returns."""

    name: str
    dtype: DType
    shape: list[int]


class HeadStatus(ManifestStruct, kw_only=True, frozen=True):
    """Where a graph reports on its fixed-shape detection head.

    The float32 output `output` of shape [2] holds (converged as 0 or 1, number of candidates above the
    confidence threshold before suppression). Not converged, or more candidates than `capacity`: the run is
    repeated on the graph of target `fallback`.
    """

    output: str
    capacity: int
    rounds: int
    fallback: TargetName


class Graph(ManifestStruct, kw_only=True, frozen=True):
    """One ONNX graph of the bundle, for one target. Graphs of one precision share their weight files.

    Of several for `webgpu` the best comes first: a visitor gets the first whose `features` the adapter has and whose
    answers are right there. `cpuNodes` are the names of nodes that a GPU provider is to leave to the CPU, since its
    kernels get them wrong. `allOnGpu` says that the engine leaves it none either. `features` are what the adapter must
    have: without them the graph throws, and another is to be taken. `precision` is fp32 where the model computes as it
    was exported, fp16 where what may be is in half precision, mixed where some of that had to stay as it was.
    `weight_dtype` is int8 where the weights were rounded to whole numbers with scales, to be downloaded so; what they
    become is what the graph computes with.
    """

    target: TargetName
    file: Path
    weights: list[Path]
    nodes: int
    outputs: list[Output]
    head_status: HeadStatus | None
    cpu_nodes: list[str] = []
    all_on_gpu: bool = False
    features: list[Feature] = []
    precision: Precision = "fp32"
    weight_dtype: Weights = "fp32"

    @property
    def name(self) -> str:
        """What reports call it, such as `webgpu fp16`: the target, and its precision where that was reduced."""
        return self.target if self.precision == "fp32" else f"{self.target} {self.precision}"


class DisabledTarget(ManifestStruct, kw_only=True, frozen=True):
    """A target that would throw, answer wrongly or make no session, so that the model runs on WASM instead.

    The bundle holds no such graph. `code` is the finding's, which `webbuild explain` knows.
    """

    target: Literal["webgpu"]
    code: str
    reason: str


class File(ManifestStruct, kw_only=True, frozen=True):
    """A file of the bundle that the runtime or the page loads.

    `size` and `sha256` are those of the file as it is stored; a file that is compressed, as its `encoding` says, holds
    `uncompressed_size` bytes. A file with `parts` is not stored itself: it is what its parts hold, files of this list
    too, one after the other; `size` and `sha256` are then those of the parts as they are stored. What the parts of a
    file of `quantization` int8 hold are whole numbers with scales, from which its `uncompressed_size` bytes are made
    (webbuild/quantization/weight_format.py).
    """

    path: Path
    size: int
    sha256: Sha256
    encoding: Literal["identity", "gzip", "zstd"] = "identity"
    uncompressed_size: int
    parts: list[Path] = []
    quantization: Literal["none", "int8"] = "none"


class EngineBuild(ManifestStruct, kw_only=True, frozen=True):
    """One build of the engine: its JavaScript entry, its glue, its (compressed) WebAssembly."""

    build: Literal["jspi", "asyncify", "wasm"]
    entry: Path
    glue: Path
    wasm: Path


class Golden(ManifestStruct, kw_only=True, frozen=True):
    """A run with known answers, kept as raw little-endian tensors.

    Of the inputs in `uint8_inputs`, which are pictures, a byte for each element is kept: the level of its colour, 0 to
    255, still to be scaled and normalised as the input says, in float64.
    """

    sample: str
    inputs: dict[str, Path]
    outputs: dict[str, Path]
    uint8_inputs: list[str] = []


class Sample(ManifestStruct, kw_only=True, frozen=True):
    """A picture to try the model on, or a stack of them: `file` is then its first picture, `stack` has them all.

    `focus_distances` are the numbers that go with the stack's pictures; `prompt` is what to look for in the picture.
    """

    file: Path
    title: str
    width: int
    height: int
    stack: list[Path] = []
    focus_distances: list[float] = []
    prompt: str = ""


class Variant(ManifestStruct, kw_only=True, frozen=True):
    """The model for another size of picture, or for several pictures in one run: what differs from the manifest's own.

    Its graphs share the weights of the manifest's. For a batch of n every input picture and every output has n in place
    of 1 as its first size; an option is the same for all of them.
    """

    task: AnyTask
    inputs: list[Input]
    outputs: list[Output]
    graphs: list[Graph]
    disabled_targets: list[DisabledTarget]
    evaluation_thresholds: dict[str, float]


class Manifest(ManifestStruct, kw_only=True, frozen=True):
    """Everything that a bundle says of itself.

    `evaluation_thresholds` holds, by option, the thresholds at which the samples are compared: the exported ones, or a
    lower confidence where those find nothing on any sample. `warnings` speak against the answers, whatever computes
    them. `variants` are the other sizes and batches, left out where there are none.
    """

    schema: Literal[1] = SCHEMA_VERSION
    name: str
    title: str
    generator: Generator
    engine: Engine
    source: Source
    task: AnyTask
    inputs: list[Input]
    outputs: list[Output]
    graphs: list[Graph]
    disabled_targets: list[DisabledTarget] = []
    engines: list[EngineBuild]
    files: list[File]
    golden: Golden | None
    evaluation_thresholds: dict[str, float]
    samples: list[Sample]
    assumptions: list[str]
    warnings: list[str] = []
    variants: list[Variant] | msgspec.UnsetType = msgspec.UNSET

    @property
    def every_variant(self) -> list[Manifest]:
        """A manifest for each size and batch, this one first: what is known of the others, without a golden run."""
        alone = msgspec.structs.replace(self, variants=msgspec.UNSET)
        others = [] if self.variants is msgspec.UNSET else self.variants
        fields = [{name: getattr(each, name) for name in each.__struct_fields__} for each in others]
        return [alone, *(msgspec.structs.replace(alone, golden=None, **each) for each in fields)]


def encode(manifest: Manifest) -> bytes:
    """Return the manifest as indented JSON with a final newline, always the same bytes for the same value."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


class ManifestHeader(Struct, frozen=True):
    """What a manifest of any schema says of itself: its schema, and the program that wrote it."""

    schema: Any = None
    generator: Any = None

    @property
    def generator_name(self) -> str:
        """Name and version of the program, as far as they are known."""
        generator = self.generator if isinstance(self.generator, dict) else {}
        return f"{generator.get('name', 'webbuild')} {generator.get('version', 'of an unknown version')}"


@cache
def task_union() -> Any:
    """Return the union of every task's struct, and define `AnyTask`, which msgspec looks up when it first needs it.

    Tasks lie above this room and are found by walking theirs, so that a new one is named nowhere.
    """
    kinds = importlib.import_module("webbuild.tasks.registry").task_kinds()
    union = reduce(or_, (kind.spec for kind in kinds.values()))
    globals()["AnyTask"] = union
    return union


def read_header(data: bytes) -> ManifestHeader:
    """Read where a manifest comes from, whatever its schema. Raises msgspec.DecodeError for what is no JSON object."""
    return msgspec.json.decode(data, type=ManifestHeader)


def decode(data: bytes) -> Manifest:
    """Read a manifest. Raises msgspec.ValidationError with the path of the first field that is wrong."""
    task_union()
    return msgspec.json.decode(data, type=Manifest)


def json_schema() -> dict[str, Any]:
    """Return the JSON schema (2020-12) of the manifest, every field that is always written required."""
    task_union()
    schema = msgspec.json.schema(Manifest)
    for definition in schema["$defs"].values():
        if "properties" in definition:
            definition["required"] = sorted(definition["properties"].keys() - _OPTIONAL)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "webbuild manifest", **schema}
