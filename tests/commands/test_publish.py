"""`webbuild publish`: folders for the Hub, from the same model as the bundle, without injected markup."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import numpy as np
import onnx
import onnxruntime
import pytest

from tests.click_models import click_pair
from tests.commands.program import webbuild
from tests.crop_models import crowd_detector
from tests.embedding_models import both_encoders, encoder, text_encoder
from tests.manifests import stages_manifest
from tests.models import convolution, save
from tests.stages import pair
from webbuild.bundle.hub_repository import published_names
from webbuild.bundle.model_card import hub_license
from webbuild.manifest.manifest import decode
from webbuild.reporting.write import shell_quote


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Return an export in the Hub's folder layout."""
    folder = tmp_path / "export"
    (folder / "onnx").mkdir(parents=True)
    model = convolution()
    model.metadata_props.add(key="license", value="<b>free</b> | as air")
    save(model, folder / "onnx" / "model.onnx")
    (folder / "config.json").write_text('{"model_type": "tiny"}')
    (folder / "service-account.json").write_text('{"private_key": "secret"}')
    return folder


@pytest.fixture
def bundle(export: Path, tmp_path: Path) -> Path:
    done = webbuild("pack", export, "-o", tmp_path / "bundle", "--no-verify")
    assert done.code == 0, done.stderr
    return tmp_path / "bundle"


def test_the_model_the_card_and_the_space_are_written(export: Path, bundle: Path, tmp_path: Path) -> None:
    out = tmp_path / "the output"
    done = webbuild("publish", export, bundle, "--hf", out, "--repo", "me/tiny", "--no-verify")
    assert done.code == 0, done.stderr
    assert f"next: hf upload me/tiny {shell_quote(out / 'model')}\n" in done.stderr
    original = onnxruntime.InferenceSession(export / "onnx" / "model.onnx")
    published = onnxruntime.InferenceSession(out / "model" / "onnx" / "model.onnx")
    assert [each.name for each in published.get_inputs()] == [each.name for each in original.get_inputs()]
    feeds = {each.name: np.random.default_rng(1).random(each.shape, np.float32) for each in original.get_inputs()}
    np.testing.assert_allclose(published.run(None, feeds)[0], original.run(None, feeds)[0], rtol=0, atol=1e-5)
    assert json.loads((out / "model" / "config.json").read_text()) == {"model_type": "tiny"}
    assert not [file for file in out.rglob("*") if file.name == "service-account.json"]
    card = (out / "model" / "README.md").read_text()
    assert hashlib.sha256((out / "model" / "onnx" / "model.onnx").read_bytes()).hexdigest() in card
    _, front, text = card.split("---\n", 2)
    assert 'license_name: "<b>free</b> | as air"' in front
    assert "<b>" not in text
    assert "Compared with the original on native ONNX Runtime when it was packed. Not compared in a browser." in card
    space = (out / "space" / "README.md").read_text()
    assert space.startswith('---\ntitle: "export"\nsdk: static\n')
    assert 'models: ["me/tiny"]' in space
    assert (out / "space" / "index.html").read_bytes() == (bundle / "index.html").read_bytes()


@pytest.mark.parametrize(
    ("stated", "named"),
    [
        ("AGPL-3.0 License (https://ultralytics.com/license)", "agpl-3.0"),
        ("MIT", "mit"),
        ("<b>free</b> | as air", ""),
        ("mitigated", ""),
        ("", ""),
    ],
)
def test_a_licence_in_the_metadata_has_the_name_of_the_hub(stated: str, named: str) -> None:
    assert hub_license(stated) == named


def test_weights_beside_the_model_are_named_as_transformers_js_looks_for_them(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    weights = np.random.default_rng(1).random((8, 3, 5, 5), np.float32)
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 17]> g (float[1,3,9,9] x) => (float[1,8,5,5] y) { y = Conv (x, w) }'
    )
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    onnx.save(model, folder / "model.onnx", save_as_external_data=True, location="weights.bin", size_threshold=100)
    assert webbuild("pack", folder, "-o", tmp_path / "bundle", "--no-verify").code == 0
    done = webbuild("publish", folder, tmp_path / "bundle", "--hf", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    assert (tmp_path / "out" / "model" / "onnx" / "model.onnx_data").stat().st_size >= weights.nbytes
    onnxruntime.InferenceSession(tmp_path / "out" / "model" / "onnx" / "model.onnx")
    settings = json.loads((tmp_path / "out" / "model" / "config.json").read_text())
    assert settings == {"transformers.js_config": {"use_external_data_format": {"model.onnx": True}}}


def test_another_model_than_the_bundles_is_refused(export: Path, bundle: Path, tmp_path: Path) -> None:
    changed = onnx.load(export / "onnx" / "model.onnx")
    changed.doc_string = "another"
    other = save(changed, tmp_path / "other.onnx")
    done = webbuild("publish", other, bundle, "--hf", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "another-model")
    assert not (tmp_path / "out").exists()


def test_a_damaged_bundle_is_refused(export: Path, bundle: Path, tmp_path: Path) -> None:
    graph = next((bundle / "model").glob("*.onnx"))
    publish = ("publish", export, bundle, "--hf", tmp_path / "out", "--no-verify")
    graph.write_bytes(graph.read_bytes()[:50])
    assert webbuild(*publish).error == "changed-file"
    graph.unlink()
    assert webbuild(*publish).error == "invalid-manifest"
    assert not (tmp_path / "out").exists()


NAMES = ("vision_encoder", "prompt_encoder_mask_decoder")


@pytest.fixture
def stages(tmp_path: Path) -> tuple[list[Path], Path]:
    """Return the exports of an encoder and its decoder in the Hub's folder layout, and a bundle of them."""
    folder = tmp_path / "sam"
    (folder / "onnx").mkdir(parents=True)
    (folder / "config.json").write_text('{"model_type": "sam"}')
    files = [file.rename(folder / "onnx" / f"{name}.onnx") for file, name in zip(pair(tmp_path), NAMES, strict=True)]
    done = webbuild("pack", folder, "-o", tmp_path / "pair", "--no-verify")
    assert done.code == 0, done.stderr
    return files, tmp_path / "pair"


def test_each_stage_has_its_file_where_transformers_js_looks_for_it(
    stages: tuple[list[Path], Path], tmp_path: Path
) -> None:
    files, bundle = stages
    out = tmp_path / "out"
    done = webbuild("publish", tmp_path / "sam", bundle, "--hf", out, "--repo", "me/sam", "--no-verify")
    assert done.code == 0, done.stderr
    for file in files:
        original, published = (
            onnxruntime.InferenceSession(each) for each in (file, out / "model" / "onnx" / file.name)
        )
        shapes = {each.name: each.shape for each in published.get_inputs()}
        feeds = {name: np.random.default_rng(1).random(shape, np.float32) for name, shape in shapes.items()}
        assert list(feeds) == [each.name for each in original.get_inputs()]
        for got, want in zip(published.run(None, feeds), original.run(None, feeds), strict=True):
            np.testing.assert_allclose(got, want, rtol=0, atol=1e-5)
    card = (out / "model" / "README.md").read_text()
    assert "vision&#95;encoder.onnx, prompt&#95;encoder&#95;mask&#95;decoder.onnx, rewritten" in card
    assert 'await SamModel.from_pretrained("me/sam", { device: "webgpu", dtype: "fp32" })' in card
    assert "`onnx/vision_encoder.onnx`, then `onnx/prompt_encoder_mask_decoder.onnx`" in card
    assert (out / "space" / "index.html").is_file()


def test_free_sizes_are_those_of_the_bundle(tmp_path: Path) -> None:
    files = crowd_detector(tmp_path / "crowd.onnx", 2, "h,w"), *click_pair(tmp_path)
    for name, given, options in (("crowd", files[:1], ("--size", "48x32,64")), ("click", files[1:], ())):
        done = webbuild("pack", *given, "-o", tmp_path / name, "--no-verify", *options)
        assert done.code == 0, done.stderr
        done = webbuild("publish", *given, tmp_path / name, "--hf", tmp_path / f"{name} hub", "--no-verify")
        assert done.code == 0, done.stderr
    folder = tmp_path / "crowd hub" / "model" / "onnx"
    (image,) = onnxruntime.InferenceSession(folder / "model.onnx").get_inputs()
    assert image.shape == [1, 3, 32, 48]
    decoder = decode((tmp_path / "click" / "manifest.json").read_bytes()).every_stage[1]
    packed = {each.name: list(each.shape) for each in decoder.inputs}
    published = tmp_path / "click hub" / "model" / "onnx" / "click_decoder.onnx"
    shapes = {each.name: each.shape for each in onnxruntime.InferenceSession(published).get_inputs()}
    assert shapes["point_coords"] == packed["point_coords"] == [1, 2, 2]


def test_stages_are_known_by_their_hashes(stages: tuple[list[Path], Path], tmp_path: Path) -> None:
    """They may be given in any order; the error names a missing or a wrong one."""
    (encoder, decoder), bundle = stages
    done = webbuild("publish", decoder, encoder, bundle, "--hf", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    first, second = (tmp_path / "out" / "model" / "onnx" / f"{name}.onnx" for name in NAMES)
    assert [each.name for each in onnxruntime.InferenceSession(first).get_inputs()] == ["image"]
    assert "image" not in [each.name for each in onnxruntime.InferenceSession(second).get_inputs()]
    done = webbuild("publish", encoder, bundle, "--hf", tmp_path / "more", "--no-verify")
    assert (done.code, done.error) == (2, "another-model")
    assert "prompt_encoder_mask_decoder.onnx of stage prompt-encoder-mask-decoder is not among" in done.stderr
    other = save(convolution(), tmp_path / "other.onnx")
    done = webbuild("publish", encoder, decoder, other, bundle, "--hf", tmp_path / "more", "--no-verify")
    assert (done.code, done.error) == (2, "another-model")
    assert f"not packed from {other}" in done.stderr
    assert not (tmp_path / "more").exists()


ENCODERS = ("vision_model", "text_model")


def same_vectors(published: Path, original: Path) -> None:
    """Compare the published encoder with its export, on one image or one text."""
    sessions = [onnxruntime.InferenceSession(each) for each in (published, original)]
    feeds = {}
    for each in sessions[0].get_inputs():
        random = np.random.default_rng(1)
        if each.name == "pixel_values":
            feeds[each.name] = random.random(each.shape, np.float32)
        else:
            feeds[each.name] = random.integers(0, 2 if "mask" in each.name else 12, each.shape, np.int64)
            feeds[each.name][:, 0] = 1
    got, want = (dict(zip((o.name for o in s.get_outputs()), s.run(None, feeds), strict=True)) for s in sessions)
    assert got.keys() == want.keys()
    for name, array in got.items():
        np.testing.assert_allclose(array, want[name], rtol=0, atol=1e-5)


def test_a_text_encoder_has_its_file_and_its_tokenizer_too(tmp_path: Path) -> None:
    folder, out = tmp_path / "clip", tmp_path / "out"
    (folder / "onnx").mkdir(parents=True)
    save(encoder("image_embeds"), folder / "onnx" / "vision_model.onnx")
    text_encoder(folder, mask=True).rename(folder / "onnx" / "text_model.onnx")
    (folder / "config.json").write_text('{"model_type": "clip"}')
    assert webbuild("pack", folder, "-o", tmp_path / "bundle", "--no-verify").code == 0
    done = webbuild("publish", folder, tmp_path / "bundle", "--hf", out, "--repo", "me/clip", "--no-verify")
    assert done.code == 0, done.stderr
    for name in ENCODERS:
        same_vectors(out / "model" / "onnx" / f"{name}.onnx", folder / "onnx" / f"{name}.onnx")
    (texts, length), *_ = (
        each.shape for each in onnxruntime.InferenceSession(out / "model" / "onnx" / "text_model.onnx").get_inputs()
    )
    assert (texts, length) == (1, 77)
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        assert (out / "model" / name).read_bytes() == (folder / name).read_bytes()
    card = (out / "model" / "README.md").read_text()
    assert "library_name: transformers.js" in card
    assert "CLIPVisionModelWithProjection, CLIPTextModelWithProjection, RawImage" in card
    assert "max_length: 77" in card
    assert "`onnx/vision_model.onnx` and `onnx/text_model.onnx`" in card
    lacking = webbuild(
        "publish", folder / "onnx" / "vision_model.onnx", tmp_path / "bundle", "--hf", tmp_path / "more", "--no-verify"
    )
    assert (lacking.code, lacking.error) == (2, "another-model")
    assert "text_model.onnx of stage text is not among" in lacking.stderr


def test_encoders_of_two_folders_are_published_as_one_model(tmp_path: Path) -> None:
    """A file that both folders have is taken from the image encoder's; a tokenizer option overrides both."""
    out, image, text = tmp_path / "out", tmp_path / "image", tmp_path / "text"
    image.mkdir()
    text.mkdir()
    vision, words = save(encoder("image_embeds"), image / "vision.onnx"), text_encoder(text)
    tokenizer = (text / "tokenizer.json").rename(tmp_path / "words.json")
    for each in (image, text):
        (each / "config.json").write_text(json.dumps({"model_type": each.name}))
    packed = ("pack", vision, "--text", words, "--tokenizer", tokenizer, "-o", tmp_path / "bundle", "--no-verify")
    assert webbuild(*packed).code == 0
    done = webbuild("publish", words, vision, tmp_path / "bundle", "--hf", out, "--no-verify")
    assert done.code == 0, done.stderr
    for name, file in zip(ENCODERS, (vision, words), strict=True):
        same_vectors(out / "model" / "onnx" / f"{name}.onnx", file)
    assert json.loads((out / "model" / "config.json").read_text()) == {"model_type": "image"}
    assert (out / "model" / "tokenizer_config.json").is_file()
    assert (out / "model" / "tokenizer.json").read_bytes() == (tmp_path / "bundle" / "tokenizer.json").read_bytes()


def test_encoders_of_one_graph_are_published_apart(tmp_path: Path) -> None:
    (tmp_path / "clip").mkdir()
    whole, out = both_encoders(tmp_path / "clip", scale=20), tmp_path / "out"
    assert webbuild("pack", whole, "-o", tmp_path / "bundle", "--no-verify").code == 0
    done = webbuild("publish", whole, tmp_path / "bundle", "--hf", out, "--no-verify")
    assert done.code == 0, done.stderr
    outputs = [
        onnxruntime.InferenceSession(out / "model" / "onnx" / f"{name}.onnx").get_outputs()[0].name for name in ENCODERS
    ]
    assert outputs == ["image_embeds", "text_embeds"]
    assert (out / "model" / "tokenizer.json").is_file()


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (("yolo-pose.onnx", "top-down_fp16.onnx"), ["yolo-pose", "top-down"]),
        (("a/model.onnx", "b/model.onnx"), ["encoder", "middle"]),
        (("..<b>.onnx", "../x y.onnx"), ["b-", "x-y"]),
    ],
)
def test_the_files_of_stages_have_names_of_their_own(files: tuple[str, str], names: list[str]) -> None:
    manifest = stages_manifest()
    first, second = (msgspec.structs.replace(manifest.source, file=each) for each in files)
    stage = msgspec.structs.replace(manifest.stages[0], source=second)  # type: ignore[index]
    named = msgspec.structs.replace(manifest, source=first, stage_name="encoder", stages=[stage])
    assert published_names(named) == names


def test_of_a_folder_of_several_models_one_is_to_be_named(bundle: Path, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    pair(folder)
    done = webbuild("publish", folder, bundle, "--hf", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "several-models")
    assert f"  fix: name one of them, for example {folder}/toy_decoder.onnx\n" in done.stderr


@pytest.mark.parametrize("option", ["--repo", "--base-model"])
@pytest.mark.parametrize("name", ["tiny", "a/b/c", "../b", "a/b<c"])
def test_names_that_the_hub_does_not_have_are_refused(
    export: Path, bundle: Path, tmp_path: Path, option: str, name: str
) -> None:
    done = webbuild("publish", export, bundle, "--hf", tmp_path / "out", "--no-verify", option, name)
    assert (done.code, done.error) == (2, "invalid-repository")


def test_what_is_there_is_replaced_only_when_told(export: Path, bundle: Path, tmp_path: Path) -> None:
    arguments = ("publish", export, bundle, "--hf", tmp_path / "out", "--no-verify")
    assert webbuild(*arguments).code == 0
    assert webbuild(*arguments).error == "output-exists"
    assert webbuild(*arguments, "--force").code == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    refused = webbuild(*arguments[:4], tmp_path / "mine", "--no-verify", "--force")
    assert refused.error == "not-a-bundle"
