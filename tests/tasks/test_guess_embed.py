"""Recognition of image encoders, which output is the embedding, and how images are preprocessed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec import UNSET

from webbuild.manifest.manifest import CropEmbeddingsTask, EmbedTask, ImageInput, TensorTask
from webbuild.model.hub_files import HubFiles
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.tasks.embed import TASK
from webbuild.tasks.recognition.image_encoder_families import embed_family
from webbuild.tasks.recognition.metadata import image_size
from webbuild.tasks.registry import match_task
from webbuild.tasks.task_match import TaskMatch

PICTURE = TensorSpec("pixel_values", "float32", (1, 3, 224, 224))
Json = Mapping[str, object]
TIMM = {"mean": [0.1, 0.2, 0.3], "std": [0.4, 0.5, 0.6], "interpolation": "bicubic", "crop_pct": 0.875}


def facts(
    outputs: Mapping[str, tuple[Dim, ...]],
    config: Json | None = None,
    preprocessor: Json | None = None,
    *,
    file: str = "model.onnx",
) -> ModelSignature:
    made = tuple(TensorSpec(name, "float32", shape) for name, shape in outputs.items())
    return ModelSignature(file, "", {}, (PICTURE,), made, hub_files=HubFiles(config or {}, preprocessor or {}))


def embed_of(found: TaskMatch | None) -> EmbedTask:
    assert found is not None
    assert isinstance(found.task, EmbedTask)
    return found.task


def image_of(found: TaskMatch) -> ImageInput:
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    return image


HIDDEN: dict[str, tuple[Dim, ...]] = {"last_hidden_state": (1, 257, 768)}


@pytest.mark.parametrize(
    ("outputs", "config", "want"),
    [
        ({**HIDDEN, "image_embeds": (1, 512)}, {}, ("image_embeds", 512, 1, "none")),
        ({**HIDDEN, "pooler_output": (1, 768)}, {}, ("pooler_output", 768, 1, "none")),
        ({"pooler_output": (1, 768), "image_embeds": (1, 512)}, {}, ("image_embeds", 512, 1, "none")),
        ({"pooler_output": (1, 768, 1, 1), "last_hidden_state": (1, 768, 7, 7)}, {}, ("pooler_output", 768, 1, "none")),
        (HIDDEN, {}, ("last_hidden_state", 768, 257, "mean")),
        (HIDDEN, {"model_type": "clip_vision_model"}, ("last_hidden_state", 768, 257, "mean")),
        (HIDDEN, {"model_type": "dinov2"}, ("last_hidden_state", 768, 257, "cls")),
        (HIDDEN, {"model_type": "dinov3_vit"}, ("last_hidden_state", 768, 257, "cls")),
        ({"output": (1, 384)}, {"model_type": "dinov2_with_registers"}, ("output", 384, 1, "none")),
        ({"output": (1, 384)}, {"num_classes": 0, "pretrained_cfg": TIMM}, ("output", 384, 1, "none")),
    ],
)  # fmt: skip
def test_the_output_that_is_the_vector(
    outputs: Mapping[str, tuple[Dim, ...]], config: Json, want: tuple[str, int, int, str]
) -> None:
    found = match_task(facts(outputs, config))
    task = embed_of(found)
    assert (task.output, task.size, task.tokens, task.pooling) == want
    how = {"none": "is a vector of", "cls": "the first token, CLS", "mean": "the mean of all tokens"}[task.pooling]
    assert f"'{task.output}'" in found.assumptions[0]
    assert how in found.assumptions[0]


@pytest.mark.parametrize("file", ["vit-b-32-openclip.onnx", "clip_image.onnx", "MobileCLIP-s0.onnx", "dinov2-s.onnx"])
def test_a_file_says_what_it_is(file: str) -> None:
    assert embed_of(match_task(facts({"output": (1, 384)}, file=file))).pooling == "none"


@pytest.mark.parametrize(
    "odd",
    [
        facts({"output": (1, 384)}),
        facts({"output": (1, 384)}, file="eclipse.onnx"),
        facts({"output": (1, 384)}, {"model_type": "resnet"}, file="clip.onnx"),
        facts({"logits": (1, 1000)}, file="dinov2-s-imagenet.onnx"),
        facts({"image_embeddings": (1, 256, 64, 64)}),
        facts({"output": (1, 384)}, {"num_classes": 1000, "pretrained_cfg": TIMM}),
    ],
)
def test_what_does_not_say_so_is_a_model_of_tensors(odd: ModelSignature) -> None:
    assert isinstance(match_task(odd).task, TensorTask)


def test_what_the_user_calls_an_encoder_is_one_where_it_fits() -> None:
    found = TASK.infer(facts({"output": (1, 384)}), requested=True)
    assert embed_of(found).size == 384
    assert found is not None
    assert found.guessed_recipe == found.assumptions[1]
    assert TASK.infer(facts({"output": (1, 384, 7, 7)}), requested=True) is None
    assert TASK.infer(facts({"a": (1, 384), "b": (1, 384)}), requested=True) is None


@pytest.mark.parametrize(
    ("kind", "mode", "mean", "interpolation"),
    [
        ("clip", "crop", 0.48145466, "bicubic"),
        ("siglip", "stretch", 0.5, "bicubic"),
        ("mobileclip", "crop", 0.0, "bilinear-antialias"),
        ("dinov2", "crop", 0.485, "bicubic"),
    ],
)
def test_a_family_says_how_pictures_go_in(kind: str, mode: str, mean: float, interpolation: str) -> None:
    found = match_task(facts({"image_embeds": (1, 512)}, {"model_type": kind}))
    image = image_of(found)
    assert (image.letterbox.mode, image.mean[0], image.letterbox.interpolation) == (mode, mean, interpolation)
    assert found.guessed_recipe == ""


def test_a_picture_goes_in_as_the_configuration_beside_the_model_says() -> None:
    dino = {"do_center_crop": True, "crop_size": {"height": 224, "width": 224}, "size": {"shortest_edge": 256}}
    numbers = {"image_mean": [0.1] * 3, "image_std": [0.2] * 3, "resample": 3, "rescale_factor": 0.5}
    seen = facts(HIDDEN, {"model_type": "dinov2"}, {**dino, **numbers})
    image = image_of(match_task(seen))
    assert (image.mean, image.std, image.scale) == ([0.1] * 3, [0.2] * 3, 0.5)
    box = image.letterbox
    assert (box.mode, box.edge, box.interpolation) == ("crop", 256, "bicubic")
    assert image_size(seen) == (224, 224)
    clip = {**numbers, "do_center_crop": True, "crop_size": 224, "size": 224}
    box = image_of(match_task(facts(HIDDEN, None, clip))).letterbox
    assert (box.mode, box.edge) == ("crop", UNSET)
    siglip = {**numbers, "size": {"height": 224, "width": 224}, "resample": 2}
    box = image_of(match_task(facts(HIDDEN, None, siglip))).letterbox
    assert (box.mode, box.interpolation) == ("stretch", "bilinear-antialias")


@pytest.mark.parametrize(
    ("said", "mean", "mode", "interpolation"),
    [
        ({}, 0.48145466, "crop", "bicubic"),
        ({"mean": [0, 0, 0], "std": [1, 1, 1], "interpolation": "bilinear"}, 0, "crop", "bilinear-antialias"),
        ({"mean": [0.5] * 3, "std": [0.5] * 3, "resize_mode": "squash"}, 0.5, "stretch", "bicubic"),
        ({"mean": [0.5] * 3, "resize_mode": "longest"}, 0.485, "crop", "bicubic"),
    ],
    ids=["its own numbers", "MobileCLIP", "SigLIP", "padded, which is not known"],
)
def test_a_picture_goes_in_as_open_clip_says(said: Json, mean: float, mode: str, interpolation: str) -> None:
    found = match_task(facts({"image_features": (1, 512)}, {"model_cfg": {}, "preprocess_cfg": said}))
    image = image_of(found)
    assert (image.mean[0], image.letterbox.mode, image.letterbox.interpolation) == (mean, mode, interpolation)
    assert ("open_clip_config.json" in found.assumptions[1]) == (mean != 0.485)


def test_the_bias_in_open_clips_configuration_tells_siglip() -> None:
    config = {"model_cfg": {"init_logit_bias": -10}}
    family = embed_family(facts({"output": (1, 512)}, config))
    assert family is not None
    assert family.name == "SigLIP"
    assert embed_of(match_task(facts({"output": (1, 512)}, config))).output == "output"
    assert embed_family(facts({"output": (1, 512)}, {"model_cfg": {"embed_dim": 512}})) is None


def test_a_picture_goes_in_as_timm_says() -> None:
    found = match_task(facts({"output": (1, 384)}, {"num_classes": 0, "pretrained_cfg": TIMM}))
    image = image_of(found)
    assert (image.mean, image.std, image.letterbox.edge) == ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], 256)


def test_behind_a_detector_it_looks_at_crops() -> None:
    seen = facts({"image_embeds": (1, 512)})
    match = TASK.for_crops(match_task(seen), seen)
    assert match is not None
    assert isinstance(match.task, CropEmbeddingsTask)
