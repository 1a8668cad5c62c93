"""`pack encoder.onnx decoder.onnx` for a click model: recognized, reduced to what prompts need, proven."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.click_models import BOX_DECODER, MIXING_DECODER, ONE_OBJECT_DECODER, RAW_ENCODER, click_pair, objects_pair
from tests.commands.test_pack_stages import pack_stages, packed
from tests.stages import stage
from webbuild.compile.object_variant import OBJECTS
from webbuild.manifest.manifest import ImageInput, Letterbox, Manifest, MaskGenerationTask, PointPromptInput, TensorTask
from webbuild.manifest.variant_names import prompt_objects, prompt_points
from webbuild.preprocess.point_prompt import PointPrompt, takes_prompt
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.pipeline_reference import compute_pipeline_references
from webbuild.verify.stage_reference import compute_stage_reference, later_inputs
from webbuild.verify.variant_reference import VariantReference, compute_variant_reference

pytestmark = pytest.mark.usefixtures("stand_in")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clicks")
    packed(*click_pair(folder))
    return folder / "out"


def test_the_encoder_takes_pictures_as_sam_does(bundle: Path) -> None:
    encoder, _ = read(bundle).every_stage
    (image,) = encoder.inputs
    assert isinstance(image, ImageInput)
    assert image.letterbox == Letterbox(
        anchor="top-left", pad="mean", interpolation="bilinear-antialias", rounding="half-up"
    )
    assert image.scale == pytest.approx(1 / 255)
    assert (image.mean[0], image.std[0]) == (0.485, 0.229)
    assert encoder.task == TensorTask()


def test_an_encoder_of_raw_pixels_takes_them_at_the_size_that_the_decoder_tells(tmp_path: Path) -> None:
    """It pads with the value that its own normalization maps to 0, as if it padded the image itself."""
    _, decoder = click_pair(tmp_path)
    packed(stage(RAW_ENCODER, tmp_path / "click_raw_encoder.onnx"), decoder)
    encoder, _ = read(tmp_path / "out").every_stage
    (image,) = encoder.inputs
    assert isinstance(image, ImageInput)
    assert (image.shape, image.layout, image.scale, image.mean) == ([64, 64, 3], "hwc", 1, [0, 0, 0])
    assert image.letterbox.pad == pytest.approx([123.675, 116.28, 103.53])


def test_the_decoder_takes_prompts_and_makes_logits_alone(bundle: Path) -> None:
    _, decoder = read(bundle).every_stage
    assert isinstance(decoder.task, MaskGenerationTask)
    assert decoder.task.frame == [64, 64]
    assert {output.name for output in decoder.outputs} == {"iou_predictions", "low_res_masks"}
    prompt = {spec.name: spec.shape for spec in decoder.inputs if isinstance(spec, PointPromptInput)}
    assert prompt == {
        "point_coords": [1, 2, 2],
        "point_labels": [1, 2],
        "mask_input": [1, 1, 16, 16],
        "has_mask_input": [1],
    }
    said = " ".join(read(bundle).assumptions)
    assert "output 'masks' is left out: masks are computed from 'low_res_masks'" in said
    assert "input 'orig_im_size' is left out" in said


def test_each_number_of_points_has_a_graph(bundle: Path) -> None:
    """One click, and up to eight with the padding point or a box: padding changes the output."""
    _, decoder = read(bundle).every_stage
    counts = [points(each) for each in decoder.every_variant]
    assert counts == list(range(2, 10))
    weights = {tuple(graph.weights) for each in decoder.every_variant for graph in each.graphs}
    assert len(weights) == 1


def test_a_decoder_with_an_input_for_a_box_takes_one_alone_too(tmp_path: Path) -> None:
    """A graph without points: SAM joins its points with a box, so a prompt without a box has no such graph."""
    encoder, _ = click_pair(tmp_path)
    packed(encoder, stage(BOX_DECODER, tmp_path / "click_box_decoder.onnx"))
    _, decoder = read(tmp_path / "out").every_stage
    assert isinstance(decoder.task, MaskGenerationTask)
    assert decoder.task.box == "input"
    *pointed, boxed = decoder.every_variant
    assert [prompt_points(each) for each in decoder.every_variant] == [*range(1, 9), 0]
    roles = [
        {spec.role: spec.shape for spec in each.inputs if isinstance(spec, PointPromptInput)}
        for each in (pointed[0], boxed)
    ]
    box = {"box": [1, 1, 4]}
    assert roles == [{"points": [1, 1, 1, 2], "labels": [1, 1, 1], **box}, box]
    prompts = [PointPrompt([(5, 5)], [1], (0, 0, 9, 9)), PointPrompt(box=(0, 0, 9, 9))]
    taken = [[takes_prompt(each.inputs, decoder.task, prompt) for each in (pointed[0], boxed)] for prompt in prompts]
    assert taken == [[True, False], [False, True]]
    asked = whole_questions(tmp_path / "out")
    assert {"a box", "a click in a box"} <= set(asked)
    assert "decoder.input_points" not in asked["a box"].feeds


def test_a_decoder_of_several_objects_has_a_graph_for_many_clicks_at_once(tmp_path: Path) -> None:
    """Its batch axis has the same name as the encoder's, which says nothing about points and objects."""
    packed(*objects_pair(tmp_path))
    _, decoder = read(tmp_path / "out").every_stage
    assert isinstance(decoder.task, MaskGenerationTask)
    *single, several = decoder.every_variant
    assert [prompt_points(each) for each in single] == list(range(1, 9))
    assert (prompt_objects(several), prompt_points(several)) == (OBJECTS, 1)
    assert {each.name: each.shape for each in several.outputs} == {
        "iou_scores": [1, OBJECTS, 4],
        "pred_masks": [1, OBJECTS, 4, 16, 16],
    }
    click = PointPrompt([(5, 5)], [1])
    assert [takes_prompt(each.inputs, decoder.task, click) for each in (single[0], several)] == [True, False]
    assert several.graphs[0].weights[: len(single[0].graphs[0].weights)] == single[0].graphs[0].weights
    encoder, *decoders = open_bundle(tmp_path / "out").variants
    first = compute_variant_reference(encoder, encoder.graph_names(["wasm"]), (), tmp_path / "out", (), lambda _: None)
    points = next(iter(later_inputs(decoders[-1], [first]))).feeds["input_points"][0, :, 0]
    assert len({tuple(point) for point in points.tolist()}) == OBJECTS, "equal points would hide a mixed order"


def test_a_decoder_whose_objects_depend_on_each_other_answers_one_at_a_time(tmp_path: Path) -> None:
    packed(*objects_pair(tmp_path, MIXING_DECODER))
    manifest = read(tmp_path / "out")
    assert {prompt_objects(each) for each in manifest.every_stage[1].every_variant} == {1}
    said = "clicks on several objects take one run each: 'pred_masks' of 16 together differs from single runs"
    assert said in " ".join(manifest.assumptions)


def test_a_decoder_of_one_object_alone_says_so_without_what_onnx_runtime_prints(tmp_path: Path) -> None:
    packed(*objects_pair(tmp_path, ONE_OBJECT_DECODER))
    said = " ".join(read(tmp_path / "out").assumptions)
    assert "the model does not run with 16 together: a Reshape of the export takes only one object" in said
    assert "ONNXRuntimeError" not in said


def test_two_boxes_are_two_objects(tmp_path: Path) -> None:
    encoder, _ = click_pair(tmp_path)
    decoder = stage(BOX_DECODER, tmp_path / "click_box_decoder.onnx")
    done = pack_stages(encoder, decoder, options=("--dim", "boxes=2"))
    assert done.code == 2
    assert "--dim boxes=2: a prompt, with its clicks and its box, is of one object" in done.stderr


def test_the_decoder_is_proven_on_prompts(bundle: Path) -> None:
    """The recorded run has a click inside the image, followed by the padding point."""
    _, decoder = read(bundle).every_stage
    assert decoder.golden
    coords, labels = (
        np.frombuffer((bundle / decoder.golden.inputs[name]).read_bytes(), np.float32)
        for name in ("point_coords", "point_labels")
    )
    assert labels.tolist() == [1, -1]
    assert ((coords[:2] > 0) & (coords[:2] < 64)).all()
    assert coords[2:].tolist() == [0, 0]


def test_verify_points_at_the_picture_with_every_number_of_points(bundle: Path) -> None:
    """Labels have a meaning only if they are 1, 0, or the labels of a box and of padding."""
    encoder, *decoders = open_bundle(bundle).variants
    first = compute_variant_reference(encoder, encoder.graph_names(["wasm"]), (), bundle, (), lambda _: None)
    assert len(decoders) == 8
    seen = set[float]()
    for decoder in decoders:
        for given in later_inputs(decoder, [first]):
            labels, coords = given.feeds["point_labels"], given.feeds["point_coords"]
            assert (len(labels[0]), coords.shape[1]) == (points(decoder.manifest),) * 2
            assert ((coords >= 0) & (coords <= 64)).all()
            seen |= set(labels.ravel().tolist())
    assert seen == {-1, 0, 1, 2, 3}


def test_the_report_shows_the_selected_object_and_speaks_of_no_detections(bundle: Path) -> None:
    report = (bundle / "report.html").read_text("utf-8")
    assert report.count(">as packed: the selected object") == len(read(bundle).samples)
    assert "Results of the original and patched graphs" in report
    assert "takes point_coords  a prompt float32 [1, 2, 2]" in report
    assert not [each for each in (">nothing", "Detections of") if each in report]


def points(manifest: Manifest) -> int:
    return next(s.shape[1] for s in manifest.inputs if isinstance(s, PointPromptInput) and s.role == "points")


def read(bundle: Path) -> Manifest:
    from webbuild.manifest.manifest import decode

    return decode((bundle / "manifest.json").read_bytes())


def reference_of_pipeline(bundle: Path) -> VariantReference:
    opened = open_bundle(bundle)
    encoder, *decoders = opened.variants
    work = [compute_variant_reference(encoder, (), (), bundle, (), lambda _: None)]
    work += [compute_stage_reference(each, (), work[:1]) for each in decoders]
    (whole,) = compute_pipeline_references(opened, work, ["wasm"], "auto")
    return whole


def whole_questions(bundle: Path) -> dict[str, VerifyInput]:
    """Return the samples of the first image, by their names."""
    inputs = reference_of_pipeline(bundle).inputs
    title = inputs[0].title.partition(",")[0]
    return {each.title.removeprefix(f"{title}, "): each for each in inputs if title in each.title}


def test_all_stages_are_asked_with_prompts_of_every_kind(bundle: Path) -> None:
    whole = reference_of_pipeline(bundle)
    asked = {name: each.points for name, each in whole_questions(bundle).items()}
    assert {"clicks on the object and the background", "a box", "a click in a box", "a click, all masks"} <= set(asked)
    clicks, refined = (asked[f"clicks on the object and the background{which}"] for which in ("", ", refined"))
    assert clicks is not None
    assert refined is not None
    assert list(clicks.labels) == [1, 0, 1]
    (answer,) = whole.reference.answers[0].prediction
    np.testing.assert_array_equal(refined.mask, answer.logits)
    (again,) = whole.reference.answers[1].prediction
    assert (again.logits != answer.logits).any()
    given = whole.reference.inputs[0]
    assert {"decoder.point_labels", "decoder.has_mask_input"} <= set(given.fixed), "one label is as far as another"
