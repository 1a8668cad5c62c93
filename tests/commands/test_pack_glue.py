"""`pack A.onnx B.onnx --glue FILE.js`: the module in front of the last model, its inputs, and errors in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.commands.program import Done, webbuild
from tests.stages import DECODER, pair
from webbuild.browser.open_browser import Endpoint
from webbuild.compile.stages.glue_file import glue_problem
from webbuild.manifest.manifest import Glue, StageInput, StageOutput, TensorInput, decode
from webbuild.runners.native import NativeRunner
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.glue import GluedInputs, check_glue_outputs, glue_in
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.page_rpc import PageError
from webbuild.verify.pipeline_reference import compute_pipeline_references
from webbuild.verify.stage_reference import compute_stage_reference
from webbuild.verify.variant_reference import VariantReference, compute_variant_reference

pytestmark = pytest.mark.usefixtures("stand_in")

GLUE = """
/** @type {import("webbuild").GlueFunction} */
export default ({ encoder: { detail } }) => ({
  vector: { type: "float32", dims: [1, 8], data: detail.data.slice(0, 8) },
});
"""


def pack_glued(folder: Path, text: str = GLUE, decoder: str = DECODER, options: tuple[str, ...] = ()) -> Done:
    """Pack the two models with a glue module of this text between them."""
    file = folder / "vector.js"
    file.write_text(text)
    models = pair(folder, decoder=decoder)
    return webbuild("pack", *models, "--glue", file, "-o", folder / "out", "--no-verify", *options)


def test_syntax_that_nothing_can_check_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBBUILD_CHROMIUM", str(tmp_path / "none"))
    done = pack_glued(tmp_path, GLUE + "}", options=("--dry-run",))
    assert done.code == 0, done.stderr
    assert "note: the syntax of " in done.stderr
    assert "vector.js is not checked: " in done.stderr


def test_glue_makes_what_is_no_output_of_the_first_model(tmp_path: Path) -> None:
    done = pack_glued(tmp_path)
    assert done.code == 0, done.stderr
    assert "note: vector.js reads encoder.detail" in done.stderr
    manifest = decode((tmp_path / "out" / "manifest.json").read_bytes())
    assert "decoder: vector.js did not run in this proof" in "".join(manifest.assumptions)
    decoder = manifest.every_stage[1]
    assert manifest.stages
    assert manifest.stages[0].glue_module == Glue(
        file="glue/decoder.js", reads=[StageOutput(stage="encoder", output="detail")]
    )
    taken = [each.output for each in decoder.inputs if isinstance(each, StageInput)]
    assert (taken, decoder.inputs[2]) == (
        ["embedding", "detail"],
        TensorInput(name="vector", dtype="float32", shape=[1, 8]),
    )


def test_a_namesake_of_another_shape_is_made_by_glue(tmp_path: Path) -> None:
    reshaped = DECODER.replace("float[1,4,16,16] detail", "float[1,1024] detail").replace(
        "masks = Add (mixed, detail)",
        "size = Constant <value_ints = [1, 4, 16, 16]> () unfolded = Reshape (detail, size)\n"
        "  masks = Add (mixed, unfolded)",
    )
    done = pack_glued(tmp_path, decoder=reshaped)
    assert done.code == 0, done.stderr
    inputs = decode((tmp_path / "out" / "manifest.json").read_bytes()).every_stage[1].inputs
    assert [each.__struct_config__.tag for each in inputs] == ["stage", "tensor", "tensor"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("module.exports = () => ({});", "it has no default export"),
        ("// export default\nexport const make = () => ({});", "it has no default export"),
        ('import { best } from "./best.js";\nexport default best;', 'it imports "./best.js"'),
        ("export default async () => (await import(`./best.js`)).best;", 'it imports "./best.js"'),
        ("export default async (name) => import(`./${name}.js`);", 'it imports "./"'),
        ("const said = `${'export default'} export default`;", "it has no default export"),
    ],
)
def test_a_module_that_cannot_be_packed_is_named(tmp_path: Path, text: str, said: str) -> None:
    done = pack_glued(tmp_path, text)
    assert (done.code, done.error) == (2, "invalid-glue"), done.stderr
    assert f"{tmp_path / 'vector.js'}: {said}" in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        'const ok = (type) => type === "image/*";\n$\n/* end */',
        'const cdn = "//cdn"; $',
        "const cdn = '//cdn'; $",
        "const quote = /[\"'`/*]/g; $",
        "const both = (a, b) => `${a} /* ${`//${{ b }.b}`} `; $ // `",
        """const help = 'write: import { best } from "./best.js"'; $""",
        "const help = `import './best.js'`; $",
        "const half = (a, b) => (a / 2) * b / 2; $",
        "const far = async (name) => import(`${name}.js`); $",
    ],
)
def test_a_module_is_read_as_javascript(tmp_path: Path, text: str) -> None:
    file = tmp_path / "glue.js"
    file.write_text(text.replace("$\n", "export default () => ({});\n").replace("; $", "; export default () => ({});"))
    assert glue_problem(file) is None


def test_a_module_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = webbuild("pack", *pair(tmp_path), "--glue", tmp_path / "none.js")
    assert (done.code, done.error) == (2, "invalid-glue"), done.stderr


def test_a_module_that_has_nothing_to_make_is_refused(tmp_path: Path) -> None:
    ones = "ones = Constant <value_floats = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> ()"
    given = DECODER.replace(", float[1,8] vector", "").replace(
        "factors = Reshape (vector, shape)", f"{ones} factors = Reshape (ones, shape)"
    )
    done = pack_glued(tmp_path, decoder=given)
    assert (done.code, done.error) == (2, "invalid-glue"), done.stderr
    assert "it has no input to compute: 'embedding', 'detail' of toy_decoder.onnx" in done.stderr


def test_glue_stands_between_two_models(tmp_path: Path) -> None:
    encoder, _ = pair(tmp_path)
    done = webbuild("pack", encoder, "--glue", "vector.js")
    assert (done.code, done.error) == (2, "conflicting-options"), done.stderr
    (tmp_path / "toys.toml").write_text(
        '[stages.encoder]\nmodel = "toy_encoder.onnx"\n[stages.decoder]\nmodel = "toy_decoder.onnx"\n'
    )
    done = webbuild("pack", "--pipeline", tmp_path / "toys.toml", "--glue", "vector.js")
    assert (done.code, done.error) == (2, "conflicting-options"), done.stderr


def bundles(folder: Path, text: str = GLUE) -> tuple[Bundle, VariantReference, Bundle]:
    """Pack the two models; return the stages, and the first stage's native outputs for its samples."""
    done = pack_glued(folder, text)
    assert done.code == 0, done.stderr
    bundle = open_bundle(folder / "out")
    encoder, decoder = bundle.variants
    return bundle, compute_variant_reference(encoder, ["wasm encoder"], (), folder, (), lambda _: None), decoder


def test_a_stage_and_the_whole_are_judged_by_what_the_module_makes(tmp_path: Path) -> None:
    bundle, encoder, decoder = bundles(tmp_path)
    made = np.arange(8, dtype=np.float32)[None]

    def run_glue(_: Bundle, inputs: Sequence[VerifyInput], earlier: Sequence[VariantReference]) -> GluedInputs:
        assert list(earlier) == [encoder]
        return [msgspec.structs.replace(each, feeds={**each.feeds, "vector": made}) for each in inputs], ()

    work = compute_stage_reference(decoder, ["wasm decoder"], [encoder], run_glue)
    (whole,) = compute_pipeline_references(bundle, [encoder, work], ["wasm"], "auto")
    native = NativeRunner(tmp_path / "toy_decoder.onnx")
    for given, (_, answer), (_, together) in zip(work.inputs, work.results, whole.results, strict=True):
        wanted = native.run({**given.feeds, "vector": made})["masks"]
        np.testing.assert_allclose(answer.outputs["masks"], wanted, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(together.outputs["masks"], wanted, rtol=1e-4, atol=1e-5)


def test_a_module_that_no_picture_reaches_is_a_problem(tmp_path: Path) -> None:
    _, encoder, decoder = bundles(tmp_path)
    blind = msgspec.structs.replace(
        encoder, inputs=[msgspec.structs.replace(each, file=None) for each in encoder.inputs]
    )
    _, problems = glue_in(Endpoint(), 1)(decoder, [], [blind])
    assert [each.code for each in problems] == ["glue-not-run"]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({}, "'vector' is missing"),
        ({"vectors": (1, 8), "vector": (1, 8)}, "'vectors' is none of vector"),
        ({"vector": (8,)}, "'vector' is float32 [8], wanted float32 [1, 8]"),
    ],
)
def test_what_a_stage_does_not_take_is_named(tmp_path: Path, made: dict[str, tuple[int, ...]], said: str) -> None:
    _, _, decoder = bundles(tmp_path)
    with pytest.raises(PageError) as raised:
        check_glue_outputs(decoder, {name: np.ones(shape, np.float32) for name, shape in made.items()})
    assert (raised.value.failure.code, said in raised.value.failure.message) == ("glue-failed", True)
