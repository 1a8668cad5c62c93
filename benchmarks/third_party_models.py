"""Third-party trained models: their outcome on WebGPU with plain onnxruntime-web, and after packing.

python -m benchmarks.third_party_models MODELS PHOTOGRAPHS --out build/wild --write

MODELS has the .onnx files named below, PHOTOGRAPHS four pictures. Each step stores its results and continues there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from PIL import Image

from benchmarks.page_markers import replace_marked
from webbuild.browser.chromium import open_chromium
from webbuild.errors import WebbuildError
from webbuild.inspection.inspect import inspect
from webbuild.inspection.measure import measure_in_page
from webbuild.inspection.measured_outcome import Measurement
from webbuild.model.cache_folder import cache_folder
from webbuild.model.load import load_onnx
from webbuild.ortweb.build import get_build
from webbuild.probe.browser_harness import open_harness
from webbuild.targets.table import load_table
from webbuild.targets.target import parse_target

PAGE = Path(__file__).parents[1] / "docs" / "wild-models.md"
TARGET = parse_target("1.30.0-webgpu")


class ThirdPartyModel(Struct, frozen=True):
    """A model: its input, its size and the `--dim` for it, and how pixels are normalized."""

    name: str
    input: str
    height: int
    width: int
    photographs: tuple[str, ...]
    dims: tuple[str, ...] = ()
    layout: Literal["nchw", "nhwc"] = "nchw"
    scale: float = 1 / 255
    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    std: tuple[float, float, float] = (1.0, 1.0, 1.0)
    bgr: bool = False

    def sizes(self) -> dict[str, int]:
        """Return the sizes of its dynamic dimensions."""
        return {name: int(size) for name, _, size in (each.rpartition("=") for each in self.dims)}

    def tensor(self, picture: Path) -> NDArray[np.float32]:
        """Return a photograph as the model's input, in BGR if `backwards`."""
        pixels = np.asarray(Image.open(picture).convert("RGB").resize((self.width, self.height)), np.float32)
        pixels = pixels[..., ::-1] if self.bgr else pixels
        value = (pixels * self.scale - np.array(self.mean)) / np.array(self.std)
        value = value.transpose(2, 0, 1) if self.layout == "nchw" else value
        return np.ascontiguousarray(value[None], np.float32)


MODELS = (
    ThirdPartyModel("selfie_seg", "input_1:0", 256, 256, ("woman_office", "group_indoor"), layout="nhwc"),
    ThirdPartyModel(
        "yunet_2026may", "input", 160, 160, ("woman_office", "group_indoor"), ("height=160", "width=160"),
        scale=1.0, bgr=True,
    ),
    ThirdPartyModel(
        "ppocr_v2_det", "x", 160, 160, ("receipt", "street_bus"), ("x:2=160", "x:3=160"),
        mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225), bgr=True,
    ),
    ThirdPartyModel("tcmonodepth", "input", 192, 320, ("street_bus", "woman_office")),
    ThirdPartyModel("yolo26n_int8", "images", 640, 640, ("street_bus",)),
)  # fmt: skip


class ThirdPartyRow(Struct, frozen=True):
    """Results for a model.

    `predicted` are the results of `inspect` on the original and on the packed graph. `before` is the original's
    outcome, `after` the verdict of each backend.
    """

    name: str
    predicted: tuple[str, str] = ("", "")
    before: str = ""
    after: dict[str, str] = {}


def predict(wild: ThirdPartyModel, path: Path, bundle: Path) -> tuple[str, str]:
    """Return the results of `inspect` on the original, in its packed size, and on the packed WebGPU graph."""
    graph = next(each for each in (bundle / "model").glob("webgpu-*.onnx"))
    return _verdict(path, wild.sizes()), _verdict(graph, {})


def _verdict(path: Path, dims: dict[str, int]) -> str:
    found = inspect(path.name, load_onnx(path).model, load_table(TARGET), dims)
    codes = sorted({each.code for each in found.findings if each.severity == "error"})
    counts = found.placement_counts()
    told = f"{counts['gpu']} nodes on the GPU, {counts['cpu']} on the CPU, {len(found.transfers)} copies"
    return f"{'; '.join(codes)}: {told}" if codes else told


def run_original(wild: ThirdPartyModel, path: Path, picture: Path) -> str:
    """Run the original on WebGPU on a photograph. Returns its outcome and the placement of its nodes."""
    source, known = load_onnx(path), load_table(TARGET)
    dims = wild.sizes()
    found = inspect(path.name, source.model, known, dims)
    with open_chromium() as browser, open_harness(browser, get_build(TARGET, cache_folder()), 500) as page:
        return _outcome_text(measure_in_page(page, found, source, dims, {wild.input: wild.tensor(picture)}))


def _outcome_text(found: Measurement) -> str:
    on_cpu = sum(line.measured.cpu for line in found.operators)
    where = (
        ""
        if found.measured_outcome == "no-session"
        else f", {on_cpu} nodes on the CPU, {found.measured_transfers or 0} copies"
    )
    agrees = (
        "as predicted" if found.predicted_outcome == found.measured_outcome else f"predicted {found.predicted_outcome}"
    )
    return f"{found.measured_outcome}{where} ({agrees})"


def pack(wild: ThirdPartyModel, path: Path, photographs: list[Path], bundle: Path) -> str:
    """Pack a model with its photographs as samples. Returns the error, empty if there is none."""
    samples = photographs
    if wild.name != "yolo26n_int8":  # the others do not declare their preprocessing
        samples = []
        for picture in photographs:
            samples.append(bundle.parent / f"{wild.name}-{picture.stem}.npz")
            named: dict[str, Any] = {wild.input: wild.tensor(picture)}
            np.savez(samples[-1], **named)
    dims = [word for each in wild.dims for word in ("--dim", each)]
    ran = _webbuild("pack", path, "--sample", *samples, "-o", bundle, "--no-verify", "--force", *dims)
    return "" if ran.returncode == 0 else ran.stderr.strip().splitlines()[-2]


def verify_bundle(bundle: Path, backend: str) -> str:
    """Compare a bundle with native ONNX Runtime on a backend in Chromium. Returns the verdict."""
    ran = _webbuild("verify", bundle, "--backend", backend, "--json")
    try:
        report: dict[str, Any] = json.loads(ran.stdout)
    except json.JSONDecodeError:
        return (ran.stderr.strip() or "nothing was said").splitlines()[0]
    if ran.returncode == 0:
        return "right"
    said = [each["message"] for each in report.get("problems", [])]
    cases = [case for run in report.get("backends", []) for case in run["cases"]]
    verdicts = [each["verdict"] for case in cases for each in case["comparisons"]]
    bad = len(verdicts) - verdicts.count("OK")
    return "; ".join([*([f"{bad} of {len(verdicts)} comparisons differ"] if bad else []), *said[:2]]) or "fails"


def _webbuild(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from webbuild.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def measure(folder: Path, pictures: Path, out: Path, steps: list[str], only: str) -> list[ThirdPartyRow]:
    """Do the requested steps that have no stored result; results are stored in `out`."""
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for wild in (each for each in MODELS if only in each.name):
        kept, bundle = out / f"{wild.name}.json", out / wild.name
        row = msgspec.json.decode(kept.read_bytes(), type=ThirdPartyRow) if kept.exists() else ThirdPartyRow(wild.name)
        path, shots = folder / f"{wild.name}.onnx", [pictures / f"{name}.jpg" for name in wild.photographs]
        for step in steps:
            begun = time.monotonic()
            try:
                if step == "foresee" and bundle.exists():
                    row = msgspec.structs.replace(row, predicted=predict(wild, path, bundle))
                elif step == "before" and not row.before:
                    row = msgspec.structs.replace(row, before=run_original(wild, path, shots[0]))
                elif step == "pack" and not bundle.exists() and (error := pack(wild, path, shots, bundle)):
                    row = msgspec.structs.replace(row, after={"pack": error})
                elif step in ("wasm", "webgpu") and bundle.exists() and step not in row.after:
                    row = msgspec.structs.replace(row, after={**row.after, step: verify_bundle(bundle, step)})
            except WebbuildError as error:
                row = msgspec.structs.replace(row, before=f"{error.code}: {error.message}"[:160])
            kept.write_bytes(msgspec.json.encode(row))
            print(f"{wild.name} {step} {time.monotonic() - begun:.0f} s: {row.before} {row.after}", flush=True)
        rows.append(row)
    return rows


def render_table(rows: list[ThirdPartyRow]) -> str:
    """Return the table: predictions, and the columns of measurements that are not empty."""
    columns = {
        "model": [f"`{row.name}`" for row in rows],
        "the original, predicted": [row.predicted[0] for row in rows],
        "packed, predicted": [row.predicted[1] for row in rows],
        "the original on WebGPU": [row.before for row in rows],
        "packed, on WebGPU": [row.after.get("webgpu", row.after.get("pack", "")) for row in rows],
        "packed, on WASM": [row.after.get("wasm", row.after.get("pack", "")) for row in rows],
    }
    held = {title: [cell or "not measured" for cell in cells] for title, cells in columns.items() if any(cells)}
    lines = [" | ".join(held), "|".join("---" for _ in held), *map(" | ".join, zip(*held.values(), strict=True))]
    return "\n".join(f"| {line} |" for line in lines) + "\n"


def main() -> None:
    """Measure, print, and write with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path)
    parser.add_argument("photographs", type=Path)
    parser.add_argument("--out", type=Path, default=Path("build/wild"))
    parser.add_argument("--steps", default="pack,foresee,before,webgpu,wasm")
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    given = parser.parse_args()
    text = render_table(measure(given.models, given.photographs, given.out, given.steps.split(","), given.only))
    print(text)
    if given.write:
        replace_marked(PAGE, text)


if __name__ == "__main__":
    main()
