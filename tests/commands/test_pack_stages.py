"""`pack encoder.onnx decoder.onnx`: one bundle of several graphs, joined by names and types, proven as a whole."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from tests.commands.program import Done, pack, webbuild
from tests.stages import DECODER, ENCODER, pair, stage
from webbuild.bisect.model_under_test import ModelSelection, open_model_under_test
from webbuild.compile.stages import prove_pipeline
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Manifest, StageInput, TensorInput, decode
from webbuild.manifest.stages import unfit_stages
from webbuild.runners.native import NativeRunner
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.pipeline_reference import compute_pipeline_references
from webbuild.verify.stage_reference import compute_stage_reference, inputs_of_stage
from webbuild.verify.variant_reference import compute_variant_reference

pytestmark = pytest.mark.usefixtures("stand_in")


def pack_stages(*paths: Path, options: tuple[str, ...] = ()) -> Done:
    return webbuild("pack", *paths, "-o", paths[0].parent / "out", "--no-verify", *options)


def packed(*paths: Path, options: tuple[str, ...] = ()) -> Manifest:
    done = pack_stages(*paths, options=options)
    assert done.code == 0, done.stderr
    return decode((paths[0].parent / "out" / "manifest.json").read_bytes())


@pytest.fixture
def both(tmp_path: Path) -> tuple[Manifest, Path]:
    return packed(*pair(tmp_path)), tmp_path / "out"


def test_a_pair_is_one_bundle_that_a_reader_opens(both: tuple[Manifest, Path]) -> None:
    manifest, folder = both
    assert open_bundle(folder).manifest == manifest
    assert (manifest.schema, manifest.name) == (2, "toy")
    encoder, decoder = manifest.every_stage
    assert [each.stage_name for each in (encoder, decoder)] == ["encoder", "decoder"]
    assert [each.source.file for each in (encoder, decoder)] == ["toy_encoder.onnx", "toy_decoder.onnx"]
    assert [each.__struct_config__.tag for each in encoder.inputs] == ["image"]
    assert decoder.inputs == [
        StageInput(name="embedding", dtype="float32", shape=[1, 8, 8, 8], stage="encoder", output="embedding"),
        StageInput(name="detail", dtype="float32", shape=[1, 4, 16, 16], stage="encoder", output="detail"),
        TensorInput(name="vector", dtype="float32", shape=[1, 8]),
    ]
    assert list(unfit_stages(manifest)) == []
    files = {file.path for file in manifest.files}
    assert {graph.file for each in manifest.every_stage for graph in each.graphs} <= files
    assert "toy_decoder.onnx" in (folder / "LICENSE.txt").read_text()


def test_the_decoder_is_proven_on_what_the_encoder_answers(both: tuple[Manifest, Path]) -> None:
    """The recorded runs of both stages use the same image, and the decoder's input is the encoder's output."""
    manifest, folder = both
    encoder, decoder = manifest.every_stage
    assert encoder.golden
    assert decoder.golden
    assert encoder.golden.sample == decoder.golden.sample
    made = (folder / encoder.golden.outputs["embedding"]).read_bytes()
    assert np.abs(np.frombuffer(made, np.float32)).max() > 0
    assert (folder / decoder.golden.inputs["embedding"]).read_bytes() == made
    feeds = {
        spec.name: np.frombuffer((folder / decoder.golden.inputs[spec.name]).read_bytes(), np.float32).reshape(
            spec.shape
        )
        for spec in decoder.inputs
    }
    answers = NativeRunner(folder.parent / "toy_decoder.onnx").run(feeds)
    kept = np.frombuffer((folder / decoder.golden.outputs["masks"]).read_bytes(), np.float32)
    np.testing.assert_allclose(kept, answers["masks"].ravel(), rtol=1e-4, atol=1e-5)


def test_verify_and_bisect_feed_the_decoder_what_the_encoder_answers(both: tuple[Manifest, Path]) -> None:
    stage, inputs = inputs_of_stage(open_bundle(both[1]), "decoder", ())
    assert stage.stage == "decoder"
    encoder = NativeRunner(both[1].parent / "toy_encoder.onnx")
    _, pictures = inputs_of_stage(open_bundle(both[1]), "", ())
    assert [each.title for each in inputs] == [each.title for each in pictures]
    for given, picture in zip(inputs, pictures, strict=True):
        assert set(given.feeds) == {"embedding", "detail", "vector"}
        np.testing.assert_allclose(given.feeds["embedding"], encoder.run(picture.feeds)["embedding"], atol=1e-6)
    subject = open_model_under_test(ModelSelection(both[1], stage="decoder"))
    assert (subject.name, set(subject.inputs[0].feeds)) == ("toy decoder", {"embedding", "detail", "vector"})


def test_the_reference_of_the_whole_is_each_stage_on_what_the_ones_before_it_answer(
    both: tuple[Manifest, Path],
) -> None:
    bundle = open_bundle(both[1])
    encoder, decoder = bundle.variants
    first = compute_variant_reference(encoder, encoder.graph_names(["wasm"]), (), both[1], (), lambda _: None)
    second = compute_stage_reference(decoder, decoder.graph_names(["wasm"]), [first])
    (whole,) = compute_pipeline_references(bundle, [first, second], ["webgpu", "wasm"], "auto")
    assert (second.names, whole.names) == (["wasm decoder"], ["webgpu whole", "wasm whole"])
    assert set(whole.inputs[0].feeds) == {"encoder.image", "decoder.vector"}
    for (_, got), (_, want) in zip(whole.results, second.results, strict=True):
        np.testing.assert_allclose(got.outputs["masks"], want.outputs["masks"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("stage", ["decoders", "whole"])
def test_a_stage_that_is_not_there_is_named(both: tuple[Manifest, Path], stage: str) -> None:
    with pytest.raises(WebbuildError, match=f"has no stage {stage}") as caught:
        open_model_under_test(ModelSelection(both[1], stage=stage))
    assert (caught.value.code, caught.value.fix) == ("unknown-stage", "name one of encoder, decoder")


def test_the_report_names_the_stages_and_the_whole(both: tuple[Manifest, Path]) -> None:
    report = json.loads((both[1] / "report.json").read_text())
    runners = {each["subject"]["runner"] for each in report["comparisons"]}
    assert runners == {f"{target} {name}" for target in ("webgpu", "wasm") for name in ("encoder", "decoder", "whole")}
    assert set(report["rewrites"]) == {
        f"{target} {name}" for target in ("webgpu", "wasm") for name in ("encoder", "decoder")
    }


def test_a_graph_that_is_wrong_only_behind_the_other_is_found(tmp_path: Path) -> None:
    """A difference in the whole pipeline stops the pack, even if each stage alone is right."""

    def wrong(stage, runner):  # type: ignore[no-untyped-def]
        return lambda feeds: {name: array * 1.01 for name, array in runner.run(feeds).items()}

    with patch.object(prove_pipeline, "_with_thresholds", wrong):
        done = pack_stages(*pair(tmp_path))
    assert (done.code, done.error) == (1, "output-mismatch")
    assert "whole" in done.stderr
    assert not (tmp_path / "out").exists()


def test_graphs_are_closed_where_a_run_fails(tmp_path: Path) -> None:
    opened, closed = list[Path](), list[Path]()

    class Recorded(NativeRunner):
        def __init__(self, path: Path) -> None:
            super().__init__(path)
            opened.append(path)

        def close(self) -> None:
            super().close()
            closed.append(self.path)

    def failing(stage, runner):  # type: ignore[no-untyped-def]
        def run(feeds):  # type: ignore[no-untyped-def]
            raise WebbuildError("reference-run-failed", stage.name, "none")

        return run

    with (
        patch.object(prove_pipeline, "NativeRunner", Recorded),
        patch.object(prove_pipeline, "_with_thresholds", failing),
    ):
        done = pack_stages(*pair(tmp_path))
    assert done.error == "reference-run-failed"
    assert len(opened) == 2
    assert sorted(closed) == sorted(opened)


def test_only_the_last_stage_is_asked_for_its_task(tmp_path: Path) -> None:
    encoder, decoder = pack_stages(*pair(tmp_path)).stderr.split("stage decoder: ")
    assert "no task was recognized" not in encoder
    assert "no task was recognized" in decoder


def test_files_in_the_wrong_order_are_put_right(tmp_path: Path) -> None:
    encoder, decoder = pair(tmp_path)
    done = pack_stages(decoder, encoder)
    assert done.code == 0, done.stderr
    assert "the stages run in this order: encoder, decoder" in done.stderr
    assert decode((tmp_path / "out" / "manifest.json").read_bytes()).stage_name == "encoder"


def test_tensors_of_other_names_are_joined_by_what_they_are(tmp_path: Path) -> None:
    encoder, decoder = pair(tmp_path, decoder=DECODER.replace("embedding", "features").replace("detail", "fine"))
    manifest = packed(encoder, decoder)
    joined = {each.name: each.output for each in manifest.every_stage[1].inputs if isinstance(each, StageInput)}
    assert joined == {"features": "embedding", "fine": "detail"}


def test_a_map_of_another_name_and_with_free_sizes_is_joined_where_one_alone_fits(tmp_path: Path) -> None:
    encoder = ENCODER.replace("1,8,8,8", "batch,8,rows,columns").replace("embedding", "embeddings")
    decoder = DECODER.replace("embedding", "image_embeddings").replace("detail", "fine")
    manifest = packed(*pair(tmp_path, encoder, decoder))
    joined = {each.name: each.output for each in manifest.every_stage[1].inputs if isinstance(each, StageInput)}
    assert joined == {"image_embeddings": "embeddings", "fine": "detail"}


def test_two_maps_that_fit_one_input_are_not_joined(tmp_path: Path) -> None:
    encoder = ENCODER.replace("float[1,4,16,16] detail)", "float[1,c,16,w] detail)").replace("1,8,8,8", "b,8,h,w")
    decoder = DECODER.replace("embedding", "x").replace("1,8,8,8", "1,8,16,16").replace("detail", "y")
    done = pack_stages(*pair(tmp_path, encoder, decoder.replace("1,4,16,16] y", "1,5,16,4] y")))
    assert (done.code, done.error) == (2, "stages-not-joined")


def test_the_states_of_an_encoder_are_joined_by_the_names_of_transformers(tmp_path: Path) -> None:
    """Optimum's Whisper: the encoder has 1500 positions, the decoder takes any number."""
    encoder = stage(
        """<ir_version: 8, opset_import: ["" : 17]>
        encoder (float[1,6,8] input_features) => (float[1,6,8] last_hidden_state) {
            last_hidden_state = Tanh (input_features) }""",
        tmp_path / "encoder_model.onnx",
    )
    decoder = stage(
        """<ir_version: 8, opset_import: ["" : 17]>
        decoder (float[1,8] token, float[batch_size,encoder_sequence_length,8] encoder_hidden_states)
          => (float[a,b,c] logits) { logits = Add (token, encoder_hidden_states) }""",
        tmp_path / "decoder_model.onnx",
    )
    token, states = packed(encoder, decoder).every_stage[1].inputs
    assert (token.name, states.shape) == ("token", [1, 6, 8])
    assert isinstance(states, StageInput)
    assert states.output == "last_hidden_state"


def test_free_sizes_of_a_decoder_are_those_of_the_encoder(tmp_path: Path) -> None:
    free = DECODER.replace("1,8,8,8", "batch,8,h,w").replace("1,4,16,16] detail", "batch,4,h2,w2] detail")
    manifest = packed(*pair(tmp_path, decoder=free))
    assert [each.shape for each in manifest.every_stage[1].inputs] == [[1, 8, 8, 8], [1, 4, 16, 16], [1, 8]]


def test_three_stages_take_from_any_before_them(tmp_path: Path) -> None:
    encoder, decoder = pair(tmp_path, decoder=DECODER.replace("float[1,8] vector", "float[1,8] context"))
    decoder.write_bytes(stage(DECODER.replace("vector", "context"), decoder).read_bytes())
    pooling = ENCODER.partition("\n")[0]
    middle = stage(
        f"""{pooling}
middle (float[1,8,8,8] embedding) => (float[1,8] context)
{{
  pooled = GlobalMaxPool (embedding)
  context = Flatten (pooled)
}}
""",
        tmp_path / "toy_middle.onnx",
    )
    manifest = packed(encoder, middle, decoder)
    taken = [
        [(each.stage, each.output) for each in one.inputs if isinstance(each, StageInput)]
        for one in manifest.every_stage
    ]
    assert taken == [
        [],
        [("encoder", "embedding")],
        [("encoder", "embedding"), ("encoder", "detail"), ("middle", "context")],
    ]


@pytest.mark.parametrize(
    ("decoder", "code", "names"),
    [
        (DECODER.replace("1,8,8,8", "1,8,4,4"), "stage-mismatch", ["'embedding'", "[1, 8, 4, 4]", "[1, 8, 8, 8]"]),
        (
            DECODER.replace("1,8,8,8", "b,8,n,n").replace("1,4,16,16] detail", "b,4,n,n] detail"),
            "stage-mismatch",
            ["'detail'", "[b, 4, n, n]", "[1, 4, 16, 16]"],
        ),
        (
            DECODER.replace("embedding", "x").replace("1,8,8,8", "1,9,8,8").replace("detail", "y")
            .replace("1,4,16,16] y", "1,5,16,16] y"),
            "stages-not-joined",
            ["'embedding' float32 [1, 8, 8, 8]", "'x' float32 [1, 9, 8, 8]"],
        ),
    ],
    ids=["another size", "one name for two sizes", "nothing in common"],
)  # fmt: skip
def test_stages_that_do_not_fit_are_named_with_their_tensors(
    tmp_path: Path, decoder: str, code: str, names: list[str]
) -> None:
    done = pack_stages(*pair(tmp_path, decoder=decoder))
    assert (done.code, done.error) == (2, code)
    for name in names:
        assert name in done.stderr
    assert not (tmp_path / "out").exists()


def test_several_pictures_of_several_stages_are_refused(tmp_path: Path) -> None:
    done = pack_stages(*pair(tmp_path), options=("--batch", "1,4"))
    assert (done.code, done.error) == (2, "conflicting-options")
    assert "no stage runs on crops" in done.stderr


def test_one_model_is_packed_as_ever(tmp_path: Path) -> None:
    pack(pair(tmp_path)[0])
    written = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert written["schema"] == 1
    assert not {"stages", "stageName"} & written.keys()
