"""Mask2Former packs as exported, and the proof detects one changed number in one attention layer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import numpy as np
import onnx_ir as ir
import pytest

from tests.commands.program import pack
from tests.compared import compared, matched, outputs
from tests.models import HEADER, parsed, save
from webbuild.compile.compile_model import CompiledModel, compile_model
from webbuild.compile.load_model import LoadedModel, load_model
from webbuild.compile.model_variant import ModelVariant
from webbuild.compile.prove import ProvenGraphs, prove_graphs
from webbuild.compile.reduction_options import ReductionOptions
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import ImageInput, ImageSegmentationTask
from webbuild.passes.lower import LoweredGraphs
from webbuild.reporting.progress import ProgressReporter
from webbuild.samples.collect import collect_samples
from webbuild.targets.target import Target
from webbuild.tasks.options.user_overrides import parse_overrides

pytestmark = pytest.mark.usefixtures("stand_in")

SHIPPED = Path(__file__).parents[2] / "models" / "mask2former-swin"
PIXELS = "segmenter.model.pixel_level_module.decoder.encoder.layers."
QUERIES = "segmenter.model.transformer_module.decoder.layers."

MAPS = f"""{HEADER}
maps (float[1,3,8,8] pixel_values) => (float[1,2,4,4] logits)
<float[2,3,2,2] mixed = {{1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1, 0,1,0,0, 1,0,0,0}}>
{{
  logits = Conv <strides = [2, 2]> (pixel_values, mixed)
}}
"""


@pytest.fixture(scope="module")
def compiled() -> tuple[LoadedModel, CompiledModel]:
    quiet, own = ProgressReporter(quiet=True), parse_overrides({})
    loaded = load_model(SHIPPED / "mask2former.onnx", {}, quiet)
    target = Target("1.30.0", "webgpu")
    return loaded, compile_model(loaded, target, task=None, nms="gpu", overrides=own, progress=quiet)


def prove(loaded: LoadedModel, compiled: CompiledModel, folder: Path) -> ProvenGraphs:
    """Compare graphs with the original on the samples next to it, as `pack` does."""
    quiet, samples = ProgressReporter(quiet=True), collect_samples(loaded.source.path, (), compiled.match.inputs)
    (proven,) = prove_graphs([ModelVariant(loaded, compiled, samples)], folder, quiet, ReductionOptions())
    return proven


def test_what_lies_beside_it_says_all_there_is_to_know(tmp_path: Path) -> None:
    shipped = shutil.copytree(SHIPPED, tmp_path / "mask2former") / "mask2former.onnx"
    manifest = pack(shipped)
    task = manifest.task
    assert isinstance(task, ImageSegmentationTask)
    assert (task.masks, task.scores) == ("masks_queries_logits", "class_queries_logits")
    assert task.classes == ["circle", "square", "triangle", "star", "ring", "cross", "sky", "wall", "floor"]
    assert (task.mode, task.label_ids_to_fuse, task.mask_size) == ("panoptic", [6, 7, 8], [384, 384])
    (image,) = manifest.inputs
    assert isinstance(image, ImageInput)
    assert (image.shape, image.letterbox.mode, image.mean[0]) == ([1, 3, 96, 96], "stretch", 0.485)
    report = json.loads((shipped.parent / "out" / "report.json").read_text())
    judged = report["comparisons"]
    same = {(each["subject"]["runner"], compared(each)) for each in judged if each["verdict"] == "OK"}
    assert {(target, "regions") for target in ("webgpu", "wasm")} <= same
    assert sum(matched(judged).values()) >= 20
    assert {each["maxAbs"] for each in judged if compared(each) == "quality"} == {0}
    page = (shipped.parent / "out" / "report.html").read_text("utf-8")
    assert page.count('class="lines" d="M') >= 20
    assert not [node for graph in manifest.graphs for node in graph.cpu_nodes]


@pytest.mark.parametrize(
    ("weight", "by"),
    [
        ("encoder/layers.0/self_attn/sampling_offsets/Add/scaled", 0.25),
        (PIXELS + "1.self_attn.attention_weights.bias", 0.25),
        (QUERIES + "1.cross_attn.out_proj.weight", 0.05),
    ],
    ids=["where a query samples", "how much of a sample", "what a query makes of it"],
)
def test_one_number_of_one_attention_layer_is_noticed(
    compiled: tuple[LoadedModel, CompiledModel], tmp_path: Path, weight: str, by: float
) -> None:
    loaded, right = compiled
    graphs = {target: model.clone() for target, model in right.lowered.graphs.items()}
    for model in graphs.values():
        name = next(each for each in model.graph.initializers if weight in each)
        value = model.graph.initializers[name]
        assert value.const_value is not None
        numbers = np.array(value.const_value.numpy())
        numbers.flat[0] += by
        value.const_value = ir.tensor(numbers, name=name)
    wrong = msgspec.structs.replace(right, lowered=LoweredGraphs(graphs, right.lowered.rewrites))
    with pytest.raises(WebbuildError) as caught:
        prove(loaded, wrong, tmp_path)
    assert caught.value.code == "output-mismatch"


def test_a_map_for_each_class_is_packed_by_its_architecture(tmp_path: Path) -> None:
    path = save(parsed(MAPS), tmp_path / "segformer.onnx")
    config = {"architectures": ["SegformerForSemanticSegmentation"], "id2label": {"0": "road", "1": "sky"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    manifest = pack(path)
    assert isinstance(manifest.task, ImageSegmentationTask)
    assert (manifest.task.scores, manifest.task.mode, manifest.task.classes) == (None, "semantic", ["road", "sky"])
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert outputs(report["comparisons"]) >= {"logits", "regions"}
    types = (tmp_path / "out" / f"{manifest.name}.d.ts").read_text()
    assert 'mode?: "semantic" | undefined;' in types
    assert 'export type Label = "road" | "sky";' in types
