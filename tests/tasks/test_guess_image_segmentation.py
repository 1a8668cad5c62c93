"""Recognition of segmentation models, and the assumptions about their masks, classes and input images."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from webbuild.manifest.manifest import ImageInput, ImageSegmentationTask, SegmentTask, TensorTask
from webbuild.model.hub_files import HubFiles
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.postprocess.class_maps import ClassMapsPostprocess
from webbuild.tasks.image_segmentation import TASK
from webbuild.tasks.registry import match_task
from webbuild.tasks.task_match import TaskMatch

PICTURE = TensorSpec("pixel_values", "float32", (1, 3, 64, 96))
QUERIES: dict[str, tuple[Dim, ...]] = {"class_queries_logits": (1, 20, 4), "masks_queries_logits": (1, 20, 16, 24)}
NAMES = {"id2label": {"0": "cat", "1": "sky", "2": "wall"}}
MAPS: dict[str, tuple[Dim, ...]] = {"logits": (1, 3, 16, 24)}


def facts(
    outputs: dict[str, tuple[Dim, ...]],
    config: Mapping[str, object] | None = None,
    preprocessor: Mapping[str, object] | None = None,
    *,
    file: str = "m.onnx",
) -> ModelSignature:
    made = tuple(TensorSpec(name, "float32", shape) for name, shape in outputs.items())
    return ModelSignature(file, "", {}, (PICTURE,), made, hub_files=HubFiles(config or {}, preprocessor or {}))


def task_of(found: TaskMatch | None) -> ImageSegmentationTask:
    assert found is not None
    assert isinstance(found.task, ImageSegmentationTask)
    return found.task


@pytest.mark.parametrize("names", [("masks_queries_logits", "class_queries_logits"), ("pred_masks", "pred_logits")])
def test_outputs_say_by_their_names_that_they_are_masks_and_classes_of_queries(names: tuple[str, str]) -> None:
    found = match_task(facts({names[1]: (1, 20, 4), "other": (1, 7), names[0]: (1, 20, 16, 24)}, NAMES))
    task = task_of(found)
    assert (task.masks, task.scores, task.classes) == (*names, ["cat", "sky", "wall"])
    assert (task.mode, task.label_ids_to_fuse, task.mask_size) == ("panoptic", [], [384, 384])
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.letterbox.mode, image.mean[0], image.std[2]) == ("stretch", 0.485, 0.225)
    assert any("fused" in each for each in found.assumptions)


@pytest.mark.parametrize(
    "odd",
    [
        facts({"class_queries_logits": (1, 19, 4), "masks_queries_logits": (1, 20, 16, 24)}),
        facts({"class_queries_logits": (1, "q", 4), "masks_queries_logits": (1, "q", 16, 24)}),
        facts({"class_queries_logits": (1, 20, 1), "masks_queries_logits": (1, 20, 16, 24)}),
        facts({"a": (1, 20, 4), "b": (1, 20, 16, 24)}),
        facts({"masks_queries_logits": (1, 20, 16, 24)}),
        facts(MAPS),
        facts(MAPS, {"architectures": ["SegformerForImageClassification"]}),
        facts({"logits": (1, 3)}, {"architectures": ["SegformerForSemanticSegmentation"]}),
    ],
)
def test_what_does_not_say_so_or_does_not_fit_is_a_model_of_tensors(odd: ModelSignature) -> None:
    assert isinstance(match_task(odd).task, TensorTask)


def test_where_the_user_asked_shapes_are_enough() -> None:
    task = task_of(TASK.infer(facts({"a": (1, 20, 4), "b": (1, 20, 16, 24)}), requested=True))
    assert (task.masks, task.scores, task.classes) == ("b", "a", ["class 0", "class 1", "class 2"])
    task = task_of(TASK.infer(facts(MAPS), requested=True))
    assert (task.masks, task.scores, task.mode) == ("logits", None, "semantic")
    assert TASK.infer(facts({"a": (1, 20, 4)}), requested=True) is None


def test_a_map_for_each_class_is_known_by_the_architecture() -> None:
    config = {"architectures": ["SegformerForSemanticSegmentation"], **NAMES}
    task = task_of(match_task(facts(MAPS, config)))
    assert (task.masks, task.scores, task.mode, task.classes) == ("logits", None, "semantic", ["cat", "sky", "wall"])


@pytest.mark.parametrize(
    ("config", "grid"),
    [({}, [384, 384]), ({"model_type": "mask2former"}, [384, 384]), ({"model_type": "maskformer"}, [])],
)
def test_only_mask2former_resizes_masks_first(config: dict[str, object], grid: list[int]) -> None:
    assert task_of(match_task(facts(QUERIES, config))).mask_size == grid


@pytest.mark.parametrize(
    ("config", "file", "mode"),
    [
        ({"_name_or_path": "facebook/mask2former-swin-tiny-coco-instance"}, "m.onnx", "instance"),
        ({}, "mask2former-ade-semantic.onnx", "semantic"),
        ({"_name_or_path": 5}, "m.onnx", "panoptic"),
    ],
)
def test_the_mode_is_known_by_the_name(config: dict[str, object], file: str, mode: str) -> None:
    assert task_of(match_task(facts(QUERIES, config, file=file))).mode == mode


def test_what_is_fused_is_told_or_known_of_the_classes() -> None:
    assert task_of(match_task(facts(QUERIES, {}, {"label_ids_to_fuse": [2, 1, 2]}))).label_ids_to_fuse == [1, 2]
    assert task_of(match_task(facts(QUERIES, {"label_ids_to_fuse": [0]}))).label_ids_to_fuse == [0]
    assert task_of(match_task(facts(QUERIES, {}, {"label_ids_to_fuse": [3]}))).label_ids_to_fuse == []
    assert task_of(match_task(facts(QUERIES, {}, {"label_ids_to_fuse": [True]}))).label_ids_to_fuse == []
    outputs: dict[str, tuple[Dim, ...]] = {"pred_logits": (1, 9, 134), "pred_masks": (1, 9, 16, 24)}
    coco = {str(index): "person" if index == 0 else f"c{index}" for index in range(133)}
    assert task_of(match_task(facts(outputs, {"id2label": coco}))).label_ids_to_fuse == list(range(80, 133))


def test_the_masks_of_a_yolo_are_another_task() -> None:
    metadata = {"task": "segment", "names": "{0: 'a', 1: 'b'}", "args": "{'nms': True}"}
    outputs = (
        TensorSpec("output0", "float32", (1, 9, 6 + 32)),
        TensorSpec("output1", "float32", (1, 32, 16, 24)),
    )
    assert isinstance(match_task(ModelSignature("m.onnx", "", metadata, (PICTURE,), outputs)).task, SegmentTask)


WIDE = TensorSpec("x", "float32", (1, 64, 96, 3))


def asked(picture: TensorSpec, shape: tuple[Dim, ...]) -> TaskMatch | None:
    seen = ModelSignature("m.onnx", "", {}, (picture,), (TensorSpec("maps", "float32", shape),))
    return TASK.infer(seen, requested=True)


@pytest.mark.parametrize("picture", [PICTURE, WIDE])
@pytest.mark.parametrize("shape", [(1, 64, 96, 3), (1, 32, 48, 21), (1, 16, 24, 150)])
def test_channels_that_come_last_are_told_by_the_pictures_ratio(picture: TensorSpec, shape: tuple[int, ...]) -> None:
    found = asked(picture, shape)
    assert found is not None
    assert found.postprocess == ClassMapsPostprocess(output="maps", channels_last=True, classes=shape[3])
    assert (task_of(found).masks, len(task_of(found).classes)) == ("class_maps", shape[3])


@pytest.mark.parametrize("shape", [(1, 150, 32, 48), (1, 21, 64, 96), (1, 64, 64, 64)])
def test_channels_that_come_first_stay_where_they_are(shape: tuple[int, ...]) -> None:
    found = asked(WIDE, shape)
    assert found is not None
    assert (found.postprocess, task_of(found).masks) == (None, "maps")


@pytest.mark.parametrize("shape", [(1, 64, 96, 1), (1, 1, 64, 96)])
def test_one_map_is_a_mask(shape: tuple[int, ...]) -> None:
    found = asked(WIDE, shape)
    assert found is not None
    assert found.postprocess == ClassMapsPostprocess(output="maps", channels_last=shape[3] == 1, classes=2)
    assert task_of(found).classes == ["background", "foreground"]


SEMANTIC = {"task": "semantic", "names": "{0: 'cat', 1: 'sky', 2: 'wall'}"}


def labelled(shape: tuple[Dim, ...], metadata: dict[str, str], dtype: str = "uint8", count: int = 0) -> ModelSignature:
    output = TensorSpec("output0", dtype, shape, value_count=count)
    return ModelSignature("m.onnx", "", metadata, (PICTURE,), (output,))


@pytest.mark.parametrize("shape", [(1, 64, 96), (1, 1, 64, 96), (1, 64, 96, 1)])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_the_class_of_each_pixel_becomes_a_map_for_each_class(shape: tuple[Dim, ...], dtype: str) -> None:
    found = match_task(labelled(shape, SEMANTIC, dtype))
    task = task_of(found)
    assert (task.masks, task.classes, task.mode) == ("class_maps", ["cat", "sky", "wall"], "semantic")
    assert found.postprocess == ClassMapsPostprocess(output="output0", channels_last=False, classes=3, labels=True)
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.letterbox.mode, image.letterbox.pad) == ("letterbox", 114)
    assert (image.mean, image.scale) == ([0.0] * 3, 1 / 255)


def test_an_argmax_says_how_many_classes_there_are() -> None:
    task = task_of(TASK.infer(labelled((1, 64, 96), {}, "int64", count=21), requested=True))
    assert task.classes == [f"class {index}" for index in range(21)]


@pytest.mark.parametrize(
    "odd",
    [
        labelled((1, 64, 96), {}),
        labelled((1, 2, 64, 96), SEMANTIC),
        labelled((1, 64, 1), SEMANTIC),
        labelled((2, 64, 96), SEMANTIC),
        labelled((1, 64, 96), SEMANTIC, "bool"),
    ],
)
def test_other_integers_are_no_labels(odd: ModelSignature) -> None:
    assert TASK.infer(odd, requested=True) is None
