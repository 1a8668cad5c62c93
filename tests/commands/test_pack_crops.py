"""`pack detector.onnx keypoints.onnx`: the second model runs on crops around the first one's boxes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np
import onnx
import pytest

from tests.commands.program import Done, webbuild
from tests.crop_models import (
    DETECTOR,
    classifier,
    crowd_detector,
    embedding,
    face_detector,
    keypoints,
    landmarks,
    level_detector,
    pooled,
)
from tests.models import DETECT, HEADER, detector, parsed, save, weights
from tests.stages import pair
from webbuild.compile.stages import prove_pipeline
from webbuild.compile.stages.model_stage import ModelStage
from webbuild.equivalence.crop_chain import ChainStage, crop_answer
from webbuild.equivalence.exact_inputs import run_input
from webbuild.manifest.manifest import (
    CropClassesTask,
    CropEmbeddingsTask,
    CropInput,
    DetectTask,
    ImageInput,
    KeypointsTask,
    Manifest,
    PoseTask,
    decode,
)
from webbuild.manifest.uint8_tensors import from_uint8
from webbuild.preprocess.crop import place_crop
from webbuild.preprocess.crop_box import CropBox
from webbuild.preprocess.image import load_image
from webbuild.preprocess.picture import crops_to_tensor, picture_to_tensor
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.crop_boxes import crop_boxes
from webbuild.tasks.recognition.crop_embedding_families import arcface_template
from webbuild.tasks.registry import decode_task
from webbuild.tasks.run_context import RunContext
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.reference import reference_runner, thresholds_of

pytestmark = pytest.mark.usefixtures("stand_in")


def packed(folder: Path, *given: Path | str) -> Manifest:
    done = webbuild("pack", *given, "-o", folder / "out", "--no-verify")
    assert done.code == 0, done.stderr
    return decode((folder / "out" / "manifest.json").read_bytes())


def test_crops_are_cut_around_people_in_batches(tmp_path: Path) -> None:
    first, second = packed(tmp_path, DETECTOR, keypoints(tmp_path)).every_stage
    assert isinstance(first.task, PoseTask)
    assert isinstance(second.task, KeypointsTask)
    crops = [spec for variant in second.every_variant for spec in variant.inputs]
    assert [(type(each), each.shape[0]) for each in crops] == [(CropInput, 1), (CropInput, 4)]


def test_crops_run_in_the_batches_that_are_given(tmp_path: Path) -> None:
    _, crops = packed(tmp_path, DETECTOR, keypoints(tmp_path), "--batch", "3").every_stage
    shapes = [spec.shape for variant in crops.every_variant for spec in variant.inputs if isinstance(spec, CropInput)]
    assert [shape[0] for shape in shapes] == [1, 3]


def test_a_batch_that_an_export_fixes_is_kept(tmp_path: Path) -> None:
    _, second = packed(tmp_path, DETECTOR, keypoints(tmp_path, "1")).every_stage
    assert [spec.shape[0] for variant in second.every_variant for spec in variant.inputs] == [1]


def test_the_report_shows_all_that_is_found_in_a_picture(tmp_path: Path) -> None:
    manifest = packed(tmp_path, crowd_detector(tmp_path / "crowd.onnx", 5), classifier(tmp_path))
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("5 detections<") == len(manifest.samples)
    assert "1 crop" not in page


def test_the_second_stage_is_proven_on_a_crop_of_the_best_box(tmp_path: Path) -> None:
    first, second = packed(tmp_path, DETECTOR, keypoints(tmp_path)).every_stage
    folder = tmp_path / "out"
    assert second.golden is not None
    rgba = load_image(DETECTOR.parent / "samples" / second.golden.sample)
    picture, crop = first.inputs[0], second.inputs[0]
    assert isinstance(crop, CropInput)
    tensor, place = picture_to_tensor(rgba, picture)  # type: ignore[arg-type]
    options = {spec.name: np.full(spec.shape, spec.default, np.float32) for spec in first.inputs[1:]}  # type: ignore[union-attr]
    outputs = NativeRunner(folder / first.graphs[-1].file).run({picture.name: tensor, **options})
    people = decode_task(first.task, outputs, RunContext(place))
    assert people
    best, _ = crops_to_tensor(rgba, crop, [place_crop(crop_boxes(first.task, people)[0], crop)])
    levels = np.fromfile(folder / second.golden.inputs[crop.name], np.uint8).reshape(crop.shape)
    np.testing.assert_allclose(from_uint8(levels, crop), best, atol=0.02)
    whole, _ = picture_to_tensor(rgba, crop)
    assert np.abs(best - whole).max() > 0.1


@pytest.mark.parametrize("moved", [0, 8])
def test_the_whole_is_proven_on_the_crops_of_all_boxes_that_the_graphs_find(tmp_path: Path, moved: float) -> None:
    """Different boxes give different crops, even if the second stage is unchanged."""
    with_thresholds = prove_pipeline._with_thresholds

    def shifted(stage: ModelStage, runner: NativeRunner) -> Callable[[Tensors], Tensors]:
        run, task = with_thresholds(stage, runner), stage.compiled.match.task
        if not isinstance(task, PoseTask):
            return run

        def run_shifted(feeds: Tensors) -> Tensors:
            outputs = {name: rows.copy() for name, rows in run(feeds).items()}
            outputs[task.output][..., :4] += moved
            return outputs

        return run_shifted

    crowd = DETECTOR.parent / "samples" / "4-crowd.jpg"
    with patch.object(prove_pipeline, "_with_thresholds", shifted):
        given = (DETECTOR, keypoints(tmp_path), "--sample", crowd)
        done = webbuild("pack", *given, "-o", tmp_path / "out", "--no-verify")
    if moved:
        assert (done.code, done.error) == (1, "output-mismatch"), done.stderr
        assert "whole" in done.stderr
        return
    assert done.code == 0, done.stderr
    proven = next(line for line in done.stderr.splitlines() if line.startswith("proven whole: "))
    found = json.loads((tmp_path / "out" / "report.json").read_text())["comparisons"]
    counts = [
        int(each["want"])
        for each in found
        if each["subject"]["runner"].endswith(" whole") and each["subject"]["quantity"] == "detections"
    ]
    assert len(counts) == 2
    assert min(counts) > 20
    assert f" {sum(counts)} detections" in proven


def test_a_stage_without_boxes_before_it_is_named(tmp_path: Path) -> None:
    done = webbuild("pack", keypoints(tmp_path), DETECTOR, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "stages-not-joined")
    assert "yolo-pose.onnx takes no output of an earlier stage, and no crop" in done.stderr


def test_crops_of_an_encoder_are_an_error(tmp_path: Path) -> None:
    encoder, _ = pair(tmp_path)
    done = webbuild("pack", encoder, keypoints(tmp_path), "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "stages-not-joined")
    assert "tiny-rtmpose.onnx takes crops, and no stage before it finds boxes" in done.stderr


def test_a_classifier_looks_at_each_box(tmp_path: Path) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_text("nurse\ndoctor\nguest\nother\n")
    _, second = packed(tmp_path, DETECTOR, classifier(tmp_path), "--labels", labels).every_stage
    crop = second.inputs[0]
    assert isinstance(crop, CropInput)
    assert (crop.padding, crop.aspect, crop.scale) == (1.0, "keep", 1 / 255)
    assert second.task == CropClassesTask(output="logits", classes=["nurse", "doctor", "guest", "other"], logits=True)
    assert [spec.shape[0] for variant in second.every_variant for spec in variant.inputs] == [1, 4]


def test_channels_that_an_export_leaves_free_are_three(tmp_path: Path) -> None:
    path = classifier(tmp_path)
    proto = onnx.load(path)
    for axis, name in enumerate(("batch_size", "num_channels")):
        proto.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = name
    save(proto, path)
    manifest = packed(tmp_path, DETECTOR, path)
    assert [spec.shape for spec in manifest.every_stage[1].inputs] == [[1, 3, 24, 24]]
    assert "tiny-cls: input 'input': the picture has 3 channels" in manifest.every_stage[1].assumptions


def in_grey(path: Path) -> Path:
    """Change a model to take one channel, which is used as red, green and blue."""
    proto = onnx.load(path)
    (picture,) = proto.graph.input
    for node in proto.graph.node:
        node.input[:] = ["colours" if name == picture.name else name for name in node.input]
    proto.graph.node.insert(0, onnx.helper.make_node("Concat", [picture.name] * 3, ["colours"], axis=1))
    picture.type.tensor_type.shape.dim[1].dim_value = 1
    return save(proto, path)


def test_a_classifier_of_grey_pictures_looks_at_each_box(tmp_path: Path) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_text("nurse\ndoctor\nguest\nother\n")
    _, second = packed(tmp_path, DETECTOR, in_grey(classifier(tmp_path)), "--labels", labels).every_stage
    (crop,) = second.inputs
    assert isinstance(crop, CropInput)
    assert (crop.color, crop.mean, crop.shape) == ("gray", [0.0], [1, 1, 24, 24])
    assert isinstance(second.task, CropClassesTask)


def test_crops_with_four_channels_are_refused_with_what_is_wrong(tmp_path: Path) -> None:
    path = classifier(tmp_path)
    proto = onnx.load(path)
    proto.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 4
    done = webbuild("pack", DETECTOR, save(proto, path), "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "stages-not-joined")
    assert "export it with a picture of 1 or 3 channels as 'input'" in done.stderr


def test_a_number_besides_the_picture_is_set(tmp_path: Path) -> None:
    """ViTPose with mixture of experts takes the index of the data set whose keypoints it finds."""
    path = classifier(tmp_path)
    proto = onnx.load(path)
    proto.graph.input.append(onnx.helper.make_tensor_value_info("dataset_index", onnx.TensorProto.INT64, [1]))
    proto.graph.node.append(onnx.helper.make_node("Cast", ["dataset_index"], ["which"], to=onnx.TensorProto.FLOAT))
    proto.graph.node.append(onnx.helper.make_node("Add", ["logits", "which"], ["moved"]))
    proto.graph.output[0].name = "moved"
    save(proto, path)
    done = webbuild("pack", DETECTOR, path, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "stages-not-joined")
    assert "give --set dataset_index=0" in done.stderr
    manifest = packed(tmp_path, DETECTOR, path, "--set", "dataset_index=0")
    assert [spec.name for spec in manifest.every_stage[1].inputs] == ["input"]


def test_people_are_stretched_for_re_identification(tmp_path: Path) -> None:
    _, second = packed(tmp_path, DETECTOR, embedding(tmp_path)).every_stage
    crop = second.inputs[0]
    assert isinstance(crop, CropInput)
    assert second.task == CropEmbeddingsTask(output="vector", size=8)
    assert (crop.aspect, crop.template) == ("stretch", [])


def test_five_keypoints_of_faces_are_aligned(tmp_path: Path) -> None:
    _, second = packed(tmp_path, face_detector(tmp_path), embedding(tmp_path, 112, 112)).every_stage
    crop = second.inputs[0]
    assert isinstance(crop, CropInput)
    assert (crop.scale, crop.mean, crop.std) == (1.0, [127.5] * 3, [127.5] * 3)
    assert crop.template == arcface_template(112)


YUNET, SCRFD = {"cls": 1, "obj": 1, "bbox": 4, "kps": 10}, {"score": 1, "bbox": 4, "kps": 10}


@pytest.mark.parametrize(("columns", "anchors"), [(YUNET, 1), (SCRFD, 2)], ids=["YuNet", "SCRFD"])
def test_a_face_detector_keeps_its_keypoints_for_faces_that_are_aligned(
    tmp_path: Path, columns: dict[str, int], anchors: int
) -> None:
    finder = level_detector(tmp_path / "finder.onnx", columns, anchors)
    first, second = packed(tmp_path, finder, embedding(tmp_path, 112, 112)).every_stage
    crop = second.inputs[0]
    assert isinstance(first.task, PoseTask)
    assert isinstance(crop, CropInput)
    assert len(first.task.keypoints) == len(crop.template) == 5


def test_a_face_detector_alone_leaves_its_keypoints_out(tmp_path: Path) -> None:
    finder = level_detector(tmp_path / "finder.onnx", YUNET, 1)
    first, _ = packed(tmp_path, finder, embedding(tmp_path)).every_stage
    assert isinstance(first.task, DetectTask)


def faces(folder: Path) -> tuple[Path, Path, Path, Path]:
    """Write a face detector, a five-landmark model, a classifier and an embedding model of aligned faces."""
    finder = crowd_detector(folder / "finder.onnx", 3)
    return finder, landmarks(folder), classifier(folder), embedding(folder, 112, 112)


def test_landmarks_of_a_stage_align_the_crops_of_the_next(tmp_path: Path) -> None:
    """Each stage sees the objects of the stage before it; the result of an object has the outputs of all stages."""
    finder, points, which, who = faces(tmp_path)
    first, second, third, last = packed(tmp_path, finder, points, which, who).every_stage
    assert isinstance(second.task, KeypointsTask)
    assert isinstance(third.task, CropClassesTask)
    crop = last.inputs[0]
    assert isinstance(crop, CropInput)
    assert crop.template == arcface_template(112)
    bundle = open_bundle(tmp_path / "out")
    stages = [
        ChainStage(
            each.stage, each.manifest.task, each.manifest.inputs, reference_runner(each).run,
            thresholds_of(each.manifest).thresholds,
        )
        for each in bundle.variants if each.batch == 1
    ]  # fmt: skip
    file = DETECTOR.parent / "samples" / "1-several.jpg"
    picture, (rgba, image) = first.inputs[0], (load_image(file), first.inputs[0])
    assert isinstance(image, ImageInput)
    tensor, place = picture_to_tensor(rgba, image)
    feeds = {f"{first.stage_name}.{picture.name}": tensor}
    given = run_input("one", feeds, frozenset(), RunContext(place, picture_file=file))
    found = crop_answer(stages, given).prediction
    assert [(len(each.keypoints), len(each.classes), len(each.embedding)) for each in found] == [(5, 4, 8)] * 3
    box = CropBox((0, 0, 1, 1), points=tuple((point.x, point.y) for point in found[0].keypoints))
    aligned, _ = crops_to_tensor(rgba, crop, [place_crop(box, crop)])
    vector = stages[-1].run({crop.name: aligned})["vector"].ravel()
    np.testing.assert_allclose(found[0].embedding, vector / np.linalg.norm(vector), atol=1e-5)


def test_what_a_stage_between_says_is_proven_too(tmp_path: Path) -> None:
    """Different classes in a middle stage are detected, even if the last stage's output is unchanged."""
    finder, points, which, _ = faces(tmp_path)
    with_thresholds = prove_pipeline._with_thresholds

    def other(stage: ModelStage, runner: NativeRunner) -> Callable[[Tensors], Tensors]:
        run, task = with_thresholds(stage, runner), stage.compiled.match.task
        if not isinstance(task, CropClassesTask):
            return run
        return lambda feeds: {name: -scores for name, scores in run(feeds).items()}

    with patch.object(prove_pipeline, "_with_thresholds", other):
        done = webbuild("pack", finder, which, points, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (1, "output-mismatch"), done.stderr
    assert "another best class" in done.stderr


def test_two_classifiers_of_one_object_are_refused(tmp_path: Path) -> None:
    finder, points, which, _ = faces(tmp_path)
    other = pooled(tmp_path / "other-cls.onnx", 16, 16, 3, "logits")
    done = webbuild("pack", finder, which, points, other, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "duplicate-answer"), done.stderr
    assert "other-cls.onnx has the same task for each object as an earlier stage: task crop-classes" in done.stderr


def test_stages_that_leave_each_other_no_box_are_named(tmp_path: Path) -> None:
    save(detector(metadata=DETECT), tmp_path / "find.onnx")
    points, which = landmarks(tmp_path), classifier(tmp_path)
    lines = [f'[stages.find]\nmodel = "find.onnx"\n[stages.points]\nmodel = "{points.name}"']
    lines += ['[stages.points.crop]\nclasses = ["cup"]', f'[stages.which]\nmodel = "{which.name}"']
    lines += ['[stages.which.crop]\nclasses = ["dog"]']
    (tmp_path / "two.toml").write_text("\n".join(lines))
    done = webbuild("pack", "--pipeline", tmp_path / "two.toml", "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "stages-not-joined"), done.stderr
    assert "tiny-cls.onnx crops each dog, and the stages before it crop only each cup" in done.stderr


def test_faces_without_five_keypoints_are_not_aligned_and_that_is_said(tmp_path: Path) -> None:
    done = webbuild("pack", DETECTOR, embedding(tmp_path, 112, 112), "-o", tmp_path / "out", "--dry-run")
    assert done.code == 0, done.stderr
    assert "boxes are not aligned: they have 17 keypoints, and the template has 5" in done.stdout + done.stderr


NORMALIZED = f"""{HEADER}
faces (float[N,3,112,112] input) => (float[N,8] vector)
<float mean = {{127.5}}, float factor = {{0.0078125}}>
{{
  centred = Sub (input, mean)
  scaled = Mul (centred, factor)
  small = AveragePool <kernel_shape = [28, 28], strides = [28, 28]> (scaled)
  flat = Flatten (small)
  vector = MatMul (flat, w)
}}
"""


def normalized(folder: Path) -> Path:
    """Write a face embedding that normalizes pixels of 0..255 itself, as InsightFace's MXNet exports do."""
    proto = parsed(NORMALIZED)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights(48, 8, seed=2), "w"))
    return save(proto, folder / "faces.onnx")


def test_faces_that_the_graph_normalizes_go_in_as_bytes(tmp_path: Path) -> None:
    done = webbuild("pack", face_detector(tmp_path), normalized(tmp_path), "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    crop = decode((tmp_path / "out" / "manifest.json").read_bytes()).every_stage[1].inputs[0]
    assert isinstance(crop, CropInput)
    assert (crop.scale, crop.mean, crop.std) == (1.0, [0.0] * 3, [1.0] * 3)
    assert crop.template == arcface_template(112)
    said = done.stdout + done.stderr
    assert "crops go in as 0..255, RGB (sure: the graph itself normalizes 0..255 to -0.996..0.996)" in said
    assert "-1 to 1, as for ArcFace" not in said


def test_what_a_pipeline_says_of_pixels_stands_before_what_the_graph_does(tmp_path: Path) -> None:
    done = pipeline(tmp_path, normalized(tmp_path), 'scale = 0.5\ncolor = "bgr"', face_detector(tmp_path))
    assert done.code == 0, done.stderr
    crop = decode((tmp_path / "out" / "manifest.json").read_bytes()).every_stage[1].inputs[0]
    assert isinstance(crop, CropInput)
    assert (crop.scale, crop.color) == (0.5, "bgr")


def test_a_second_model_that_is_neither_names_its_tensors(tmp_path: Path) -> None:
    odd = parsed(f"{HEADER} odd (float[1,3,16,16] input) => (float[1,3,16,16] y) {{ y = Relu (input) }}")
    done = webbuild("pack", DETECTOR, save(odd, tmp_path / "odd.onnx"), "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "stages-not-joined")
    assert "takes 'input' float32 [1, 3, 16, 16], and gives 'y' float32 [1, 3, 16, 16]" in done.stderr


CROP = """
[stages.find]
model = "{finder}"

[stages.look]
model = "{second}"

[stages.look.crop]
"""


def pipeline(folder: Path, second: Path, said: str, finder: Path = DETECTOR) -> Done:
    path = folder / "crops.toml"
    path.write_text(CROP.format(finder=finder, second=second.name) + said)
    return webbuild("pack", "--pipeline", path, "-o", folder / "out", "--no-verify")


def test_a_pipeline_says_which_boxes_are_cut_and_how(tmp_path: Path) -> None:
    said = """
classes = ["person"]
min-score = 0.5
max-crops = 3
padding = 1.5
aspect = "stretch"
pad = 114
color = "bgr"
scale = 1
template = [[4, 4], [8, 4], [6, 6], [4, 8], [8, 8], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [6, 6], [7, 7], [8, 8],
  [9, 9], [10, 10], [11, 11], [12, 12]]
"""
    done = pipeline(tmp_path, classifier(tmp_path), said)
    assert done.code == 0, done.stderr
    crop = decode((tmp_path / "out" / "manifest.json").read_bytes()).every_stage[1].inputs[0]
    assert isinstance(crop, CropInput)
    assert (crop.min_score, crop.max_crops, crop.padding, crop.aspect) == (0.5, 3, 1.5, "stretch")
    assert (crop.pad, crop.color, crop.scale, crop.mean) == (114, "bgr", 1.0, [0.0] * 3)
    assert len(crop.template) == 17


@pytest.mark.parametrize(
    ("said", "what", "fix"),
    [
        ('classes = ["persn"]', "crops.toml: stages.look.crop.classes: no box has the class persn", "write person"),
        (
            'template = "arcface"',
            "crops.toml: stages.look.crop.template: it has 5 points, and the boxes have 17 keypoints",
            'task = "pose"',
        ),
        ("max-crops = 0", "stages.look.crop.max-crops: Expected `int` >= 1", "write for example"),
        ("padding = inf", "stages.look.crop: `padding` is not finite", "write for example"),
        ("mean = [nan, 0, 0]", "stages.look.crop: `mean` is not finite", "write for example"),
        ("template = [[nan, 1], [2, 3]]", "stages.look.crop: `template` is not finite", "write for example"),
        (
            "template = [[2, 3], [2, 3]]",
            "stages.look.crop: the points of `template` are all equal",
            "write for example",
        ),
        ("paddding = 2", "stages.look.crop: there is no field paddding", "write padding"),
    ],
)
def test_crops_that_cannot_be_cut_are_named(tmp_path: Path, said: str, what: str, fix: str) -> None:
    done = pipeline(tmp_path, classifier(tmp_path), said)
    assert (done.code, done.error) == (2, "invalid-pipeline")
    assert what in done.stderr
    assert fix in done.stderr


def test_a_stage_of_tensors_cuts_no_crops(tmp_path: Path) -> None:
    encoder, decoder = pair(tmp_path)
    done = pipeline(tmp_path, decoder, "padding = 2", encoder)
    assert (done.code, done.error) == (2, "invalid-pipeline")
    assert "stages.look.crop: the stage takes tensors of earlier stages, and no crops" in done.stderr


def test_names_that_a_classifier_shares_with_the_detector_leave_no_box_out(tmp_path: Path) -> None:
    save(detector(metadata=DETECT), tmp_path / "find.onnx")
    labels = tmp_path / "labels.txt"
    labels.write_text("dog\ncat\nbird\nfish\n")
    _, second = packed(tmp_path, tmp_path / "find.onnx", classifier(tmp_path), "--labels", labels).every_stage
    crop = second.inputs[0]
    assert isinstance(crop, CropInput)
    assert crop.classes == []
