"""The diagram of a pipeline: boxes below one another, arrows from a tensor's producer to its consumers."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import msgspec

from tests.manifests import stages_manifest
from webbuild.manifest.manifest import CropInput, Glue, StageOutput
from webbuild.reporting.jinja import template_environment
from webbuild.reporting.pipeline_picture import pipeline_picture
from webbuild.verify.formatting import runner_name


def numbers(path: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path)]


def test_stages_lie_below_one_another_and_arrows_end_at_the_stage_that_takes_them() -> None:
    picture = pipeline_picture(stages_manifest())
    encoder, middle, decoder = picture.boxes
    assert [box.name for box in picture.boxes] == ["encoder", "middle", "decoder"]
    assert encoder.y + encoder.height < middle.y < middle.y + middle.height < decoder.y
    into_middle, passing, into_decoder, result = picture.arrows
    assert numbers(into_middle.path)[1:] == [encoder.y + encoder.height, middle.y]
    assert numbers(into_decoder.path)[1:] == [middle.y + middle.height, decoder.y]
    assert encoder.y < numbers(passing.path)[1] < encoder.y + encoder.height
    assert numbers(passing.path)[-1] == decoder.y
    assert numbers(passing.path)[2] > numbers(passing.path)[0]  # next to the box in between
    assert numbers(result.path)[1] == decoder.y + decoder.height
    assert picture.height > numbers(result.path)[-1]


def test_arrows_say_which_tensor_they_are() -> None:
    texts = [arrow.text for arrow in pipeline_picture(stages_manifest()).arrows]
    assert texts == [
        "embedding -> x  float32 [1, 8, 4, 4]",
        "encoder.embedding  float32 [1, 8, 4, 4]",
        "context -> y  float32 [1, 8]",
        "rows  float32 [1, 4, 12]",
    ]


def test_boxes_name_files_graphs_and_what_the_caller_gives() -> None:
    *_, decoder = pipeline_picture(stages_manifest()).boxes
    assert decoder.lines == ("decoder.onnx", "takes points  tensor float32 [1, 2, 2]")
    assert decoder.graphs == ("webgpu",)


def test_crops_come_from_the_boxes_of_the_stage_before() -> None:
    whole = stages_manifest()
    assert whole.stages
    crop = CropInput(name="face", shape=[1, 3, 32, 24], scale=1.0, mean=[0.0] * 3, std=[1.0] * 3)
    looking = msgspec.structs.replace(whole.stages[0], name="look", inputs=[crop])
    picture = pipeline_picture(msgspec.structs.replace(whole, stages=[looking]))
    finder, look = picture.boxes
    cut, *_ = picture.arrows
    assert cut.text == "crops of boxes -> face  float32 [1, 3, 32, 24]"
    assert numbers(cut.path)[1:] == [finder.y + finder.height, look.y]
    assert finder.y + finder.height < look.y
    assert not any("face" in line for line in look.lines)


def test_javascript_that_makes_inputs_is_named() -> None:
    whole = stages_manifest()
    assert whole.stages
    *others, last = whole.stages
    glue = Glue(file="glue/decoder.js", reads=[StageOutput(stage="middle", output="context")])
    glued = msgspec.structs.replace(last, glue_module=glue)
    picture = pipeline_picture(msgspec.structs.replace(whole, stages=[*others, glued]))
    assert picture.boxes[-1].lines[-1] == "glue/decoder.js makes inputs of middle.context"


def test_names_of_a_model_are_no_markup() -> None:
    whole = stages_manifest()
    hostile = msgspec.structs.replace(whole.outputs[0], name="</svg><script>alert(1)</script>")
    assert whole.stages
    *others, last = whole.stages
    last = msgspec.structs.replace(last, outputs=[hostile])
    picture = pipeline_picture(msgspec.structs.replace(whole, stages=[*others, last]))
    templates = template_environment("webbuild.verify")
    templates.filters["name"] = runner_name
    page = templates.from_string('{% from "macros.j2" import pipeline %}{{ pipeline(picture) }}').render(
        picture=picture
    )
    found = ElementTree.fromstring(page)
    assert not list(found.iter("script"))
    assert any("<script>" in (text.text or "") for text in found.iter("text"))
