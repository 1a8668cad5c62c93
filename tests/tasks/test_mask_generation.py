"""Mask generation from clicks: which decoders are recognized, and how masks are chosen and compared."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput
from webbuild.compare.tolerances import NATIVE
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import (
    ImageInput,
    Letterbox,
    MaskGenerationTask,
    PointPromptInput,
    TensorInput,
    TensorTask,
)
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.preprocess.image import input_size
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.point_prompt import PointPrompt, point_prompt_feeds, point_tokens, takes_prompt
from webbuild.tasks.mask_generation import TASK, PromptedMasks, choose_masks
from webbuild.tasks.recognition.sam_decoders import point_inputs, unused_inputs
from webbuild.tasks.registry import match_task
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch

PLACEMENT = ImagePlacement(20, 10, 0, 0, 64, 32, 64, 64)
"""An image of 20 x 10 in the upper half of a frame of 64 x 64."""


def floats(name: str, *shape: int) -> TensorSpec:
    return TensorSpec(name, "float32", shape)


def decoder(inputs: list[TensorSpec], outputs: list[TensorSpec]) -> ModelSignature:
    return ModelSignature("decoder.onnx", "pytorch", {}, tuple(inputs), tuple(outputs))


EMBEDDING = floats("image_embeddings", 1, 8, 4, 4)
CLICKS = [floats("point_coords", 1, 3, 2), floats("point_labels", 1, 3)]
MASK_PROMPT = [floats("mask_input", 1, 1, 16, 16), floats("has_mask_input", 1)]
POINTS = [floats("input_points", 1, 1, 3, 2), TensorSpec("input_labels", "int64", (1, 1, 3))]
TRANSFORMERS_ANSWER = [floats("iou_scores", 1, 1, 3), floats("pred_masks", 1, 1, 3, 16, 16)]
LEVELS = [floats(f"image_embeddings.{level}", 1, 8, 16 >> level, 16 >> level) for level in range(3)]

SAM = decoder(
    [EMBEDDING, *CLICKS, *MASK_PROMPT], [floats("iou_predictions", 1, 4), floats("low_res_masks", 1, 4, 16, 16)]
)
EDGE_SAM = decoder([EMBEDDING, *CLICKS], [floats("scores", 1, 4), floats("masks", 1, 4, 16, 16)])
SAM2 = decoder(
    [
        floats("image_embed", 1, 8, 4, 4),
        floats("high_res_feats_0", 1, 1, 16, 16),
        floats("high_res_feats_1", 1, 2, 8, 8),
        *CLICKS,
        *MASK_PROMPT,
    ],
    [floats("masks", 1, 3, 16, 16), floats("iou_predictions", 1, 3)],
)
SAM_TRANSFORMERS = decoder([*POINTS, EMBEDDING, floats("image_positional_embeddings", 1, 8, 4, 4)], TRANSFORMERS_ANSWER)
SAM_BOXES = decoder(
    [*POINTS, floats("input_boxes", 1, 1, 4), EMBEDDING, floats("image_positional_embeddings", 1, 8, 4, 4)],
    TRANSFORMERS_ANSWER,
)
SAM2_TRANSFORMERS = decoder([*POINTS, *LEVELS], [*TRANSFORMERS_ANSWER, floats("object_score_logits", 1, 1, 1)])
SAM2_BOXES = decoder([*POINTS, floats("input_boxes", 1, 1, 4), *LEVELS], TRANSFORMERS_ANSWER)
FEATURES = [
    floats("image_embeddings", 1, 8, 4, 4),
    floats("high_res_features1", 1, 1, 16, 16),
    floats("high_res_features2", 1, 2, 8, 8),
]
SIZE = TensorSpec("orig_im_size", "int32", (2,))
RESIZED = [floats("masks", 1, 3, 64, 64), floats("iou_predictions", 1, 3)]
EFFICIENT_CLICKS = [floats("batched_point_coords", 1, 1, 3, 2), floats("batched_point_labels", 1, 1, 3)]
EFFICIENT_ANSWER = [floats("output_masks", 1, 1, 3, 64, 64), floats("iou_predictions", 1, 1, 3)]


@pytest.mark.parametrize(
    ("signature", "want"),
    [
        (SAM, ("low_res_masks", 0, [1, 2, 3], "corners", True, True)),
        (EDGE_SAM, ("masks", 0, [1, 2, 3], "corners", True, True)),
        (SAM2, ("masks", None, [0, 1, 2], "corners", False, False)),
        (SAM_TRANSFORMERS, ("pred_masks", None, [0, 1, 2], "none", False, True)),
        (SAM2_TRANSFORMERS, ("pred_masks", None, [0, 1, 2], "corners", False, False)),
        (SAM_BOXES, ("pred_masks", None, [0, 1, 2], "input", False, True)),
        (SAM2_BOXES, ("pred_masks", None, [0, 1, 2], "input", False, False)),
        (decoder([*FEATURES, *CLICKS], RESIZED), ("masks", None, [0, 1, 2], "corners", False, False)),
        (
            decoder([EMBEDDING, *EFFICIENT_CLICKS], EFFICIENT_ANSWER),
            ("output_masks", None, [0, 1, 2], "corners", False, False),
        ),
    ],
    ids=[
        "SAM",
        "EdgeSAM",
        "SAM 2",
        "SAM of transformers",
        "SAM 2 of transformers",
        "SAM with boxes",
        "SAM 2 with boxes",
        "SAM 2 of other names",
        "EfficientSAM",
    ],
)
def test_a_mask_decoder_is_known_by_its_names(signature: ModelSignature, want: tuple[Any, ...]) -> None:
    task = task_of(signature)
    assert (task.masks, task.single, task.multi, task.box, task.padding_point, task.through_input) == want
    assert task.frame == [64, 64]


def test_boxes_are_left_out_only_of_a_decoder_that_takes_their_corners() -> None:
    """SAM 2's labels have corners, SAM's have none."""
    free = TensorSpec("input_boxes", "float32", (1, "boxes", 4))
    left_out = unused_inputs(decoder([*POINTS, free, *LEVELS], TRANSFORMERS_ANSWER))
    assert {name: value.shape for name, value in left_out.items()} == {"input_boxes": (1, 0, 4)}
    assert unused_inputs(decoder([*POINTS, free, EMBEDDING], TRANSFORMERS_ANSWER)) == {}


@pytest.mark.parametrize(
    ("signature", "side"),
    [
        (decoder([EMBEDDING, *CLICKS, SIZE], [*RESIZED, floats("low_res_masks", 1, 3, 16, 16)]), 1),
        (decoder([EMBEDDING, *CLICKS, SIZE], RESIZED), 64),
        (decoder([*FEATURES, *CLICKS, SIZE], RESIZED), 16),
        (decoder([EMBEDDING, *EFFICIENT_CLICKS, SIZE], EFFICIENT_ANSWER), 64),
    ],
    ids=["logits too", "SAM", "SAM 2", "EfficientSAM"],
)
def test_masks_of_a_picture_s_size_are_made_at_that_of_the_logits_or_of_the_frame(
    signature: ModelSignature, side: int
) -> None:
    size = unused_inputs(signature)["orig_im_size"]
    assert (size.tolist(), size.dtype.name) == ([side, side], "int32")


def test_points_are_left_out_where_their_number_is_free() -> None:
    points = TensorSpec("input_points", "float32", ("batch", 1, "points", 2))
    labels = TensorSpec("input_labels", "int64", ("batch", 1, "points"))
    free = decoder([points, labels, floats("input_boxes", 1, 1, 4), EMBEDDING], TRANSFORMERS_ANSWER)
    assert point_inputs(decoder([points, labels, EMBEDDING], TRANSFORMERS_ANSWER)) == {}
    assert point_inputs(free) == {"input_points": (1, 1, 0, 2), "input_labels": (1, 1, 0)}
    assert point_inputs(SAM_BOXES) == {}


def test_a_graph_for_a_box_alone_is_a_decoder() -> None:
    alone = msgspec.structs.replace(SAM_BOXES, inputs=SAM_BOXES.inputs[2:])
    assert task_of(alone) == task_of(SAM_BOXES)
    got = feeds(alone, PointPrompt(box=(0, 0, 10, 5)))
    assert {name: array.tolist() for name, array in got.items()} == {"input_boxes": [[[0, 0, 32, 16]]]}
    assert not takes_prompt(known(alone).inputs, task_of(alone), PointPrompt([(5, 5)], [1], (0, 0, 10, 5)))


def test_what_the_encoder_makes_stays_a_tensor() -> None:
    kinds = {spec.name: spec for spec in known(SAM2).inputs}
    assert [name for name, spec in kinds.items() if isinstance(spec, TensorInput)] == [
        *("image_embed", "high_res_feats_0", "high_res_feats_1"),
    ]
    roles = {name: spec.role for name, spec in kinds.items() if isinstance(spec, PointPromptInput)}
    assert list(roles.values()) == ["points", "labels", "mask", "has-mask"]


@pytest.mark.parametrize(
    "signature",
    [
        msgspec.structs.replace(SAM, inputs=SAM.inputs[:1]),
        msgspec.structs.replace(SAM, outputs=SAM.outputs[:1]),
        msgspec.structs.replace(SAM, inputs=SAM.inputs[1:]),
        msgspec.structs.replace(SAM_BOXES, inputs=(*SAM_TRANSFORMERS.inputs, floats("input_boxes", 1, 2, 4))),
        msgspec.structs.replace(EDGE_SAM, outputs=(floats("scores", 1, 3), floats("masks", 1, 4, 16, 16))),
    ],
    ids=["no points", "no masks", "no embedding", "two boxes", "other scores"],
)
def test_other_models_are_no_mask_decoder(signature: ModelSignature) -> None:
    assert not isinstance(match_task(signature).task, MaskGenerationTask)


def known(signature: ModelSignature) -> TaskMatch:
    found = TASK.infer(signature)
    assert found is not None
    return found


def task_of(signature: ModelSignature) -> MaskGenerationTask:
    task = known(signature).task
    assert isinstance(task, MaskGenerationTask)
    return task


def feeds(signature: ModelSignature, prompt: PointPrompt, *, points: int = 0) -> dict[str, NDArray[Any]]:
    match, task = known(signature), task_of(signature)
    count = points or point_tokens(task, prompt)
    inputs = [
        msgspec.structs.replace(spec, shape=[1, 0, 4] if prompt.box is None else [1, 1, 4])
        if isinstance(spec, PointPromptInput) and spec.role == "box"
        else with_points(spec, count)
        for spec in match.inputs
    ]
    return dict(point_prompt_feeds(inputs, task, [prompt], PLACEMENT))


def with_points(spec: Any, count: int) -> Any:
    if not isinstance(spec, PointPromptInput) or spec.role not in ("points", "labels"):
        return spec
    axis = -2 if spec.role == "points" else -1
    shape = list(spec.shape)
    shape[axis] = count
    return msgspec.structs.replace(spec, shape=shape)


def test_a_click_of_sam_comes_with_its_padding() -> None:
    got = feeds(SAM, PointPrompt([(5, 5)], [1]))
    assert got["point_coords"].tolist() == [[[16, 16], [0, 0]]]
    assert got["point_labels"].tolist() == [[1, -1]]
    assert not got["mask_input"].any()
    assert got["has_mask_input"].tolist() == [0]


def test_a_box_takes_the_place_of_the_padding() -> None:
    got = feeds(SAM, PointPrompt([(5, 5), (0, 0)], [1, 0], (2.5, 0, 20, 10)))
    assert got["point_coords"].tolist() == [[[16, 16], [0, 0], [8, 0], [64, 32]]]
    assert got["point_labels"].tolist() == [[1, 0, 2, 3]]


def test_a_graph_that_pads_by_itself_gets_no_padding() -> None:
    got = feeds(SAM_TRANSFORMERS, PointPrompt([(5, 5)], [1]))
    assert got["input_points"].tolist() == [[[[16, 16]]]]
    assert got["input_labels"].tolist() == [[[1]]]
    assert got["input_labels"].dtype == np.int64


def test_a_box_goes_into_its_own_input() -> None:
    assert "input_boxes" not in feeds(SAM_BOXES, PointPrompt([(5, 5)], [1]))
    got = feeds(SAM_BOXES, PointPrompt([(5, 5)], [1], (0, 0, 10, 5)))
    assert got["input_boxes"].tolist() == [[[0, 0, 32, 16]]]
    assert got["input_points"].shape == (1, 1, 1, 2)


@pytest.mark.parametrize("signature", [SAM, SAM_TRANSFORMERS, SAM_BOXES, SAM2_BOXES])
@pytest.mark.parametrize("index", [0, 1])
def test_an_example_fills_in_every_input(signature: ModelSignature, index: int) -> None:
    """A decoder with an input for one box gets a box with each prompt."""
    match = known(signature)
    inputs = tuple(with_points(spec, 3) for spec in match.inputs)
    match = msgspec.structs.replace(match, inputs=inputs)
    prompt = TASK.example_points(match, PLACEMENT, index)
    assert prompt is not None
    made = TASK.point_feeds(match, prompt, PLACEMENT)
    wanted = {spec.name: tuple(spec.shape) for spec in inputs if isinstance(spec, PointPromptInput)}
    assert {name: array.shape for name, array in made.items()} == wanted


ENCODER = decoder([floats("pixel_values", 1, 3, 64, 64)], [EMBEDDING])


@pytest.mark.parametrize(
    ("later", "letterbox"),
    [
        (SAM, Letterbox(anchor="top-left", pad="mean", interpolation="bilinear-antialias", rounding="half-up")),
        (SAM2, Letterbox(mode="stretch", interpolation="bilinear-antialias")),
    ],
    ids=["SAM", "SAM 2"],
)
def test_pictures_go_in_as_the_decoder_behind_tells(later: ModelSignature, letterbox: Letterbox) -> None:
    found = TASK.infer_earlier(ENCODER, [later])
    assert found is not None
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.letterbox, image.mean[0]) == (letterbox, 0.485)
    assert TASK.infer_earlier(ENCODER, [ENCODER]) is None


def test_an_encoder_with_channels_last_normalizes_by_itself() -> None:
    raw = msgspec.structs.replace(ENCODER, inputs=(floats("input_image", 1, 64, 64, 3),))
    found = TASK.infer_earlier(raw, [SAM])
    assert found is not None
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.layout, image.scale, image.mean, image.letterbox.pad) == ("nhwc", 1, [0, 0, 0], 0)


def test_an_encoder_without_a_batch_axis_takes_pictures() -> None:
    raw = msgspec.structs.replace(ENCODER, inputs=(floats("input_image", 64, 64, 3),))
    found = TASK.infer_earlier(raw, [SAM])
    assert found is not None
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.layout, input_size(image)) == ("hwc", (64, 64))


@pytest.mark.parametrize(("side", "mean"), [(64, 0.485), (56, 0.5)], ids=["patches of 16", "patches of 14"])
def test_patches_tell_sam_3_whose_pictures_go_from_minus_1_to_1(side: int, mean: float) -> None:
    encoder = msgspec.structs.replace(ENCODER, inputs=(floats("pixel_values", 1, 3, side, side),))
    found = TASK.infer_earlier(encoder, [SAM2])
    assert found is not None
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert image.mean[0] == mean


@pytest.mark.parametrize(
    ("shape", "sizes"),
    [
        (("high", "wide", 3), {"input_image:0": 64, "input_image:1": 64}),
        ((1, "high", "wide", 3), {"input_image:1": 64, "input_image:2": 64}),
        (("batch", 3, None, 64), {"input_image:2": 64}),
        ((1, 3, 64, 64), {}),
        ((1, "tokens", 8), {}),
    ],
)
def test_the_embedding_of_the_decoder_tells_the_size_of_pictures(
    shape: tuple[int | str | None, ...], sizes: dict[str, int]
) -> None:
    encoder = msgspec.structs.replace(ENCODER, inputs=(TensorSpec("input_image", "float32", shape),))
    assert TASK.earlier_sizes(encoder, [SAM]) == sizes
    assert TASK.earlier_sizes(encoder, [ENCODER]) == {}


def test_the_frame_is_the_input_of_the_encoder() -> None:
    """SAM 3's patches have 14 pixels, a small model's 8: the encoder's input shape shows the frame."""
    small = msgspec.structs.replace(ENCODER, inputs=(floats("pixel_values", 1, 3, 32, 32),))
    encoder = TASK.infer_earlier(small, [SAM])
    assert encoder is not None
    task = TASK.with_earlier(known(SAM), [encoder]).task
    assert isinstance(task, MaskGenerationTask)
    assert task.frame == [32, 32]
    assert any("encoder's input, 32 x 32" in each for each in TASK.with_earlier(known(SAM), [encoder]).assumptions)


def test_points_are_scaled_to_the_frame_that_the_graph_divides_them_by() -> None:
    assert TASK.with_point_side(known(SAM), 64) == known(SAM)
    scaled = TASK.with_point_side(known(SAM), 128)
    assert isinstance(scaled.task, MaskGenerationTask)
    assert (scaled.task.frame, scaled.task.point_scale) == ([64, 64], 2)
    assert scaled.assumptions[-1].startswith("points are multiplied by 2: the decoder divides them by 128")


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (1, 64, 64, 3), (64, 64, 3)])
def test_an_encoder_of_bytes_takes_pictures(shape: tuple[int, ...]) -> None:
    found = TASK.infer_earlier(msgspec.structs.replace(ENCODER, inputs=(TensorSpec("image", "uint8", shape),)), [SAM2])
    assert found is not None
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.dtype, image.scale, image.mean, image.letterbox.mode) == ("uint8", 1.0, [0.0] * 3, "stretch")


def test_clicks_want_a_picture() -> None:
    encoder = TaskMatch(TensorTask(), (TensorInput(name="image", dtype="uint8", shape=[3, 64, 64]),), ())
    with pytest.raises(WebbuildError, match=r"no stage before it takes a picture: these take 'image' uint8"):
        TASK.with_earlier(known(SAM), [encoder])


def test_an_earlier_answer_is_fed_back() -> None:
    logits = np.arange(256, dtype=np.float32).reshape(16, 16)
    got = feeds(SAM, PointPrompt([(5, 5)], [1], mask=logits))
    np.testing.assert_array_equal(got["mask_input"], logits[None, None])
    assert got["has_mask_input"].tolist() == [1]


@pytest.mark.parametrize(
    ("signature", "prompt", "message"),
    [
        (SAM, PointPrompt(), "the prompt is empty"),
        (SAM, PointPrompt([(1, 1)], []), "1 points have 0 labels"),
        (SAM, PointPrompt([(1, 1)], [2]), "a label is 2"),
        (SAM, PointPrompt([(21, 1)], [1]), "21, 1 is outside of the picture of 20 x 10"),
        (SAM, PointPrompt([(np.nan, 1)], [1]), "outside of the picture"),
        (SAM, PointPrompt(box=(0, 0, 20, 11)), "outside of the picture"),
        (SAM, PointPrompt(box=(3, 1, 3, 4)), "has no area"),
        (SAM, PointPrompt([(1, 1)], [1], mask=np.zeros((8, 8), np.float32)), r"a mask of \[8, 8\], wanted \[16, 16\]"),
        (EDGE_SAM, PointPrompt([(1, 1)], [1], mask=np.zeros((16, 16), np.float32)), "takes no mask"),
        (SAM_TRANSFORMERS, PointPrompt(box=(0, 0, 9, 9)), "takes no box"),
    ],
)
def test_a_prompt_that_cannot_be_used_is_refused(signature: ModelSignature, prompt: PointPrompt, message: str) -> None:
    with pytest.raises(WebbuildError, match=message) as caught:
        feeds(signature, prompt)
    assert caught.value.code == "invalid-prompt"
    assert caught.value.fix


def test_a_prompt_without_the_box_that_a_graph_takes_is_refused() -> None:
    match = known(SAM_BOXES)
    with pytest.raises(WebbuildError, match="takes a box with every prompt") as caught:
        TASK.point_feeds(match, PointPrompt([(5, 5)], [1]), PLACEMENT)
    assert caught.value.code == "invalid-prompt"


def test_a_box_without_the_point_that_a_graph_takes_beside_it_is_refused() -> None:
    with pytest.raises(WebbuildError, match="takes a point with every box") as caught:
        feeds(SAM_BOXES, PointPrompt(box=(0, 0, 10, 5)), points=1)
    assert caught.value.code == "invalid-prompt"


def test_a_prompt_of_another_length_is_refused() -> None:
    with pytest.raises(WebbuildError, match=r"the prompt has 2 points with .* the graph takes 3"):
        feeds(SAM, PointPrompt([(5, 5)], [1]), points=3)


SCORES = np.array([0.5, 0.1, 0.9, 0.7], np.float32)


CLICK = PointPrompt([(5, 5)], [1])


@pytest.mark.parametrize(
    ("signature", "prompt", "masks", "best"),
    [
        (SAM, CLICK, (2,), 0),
        (SAM, msgspec.structs.replace(CLICK, multimask=True), (1, 2, 3), 1),
        (SAM, PointPrompt([(5, 5), (6, 6)], [1, 0]), (0,), 0),
        (SAM, PointPrompt(box=(0, 0, 5, 5)), (0,), 0),
        (SAM, msgspec.structs.replace(CLICK, mask=np.zeros((16, 16), np.float32)), (0,), 0),
        (SAM2, PointPrompt(box=(0, 0, 5, 5)), (2,), 0),
        (SAM2, PointPrompt(box=(0, 0, 5, 5), multimask=True), (0, 1, 2), 2),
    ],
)
def test_the_prompt_says_which_masks_answer_it(
    signature: ModelSignature, prompt: PointPrompt, masks: tuple[int, ...], best: int
) -> None:
    chosen = choose_masks(task_of(signature), SCORES, prompt)
    assert (chosen.masks, chosen.best) == (masks, best)


def test_a_decoder_of_one_mask_answers_with_it() -> None:
    alone = msgspec.structs.replace(task_of(SAM), single=0, multi=[])
    assert choose_masks(alone, SCORES[:1], msgspec.structs.replace(CLICK, multimask=True)).masks == (0,)


def answer(logits: NDArray[np.float32], scores: NDArray[np.float32] = SCORES) -> PromptedMasks:
    context = RunContext(placement=PLACEMENT, points=PointPrompt([(5, 5)], [1], multimask=True))
    outputs = {"low_res_masks": logits[None], "iou_predictions": scores[None]}
    (found,) = TASK.decode(task_of(SAM), outputs, context)
    return found


def half_logits() -> NDArray[np.float32]:
    """Return logits in which mask 2 is the left half of the frame, and the others are empty."""
    logits = np.full((4, 16, 16), -4, np.float32)
    logits[2, :, :8] = 4
    return logits


def test_a_mask_lies_over_the_picture() -> None:
    found = answer(half_logits())
    assert found.best == 1
    best = found.masks[1]
    assert best.mask.shape == (10, 20)
    assert best.mask[:, :10].all()
    assert not best.mask[:, 10:].any()
    assert msgspec.structs.astuple(best.box) == (0, 0, 10, 10)
    assert best.score == pytest.approx(0.9)
    assert msgspec.structs.astuple(found.masks[0].box) == (0, 0, 0, 0)
    np.testing.assert_array_equal(found.logits, half_logits()[2])


def compared(want: PromptedMasks, got: PromptedMasks | None) -> dict[str, Any]:
    subject = ComparedOutput("wasm", "click", "decoded", "")
    context = RunContext(placement=PLACEMENT)
    found = TASK.compare(task_of(SAM), subject, [want], [got] if got else [], context, NATIVE)
    return {each.subject.quantity: each for each in found}


def test_equal_masks_are_equal() -> None:
    found = compared(answer(half_logits()), answer(half_logits()))
    assert {name: each.verdict for name, each in found.items()} == {"mask": "OK", "score": "OK"}
    assert found["mask"].signal == 1


def test_empty_masks_have_no_signal() -> None:
    nothing = answer(np.full((4, 16, 16), -1, np.float32))
    found = compared(nothing, nothing)
    assert (found["mask"].signal, found["mask"].reason) == (0, "constant")


def test_masks_that_differ_are_found() -> None:
    moved = half_logits()
    moved[2, :, 8:10] = 4
    found = compared(answer(half_logits()), answer(moved))
    assert (found["mask"].verdict, found["mask"].reason) == ("DIFFERS", "too-far")
    assert found["score"].verdict == "OK"
    assert compared(answer(half_logits()), None)["mask"].reason == "shape"


def test_scores_that_differ_are_found() -> None:
    found = compared(answer(half_logits()), answer(half_logits(), SCORES + np.float32(0.01)))
    assert (found["mask"].verdict, found["score"].verdict) == ("OK", "DIFFERS")
    broken = answer(half_logits(), SCORES * np.array([1, np.nan, 1, 1], np.float32))
    assert compared(answer(half_logits()), broken)["score"].reason == "not-finite"
