"""An app without webbuild: it does `import "onnxruntime-web"`, asks for WebGPU and runs a model as it was exported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from numpy.typing import NDArray

from webbuild import assets
from webbuild.browser.chromium import Chromium
from webbuild.browser.server import Server
from webbuild.browser.site import Virtual
from webbuild.stored import engine_content

_APP = """async ([name, shapes]) => {
  const ort = await import("./ort.min.mjs");
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create("./model.onnx", { executionProviders: ["webgpu"] });
  const answers = [];
  for (const [index, dims] of shapes.entries()) {
    const data = new Float32Array(await (await fetch(`./feed-${index}.bin`)).arrayBuffer());
    answers.push(await session.run({ [name]: new ort.Tensor("float32", data, dims) }).then(
      (outputs) => Object.values(outputs).map(({ dims, data }) => ({ dims, data: [...data], error: "" }))[0],
      (error) => ({ dims: [0], data: [], error: error.message }),
    ));
  }
  return answers;
}"""


@dataclass(frozen=True)
class Answer:
    """The output of a run, or what it threw."""

    output: NDArray[np.float32]
    error: str


def run_app(chromium: Chromium, model: onnx.ModelProto, feeds: Sequence[NDArray[np.float32]]) -> list[Answer]:
    """Run a model of one input and one output on each feed, in one session."""
    _, (_, _, wasm) = assets.jsep_files()
    virtual: Virtual = {
        "/app.html": ("text/html", b"<link rel=icon href=data:,>"),
        "/model.onnx": ("application/octet-stream", model.SerializeToString()),
        f"/{wasm.stem}": ("application/wasm", engine_content(wasm)),
    }
    for index, feed in enumerate(feeds):
        virtual[f"/feed-{index}.bin"] = ("application/octet-stream", feed.astype("<f4").tobytes())
    with Server(wasm.parent, virtual=virtual) as server, chromium.page() as (page, _):
        page.goto(f"{server.url}app.html")
        given = [model.graph.input[0].name, [list(feed.shape) for feed in feeds]]
        return [
            Answer(np.array(answer["data"], np.float32).reshape(answer["dims"]), answer["error"])
            for answer in page.evaluate(_APP, given)
        ]
