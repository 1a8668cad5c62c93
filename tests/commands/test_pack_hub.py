"""A model from the Hugging Face Hub, served by a local server that speaks its protocol."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.hub_server import HubServer, serve_repository

MODEL = "onnx/model.onnx"


def exported(folder: Path) -> dict[str, bytes]:
    """Return the files of an export whose weights are in a separate file next to the model."""
    weights = numpy_helper.from_array(np.full((2, 3, 1, 1), 0.5, np.float32), "w")
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, c, 8, 8]) for n, c in (("x", 3), ("y", 2))]
    graph = helper.make_graph([helper.make_node("Conv", ["x", "w"], ["y"])], "g", values[:1], values[1:], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, folder / "model.onnx", save_as_external_data=True, location="model.onnx_data", size_threshold=0)
    files = {f"onnx/{name}": (folder / name).read_bytes() for name in ("model.onnx", "model.onnx_data")}
    return {**files, "config.json": b"{}", "README.md": b"not wanted", "onnx/model_q4.onnx": b"not wanted either"}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubServer]:
    with serve_repository("owner/net", exported(tmp_path)) as server:
        yield server


def pack(home: Path, given: str, address: str, **settings: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "webbuild", "pack", given, "-o", str(home / "out"), "--force", "--no-verify"]
    env = {**os.environ, "HF_ENDPOINT": address, "HF_HOME": str(home / "hf"), "HF_TOKEN": "", **settings}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_a_repository_is_packed_and_found_offline_afterwards(hub: HubServer, tmp_path: Path) -> None:
    done = pack(tmp_path, "hf:owner/net", hub.address)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "net.js").is_file()
    downloads = [path.partition("/resolve/")[2] for kind, path, _ in hub.requests if kind == "GET"]
    assert {path.partition("/")[2] for path in downloads if path} == {MODEL, "onnx/model.onnx_data", "config.json"}
    asked = len(hub.requests)
    for settings in ({"HF_HUB_OFFLINE": "1"}, {"HF_ENDPOINT": "http://127.0.0.1:9"}):
        assert pack(tmp_path, "hf:owner/net", hub.address, **settings).returncode == 0
    assert len(hub.requests) == asked


def test_a_download_that_breaks_off_goes_on(hub: HubServer, tmp_path: Path) -> None:
    hub.cut = {"onnx/model.onnx_data"}
    done = pack(tmp_path, f"hf:owner/net@main:{MODEL}", hub.address)
    assert done.returncode == 0, done.stderr
    assert not hub.cut


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("hf:owner/other", "hub-not-found"),
        ("hf:owner/net:onnx/nothing.onnx", "hub-not-found"),
        ("hf:net", "invalid-repository"),
    ],
)
def test_what_the_hub_has_not(hub: HubServer, given: str, code: str, tmp_path: Path) -> None:
    done = pack(tmp_path, given, hub.address)
    assert (done.returncode, f"error[{code}]" in done.stderr) == (2, True), done.stderr
    assert "fix: " in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_gated_repository_names_the_fix(hub: HubServer, tmp_path: Path) -> None:
    hub.gated = True
    done = pack(tmp_path, "hf:owner/net", hub.address)
    assert (done.returncode, "error[hub-gated]" in done.stderr, "hf auth login" in done.stderr) == (2, True, True)


def test_without_a_network_and_a_cache(tmp_path: Path) -> None:
    done = pack(tmp_path, "hf:owner/net", "http://127.0.0.1:9")
    assert (done.returncode, "error[hub-unreachable]" in done.stderr) == (2, True), done.stderr
    assert "is not in the cache, and the Hub did not answer" in done.stderr


def test_several_models_are_named(hub: HubServer, tmp_path: Path) -> None:
    data = hub.files.pop(MODEL)
    del hub.files["onnx/model_q4.onnx"]
    hub.files |= {"onnx/cat.onnx": data, "onnx/dog.onnx": data}
    done = pack(tmp_path, "hf:owner/net", hub.address)
    assert "error[several-models]" in done.stderr
    assert "webbuild pack hf:owner/net:onnx/cat.onnx hf:owner/net:onnx/dog.onnx" in done.stderr


ENCODER, DECODER = "onnx/vision_encoder.onnx", "onnx/prompt_encoder_mask_decoder.onnx"


def stage(names: tuple[str, str], sizes: tuple[int, int]) -> bytes:
    """Return a model that averages its input's channels, or repeats them."""
    read, made = (
        helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, c, 8, 8]) for n, c in zip(names, sizes, strict=True)
    )
    weights = numpy_helper.from_array(np.full((sizes[1], sizes[0], 1, 1), 0.5, np.float32), "w")
    graph = helper.make_graph([helper.make_node("Conv", [names[0], "w"], [names[1]])], "g", [read], [made], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def put_pair(hub: HubServer, decoder_takes: tuple[str, int]) -> None:
    del hub.files[MODEL], hub.files["onnx/model_q4.onnx"]
    name, channels = decoder_takes
    hub.files |= {ENCODER: stage(("pixels", "embeddings"), (3, 2)), DECODER: stage((name, "masks"), (channels, 4))}
    hub.files |= {file.replace(".onnx", "_fp16.onnx"): b"not wanted" for file in (ENCODER, DECODER)}


def test_an_encoder_and_its_decoder_are_the_stages_of_a_bundle(hub: HubServer, tmp_path: Path) -> None:
    put_pair(hub, ("embeddings", 2))
    done = pack(tmp_path, "hf:owner/net", hub.address)
    assert done.returncode == 0, done.stderr
    assert f"hf:owner/net: an encoder and its decoder, {ENCODER} and {DECODER}" in done.stderr
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
    assert manifest["name"] == "net"
    joined = [(each["inputs"][0]["stage"], each["name"]) for each in manifest["stages"]]
    assert joined == [("vision-encoder", "prompt-encoder-mask-decoder")]
    assert not any("fp16" in path for kind, path, _ in hub.requests if kind == "GET")
    assert pack(tmp_path, "hf:owner/net", hub.address, HF_HUB_OFFLINE="1").returncode == 0


def test_an_encoder_and_a_decoder_that_do_not_join_are_several_models(hub: HubServer, tmp_path: Path) -> None:
    put_pair(hub, ("tokens", 7))
    done = pack(tmp_path, "hf:owner/net", hub.address)
    assert "error[several-models]" in done.stderr, done.stderr
    assert "no output is an input of the next stage" in done.stderr
    assert f"webbuild pack hf:owner/net:{ENCODER} hf:owner/net:{DECODER}" in done.stderr
