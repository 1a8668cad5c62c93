"""Stages in the manifest: a manifest for each stage, and the tensors that join them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.manifests import manifest, stages_manifest
from webbuild.manifest.manifest import Glue, Manifest, StageInput, StageOutput, Variant, decode, encode
from webbuild.manifest.stages import stage_inputs, unfit_stages


def test_what_is_written_is_read_again() -> None:
    value = stages_manifest()
    assert decode(encode(value)) == value
    written = json.loads(encode(value))
    assert (written["schema"], written["stageName"]) == (2, "encoder")
    assert [each["name"] for each in written["stages"]] == ["middle", "decoder"]
    assert written["stages"][0]["inputs"] == [
        {
            "kind": "stage",
            "name": "x",
            "dtype": "float32",
            "shape": [1, 8, 4, 4],
            "stage": "encoder",
            "output": "embedding",
        }
    ]


def test_a_manifest_of_one_model_is_of_schema_1_and_says_nothing_of_stages() -> None:
    written = json.loads(encode(manifest()))
    assert written["schema"] == 1
    assert not {"stages", "stageName"} & written.keys()
    assert manifest().every_stage == [manifest()]
    assert manifest().final_task == manifest().task


def test_a_manifest_that_was_written_before_there_were_stages_is_read() -> None:
    """The file is kept in its old form: fields added to the manifest since must not be required."""
    old = decode((Path(__file__).parent / "schema-1.json").read_bytes())
    assert (old.schema, old.name, old.stages) == (1, "tiny", msgspec.UNSET)
    assert [(each.name, each.task.__class__.__name__) for each in old.every_stage] == [("tiny", "PoseTask")]
    assert [graph.target for graph in old.graphs] == ["webgpu"]


def test_stages_in_a_manifest_of_schema_1_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="schema 2"):
        decode(encode(stages_manifest()).replace(b'"schema": 2', b'"schema": 1'))


def test_each_stage_is_a_manifest_with_what_is_its_own() -> None:
    whole = stages_manifest()
    first, middle, last = whole.every_stage
    assert [each.stage_name for each in (first, middle, last)] == ["encoder", "middle", "decoder"]
    assert (first.graphs, first.source) == (whole.graphs, whole.source)
    assert (last.source.file, last.task.__class__.__name__) == ("decoder.onnx", "PoseTask")
    assert (last.name, last.files, last.engines, last.stages) == (whole.name, whole.files, whole.engines, msgspec.UNSET)
    assert whole.final_task == last.task
    assert [(spec.stage, spec.output) for spec in stage_inputs(last.inputs)] == [
        ("encoder", "embedding"),
        ("middle", "context"),
    ]


def test_variants_of_a_stage_are_its_own() -> None:
    whole = stages_manifest()
    first, decoder = whole, whole.every_stage[-1]
    variant = Variant(
        task=decoder.task,
        inputs=decoder.inputs[:2],
        outputs=decoder.outputs,
        graphs=decoder.graphs,
        disabled_targets=[],
        evaluation_thresholds={},
    )
    assert whole.stages
    *others, last = whole.stages
    both = msgspec.structs.replace(first, stages=[*others, msgspec.structs.replace(last, variants=[variant])])
    assert [len(each.every_variant) for each in both.every_stage] == [1, 1, 2]
    assert both.every_stage[-1].every_variant[1].inputs == decoder.inputs[:2]


def joined_otherwise(**change: Any) -> Manifest:
    """Return the stages with a changed first input of the last one."""
    whole = stages_manifest()
    assert whole.stages
    *others, last = whole.stages
    taken = last.inputs[0]
    assert isinstance(taken, StageInput)
    inputs = [msgspec.structs.replace(taken, **change), *last.inputs[1:]]
    return msgspec.structs.replace(whole, stages=[*others, msgspec.structs.replace(last, inputs=inputs)])


def test_stages_fit() -> None:
    assert list(unfit_stages(stages_manifest())) == []


@pytest.mark.parametrize(
    "change",
    [{"stage": "head"}, {"stage": "decoder"}, {"output": "context"}, {"dtype": "int32"}, {"shape": [1, 8, 4]}],
    ids=lambda change: next(iter(change)),
)
def test_an_input_that_no_earlier_stage_fills_in_is_named(change: dict[str, Any]) -> None:
    (found,) = unfit_stages(joined_otherwise(**change))
    assert found.startswith("input embedding of stage decoder takes ")


def test_two_stages_of_one_name_are_named() -> None:
    whole = stages_manifest()
    assert whole.stages
    assert "two stages have the name decoder" in list(
        unfit_stages(msgspec.structs.replace(whole, stages=[*whole.stages, whole.stages[-1]]))
    )


@pytest.mark.parametrize(
    ("read", "unfit"), [({}, 0), ({"output": "context"}, 1), ({"stage": "decoder"}, 1)], ids=["fits", "output", "stage"]
)
def test_glue_reads_what_an_earlier_stage_makes(read: dict[str, str], unfit: int) -> None:
    whole = stages_manifest()
    assert whole.stages
    made = StageOutput(**{"stage": "encoder", "output": whole.outputs[0].name, **read})
    glue = Glue(file="glue/decoder.js", reads=[made])
    last = msgspec.structs.replace(whole.stages[-1], glue_module=glue)
    found = list(unfit_stages(msgspec.structs.replace(whole, stages=[*whole.stages[:-1], last])))
    assert (
        found == [f"the glue of stage decoder reads {made.stage}.{made.output}, which no earlier stage makes"] * unfit
    )
