"""The manifest: the contract between the Python tooling and the TypeScript runtime.

Its JSON schema (`manifest.schema.json`) is generated from these structs, and the TypeScript types from that
schema. JSON names are camelCase. Every field is written out in the JSON, defaults included.
"""

from __future__ import annotations

import importlib
from functools import cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from webbuild.manifest.files import Engine as Engine
from webbuild.manifest.files import EngineBuild as EngineBuild
from webbuild.manifest.files import File as File
from webbuild.manifest.files import Generator as Generator
from webbuild.manifest.files import Glue as Glue
from webbuild.manifest.files import Golden as Golden
from webbuild.manifest.files import GoldenSequence as GoldenSequence
from webbuild.manifest.files import Path as Path
from webbuild.manifest.files import Sample as Sample
from webbuild.manifest.files import Source as Source
from webbuild.manifest.files import StageOutput as StageOutput
from webbuild.manifest.graphs import DisabledTarget as DisabledTarget
from webbuild.manifest.graphs import Feature as Feature
from webbuild.manifest.graphs import Graph as Graph
from webbuild.manifest.graphs import HeadStatus as HeadStatus
from webbuild.manifest.graphs import Output as Output
from webbuild.manifest.graphs import Precision as Precision
from webbuild.manifest.graphs import TargetName as TargetName
from webbuild.manifest.graphs import Weights as Weights
from webbuild.manifest.header import ManifestHeader as ManifestHeader
from webbuild.manifest.header import read_header as read_header
from webbuild.manifest.inputs.crop import CropInput as CropInput
from webbuild.manifest.inputs.input import Input as Input
from webbuild.manifest.inputs.letterbox import Interpolation as Interpolation
from webbuild.manifest.inputs.letterbox import Letterbox as Letterbox
from webbuild.manifest.inputs.mask import MaskInput as MaskInput
from webbuild.manifest.inputs.option import NumberInput as NumberInput
from webbuild.manifest.inputs.option import OptionInput as OptionInput
from webbuild.manifest.inputs.option import SizeInput as SizeInput
from webbuild.manifest.inputs.picture import ImageInput as ImageInput
from webbuild.manifest.inputs.picture import PictureInput as PictureInput
from webbuild.manifest.inputs.point_prompt import PointPromptInput as PointPromptInput
from webbuild.manifest.inputs.prompt import PromptInput as PromptInput
from webbuild.manifest.inputs.prompt import PromptRole as PromptRole
from webbuild.manifest.inputs.stack import FocusInput as FocusInput
from webbuild.manifest.inputs.stack import StackInput as StackInput
from webbuild.manifest.inputs.tensor import DType as DType
from webbuild.manifest.inputs.tensor import StageInput as StageInput
from webbuild.manifest.inputs.tensor import StateInput as StateInput
from webbuild.manifest.inputs.tensor import TensorInput as TensorInput
from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.suppression import Suppression as Suppression
from webbuild.manifest.tasks.classify import ClassifyTask as ClassifyTask
from webbuild.manifest.tasks.crop_classes import CropClassesTask as CropClassesTask
from webbuild.manifest.tasks.crop_embeddings import CropEmbeddingsTask as CropEmbeddingsTask
from webbuild.manifest.tasks.depth import DepthTask as DepthTask
from webbuild.manifest.tasks.detect import DetectTask as DetectTask
from webbuild.manifest.tasks.embed import EmbedTask as EmbedTask
from webbuild.manifest.tasks.grounding import GroundingTask as GroundingTask
from webbuild.manifest.tasks.image import ImageTask as ImageTask
from webbuild.manifest.tasks.image_segmentation import ImageSegmentationTask as ImageSegmentationTask
from webbuild.manifest.tasks.keypoint import Keypoint as Keypoint
from webbuild.manifest.tasks.keypoint_heads import HeatmapHead as HeatmapHead
from webbuild.manifest.tasks.keypoint_heads import RegressionHead as RegressionHead
from webbuild.manifest.tasks.keypoint_heads import SimccHead as SimccHead
from webbuild.manifest.tasks.keypoints import KeypointsTask as KeypointsTask
from webbuild.manifest.tasks.mask_generation import MaskGenerationTask as MaskGenerationTask
from webbuild.manifest.tasks.matte import MatteTask as MatteTask
from webbuild.manifest.tasks.obb import ObbTask as ObbTask
from webbuild.manifest.tasks.pose import PoseTask as PoseTask
from webbuild.manifest.tasks.row_task import RowTask as RowTask
from webbuild.manifest.tasks.segment import SegmentTask as SegmentTask
from webbuild.manifest.tasks.task import Task as Task
from webbuild.manifest.tasks.tensor import TensorTask as TensorTask
from webbuild.manifest.tasks.text_boxes import TextBoxesTask as TextBoxesTask
from webbuild.manifest.tasks.text_line import TextLineTask as TextLineTask
from webbuild.manifest.tasks.text_line import TextRecognition as TextRecognition
from webbuild.manifest.tasks.text_line import TextTask as TextTask

if TYPE_CHECKING:
    AnyTask = Task

Schema = Literal[1, 2]
SCHEMAS: tuple[Schema, ...] = get_args(Schema)
"""Supported schemas: 2 for manifests with stages, 1 for those without."""
_OPTIONAL = {
    "rotated",
    "maxCandidates",
    "mask",
    "rounding",
    "edge",
    "sequence",
    "tolerance",
    "variants",
    "stages",
    "stageName",
    "glueModule",
    "suppression",
    "multiLabel",
    "scoreColumn",
    "labelColumn",
    "rowCount",
    "pointScale",
    "uncompressedSha256",
    "textEncoder",
    "textInput",
    "halfTurn",
    "split",
}
"""Fields that are omitted if they have no value."""


class Variant(ManifestStruct, kw_only=True, frozen=True):
    """The model for another picture size, or for several pictures in one run: the fields that differ.

    Its graphs share the weights of the manifest's. For a batch of n every input picture and every output has n instead
    of 1 as its first size; an option is the same for the whole batch.
    """

    task: AnyTask
    inputs: list[Input]
    outputs: list[Output]
    graphs: list[Graph]
    disabled_targets: list[DisabledTarget]
    evaluation_thresholds: dict[str, float]


class Stage(ManifestStruct, kw_only=True, frozen=True):
    """A model of a bundle that runs after another, such as a decoder after its encoder.

    Inputs of the kind `stage` take outputs of earlier stages. The golden run has tensors for them too, so that each
    stage can be tested alone.
    """

    name: str
    source: Source
    task: AnyTask
    inputs: list[Input]
    outputs: list[Output]
    graphs: list[Graph]
    disabled_targets: list[DisabledTarget] = []
    golden: Golden | None
    evaluation_thresholds: dict[str, float]
    variants: list[Variant] | msgspec.UnsetType = msgspec.UNSET
    glue_module: Glue | msgspec.UnsetType = msgspec.UNSET


class Manifest(ManifestStruct, kw_only=True, frozen=True):
    """The manifest of a bundle: its model, files, golden run and samples.

    `evaluation_thresholds` are the thresholds, by option, at which the samples are compared: the exported ones, or a
    lower confidence if the exported one finds nothing on any sample. `warnings` are reasons to doubt the model's
    results on any backend. `variants` are the other sizes and batches, omitted if there are none.

    Source, task, inputs, outputs and graphs are those of the first stage, which is named `stage_name`. `stages` are the
    later ones, in the order in which they run; both are omitted if the bundle has one model. `text_encoder` computes
    embeddings of texts: it is not part of a run on a picture, and is loaded when it is first used.
    """

    schema: Schema = 1
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
    stage_name: str | msgspec.UnsetType = msgspec.UNSET
    stages: list[Stage] | msgspec.UnsetType = msgspec.UNSET
    text_encoder: Stage | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        """Reject stages in schema 1: readers of that schema would run only the first stage."""
        if self.stages and (self.schema == 1 or not self.stage_name):
            raise ValueError("stages want schema 2, and stageName")

    @property
    def every_stage(self) -> list[Manifest]:
        """A manifest for each stage alone, with its name in `stage_name`; the first is this manifest's own stage."""
        alone = msgspec.structs.replace(self, stages=msgspec.UNSET, text_encoder=msgspec.UNSET)
        return [alone, *(_of_stage(alone, each) for each in self.stages or [])]

    @property
    def every_model(self) -> list[Manifest]:
        """A manifest for each stage alone, and for the text encoder."""
        stages = self.every_stage
        return [*stages, _of_stage(stages[0], self.text_encoder)] if self.text_encoder else stages

    @property
    def final_task(self) -> Task:
        """The task of the last stage, which is the task of the whole bundle."""
        return self.every_stage[-1].task

    @property
    def every_variant(self) -> list[Manifest]:
        """A manifest for each size and batch of the first stage, its own first; the others have no golden run."""
        alone = msgspec.structs.replace(self, variants=msgspec.UNSET, stages=msgspec.UNSET, text_encoder=msgspec.UNSET)
        others = [] if self.variants is msgspec.UNSET else self.variants
        fields = [{name: getattr(each, name) for name in each.__struct_fields__} for each in others]
        return [alone, *(msgspec.structs.replace(alone, golden=None, **each) for each in fields)]


def _of_stage(alone: Manifest, stage: Stage) -> Manifest:
    own = {name: getattr(stage, name) for name in Stage.__struct_fields__ if name not in ("name", "glue_module")}
    return msgspec.structs.replace(alone, stage_name=stage.name, **own)


def encode(manifest: Manifest) -> bytes:
    """Return the manifest as indented JSON with a final newline; equal values give equal bytes."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


@cache
def task_union() -> Any:
    """Return the union of all task structs, and define `AnyTask`, which msgspec resolves lazily.

    The package `tasks` is in a layer above, so its tasks are found by walking its folder and not imported here.
    """
    kinds = importlib.import_module("webbuild.tasks.registry").task_kinds()
    union = reduce(or_, (kind.spec for kind in kinds.values()))
    globals()["AnyTask"] = union
    return union


def decode(data: bytes) -> Manifest:
    """Parse a manifest. Raises msgspec.ValidationError with the path of the first invalid field."""
    task_union()
    return msgspec.json.decode(data, type=Manifest)


def json_schema() -> dict[str, Any]:
    """Return the JSON schema (2020-12) of the manifest, in which every field that is always written is required."""
    task_union()
    schema = msgspec.json.schema(Manifest)
    for definition in schema["$defs"].values():
        if "properties" in definition:
            definition["required"] = sorted(definition["properties"].keys() - _OPTIONAL)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "webbuild manifest", **schema}
