"""The cases shared by Python and TypeScript."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.everything import EverythingSettings, FoundMask, best_masks, grid_points, point_masks
from webbuild.errors import WebbuildError
from webbuild.manifest.inputs.picture import MaskChannel
from webbuild.manifest.manifest import (
    ClassifyTask,
    CropClassesTask,
    CropEmbeddingsTask,
    CropInput,
    DepthTask,
    DetectTask,
    EmbedTask,
    ImageInput,
    ImageSegmentationTask,
    ImageTask,
    Input,
    KeypointsTask,
    MaskGenerationTask,
    MaskInput,
    MatteTask,
    ObbTask,
    PointPromptInput,
    PoseTask,
    RowTask,
    SegmentTask,
    TextBoxesTask,
    TextLineTask,
)
from webbuild.postprocess.unit_vectors import unit_vectors
from webbuild.preprocess.crop import place_crop
from webbuild.preprocess.crop_box import CropBox
from webbuild.preprocess.image import encode_png, image_to_tensor, input_size
from webbuild.preprocess.letterbox import ImagePlacement, place_image
from webbuild.preprocess.mask import mask_tensor, resize_hole, with_mask_channel, with_zeroed_hole
from webbuild.preprocess.picture import crops_to_tensor
from webbuild.preprocess.point_prompt import PointPrompt, point_prompt_feeds
from webbuild.preprocess.size_feeds import size_feeds
from webbuild.tasks.decoding.detection import Box, row_width
from webbuild.tasks.mask_generation import PromptedMasks
from webbuild.tasks.registry import decode_task
from webbuild.tasks.run_context import RunContext

FOLDER = Path(__file__).parents[2] / "conformance"


def cases_of(name: str) -> pytest.MarkDecorator:
    files = sorted((FOLDER / name).glob("*.json"))
    assert files, f"conformance/{name} holds no case"
    return pytest.mark.parametrize("file", files, ids=[file.stem for file in files])


def read(file: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads(file.read_text("utf-8"))
    assert case["about"].endswith(".")
    return case


@cases_of("preprocess")
def test_a_picture_becomes_the_tensor_that_is_wanted(file: Path) -> None:
    case = read(file)
    spec = msgspec.convert(case["input"], ImageInput)
    width, height = case["image"]["width"], case["image"]["height"]
    rgba = np.array(case["image"]["rgba"], np.uint8).reshape(height, width, 4)
    tensor, placement = image_to_tensor(rgba, spec)
    want = case["want"]
    assert list(tensor.shape) == spec.shape
    high, wide = spec.shape[2:] if spec.layout == "nchw" else spec.shape[-3:-1]
    sizes = {"source_width": width, "source_height": height, "input_width": wide, "input_height": high}
    assert msgspec.to_builtins(placement) == {**sizes, **want["geometry"], "crops": ()}
    assert case["tolerance"] <= 1e-6 * max(1.0, *map(abs, want["tensor"]))
    np.testing.assert_allclose(tensor.ravel(), want["tensor"], rtol=0, atol=case["tolerance"])
    assert placement == place_image(width, height, wide, high, spec.letterbox)


@cases_of("pose")
def test_rows_become_the_poses_that_are_wanted(file: Path) -> None:
    case = read(file)
    got = decoded(case, msgspec.convert(case["task"], PoseTask))
    same(got, case["want"]["poses"], case["tolerance"])


@cases_of("detect")
def test_rows_become_the_detections_that_are_wanted(file: Path) -> None:
    case = read(file)
    got = decoded(case, msgspec.convert(case["task"], DetectTask))
    assert all(each.pop("keypoints") == () for each in got)
    same(got, case["want"]["detections"], case["tolerance"])


@cases_of("classify")
def test_scores_become_the_classes_that_are_wanted(file: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], ClassifyTask)
    values = np.array([case["values"]], np.float32)
    got = msgspec.to_builtins(decode_task(task, {task.output: values}, RunContext()))
    same(got, case["want"]["classes"], case["tolerance"])


@cases_of("embed")
def test_an_output_becomes_the_vector_that_is_wanted(file: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], EmbedTask)
    values = np.array(case["values"], np.float32).reshape(case["dims"])
    (got,) = decode_task(task, {task.output: values}, RunContext())
    np.testing.assert_allclose(got, case["want"], rtol=0, atol=case["tolerance"])


@cases_of("text-line")
def test_scores_of_columns_become_the_text_that_is_wanted(file: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], TextLineTask)
    scores = np.array(case["columns"], np.float32)  # [T, C]
    values = scores[None] if task.layout == "ntc" else scores[:, None]
    (got,) = decode_task(task, {task.output: values}, RunContext(placement=placement_of(case)))
    same(msgspec.to_builtins(got), case["want"], case["tolerance"])


@cases_of("text-boxes")
def test_a_map_becomes_the_text_boxes_that_are_wanted(file: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], TextBoxesTask)
    cells = np.array([[int(level, 16) / 15 for level in row] for row in case["levels"]], np.float32)
    placement = placement_of(case)
    got = decode_task(task, {task.output: cells[None, None]}, RunContext(placement=placement))
    same([{"polygon": each.polygon, "score": each.score} for each in got], case["want"], case["tolerance"])
    with np.errstate(divide="ignore"):
        logits = np.log(cells / (1 - cells)).astype(np.float32)
    again = decode_task(
        msgspec.structs.replace(task, activation="sigmoid"),
        {task.output: logits[None, None]},
        RunContext(placement=placement),
    )
    same([{"polygon": each.polygon, "score": each.score} for each in again], case["want"], case["tolerance"])


@cases_of("similar")
def test_the_most_similar_are_those_that_numpy_ranks_first(file: Path) -> None:
    case = read(file)
    vectors = np.array(case["vectors"], np.float32).reshape(-1, case["dimension"])
    cosines = vectors @ unit_vectors(np.array(case["query"]))
    want = [{"index": int(at), "cosine": cosines[at]} for at in np.argsort(-cosines, kind="stable")[: case["k"]]]
    same(want, case["want"], case["tolerance"])


@cases_of("segment")
def test_rows_and_prototypes_become_the_segments_that_are_wanted(file: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], SegmentTask)
    got = decoded(case, task, {task.protos: np.array(case["protos"], np.float32)[None]})
    for segment in got:
        mask = segment["mask"]
        assert len(mask["data"]) == mask["columns"] * mask["rows"]
        starts = [row * mask["columns"] for row in range(mask.pop("rows"))]
        cells = "".join("01"[cell] for cell in mask.pop("data"))
        mask["cells"] = [cells[start : start + mask["columns"]] for start in starts]
        assert segment.pop("keypoints") == ()
    same(got, case["want"]["segments"], case["tolerance"])


@cases_of("mask-generation")
def test_logits_become_the_masks_that_are_wanted(file: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], MaskGenerationTask)
    outputs = {
        task.masks: np.array(case["logits"], np.float32)[None],
        task.scores: np.array(case["scores"], np.float32)[None],
    }
    context = RunContext(placement=placement_of(in_frame(case, task)), points=point_prompt(case["prompt"]))
    (got,) = decode_task(task, outputs, context)
    assert isinstance(got, PromptedMasks)
    masks = [
        {
            "rows": ["".join("01"[pixel] for pixel in row) for row in each.mask.tolist()],
            "score": each.score,
            "box": msgspec.to_builtins(each.box),
        }
        for each in got.masks
    ]
    same({"masks": masks, "best": got.best}, case["want"], case["tolerance"])


@cases_of("everything")
def test_a_grid_of_points_finds_the_masks_that_are_wanted(file: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], MaskGenerationTask)
    settings = msgspec.convert(case["settings"], EverythingSettings)
    placement = placement_of(in_frame(case, task))
    found: list[FoundMask] = []
    grid = grid_points(settings.points_per_side, placement.source_width, placement.source_height)
    for point, given in zip(grid, case["points"], strict=True):
        outputs = {
            task.masks: np.array(given["logits"], np.float32)[None],
            task.scores: np.array(given["scores"], np.float32)[None],
        }
        found += point_masks(task, outputs, placement, point, settings)
    masks = [
        {
            "counts": run_lengths(each.mask),
            "score": each.score,
            "stability": each.stability,
            "box": msgspec.to_builtins(each.box),
            "point": list(each.point),
        }
        for each in best_masks(found, settings)
    ]
    same(masks, case["want"], case["tolerance"])


def run_lengths(mask: NDArray[np.bool_]) -> list[int]:
    """Return the run lengths of a mask, column by column, starting with a run of zeros."""
    flat = mask.T.ravel()
    turns = np.flatnonzero(np.diff(np.concatenate([[False], flat])))
    return [int(count) for count in np.diff([0, *turns, flat.size])]


@cases_of("point-prompts")
def test_a_prompt_becomes_the_tensors_that_are_wanted(file: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], MaskGenerationTask)
    inputs = [msgspec.convert(each, PointPromptInput) for each in case["inputs"]]
    prompt, placement = point_prompt(case["prompt"]), placement_of(in_frame(case, task))
    if "error" in case["want"]:
        with pytest.raises(WebbuildError, match=re.escape(case["want"]["error"])):
            point_prompt_feeds(inputs, task, [prompt], placement)
        return
    feeds = point_prompt_feeds(inputs, task, [prompt], placement)
    assert {name: list(each.shape) for name, each in feeds.items()} == {
        each.name: each.shape for each in inputs if each.name in case["want"]
    }
    for name, values in feeds.items():
        np.testing.assert_allclose(values.ravel(), case["want"][name], rtol=0, atol=case["tolerance"])


def in_frame(case: dict[str, Any], task: MaskGenerationTask) -> dict[str, Any]:
    height, width = task.frame
    return {**case, "input": {"width": width, "height": height}}


def point_prompt(given: dict[str, Any]) -> PointPrompt:
    fields = {**given, "mask": np.array(given["mask"], np.float32)} if "mask" in given else given
    return PointPrompt(**fields)


@cases_of("obb")
def test_rows_become_the_turned_objects_that_are_wanted(file: Path) -> None:
    case = read(file)
    got = decoded(case, msgspec.convert(case["task"], ObbTask))
    for each in got:
        assert each.pop("keypoints") == ()
        each["corners"] = list(each["corners"])
    same(got, case["want"]["objects"], case["tolerance"])


def decoded(case: dict[str, Any], task: RowTask, others: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    box = case["letterbox"]
    source, size = box["source"], case.get("input", {"width": 64, "height": 64})
    place = (source["width"], source["height"], box["left"], box["top"], box["width"], box["height"])
    placement = ImagePlacement(*place, size["width"], size["height"])
    rows = np.array(case["rows"], np.float32).reshape(1, -1, row_width(task))
    found = decode_task(task, {task.output: rows, **(others or {})}, RunContext(placement))
    return [msgspec.to_builtins(each, builtin_types=(bytes,)) for each in found]


@cases_of("depth")
def test_a_map_becomes_the_depth_of_the_picture(file: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], DepthTask)
    maps = {task.output: case["depth"], task.confidence: case["confidence"]}
    outputs = {name: np.array(rows, float).astype(np.float32)[None] for name, rows in maps.items() if name}
    box, size = case["letterbox"], case["input"]
    source = box["source"]
    placement = ImagePlacement(
        source["width"], source["height"], box["left"], box["top"], box["width"], box["height"], *size.values()
    )
    (got,) = decode_task(task, outputs, RunContext(placement))
    want = case["want"]
    assert (got.confidence is None) is (want["confidence"] is None)
    for name in ("depth", "confidence") if want["confidence"] else ("depth",):
        found = getattr(got, name)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, np.array(want[name], float), rtol=0, atol=case["tolerance"])
    extent = [float(want[name]) for name in ("min", "max")]
    np.testing.assert_allclose([got.minimum, got.maximum], extent, rtol=0, atol=case["tolerance"])


@cases_of("mask-inputs")
def test_a_hole_becomes_the_mask_that_is_wanted(file: Path) -> None:
    case = read(file)
    spec = msgspec.convert({**case["mask"], "kind": "mask"}, MaskInput)
    hole = np.array([[pixel == "1" for pixel in row] for row in case["hole"]])
    tensor = mask_tensor(spec, resize_hole(hole, placement_of(case)))
    assert (tensor.dtype, list(tensor.shape)) == (np.dtype(spec.dtype), spec.shape)
    assert tensor.ravel().tolist() == case["want"]


def placement_of(case: dict[str, Any]) -> ImagePlacement:
    box, source = case["letterbox"], case["letterbox"]["source"]
    place = (source["width"], source["height"], box["left"], box["top"], box["width"], box["height"])
    return ImagePlacement(*place, *case["input"].values())


@cases_of("image")
def test_planes_become_the_picture(file: Path, tmp_path: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], ImageTask)
    planes = np.array(case["planes"], float).astype(np.float32)[None]
    output = planes.transpose(0, 2, 3, 1) if task.layout == "nhwc" else planes
    picture = tmp_path / "picture.png" if "picture" in case else None
    if picture is not None:
        source = case["letterbox"]["source"]
        pixels = np.array(case["picture"], np.uint8).reshape(source["height"], source["width"], 4)
        picture.write_bytes(encode_png(pixels))
    (got,) = decode_task(task, {task.output: output}, RunContext(placement_of(case), picture_file=picture))
    want = case["want"]
    assert got.rgba.shape == (want["height"], want["width"], 4)
    assert got.rgba.reshape(-1, 4).tolist() == want["rgba"]


@cases_of("matte")
def test_a_map_becomes_the_alpha_of_the_picture(file: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], MatteTask)
    output = np.array([float(value) for value in case["values"]], np.float32).reshape(case["dims"])
    box, size = case["letterbox"], case["input"]
    source = box["source"]
    placement = ImagePlacement(
        source["width"], source["height"], box["left"], box["top"], box["width"], box["height"], *size.values()
    )
    (got,) = decode_task(task, {task.output: output}, RunContext(placement))
    assert got.alpha.dtype == np.uint8
    np.testing.assert_allclose(got.alpha.astype(int), np.array(case["want"]["alpha"]), rtol=0, atol=case["tolerance"])


@cases_of("image-segmentation")
def test_maps_of_logits_become_the_regions_of_the_picture(file: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], ImageSegmentationTask)
    masks = [[[float(value) for value in row.split()] for row in mask] for mask in case["masks"]]
    outputs = {task.masks: np.array([masks], np.float32)}
    if task.scores is not None:
        outputs[task.scores] = np.array([case["scores"]], np.float32)
    box, size = case["letterbox"], case["input"]
    source = box["source"]
    placement = ImagePlacement(
        source["width"], source["height"], box["left"], box["top"], box["width"], box["height"], *size.values()
    )
    (got,) = decode_task(task, outputs, RunContext(placement))
    assert ["".join(map(str, row)) for row in got.map.tolist()] == case["want"]["map"]
    same([msgspec.to_builtins(each) for each in got.regions], case["want"]["regions"], case["tolerance"])


@cases_of("mask-channels")
def test_a_hole_becomes_the_fourth_channel(file: Path) -> None:
    case = read(file)
    image = msgspec.convert(case["input"], ImageInput)
    source, box = case["letterbox"]["source"], case["letterbox"]
    place = (source["width"], source["height"], box["left"], box["top"], box["width"], box["height"])
    height, width = input_size(image)
    hole = np.array([list(row) for row in case["hole"]]) == "1"
    cells = resize_hole(hole, ImagePlacement(*place, width, height))
    picture = np.array(case["picture"], np.float32).reshape(image.shape)
    assert isinstance(image.mask, MaskChannel)
    kept = with_zeroed_hole(picture, image, cells) if image.mask.empties_picture else picture
    assert with_mask_channel(kept, image, image.mask, cells).ravel().tolist() == case["want"]


@cases_of("size-inputs")
def test_the_sizes_that_are_wanted_are_filled_in(file: Path) -> None:
    case = read(file)
    inputs = msgspec.convert(case["inputs"], list[Input])
    image = next(spec for spec in inputs if isinstance(spec, ImageInput))
    high, wide = input_size(image)
    placement = place_image(case["source"]["width"], case["source"]["height"], wide, high, image.letterbox)
    got = size_feeds(inputs, placement)
    assert {
        name: {"type": array.dtype.name, "dims": list(array.shape), "data": array.ravel().tolist()}
        for name, array in got.items()
    } == case["want"]


@cases_of("input-validation")
def test_the_inputs_of_a_case_are_inputs_of_a_manifest(file: Path) -> None:
    assert msgspec.convert(read(file)["inputs"], list[Input])


def same(got: Any, want: Any, tolerance: float) -> None:
    """Assert that two trees are equal, numbers to within the tolerance."""
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        for key, value in want.items():
            same(got[key], value, tolerance)
    elif isinstance(want, list):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            same(one, other, tolerance)
    elif isinstance(want, str) or want is None:
        assert got == want
    else:
        assert abs(got - want) <= tolerance


@cases_of("crop")
def test_crops_become_the_tensor_that_is_wanted(file: Path) -> None:
    case = read(file)
    spec = msgspec.convert(case["input"], CropInput)
    rgba = np.array(case["image"]["rgba"], np.uint8).reshape(case["image"]["height"], case["image"]["width"], 4)
    crops = [place_crop(_crop_box(**each), spec) for each in case["boxes"]]
    tensor, placement = crops_to_tensor(rgba, spec, crops)
    assert list(tensor.shape) == spec.shape
    assert placement.crops == tuple(crops)
    np.testing.assert_allclose(tensor.ravel(), case["want"]["tensor"], rtol=0, atol=case["tolerance"])


@cases_of("keypoints")
def test_keypoints_of_crops_lie_where_they_are_wanted(file: Path) -> None:
    case = read(file)
    found = decode_task(msgspec.convert(case["task"], KeypointsTask), *_outputs_of_crops(case))
    want = case["want"]["poses"]
    assert [each.box for each in found] == [msgspec.convert(each["box"], Box) for each in want]
    numbers = [[[point.x, point.y, point.confidence] for point in each.keypoints] for each in found]
    np.testing.assert_allclose(numbers, [each["keypoints"] for each in want], rtol=0, atol=case["tolerance"])


@pytest.mark.parametrize("field", ["classes", "embedding"])
def test_what_is_said_of_crops_is_what_is_wanted(field: str) -> None:
    spec, folder = {
        "classes": (CropClassesTask, "crop-classes"),
        "embedding": (CropEmbeddingsTask, "crop-embeddings"),
    }[field]
    files = sorted((FOLDER / folder).glob("*.json"))
    assert len(files) > 1
    for case in map(read, files):
        found = decode_task(msgspec.convert(case["task"], spec), *_outputs_of_crops(case))
        got = [{"box": each["box"], field: each[field]} for each in msgspec.to_builtins(found)]
        same(json.loads(msgspec.json.encode(got)), case["want"]["detections"], case["tolerance"])


def _outputs_of_crops(case: dict[str, Any]) -> tuple[dict[str, NDArray[np.float32]], RunContext]:
    spec = msgspec.convert(case["input"], CropInput)
    rows, columns = input_size(spec)
    crops = tuple(place_crop(_crop_box(each, []), spec) for each in case["boxes"])
    place = ImagePlacement(0, 0, 0, 0, columns, rows, columns, rows, crops)
    outputs = {name: np.array(each["data"], np.float32).reshape(each["dims"]) for name, each in case["outputs"].items()}
    return outputs, RunContext(place)


def _crop_box(box: list[float], points: list[list[float]], polygon: list[list[float]] | None = None) -> CropBox:
    return msgspec.convert({"box": box, "points": points, "polygon": polygon or []}, CropBox)
