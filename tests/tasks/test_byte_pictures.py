"""Models with uint8 or int32 pictures are recognized, and their pixels stay 0..255."""

from __future__ import annotations

import pytest

from webbuild.manifest.manifest import CropInput, ImageInput, KeypointsTask, RegressionHead
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.tasks.registry import infer_kind, kind_of, match_task, task_kinds

COCO = {"task": "detect", "names": str({index: f"class {index}" for index in range(80)})}
PLAIN = ("uint8", 1.0, [0.0] * 3, [1.0] * 3)


def signature(
    picture: tuple[Dim, ...], output: tuple[Dim, ...], metadata: dict[str, str] | None = None, name: str = "output0"
) -> ModelSignature:
    inputs = (TensorSpec("images", "uint8", picture),)
    return ModelSignature("m.onnx", "", metadata or {}, inputs, (TensorSpec(name, "float32", output),))


@pytest.mark.parametrize("picture", [(1, 3, 640, 480), (1, 640, 480, 3)])
@pytest.mark.parametrize("metadata", [COCO, {}], ids=["metadata", "shapes"])
def test_a_detector_may_take_bytes(picture: tuple[Dim, ...], metadata: dict[str, str]) -> None:
    found = match_task(signature(picture, (1, 84, 6300), metadata))
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert kind_of(found.task).kind == "detect"
    assert (image.dtype, image.scale, image.mean, image.std) == PLAIN
    assert (image.letterbox.pad, image.layout) == (114, "nchw" if picture[1] == 3 else "nhwc")
    assert found.postprocess is not None
    assert getattr(found.postprocess, "size", None) == (640, 480)
    assert not any("scaled to" in each for each in found.assumptions)
    assert found.assumptions[-1] == (
        "input 'images' takes bytes: RGB, letterboxed in 480 x 640 with grey 114, pixel values 0..255 as they are"
    )


@pytest.mark.parametrize(
    ("task", "picture", "output"),
    [
        ("keypoints", (1, 3, 256, 192), (1, 17, 64, 48)),
        ("keypoints", (1, 256, 192, 3), (1, 17, 64, 48)),
        ("crop-embeddings", (1, 112, 112, 3), (1, 512)),
        ("depth", (1, 518, 518, 3), (1, 518, 518)),
        ("matte", (1, 320, 320, 3), (1, 1, 320, 320)),
        ("text-boxes", (1, 640, 640, 3), (1, 1, 640, 640)),
        ("text-line", (1, 48, 320, 3), (1, 40, 97)),
        ("image-segmentation", (1, 512, 512, 3), (1, 21, 64, 64)),
        ("embed", (1, 224, 224, 3), (1, 384)),
    ],
)
def test_every_picture_task_takes_bytes(task: str, picture: tuple[Dim, ...], output: tuple[Dim, ...]) -> None:
    found = infer_kind(task_kinds()[task], signature(picture, output), requested=True)
    assert found is not None
    (image,) = found.inputs
    assert isinstance(image, ImageInput | CropInput)
    assert (image.dtype, image.scale, image.mean, image.std) == PLAIN
    assert (image.layout, image.shape) == ("nchw" if picture[1] == 3 else "nhwc", list(picture))
    assert any("takes bytes" in each for each in found.assumptions)
    assert not any("scaled to" in each or "ImageNet" in each for each in found.assumptions)


@pytest.mark.parametrize("file", ["movenet.onnx", "model.onnx"])
def test_movenet_takes_int32_and_has_y_first(file: str) -> None:
    inputs, outputs = TensorSpec("input", "int32", (1, 192, 192, 3)), TensorSpec("output_0", "float32", (1, 1, 17, 3))
    found = match_task(ModelSignature(file, "", {}, (inputs,), (outputs,)))
    assert isinstance(found.task, KeypointsTask)
    assert found.task.head == RegressionHead(output="output_0", columns="yxc", range="unit")
    assert [each.name for each in found.task.keypoints][:2] == ["nose", "left_eye"]
    (crop,) = found.inputs
    assert isinstance(crop, CropInput)
    assert (crop.dtype, crop.scale, crop.mean, crop.std) == ("int32", *PLAIN[1:])
    assert (crop.layout, crop.padding, crop.aspect) == ("nhwc", 1.0, "keep")
    assert "crops are preprocessed as for MoveNet" in found.assumptions


def test_padding_keeps_its_colour() -> None:
    found = infer_kind(task_kinds()["text-line"], signature((1, 3, 48, 320), (1, 40, 97)), requested=True)
    assert found is not None
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert image.letterbox.pad == [127.5] * 3
