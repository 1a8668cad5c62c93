"""Recognize segmentation models by their outputs, metadata and configuration files: Mask2Former, SegFormer, YOLO26."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from webbuild.manifest.manifest import ImageInput, ImageSegmentationTask, Letterbox
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.postprocess.class_maps import ClassMapsPostprocess, label_map_size
from webbuild.postprocess.output_names import CLASS_MAPS
from webbuild.preprocess.image import input_size
from webbuild.tasks.recognition.class_names import count_classes
from webbuild.tasks.recognition.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD, read_normalization
from webbuild.tasks.recognition.image_input import only_image_input
from webbuild.tasks.recognition.metadata import class_names, hub_class_names
from webbuild.tasks.recognition.ultralytics_export import ultralytics_preprocessing
from webbuild.tasks.task_match import TaskMatch

SegmentationMode = Literal["panoptic", "instance", "semantic"]

_OUTPUT_NAMES = (("masks_queries_logits", "class_queries_logits"), ("pred_masks", "pred_logits"))
"""Names of the masks and the classes: in transformers, and in the models' own repositories."""
_MASK_SIZE = [384, 384]
"""transformers first resizes Mask2Former's masks to this size, whatever the picture's size."""
_STUFF_CLASSES = {("person", 133): range(80, 133), ("road", 19): range(11)}
"""Stuff classes of COCO panoptic and of Cityscapes, by the first class and the number of classes."""
_DEFAULT_PREPROCESSING = (
    "pictures are stretched, RGB, scaled to 0..1 and normalized with ImageNet's mean and deviation, unless an option "
    "says otherwise"
)


def infer_mask2former(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of a model with a mask and a class for each query; None for other models.

    Output names must match, unless the task is requested: shapes are then enough.
    """
    image = only_image_input(signature)
    outputs = _match_outputs(signature.outputs, requested=requested)
    if image is None or outputs is None:
        return None
    masks, scores = outputs
    count = int(scores.shape[2] or 0) - 1
    names, named = _class_names(signature, count)
    mode, mode_note = _infer_mode(signature)
    fused, fuse_note = _label_ids_to_fuse(signature, names)
    kind = signature.hub_files.config.get("model_type")
    resizes_masks = kind not in ("maskformer", "oneformer", "detr")
    reason = "as config.json says" if kind == "mask2former" else "which it is assumed to be"
    size_note = (
        f"masks are resized to {_MASK_SIZE[0]} x {_MASK_SIZE[1]} first, as transformers does for Mask2Former, {reason}",
    )
    task = ImageSegmentationTask(
        masks=masks.name,
        scores=scores.name,
        classes=names,
        mode=mode,
        label_ids_to_fuse=fused,
        mask_size=_MASK_SIZE if resizes_masks else [],
    )
    picture, recipe = _image_preprocessing(image, signature)
    shapes = f"masks {list(masks.shape)} and classes {list(scores.shape)}"
    assumption = f"task image-segmentation: {shapes} of queries, the last class is 'no object'"
    notes = (assumption, named, mode_note, fuse_note, *(size_note if resizes_masks else ()), recipe)
    return TaskMatch(task, (picture,), notes)


def infer_semantic_segmentation(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of a model with a map of logits for each class, a mask or labels; None for other models.

    Unless requested, `config.json` or Ultralytics' metadata must say that it is one: most maps are something else.
    """
    image = only_image_input(signature, "nchw", "nhwc")
    architectures = signature.hub_files.config.get("architectures")
    known = isinstance(architectures, list) and any(
        isinstance(each, str) and each.endswith("ForSemanticSegmentation") for each in architectures
    )
    ultralytics = signature.metadata.get("task") == "semantic"
    if image is None or not (known or ultralytics or requested):
        return None
    candidates = (_class_maps(fact, image) or _label_map(fact, signature) for fact in signature.outputs)
    class_maps = next((each for each in candidates if each is not None), None)
    if class_maps is None:
        return None
    maps, missing = class_maps
    count = _static_shape(maps)[1] if missing is None else missing.classes
    names, named = _class_names(signature, count)
    form = "a map of logits for each class"
    if missing is not None and missing.labels:
        form = "the class of each pixel"
    elif missing is not None and 1 in _static_shape(maps)[1:]:
        names, named = _mask_names(names, named)
        form = "one foreground mask"
    elif missing is not None:
        form += ", channels last"
    picture, recipe = (
        (image, ultralytics_preprocessing(image)) if ultralytics else _image_preprocessing(image, signature)
    )
    assumption = f"task image-segmentation, semantic: output '{maps.name}' {list(maps.shape)} has {form}"
    output = maps.name if missing is None else CLASS_MAPS
    task = ImageSegmentationTask(masks=output, classes=names, mode="semantic")
    guessed = recipe if recipe == _DEFAULT_PREPROCESSING else ""
    return TaskMatch(task, (picture,), (assumption, named, recipe), missing, guessed_recipe=guessed)


def _class_maps(fact: TensorSpec, image: ImageInput) -> tuple[TensorSpec, ClassMapsPostprocess | None] | None:
    """Return an output with class maps and its postprocessing, if needed; None for any other output."""
    match _static_shape(fact):
        case (1, 1, int(height), int(width)) | (1, int(height), int(width), 1) if min(height, width) > 1:
            return fact, ClassMapsPostprocess(output=fact.name, channels_last=fact.shape[3] == 1, classes=2)
        case (1, int(first), int(second), int(third)) if min(first, second, third) > 1:
            height, width = input_size(image)
            # [1, h, w, C] or [1, C, h, w]: compare the aspect ratio of the first two and of the last two sizes
            before, after = (abs(math.log(a * width / (b * height))) for a, b in ((first, second), (second, third)))
            if before < after:
                return fact, ClassMapsPostprocess(output=fact.name, channels_last=True, classes=third)
            return fact, None
    return None


def _label_map(fact: TensorSpec, signature: ModelSignature) -> tuple[TensorSpec, ClassMapsPostprocess] | None:
    """Return an output with the class of each pixel and its postprocessing; None for any other output.

    The number of classes is known from the graph, such as an ArgMax, else from the class names.
    """
    shape = _static_shape(fact, ("uint8", "int32", "int64"))
    classes = fact.value_count or len(hub_class_names(signature) or class_names(signature))
    if len(shape) not in (3, 4) or (len(shape) == 4 and 1 not in (shape[1], shape[3])) or classes < 2:
        return None
    if min(label_map_size(shape)) < 2:
        return None
    return fact, ClassMapsPostprocess(output=fact.name, channels_last=False, classes=classes, labels=True)


def _mask_names(names: list[str], named: str) -> tuple[list[str], str]:
    """Return the class names of a mask: background and foreground if there are no other names."""
    if names != ["class 0", "class 1"]:
        return names, named
    return ["background", "foreground"], "its two classes are called background and foreground"


def _match_outputs(outputs: tuple[TensorSpec, ...], *, requested: bool) -> tuple[TensorSpec, TensorSpec] | None:
    """Return the masks [1, q, h, w] and the classes [1, q, c + 1]."""
    by_name = {fact.name: fact for fact in outputs}
    pairs = [(by_name[m], by_name[s]) for m, s in _OUTPUT_NAMES if m in by_name and s in by_name]
    if requested:
        pairs += [(masks, scores) for masks in outputs for scores in outputs]
    for masks, scores in pairs:
        match _static_shape(masks), _static_shape(scores):
            case (1, queries, height, width), (1, others, classes):
                if queries == others and min(height, width) > 1 and classes > 1:
                    return masks, scores
    return None


def _static_shape(spec: TensorSpec, dtypes: tuple[str, ...] = ("float32",)) -> tuple[int, ...]:
    """Return the shape of an output of these types with batch 1 and static sizes, () for any other output."""
    sizes = tuple(size for size in spec.shape if isinstance(size, int))
    return sizes if spec.dtype in dtypes and len(sizes) == len(spec.shape) and sizes[:1] == (1,) else ()


def _class_names(signature: ModelSignature, count: int) -> tuple[list[str], str]:
    for names, source in ((hub_class_names(signature), "config.json"), (class_names(signature), "the metadata")):
        if len(names) == count:
            return names, f"the names of the {count_classes(count)} are those in {source}"
    names = [f"class {index}" for index in range(count)]
    return names, f"the {count_classes(count)} have no names in config.json or the metadata"


def _infer_mode(signature: ModelSignature) -> tuple[SegmentationMode, str]:
    """Return the mode in the model's name, else panoptic, and its source as text."""
    name = signature.hub_files.config.get("_name_or_path")
    for text, source in (
        (name if isinstance(name, str) else "", "config.json's name"),
        (signature.file, "the file's name"),
    ):
        modes: tuple[SegmentationMode, ...] = ("panoptic", "instance", "semantic")
        for mode in modes:
            if mode in text.lower():
                return mode, f"segmentation is {mode}, as {source} says"
    return "panoptic", "segmentation is panoptic: neither config.json nor the file's name says otherwise"


def _label_ids_to_fuse(signature: ModelSignature, names: list[str]) -> tuple[list[int], str]:
    """Return the classes fused into one region each, and their source as text."""
    for configured, source in (
        (signature.hub_files.preprocessor, "preprocessor_config.json"),
        (signature.hub_files.config, "config.json"),
    ):
        fused = configured.get("label_ids_to_fuse")
        if isinstance(fused, list) and all(type(each) is int and 0 <= each < len(names) for each in fused):
            return sorted(
                set(fused)
            ), f"regions of {count_classes(len(set(fused)))} are fused, as label_ids_to_fuse in {source} says"
    known = _STUFF_CLASSES.get((names[0], len(names)))
    if known is not None:
        return list(known), f"regions of the {len(known)} stuff classes are fused: the data set is a known one"
    return [], "no regions are fused: no file has label_ids_to_fuse, and transformers fuses none by default"


def _image_preprocessing(image: ImageInput, signature: ModelSignature) -> tuple[ImageInput, str]:
    """Return the preprocessing: from the configuration next to the model, else the default of these models."""
    normalization = read_normalization(signature.hub_files.preprocessor)
    if normalization is None:
        fitted = Letterbox(mode="stretch", interpolation="bilinear-antialias")
        return msgspec.structs.replace(
            image, mean=IMAGENET_MEAN, std=IMAGENET_STD, letterbox=fitted
        ), _DEFAULT_PREPROCESSING
    fitted = Letterbox(mode="stretch", interpolation=normalization.interpolation)
    picture = msgspec.structs.replace(
        image, scale=normalization.scale, mean=normalization.mean, std=normalization.std, letterbox=fitted
    )
    return picture, normalization.source
