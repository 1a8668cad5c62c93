"""Manifests to write, read and render."""

from __future__ import annotations

import msgspec

from webbuild.manifest.manifest import (
    Engine,
    EngineBuild,
    File,
    Generator,
    Golden,
    Graph,
    HeadStatus,
    ImageInput,
    Input,
    Keypoint,
    Letterbox,
    Manifest,
    OptionInput,
    Output,
    PoseTask,
    Sample,
    Source,
    Stage,
    StageInput,
    Task,
    TensorInput,
    TensorTask,
)

HASH = "0123456789abcdef" * 4


def pose_task(
    classes: tuple[str, ...] = ("person",), keypoints: tuple[str, ...] = ("nose", "tail"), rows: int = 4, size: int = 3
) -> PoseTask:
    return PoseTask(
        output="rows",
        rows=rows,
        classes=list(classes),
        keypoints=[Keypoint(name=name, side="middle") for name in keypoints],
        keypoint_size=3 if size == 3 else 2,
        skeleton=[[0, 1]] if len(keypoints) > 1 else [],
    )


def image_input(height: int = 8, width: int = 8, name: str = "images") -> ImageInput:
    return ImageInput(
        name=name,
        shape=[1, 3, height, width],
        scale=1 / 255,
        mean=[0.0, 0.0, 0.0],
        std=[1.0, 1.0, 1.0],
        letterbox=Letterbox(),
    )


def manifest(task: Task | None = None, name: str = "tiny", title: str = "Tiny", text: str = "plain") -> Manifest:
    """Return a manifest with `text` in every field that a model's author controls."""
    task = task or pose_task()
    rows = Output(name="rows", dtype="float32", shape=[1, 4, 12])
    status = Output(name="head_status", dtype="float32", shape=[2])
    tensors = isinstance(task, TensorTask)
    graph = Graph(
        target="webgpu",
        file="model/webgpu-0.onnx",
        weights=["model/weights-0.bin"],
        nodes=3,
        outputs=[rows, status],
        head_status=HeadStatus(output="head_status", capacity=256, rounds=16, fallback="wasm"),
        cpu_nodes=["/resize"],
    )
    return Manifest(
        name=name,
        title=title,
        generator=Generator(version="0.0.0"),
        engine=Engine(version="1.0.0"),
        source=Source(file=text, sha256=HASH, size=12345, producer=text, license=text),
        task=task,
        inputs=[TensorInput(name=text, dtype="int64", shape=[1])]
        if tensors
        else [image_input(name=text), OptionInput(name="confidence", shape=[1], option="confidence", default=0.25)],
        outputs=[rows],
        graphs=[graph],
        engines=[EngineBuild(build="wasm", entry="a.mjs", glue="b.mjs", wasm="c.wasm.zst")],
        files=[File(path="a.mjs", size=1, sha256=HASH, uncompressed_size=1)],
        golden=Golden(sample=text, inputs={text: "golden/input-0.bin"}, outputs={"rows": "golden/output-0.bin"}),
        evaluation_thresholds={"confidence": 0.25},
        samples=[Sample(file="samples/one.jpg", title=text, width=640, height=480)],
        assumptions=[text],
    )


def stages_manifest() -> Manifest:
    """Return the manifest of a model of three stages; the last one takes outputs of both others."""
    shared = manifest(TensorTask())
    graph = msgspec.structs.replace(shared.graphs[0], head_status=None)

    def output(name: str, *shape: int) -> Output:
        return Output(name=name, dtype="float32", shape=list(shape))

    def stage(name: str, inputs: list[Input], outputs: list[Output], task: Task | None = None) -> Stage:
        return Stage(
            name=name,
            source=msgspec.structs.replace(shared.source, file=f"{name}.onnx"),
            task=task or TensorTask(),
            inputs=inputs,
            outputs=outputs,
            graphs=[msgspec.structs.replace(graph, file=f"model/{name}.onnx", outputs=outputs)],
            golden=None,
            evaluation_thresholds={},
        )

    def takes(name: str, stage: str, output: Output) -> StageInput:
        return StageInput(name=name, dtype=output.dtype, shape=output.shape, stage=stage, output=output.name)

    embedding, context, rows = output("embedding", 1, 8, 4, 4), output("context", 1, 8), output("rows", 1, 4, 12)
    middle = stage("middle", [takes("x", "encoder", embedding)], [context])
    last = [takes("embedding", "encoder", embedding), takes("y", "middle", context)]
    points = TensorInput(name="points", dtype="float32", shape=[1, 2, 2])
    return msgspec.structs.replace(
        shared,
        schema=2,
        stage_name="encoder",
        outputs=[embedding],
        golden=None,
        stages=[middle, stage("decoder", [*last, points], [rows], pose_task())],
    )
