"""The generated loader, its types and the page, for models with arbitrary names and texts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from tests.manifests import image_input, manifest, pose_task, stages_manifest
from webbuild.bundle.render import render_loader, render_page, render_types
from webbuild.manifest.manifest import (
    ClassifyTask,
    CropClassesTask,
    CropEmbeddingsTask,
    CropInput,
    DepthTask,
    DetectTask,
    ImageInput,
    Keypoint,
    KeypointsTask,
    Letterbox,
    Manifest,
    MaskGenerationTask,
    NumberInput,
    ObbTask,
    OptionInput,
    Output,
    PointPromptInput,
    SegmentTask,
    SimccHead,
    StateInput,
    Task,
    TensorInput,
    TensorTask,
    Variant,
)
from webbuild.ortweb import packaged_assets

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "\"; alert(1); '",
    "line\nbreak\r\nand\ttab",
    "\u2028\u2029\x00\x1b[31m",
    "`${alert(1)}`",
    "*/ alert(1) /*",
    "<!-- {{ 7 * 7 }} {% raw %} -->",
    "\\",
    "模型 🙂",
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
]
EACH = pytest.mark.parametrize("text", HOSTILE)


class Elements(HTMLParser):
    """Collects the tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def tasks(text: str) -> list[Task]:
    boxes = DetectTask(output="rows", rows=4, classes=[text, "other"])
    masks = SegmentTask(output="rows", protos="protos", rows=4, classes=[text, "other"], mask_coefficients=2)
    turned = ObbTask(output="rows", rows=4, classes=[text, "other"])
    classes = ClassifyTask(output="rows", classes=[text, "other"], logits=False)
    depth = DepthTask(output="rows", quantity="depth", unit="metres")
    return [pose_task((text, "other"), (text, "tail")), boxes, masks, turned, TensorTask(), classes, depth]


@EACH
@pytest.mark.parametrize("kind", range(7), ids=["pose", "detect", "segment", "obb", "tensor", "classify", "depth"])
def test_a_page_has_the_same_elements_whatever_the_model_is_called(text: str, kind: int) -> None:
    page = Elements(render_page(manifest(tasks(text)[kind], title=text, text=text), {}))
    plain = Elements(render_page(manifest(tasks("plain")[kind], title="plain", text="plain"), {}))
    assert page.tags == plain.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in plain.attributes]
    assert " ".join(text.replace("\x00", "\ufffd").split()) in " ".join(page.text.replace("\x00", "\ufffd").split())


def test_a_model_of_tensors_that_takes_a_picture_is_shown_pictures() -> None:
    tensors = manifest(TensorTask())
    pictured = msgspec.structs.replace(tensors, inputs=[image_input()])
    assert 'data-view="tensor" data-input="tensors"' in render_page(tensors, {})
    page = render_page(pictured, {})
    assert 'data-view="tensor" data-input="picture"' in page
    assert "model.run(image)" in page
    assert 'data-testid="sample-0"' in page
    also = TensorInput(name="mask", dtype="float32", shape=[1])
    both = msgspec.structs.replace(tensors, inputs=[image_input(), also])
    assert 'data-view="tensor" data-input="tensors"' in render_page(both, {})


@EACH
def test_no_address_and_no_handler_comes_from_the_model(text: str) -> None:
    page = Elements(render_page(manifest(tasks(text)[0], title=text, text=text), {}))
    for name, value in page.attributes:
        assert not name.startswith("on")
        if name in ("href", "src"):
            assert value is not None
            assert value.startswith(("./", "#"))


def test_a_page_has_no_inline_script_or_style() -> None:
    page = render_page(manifest(), {"./page/page.css": "sha384-a", "./page/page.js": "sha384-b", "./m.js": "sha384-c"})
    assert re.findall(r"<script[^>]*>([^<]*)</script>", page) == [""]
    assert re.findall(r'<link rel="stylesheet" href="(.*)" integrity="(.*)">', page) == [
        ("./page/page.css", "sha384-a")
    ]
    assert re.findall(r'<script type="module" async src="(.*)" integrity="(.*)">', page) == [
        ("./page/page.js", "sha384-b")
    ]
    assert re.findall(r'<link rel="modulepreload" href="(.*)" integrity="(.*)">', page) == [("./m.js", "sha384-c")]
    assert "<style" not in page
    assert " style=" not in page


@EACH
def test_class_names_become_string_literals_of_plain_characters(text: str) -> None:
    types = render_types(manifest(tasks(text)[0]))
    assert types.isascii()
    union = re.search(r"export type Label = (.*);", types)
    assert union is not None
    first = union[1].partition(" | ")[0] if " | " not in text else union[1]
    assert json.loads(first) == text
    assert "alert(1) /*" not in types
    assert "</script" not in types


@EACH
def test_a_model_of_tensors_says_of_its_maker_the_names_of_outputs_alone(text: str) -> None:
    assert render_types(manifest(TensorTask(), title=text, text=text)) == render_types(manifest(TensorTask()))
    types = render_types(named_outputs(text))
    assert types.isascii()
    name = re.search(r'^  (".*"): OutputTensor<"int64", \[1, number, 2\]>;$', types, re.MULTILINE)
    assert name is not None
    assert json.loads(name[1]) == text
    assert "</script" not in types
    page, plain = (Elements(render_page(named_outputs(each), {})) for each in (text, "plain"))
    assert page.tags == plain.tags
    snippet = re.search(r'outputs\[(".*")\];', page.text)
    assert snippet is not None
    assert json.loads(snippet[1]) == text


def named_outputs(name: str) -> Manifest:
    """Return a manifest of plain tensors with an output of this name and another one, both of unknown sizes."""
    outputs = [Output(name=name, dtype="int64", shape=[1, -1, 2]), Output(name="scores", dtype="float32", shape=[])]
    return msgspec.structs.replace(manifest(TensorTask()), outputs=outputs)


def two_sizes() -> Manifest:
    """Return a manifest of plain tensors for images of 32 x 32, with variants for a batch of 4 and for 32 x 48."""
    small = msgspec.structs.replace(manifest(TensorTask()), inputs=[picture(32, 32)])
    other = Variant(
        task=small.task,
        inputs=[picture(32, 48)],
        outputs=[msgspec.structs.replace(small.outputs[0], shape=[1, 6, 12])],
        graphs=small.graphs,
        disabled_targets=[],
        evaluation_thresholds={},
    )
    several = msgspec.structs.replace(small.inputs[0], shape=[4, 3, 32, 32])
    four = [msgspec.structs.replace(each, shape=[4, *each.shape[1:]]) for each in small.outputs]
    batch = msgspec.structs.replace(other, inputs=[several], outputs=four)
    return msgspec.structs.replace(small, variants=[batch, other])


def picture(width: int, height: int) -> ImageInput:
    """Return an image input of a size."""
    shape = [1, 3, height, width]
    return ImageInput(name="x", shape=shape, scale=1.0, mean=[0.0] * 3, std=[1.0] * 3, letterbox=Letterbox())


def test_the_page_offers_the_sizes_of_a_model_that_has_several() -> None:
    page = render_page(two_sizes(), {})
    assert re.findall(r'name="size" value="([^"]*)"', page) == ["", "32x32", "32x48"]
    assert 'name="size"' not in render_page(manifest(TensorTask()), {})


def clicked() -> Manifest:
    """Return the manifest of an encoder and a decoder that takes clicks."""
    whole = stages_manifest()
    assert whole.stages
    masks = Output(name="masks", dtype="float32", shape=[1, 1, 8, 8])
    scores = Output(name="scores", dtype="float32", shape=[1, 1])
    task = MaskGenerationTask(
        masks="masks",
        scores="scores",
        single=0,
        multi=[],
        frame=[32, 32],
        box="corners",
        padding_point=True,
        through_input=True,
    )
    points = PointPromptInput(name="points", dtype="float32", shape=[1, 2, 2], role="points")
    decoder = msgspec.structs.replace(whole.stages[0], task=task, inputs=[points], outputs=[masks, scores])
    return msgspec.structs.replace(whole, stages=[decoder])


def cropped(task: Task | None = None) -> Manifest:
    """Return the manifest of a detector with two sizes and a crop model; each has its own option."""
    whole, found = stages_manifest(), two_sizes()
    assert whole.stages
    share = OptionInput(name="score", shape=[1], option="confidence", default=0.25)
    picture_of = [spec for spec in found.inputs if isinstance(spec, ImageInput)]
    crops = CropInput(name="crop", shape=[1, 3, 32, 24], scale=1.0, mean=[0.0] * 3, std=[1.0] * 3)
    width = NumberInput(name="width", shape=[1], default=1.0)
    points = msgspec.structs.replace(whole.stages[0], name="points", task=task or landmarks(), inputs=[crops, width])
    return msgspec.structs.replace(found, schema=2, stage_name="boxes", inputs=[*picture_of, share], stages=[points])


def chained() -> Manifest:
    """Return the manifest of a detector followed by keypoints, classes and embeddings of the crops."""
    found = cropped()
    classes = CropClassesTask(output="rows", classes=["a", "b"], logits=True)
    points = (found.stages or [])[0]
    tasks = {"points": points.task, "which": classes, "who": CropEmbeddingsTask(output="rows", size=8)}
    stages = [msgspec.structs.replace(points, name=name, task=task) for name, task in tasks.items()]
    return msgspec.structs.replace(found, stages=stages)


def test_the_page_says_what_each_stage_of_crops_adds() -> None:
    said = "of each 2 keypoints, which of 2 classes it is and a vector of 8 numbers, looked at in crops."
    assert f"Finds objects, and {said}" in render_page(chained(), {})


def landmarks() -> KeypointsTask:
    """Return the task of a model that finds two keypoints in a crop."""
    points = [Keypoint(name=name, side="middle") for name in ("nose", "tail")]
    return KeypointsTask(head=SimccHead(x="x", y="y"), classes=["person"], keypoints=points, skeleton=[])


def test_the_page_of_clicks_looks_once_and_names_the_files_of_all_stages() -> None:
    model = clicked()
    assert model.stages
    encoder, decoder = (
        msgspec.structs.replace(each.source, size=size)
        for each, size in zip(model.every_stage, (2_000_000, 3_000_000), strict=True)
    )
    stages = [msgspec.structs.replace(model.stages[0], source=decoder)]
    page = Elements(render_page(msgspec.structs.replace(model, source=encoder, stages=stages), {}))
    text = " ".join(page.text.split())
    assert "scene = await model.look(image); const { masks } = await scene.segment({ points: [{ x, y }] });" in text
    assert "model.run(" not in text
    assert "or drag a box around it" in text
    assert f"{encoder.file} + {decoder.file}" in text
    assert "5.0 MB" in text


def stateful() -> Manifest:
    """A model of tensors with state."""
    x = TensorInput(name="x", dtype="float32", shape=[1, 512])
    state = StateInput(name="h", dtype="float32", shape=[2, 1, 64], output="hn")
    return msgspec.structs.replace(manifest(TensorTask()), inputs=[x, state])


def test_the_page_of_a_model_with_state_resets_it_and_takes_no_state() -> None:
    page = render_page(stateful(), {})
    assert 'data-testid="state-reset"' in page
    assert "Takes 1 tensor, returns" in page
    assert "<code>h</code>" not in page
    assert "state-reset" not in render_page(manifest(TensorTask()), {})


def test_equal_class_names_are_listed_once_and_no_classes_are_never() -> None:
    assert 'Label = "a" | "b";' in render_types(manifest(pose_task(("a", "b", "a"))))
    assert "Label = never;" in render_types(manifest(pose_task(())))


def test_the_loader_names_no_file_but_the_runtime_and_the_manifest() -> None:
    assert re.findall(r'"(\./[^"]+)"', render_loader()) == ["./runtime/webbuild.js"] * 2 + ["./manifest.json"]


def test_the_loader_is_a_javascript_module(tmp_path: Path) -> None:
    (tmp_path / "loader.mjs").write_text(render_loader(), "utf-8")
    subprocess.run(["node", "--check", tmp_path / "loader.mjs"], check=True)


TSC = ("node", Path(__file__).parents[2] / "node_modules" / "typescript" / "bin" / "tsc")
RUNTIME_TYPES = packaged_assets.WEB_ROOT / "runtime" / "webbuild.d.ts"


def test_the_types_name_no_generic_array_which_typescript_before_5_7_has_none_of() -> None:
    types = RUNTIME_TYPES.read_text("utf-8")
    assert "ReturnType<typeof Float32Array.from>" in types
    assert re.findall(r"\w+Array<\w*Buffer", types) == []


def test_the_types_are_typescript_whatever_the_classes_are_called(tmp_path: Path) -> None:
    (tmp_path / "runtime").mkdir()
    shutil.copy(RUNTIME_TYPES, tmp_path / "runtime" / "webbuild.d.ts")
    for index, text in enumerate(HOSTILE):
        for kind, task in enumerate(tasks(text)):
            (tmp_path / f"model-{index}-{kind}.d.ts").write_text(render_types(manifest(task)), "utf-8")
        (tmp_path / f"outputs-{index}.d.ts").write_text(render_types(named_outputs(text)), "utf-8")
    faded = DepthTask(output="rows", confidence="sure", quantity="depth", unit="metres")
    (tmp_path / "depth.d.ts").write_text(render_types(manifest(faded)), "utf-8")
    (tmp_path / "stateful.d.ts").write_text(render_types(stateful()), "utf-8")
    (tmp_path / "sized.d.ts").write_text(render_types(two_sizes()), "utf-8")
    (tmp_path / "staged.d.ts").write_text(render_types(stages_manifest()), "utf-8")
    (tmp_path / "clicked.d.ts").write_text(render_types(clicked()), "utf-8")
    (tmp_path / "cropped.d.ts").write_text(render_types(cropped()), "utf-8")
    classes = CropClassesTask(output="rows", classes=["a", "b"], logits=True)
    (tmp_path / "classed.d.ts").write_text(render_types(cropped(classes)), "utf-8")
    (tmp_path / "embedded.d.ts").write_text(render_types(cropped(CropEmbeddingsTask(output="rows", size=8))), "utf-8")
    (tmp_path / "chained.d.ts").write_text(render_types(chained()), "utf-8")
    (tmp_path / "use.ts").write_text(
        'import { load as loadChained } from "./chained.js";\n'
        "const [face] = (await (await loadChained()).run(new Blob())).detections;\n"
        'export const point: "nose" | "tail" | undefined = face?.keypoints[0]?.name;\n'
        "export const faceVector: Float32Array<ArrayBuffer> | undefined = face?.embedding;\n"
        "export const faceScore: number | undefined = face?.classes[0]?.score;\n"
        'import { load as loadSized, type Size } from "./sized.js";\n'
        "const sized = await loadSized({ size: [32, 48] });\n"
        'sized.addEventListener("warning", ({ detail }) => detail.code);\n'
        "export const heard: string = sized.report(new Error());\n"
        "export const held: readonly [number, number] | undefined = sized.sizes[0];\n"
        "export const { dims } = (await sized.run(new Blob(), { size: 32 })).outputs.rows;\n"
        "export const counted: [1, number, 12] = dims;\n"
        "export const both: number = (await sized.run([new Blob(), new Blob()])).length;\n"
        "// @ts-expect-error: it is not packed for that\n"
        "export const size: Size = 48;\n"
        'import { load, type KeypointName } from "./model-0-0.js";\n'
        "const { poses } = await (await load()).run(new Blob(), { confidence: 0.5 });\n"
        "await (await load()).run(new Blob(), { slices: { size: [640, 480], overlap: 0.2 }, onProgress: () => {} });\n"
        "// @ts-expect-error: slices have a size\n"
        "await (await load()).run(new Blob(), { slices: { overlap: 0.2 } });\n"
        "export const names: KeypointName[] | undefined = poses[0]?.keypoints.map((point) => point.name);\n"
        'import { load as loadMasks, type Label, toCoco, toPng, toSupervision } from "./model-0-2.js";\n'
        "const masks = await (await loadMasks()).run(new Blob());\n"
        "const { segments } = masks;\n"
        "export const handed: object[] = [toCoco(masks), toSupervision(masks)];\n"
        "export const cut: Promise<Blob> = toPng(masks, 0);\n"
        "export const cells: Uint8Array | undefined = segments[0]?.mask.data;\n"
        "export const labels: Label[] = segments.map(({ label }) => label);\n"
        'import { load as loadTurned } from "./model-0-3.js";\n'
        'await (await loadMasks()).run(new Blob(), { slices: { size: 640, merge: "greedy-nmm" } });\n'
        'await (await loadTurned()).run(new Blob(), { slices: { size: 640, merge: "nms" } });\n'
        "// @ts-expect-error: what is around two rotated boxes is none\n"
        'await (await loadTurned()).run(new Blob(), { slices: { size: 640, merge: "greedy-nmm" } });\n'
        "const { objects } = await (await loadTurned()).run(new Blob());\n"
        "export const across: number | undefined = objects[0]?.corners[0].x;\n"
        'import { depthAt, load as loadDepth, toCoco as noBoxes, toJson } from "./depth.js";\n'
        "const model = await loadDepth();\n"
        "export const first: number | undefined = (await model.run(new Blob())).depth[0];\n"
        'const shown = await model.run(new Blob(), { depth: ["colors", "map"], confidenceAlpha: true });\n'
        "export const [colors, at]: [ImageBitmap, number] = [shown.colors, depthAt(shown, 1, 2)];\n"
        "export const values: number = shown.map.values.length;\n"
        "// @ts-expect-error: depth has no boxes\n"
        "export const boxes = noBoxes(shown);\n"
        "export const json: Record<string, unknown> = toJson(shown);\n"
        "// @ts-expect-error: only where they were asked for\n"
        "export const none: number = shown.depth.length;\n"
        'import { load as loadTensors, type Outputs } from "./model-0-4.js";\n'
        "const tensors = await loadTensors();\n"
        "const { outputs } = await tensors.run(new Blob());\n"
        'export const rows: Float32Array = outputs["rows"].data;\n'
        'export const [, four]: [1, 4, 12] = outputs["rows"].dims;\n'
        "export const again: Outputs = await tensors.runTensors(outputs);\n"
        "// @ts-expect-error: no output is called so\n"
        'export const typo = outputs["row"];\n'
        "// @ts-expect-error: nor are its numbers of that type\n"
        'export const whole: BigInt64Array = outputs["rows"].data;\n'
        'import { load as loadLoose } from "./outputs-0.js";\n'
        "const loose = await (await loadLoose()).runTensors({});\n"
        'export const sizes: number[] = loose["scores"].dims;\n'
        'import { load as loadState } from "./stateful.js";\n'
        "const recurrent = await loadState();\n"
        "const state = recurrent.newState();\n"
        "await recurrent.runTensors({}, { state });\n"
        "export const steps: number = recurrent.state.steps + state.steps;\n"
        "for await (const outputs of recurrent.streamTensors([{}], { state }))\n"
        '  console.log(outputs["rows"].dims);\n'
        "await recurrent.restore(await recurrent.snapshot());\n"
        "// @ts-expect-error: a model without state has none\n"
        "export const wrong: number = tensors.state.steps;\n"
        'import { load as loadStaged } from "./staged.js";\n'
        "const scene = await (await loadStaged()).look(new Blob());\n"
        "export const found: number = (await scene.run()).poses.length;\n"
        "await scene.runTensors({}, { signal: AbortSignal.timeout(9) });\n"
        'import { load as loadClicked } from "./clicked.js";\n'
        "const clicked = await (await loadClicked()).look(new Blob());\n"
        "const pointed = await clicked.segment({ points: [{ x: 1, y: 2 }], labels: [1] });\n"
        "export const covered: Uint8Array | undefined = pointed.masks[0]?.mask;\n"
        "await clicked.segment({ box: { x1: 0, y1: 0, x2: 9, y2: 9 }, mask: pointed.logits });\n"
        "const all = await clicked.everything({ pointsPerSide: 8, onProgress: ({ done }) => console.log(done) });\n"
        'import { maskPixels } from "./clicked.js";\n'
        "export const pixels: Uint8Array[] = all.masks.map(({ mask }) => maskPixels(mask));\n"
        "// @ts-expect-error: the model takes no text\n"
        'await clicked.segment({ prompt: "a cup" });\n'
        'import { load as loadCropped, type LookOptions, type RunOptions, type SceneOptions } from "./cropped.js";\n'
        "const cropped = await loadCropped();\n"
        "const people = await cropped.look(new Blob(), { confidence: 0.4, size: 32 });\n"
        "const { poses: posed } = await people.run({ numbers: { width: 2 } });\n"
        'export const nose: "nose" | "tail" | undefined = posed[0]?.keypoints[0]?.name;\n'
        'import { load as loadClassed, toCoco as classedCoco } from "./classed.js";\n'
        "const classed = await (await loadClassed()).run(new Blob());\n"
        "export const best: string | undefined = classed.detections[0]?.classes[0]?.label;\n"
        "export const coco: object = classedCoco(classed);\n"
        'import { load as loadEmbedded } from "./embedded.js";\n'
        "const embedded = await (await loadEmbedded()).run(new Blob());\n"
        "export const vector: Float32Array | undefined = embedded.detections[0]?.embedding;\n"
        "// @ts-expect-error: vectors are no classes\n"
        "export const unnamed = embedded.detections[0]?.classes;\n"
        "await cropped.run(new Blob(), { confidence: 0.4, size: 32, numbers: { width: 2 } });\n"
        "let crops = 0;\n"
        "await cropped.run(new Blob(), { onProgress: ({ done }) => { crops = done; } });\n"
        "// @ts-expect-error: the detector looks at the whole picture\n"
        "await cropped.look(new Blob(), { onProgress: () => {} });\n"
        "// @ts-expect-error: the first stage takes no such number\n"
        "await cropped.look(new Blob(), { numbers: { width: 2 } });\n"
        "// @ts-expect-error: the last stage is asked nothing about boxes\n"
        "await people.run({ confidence: 0.4 });\n"
        "// @ts-expect-error: the size is that of the look\n"
        "await people.run({ size: 32 });\n"
        "// @ts-expect-error: stages run on the whole picture\n"
        "await cropped.run(new Blob(), { slices: { size: 640 } });\n"
        "// @ts-expect-error: nor in tiles\n"
        "await cropped.run(new Blob(), { tiles: false });\n"
        "export const parts: (keyof RunOptions)[] = [] as (keyof LookOptions | keyof SceneOptions)[];\n"
        'import type { Manifest } from "./depth.js";\n'
        'export const file: Manifest["files"][number]["path"] = "model.onnx";\n'
        "// @ts-expect-error: the parts of a manifest would shadow what the browser calls so\n"
        'export type { File, Generator } from "./depth.js";\n'
    )
    options = ["--noEmit", "--strict", "--target", "esnext", "--module", "esnext", "--moduleResolution", "bundler"]
    done = subprocess.run([*TSC, *options, *tmp_path.glob("*.ts")], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode()
