"""The shipped models in the folder layout of transformers.js."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import onnx
from msgspec import Struct

ROOT = Path(__file__).parents[2] / "models"
WEBBUILD = (sys.executable, "-c", "from webbuild.cli import main; main()")
LOGITS, BOXES = "/detector/Gather_output_0", "/detector/Gather_1_output_0"
"""Inputs of RT-DETR's post-processing in the graph. transformers.js has its own post-processing."""


class ShippedModel(Struct, frozen=True):
    """A model of `models/`, and its pipeline in transformers.js.

    `processor` is the class named in its preprocessor_config.json on the Hub, if the pipeline needs it.
    """

    title: str
    name: str
    pipeline: str
    processor: str = ""

    @property
    def file(self) -> Path:
        """Its .onnx file."""
        return ROOT / self.name / f"{self.name}.onnx"


SHIPPED = (
    ShippedModel("RT-DETR", "rt-detr", "object-detection"),
    ShippedModel("Grounding DINO", "grounding-dino", "zero-shot-object-detection", "GroundingDinoProcessor"),
)


def write_hub_layout(shipped: ShippedModel, folder: Path) -> Path:
    """Write `folder`/name in the Hub's layout, and return it."""
    out = folder / shipped.name
    (out / "onnx").mkdir(parents=True)
    for file in shipped.file.parent.glob("*.json"):
        shutil.copyfile(file, out / file.name)
    if shipped.processor:
        told = out / "preprocessor_config.json"
        told.write_text(json.dumps({**json.loads(told.read_text("utf-8")), "processor_class": shipped.processor}))
    target = out / "onnx" / "model.onnx"
    if shipped.pipeline == "object-detection":
        onnx.save(without_postprocess(onnx.load(shipped.file)), target)
    else:
        shutil.copyfile(shipped.file, target)
    return out


def token_count(laid: Path) -> int | None:
    """Return the fixed number of tokens of a model in the Hub's layout, None if it is dynamic or there are none."""
    model = onnx.load(laid / "onnx" / "model.onnx", load_external_data=False)
    shapes = {value.name: value.type.tensor_type.shape.dim for value in model.graph.input}
    return shapes["input_ids"][-1].dim_value or None if "input_ids" in shapes else None


def patch_model(laid: Path, backend: str) -> Path:
    """Replace a model in the Hub's layout by its patched version, and return that.

    Raises:
        subprocess.CalledProcessError: `webbuild patch` failed.
    """
    model = laid / "onnx" / "model.onnx"
    out = laid.parent / f"{laid.name}-patched"
    subprocess.run([*WEBBUILD, "patch", str(model), "-o", str(out), "--target", f"1.30.0-{backend}"], check=True)
    (made,) = out.glob("*.onnx")
    return Path(shutil.copyfile(made, model))


def without_postprocess(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return RT-DETR without its post-processing, with the output names of transformers."""
    for name, rank in ((LOGITS, 3), (BOXES, 3)):
        shape = [f"{name}_{axis}" for axis in range(rank)]
        model.graph.value_info.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape))
    cut = onnx.utils.Extractor(model).extract_model(["images"], [LOGITS, BOXES])
    names = {"images": "pixel_values", LOGITS: "logits", BOXES: "pred_boxes"}
    for value in (*cut.graph.input, *cut.graph.output):
        value.name = names[value.name]
    for node in cut.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    onnx.checker.check_model(cut)
    return cut
