"""`pack --pipeline FILE`: named stages, joined as the file says; an error names the place and the fix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.click_models import DECODER as CLICK_DECODER
from tests.click_models import click_pair
from tests.commands.program import ROOT, Done, webbuild
from tests.crop_models import DETECTOR, keypoints
from tests.models import DETECT, HEADER, detector, parsed, save
from tests.stages import DECODER, pair, stage
from tests.stateful import GRU, stateful
from webbuild.compile.stages.glue_file import glue_problem
from webbuild.compile.stages.pipeline_file import pipeline_schema
from webbuild.manifest.manifest import CropInput, Glue, StageInput, StageOutput, decode

pytestmark = pytest.mark.usefixtures("stand_in")

STAGES = """
[stages.eye]
model = "toy_encoder.onnx"

[stages.hand]
model = "toy_decoder.onnx"
"""
JOINS = """
[joins]
hand.features = "eye.embedding"
hand.fine = "eye.detail"
"""
RENAMED = DECODER.replace("embedding", "features").replace("detail", "fine")


def pack_pipeline(folder: Path, text: str, decoder: str = RENAMED) -> Done:
    """Pack the pipeline file with this text."""
    pair(folder, decoder=decoder)
    path = folder / "toys.toml"
    path.write_text(text)
    return webbuild("pack", "--pipeline", path, "-o", folder / "out", "--no-verify")


def test_a_pipeline_names_its_stages_and_joins_what_it_says(tmp_path: Path) -> None:
    done = pack_pipeline(tmp_path, STAGES + JOINS)
    assert done.code == 0, done.stderr
    manifest = decode((tmp_path / "out" / "manifest.json").read_bytes())
    eye, hand = manifest.every_stage
    assert (manifest.name, eye.stage_name, hand.stage_name) == ("toys", "eye", "hand")
    joined = {each.name: (each.stage, each.output) for each in hand.inputs if isinstance(each, StageInput)}
    assert joined == {"features": ("eye", "embedding"), "fine": ("eye", "detail")}


def test_what_a_stage_joins_is_all_that_it_takes(tmp_path: Path) -> None:
    """`detail` has the name of an output, but the file does not join it: it stays an input of the caller."""
    done = pack_pipeline(tmp_path, STAGES + '\n[joins]\nhand.embedding = "eye.embedding"\n', DECODER)
    assert done.code == 0, done.stderr
    hand = decode((tmp_path / "out" / "manifest.json").read_bytes()).every_stage[1]
    assert [each.__struct_config__.tag for each in hand.inputs] == ["stage", "tensor", "tensor"]


def test_stages_run_in_the_order_of_their_joins(tmp_path: Path) -> None:
    eye, hand = STAGES.split("\n\n")
    done = pack_pipeline(tmp_path, f"{hand}\n{eye}\n{JOINS}")
    assert done.code == 0, done.stderr
    assert "the stages run in this order: eye, hand" in done.stderr


def test_stages_without_joins_are_joined_by_names(tmp_path: Path) -> None:
    done = pack_pipeline(tmp_path, STAGES, DECODER)
    assert done.code == 0, done.stderr


def test_a_task_is_that_of_its_stage(tmp_path: Path) -> None:
    """An encoder whose task is given as `tensor` takes tensors, not images."""
    text = STAGES.replace('encoder.onnx"', 'encoder.onnx"\ntask = "tensor"')
    done = pack_pipeline(tmp_path, text, DECODER)
    assert done.code == 0, done.stderr
    manifest = decode((tmp_path / "out" / "manifest.json").read_bytes())
    assert [each.__struct_config__.tag for each in manifest.inputs] == ["tensor"]


GLUED = STAGES.replace('decoder.onnx"', 'decoder.onnx"\nglue = "point.js"\nreads = ["eye.detail"]')


def test_glue_lies_in_the_bundle_with_what_it_reads(tmp_path: Path) -> None:
    (tmp_path / "point.js").write_text("export default () => ({});\n")
    done = pack_pipeline(tmp_path, GLUED + JOINS.replace('hand.fine = "eye.detail"', ""))
    assert done.code == 0, done.stderr
    assert "note: point.js did not run in this proof" in done.stderr
    manifest = decode((tmp_path / "out" / "manifest.json").read_bytes())
    assert manifest.stages
    glue = manifest.stages[0].glue_module
    assert glue == Glue(file="glue/hand.js", reads=[StageOutput(stage="eye", output="detail")])
    assert (tmp_path / "out" / "glue" / "hand.js").read_text() == "export default () => ({});\n"
    assert "glue/hand.js" in {file.path for file in manifest.files}
    assert [each.name for each in manifest.every_stage[1].inputs if isinstance(each, StageInput)] == ["features"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("({ eye }) => ({ vector: eye.detail })", ["detail"]),
        ('({ eye }) => ({ vector: eye["embedding"] })', ["embedding"]),
        ("({ eye: { detail, embedding } }) => ({})", ["embedding", "detail"]),
        ("(tensors) => Object.values(tensors) // not the detail", ["embedding", "detail"]),
        ("(_, { results }) => ({ vector: results.eye.details })", []),
    ],
)
def test_what_glue_reads_stands_in_it(tmp_path: Path, text: str, read: list[str]) -> None:
    (tmp_path / "point.js").write_text(f"export default {text}\n")
    done = pack_pipeline(tmp_path, GLUED.replace('\nreads = ["eye.detail"]', ""))
    assert done.code == 0, done.stderr
    manifest = decode((tmp_path / "out" / "manifest.json").read_bytes())
    assert manifest.stages
    assert manifest.stages[0].glue_module
    assert [each.output for each in manifest.stages[0].glue_module.reads] == read


def test_outputs_that_only_glue_reads_join_stages(tmp_path: Path) -> None:
    (tmp_path / "point.js").write_text("export default () => ({});\n")
    done = pack_pipeline(tmp_path, GLUED)
    assert done.code == 0, done.stderr
    hand = decode((tmp_path / "out" / "manifest.json").read_bytes()).every_stage[1]
    assert not any(isinstance(each, StageInput) for each in hand.inputs)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (('glue = "point.js"\n', ""), "stages.hand.reads: there is no glue"),
        (("point.js", "none.js"), "none.js: no such file"),
        (("eye.detail", "ear.detail"), "stages.hand.reads: there is no stage ear"),
        (("eye.detail", "eye.details"), "stages.hand.reads: toy_encoder.onnx has no output details"),
    ],
    ids=["no glue", "no file", "no stage", "no output"],
)
def test_glue_that_cannot_be_is_named(tmp_path: Path, change: tuple[str, str], place: str) -> None:
    (tmp_path / "point.js").write_text("export default () => ({});\n")
    done = pack_pipeline(tmp_path, GLUED.replace(*change))
    assert (done.code, done.error) == (2, "invalid-pipeline"), done.stderr
    assert place in done.stderr


DETECTED = """
[stages.find]
model = "FIND"
task = "TASK"

[stages.look]
model = "LOOK"
"""


def pack_detected(folder: Path, look: Path, rest: str = "", find: str = str(DETECTOR), task: str = "pose") -> Done:
    """Pack a detector, a model that runs after it, and the `rest` of the file."""
    path = folder / "people.toml"
    path.write_text(DETECTED.replace("FIND", find).replace("TASK", task).replace("LOOK", look.name) + rest)
    return webbuild("pack", "--pipeline", path, "-o", folder / "out", "--no-verify")


def test_a_stage_without_joins_looks_at_crops(tmp_path: Path) -> None:
    done = pack_detected(tmp_path, keypoints(tmp_path))
    assert done.code == 0, done.stderr
    find, look = decode((tmp_path / "out" / "manifest.json").read_bytes()).every_stage
    assert (find.stage_name, look.stage_name) == ("find", "look")
    assert isinstance(look.inputs[0], CropInput)
    report = " ".join((tmp_path / "out" / "report.html").read_text().split())
    assert "Detections of the original and patched graphs" in report
    assert "1 crop</span>" not in report
    assert "crops of boxes -&gt; input" in report


LOOK = f"{HEADER} look (float[N,C,A] raw) => (float[N,C,A] y) {{ y = Relu (raw) }}"


def test_a_stage_of_which_nothing_is_taken_is_named(tmp_path: Path) -> None:
    """Stages before a crop stage provide its boxes; a stage after it still needs a consumer."""
    save(parsed(LOOK), tmp_path / "spare.onnx")
    save(parsed(LOOK), tmp_path / "used.onnx")
    stages = "[stages.spare]\nmodel = 'spare.onnx'\n[stages.used]\nmodel = 'used.onnx'\n"
    joins = "[joins]\nspare.raw = 'look.simcc_x'\nused.raw = 'look.simcc_x'\n"
    done = pack_detected(tmp_path, keypoints(tmp_path), stages + joins)
    assert (done.code, done.error) == (2, "stages-not-joined"), done.stderr
    assert "no output is an input of the next stage: spare.onnx gives" in done.stderr


def test_tensors_of_a_stage_that_looks_at_crops_are_refused(tmp_path: Path) -> None:
    """The number of crops is the number of people in an image: no stage can take their tensors."""
    save(parsed(LOOK), tmp_path / "tiny-joined.onnx")
    rest = "[stages.after]\nmodel = 'tiny-joined.onnx'\n[joins]\nafter.raw = 'look.simcc_x'"
    done = pack_detected(tmp_path, keypoints(tmp_path), rest)
    assert (done.code, done.error) == (2, "tensors-of-crops"), done.stderr
    assert "tiny-rtmpose.onnx runs on crops, and tiny-joined.onnx after it takes tensors" in done.stderr


def test_glue_after_a_stage_that_looks_at_crops_is_refused(tmp_path: Path) -> None:
    """Such glue would read results only: it takes no tensors, and nothing in the file says so."""
    save(parsed(LOOK), tmp_path / "tiny-glued.onnx")
    (tmp_path / "g.js").write_text("export default (_, { results }) => ({ raw: results.look.poses });")
    rest = "[stages.after]\nmodel = 'tiny-glued.onnx'\nglue = 'g.js'\n"
    done = pack_detected(tmp_path, keypoints(tmp_path), rest)
    assert (done.code, done.error) == (2, "tensors-of-crops"), done.stderr
    assert "tiny-rtmpose.onnx runs on crops, and glue makes the inputs of tiny-glued.onnx after it" in done.stderr


@pytest.mark.parametrize("rest", ["[joins]\nlook.raw = 'find.output0'", "glue = 'g.js'\nreads = ['find.output0']"])
def test_an_output_that_lowering_replaces_cannot_be_taken(tmp_path: Path, rest: str) -> None:
    """Detection rows replace the raw tensor, which the detector's file still has."""
    (tmp_path / "g.js").write_text("export default () => ({});\n")
    save(detector(metadata=DETECT), tmp_path / "find.onnx")
    look = save(parsed(LOOK), tmp_path / "look.onnx")
    done = pack_detected(tmp_path, look, rest, find="find.onnx", task="detect")
    assert (done.code, done.error) == (2, "stage-mismatch"), done.stderr
    assert "of look.onnx takes 'output0' of stage find, but the packed graph has no output of this name" in done.stderr
    assert "it gives 'detections' float32 [1, 64, 6]" in done.stderr
    assert 'task = "tensor"' in done.stderr


REFINER = f"{HEADER} refiner (float[1,4,32,32] masks) => (float[1,4,32,32] refined) {{ refined = HardSwish (masks) }}"
RESIZING = CLICK_DECODER.replace("high,wide", "32,32").replace(", float[2] orig_im_size", "")
RESIZING = RESIZING.replace("Cast <to = 7> (orig_im_size)", "Constant <value_ints = [32, 32]> ()")


def test_masks_that_a_later_stage_takes_are_kept(tmp_path: Path) -> None:
    """A click decoder loses its resized masks, unless another stage takes them."""
    encoder, refiner = click_pair(tmp_path)[0], save(parsed(REFINER), tmp_path / "click_refiner.onnx")
    decoder = stage(RESIZING, tmp_path / "click_decoder.onnx")
    done = webbuild("pack", encoder, decoder, refiner, "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    refined = decode((tmp_path / "out" / "manifest.json").read_bytes()).every_stage[-1].inputs
    assert [(each.stage, each.output) for each in refined if isinstance(each, StageInput)] == [("decoder", "masks")]


def test_a_stage_that_remembers_is_refused(tmp_path: Path) -> None:
    encoder = f"{HEADER} encoder (float[1,8] raw) => (float[1,8] x) {{ x = Tanh (raw) }}"
    files = save(parsed(encoder), tmp_path / "gru_encoder.onnx"), save(stateful(GRU), tmp_path / "gru_cell.onnx")
    done = webbuild("pack", *files, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "stage-with-state"), done.stderr
    assert "gru_cell.onnx takes 'state' from its last run" in done.stderr
    done = webbuild("pack", *files, "-o", tmp_path / "out", "--no-verify", "--state", "none")
    assert done.code == 0, done.stderr


SKETCH = f"{HEADER} sketch (float[1,3,32,32] image) => (float[1,3,32,32] coarse) {{ coarse = Tanh (image) }}"
REFINE = f"""{HEADER}
refine (float[1,3,32,32] coarse, SECOND) => (float[1,3,32,32] refined) {{ refined = Mul (coarse, other) }}
"""


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (", float[1,1,32,32] other", "input 'other' of refine.onnx takes a hole in the picture"),
        (", float[1,3,32,32] other", "input 'other' of refine.onnx takes a second picture"),
        ("", "task image makes a picture from a picture, and refine.onnx takes 'coarse' of stage eye"),
    ],
)
def test_only_the_first_stage_takes_holes_and_pictures_to_change(tmp_path: Path, second: str, said: str) -> None:
    """A later stage may take them as tensors, from the caller or from the first stage."""
    refine = REFINE.replace(", SECOND", second)
    save(parsed(SKETCH), tmp_path / "sketch.onnx")
    save(parsed(refine if second else refine.replace("other", "coarse")), tmp_path / "refine.onnx")
    stages = STAGES.replace("toy_encoder", "sketch").replace("toy_decoder", "refine")
    path = tmp_path / "pictures.toml"
    path.write_text(f'{stages}task = "image"\n')
    done = webbuild("pack", "--pipeline", path, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "stage-with-picture"), done.stderr
    assert said in done.stderr
    assert 'task = "tensor" for stage hand' in done.stderr
    path.write_text(f'{stages}task = "tensor"\n')
    done = webbuild("pack", "--pipeline", path, "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr


@pytest.mark.parametrize("file", ["../secret.js", "linked.js", "key.txt", "binary.js"])
def test_glue_is_a_javascript_file_of_the_folder(tmp_path: Path, file: str) -> None:
    """A bundle is published: a file from elsewhere, or one that is no module, must not get into it."""
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "secret.js").write_text("export default () => ({});\n")
    (folder / "linked.js").symlink_to(tmp_path / "secret.js")
    (folder / "key.txt").write_text("export default () => ({});\n")
    (folder / "binary.js").write_bytes(b"\xff\xfe\x00")
    done = pack_pipeline(folder, GLUED.replace("point.js", file))
    assert (done.code, done.error) == (2, "invalid-pipeline"), done.stderr
    assert f"stages.hand.glue: {folder / file}: it " in done.stderr
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    "text",
    [
        'import { best } from "./helper.js";',
        "import{best}from'../helper.js'",
        'import "./helper.js";',
        'const { best } = await import("./helper.js");',
        'export { default } from "lodash";',
    ],
)
def test_glue_that_imports_another_file_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "point.js"
    file.write_text(f"{text}\nexport default () => ({{}});\n")
    problem = glue_problem(file, tmp_path)
    assert problem is not None
    assert "and only this file is copied into the bundle" in problem.what
    assert "one file" in problem.fix


@pytest.mark.parametrize(
    "text",
    [
        '/** @type {import("./runtime/webbuild.js").GlueFunction} */',
        '// import "./helper.js"',
        'import { best } from "https://example.com/best.js"; // not from "./best.js"',
        'const letters = Array.from("abc");',
    ],
)
def test_glue_that_is_whole_is_taken(tmp_path: Path, text: str) -> None:
    file = tmp_path / "point.mjs"
    file.write_text(f"{text}\nexport default () => ({{}});\n")
    assert glue_problem(file, tmp_path) is None


@pytest.mark.parametrize(
    ("text", "place", "fix"),
    [
        ("[stages", "is not TOML", "[stages.encoder]"),
        ("", "stages", "[stages.encoder]"),
        (STAGES.partition("[stages.hand]")[0], "it has one stage", "without --pipeline"),
        (STAGES.replace("[stages.", "[stage."), "there is no table stage", "write stages"),
        (STAGES + "joins = 1", "stages.hand: there is no field joins", "write [joins] as a separate table"),
        ("[joins.hand]\nfine = 'eye.detail'", "it has no table [stages.NAME]", "[stages.encoder]"),
        ("[stages]\n[joins.hand]\nfine = 'eye.detail'", "it has no table [stages.NAME]", "[stages.encoder]"),
        ("stages = 1", "stages: Expected `object`", "[stages.encoder]"),
        (STAGES.replace('"toy_decoder.onnx"', "3"), "stages.hand.model: Expected `str`, got `int`", "model ="),
        (STAGES.replace("model", "modle"), "stages.eye: there is no field modle", "write model"),
        (
            STAGES.replace("stages.hand", 'stages."My Hand"'),
            "stages.My Hand: My Hand is not of the right form",
            "write [stages.my-hand]",
        ),
        (STAGES + 'task = "tensr"', "stages.hand.task: there is no task tensr", "write tensor"),
        (STAGES.replace("toy_decoder", "decoder"), "stages.hand.model: ", "folder of the pipeline"),
        (STAGES + '[joins]\nhond.fine = "eye.detail"', "joins.hond: there is no stage hond", "write hand"),
        (STAGES + '[joins]\nhand.fine = "eyes.detail"', 'joins.hand."fine": there is no stage eyes', "write eye"),
        (STAGES + '[joins]\nhand.fine = "detail"', 'joins.hand."fine": detail is not of', "a stage and its output"),
        (STAGES + "[joins]\nhand.fine = 1", 'joins.hand."fine": Expected `str`', "[stages.encoder]"),
        (
            STAGES + '[joins]\neye.detail = "hand.fine"',
            "detail is an output of toy_encoder.onnx",
            "write [joins.hand] with",
        ),
        (
            STAGES.replace("toy_encoder.onnx", 'toy_encoder.onnx"\nglue = "glue.js'),
            "stages.eye.glue: the stage is",
            "leave",
        ),
        (STAGES + '[joins]\nhand.fin = "eye.detail"', "toy_decoder.onnx has no input fin", "write fine"),
        (STAGES + '[joins]\nhand.fine = "eye.details"', "toy_encoder.onnx has no output details", "write detail"),
        (
            STAGES + '[joins]\nhand.fine = "eye.detail"\neye.image = "hand.masks"',
            "joins: eye and hand take from each other",
            "remove one",
        ),
        (STAGES + '[joins]\nhand.fine = "hand.masks"', "joins: hand takes from itself", "remove one"),
        (STAGES + "[pictures]\na = 1", "there is no table pictures", "write one of stages, joins"),
    ],
)
def test_a_mistake_has_a_place_and_a_fix(tmp_path: Path, text: str, place: str, fix: str) -> None:
    (tmp_path / "glue.js").write_text("export default () => ({});\n")
    done = pack_pipeline(tmp_path, text)
    assert (done.code, done.error) == (2, "invalid-pipeline"), done.stderr
    assert "toys.toml: " in done.stderr
    assert place in done.stderr
    assert fix in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("file", "content", "code", "said"),
    [
        ("empty", None, "model-not-found", "empty: no .onnx file in it"),
        ("text.onnx", b"not a model", "not-onnx", "text.onnx: looks like a text file"),
        ("toys.toml", "\ufeff".encode("utf-16"), "invalid-pipeline", "is not text in UTF-8"),
    ],
)
def test_a_file_that_is_no_model_has_its_place(
    tmp_path: Path, file: str, content: bytes | None, code: str, said: str
) -> None:
    pair(tmp_path)
    path = tmp_path / "toys.toml"
    path.write_text(STAGES.replace("toy_decoder.onnx", file))
    if content is None:
        (tmp_path / file).mkdir()
    else:
        (tmp_path / file).write_bytes(content)
    done = webbuild("pack", "--pipeline", path, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, code), done.stderr
    assert said in done.stderr
    assert f"{path}: " + ("" if code == "invalid-pipeline" else "stages.hand.model: ") in done.stderr


def test_a_join_of_unequal_tensors_names_both(tmp_path: Path) -> None:
    done = pack_pipeline(tmp_path, STAGES + '[joins]\nhand.fine = "eye.embedding"')
    assert (done.code, done.error) == (2, "stage-mismatch")
    assert f'{tmp_path / "toys.toml"}: joins.hand."fine": input' in done.stderr
    assert "'fine' of toy_decoder.onnx is float32 [1, 4, 16, 16]" in done.stderr
    assert "'embedding' of toy_encoder.onnx is float32 [1, 8, 8, 8]" in done.stderr


def test_a_picture_of_another_size_than_its_namesake_is_no_crop(tmp_path: Path) -> None:
    for name, side, taken, made in (("a", 32, "x", "shown"), ("b", 64, "shown", "y")):
        size = f"float[1,3,{side},{side}]"
        text = f"{HEADER} m ({size} {taken}) => ({size} {made}) {{ {made} = Relu ({taken}) }}"
        save(parsed(text), tmp_path / f"{name}.onnx")
    path = tmp_path / "pictures.toml"
    path.write_text(STAGES.replace("toy_encoder", "a").replace("toy_decoder", "b"))
    done = webbuild("pack", "--pipeline", path, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "stage-mismatch"), done.stderr


def test_a_missing_file_and_a_model_beside_it_are_refused(tmp_path: Path) -> None:
    assert webbuild("pack", "--pipeline", tmp_path / "none.toml").error == "invalid-pipeline"
    encoder, _ = pair(tmp_path)
    assert webbuild("pack", encoder, "--pipeline", tmp_path / "none.toml").error == "conflicting-options"
    assert "Missing argument" in webbuild("pack").stderr


def test_the_committed_schema_is_that_of_the_file() -> None:
    schema = json.loads((ROOT / "docs" / "pipeline.schema.json").read_text())
    assert schema == pipeline_schema()
    stage = schema["$defs"]["PipelineStage"]
    assert (stage["required"], stage["additionalProperties"]) == (["model"], False)
