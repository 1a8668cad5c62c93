"""The number of GPU kernels per run in Chromium: of the exported model, and of webbuild's graph.

python -m benchmarks.kernel_counts build/zoo --write
python -m benchmarks.kernel_counts build/depths --depths --write

`make zoo` exports the models of the first command, `python -m models.zoo.real_depths build/depths` the second's.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import msgspec
import onnx_ir as ir
from msgspec import Struct

from benchmarks import tiny_models
from benchmarks.page_markers import replace_marked
from benchmarks.result_cache import cached_result
from benchmarks.zoo.patching import TARGET, patch
from benchmarks.zoo.row import Patched
from benchmarks.zoo.running import job
from benchmarks.zoo.zoo_model import ZOO, ZooModel
from webbuild.model.load import load_onnx
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names
from webbuild.samples.npz import load_npz
from webbuild.targets.table import load_table

PAGE = Path(__file__).parents[1] / "docs" / "kernels-per-run.md"
SEEN = (
    "ast.ts17", "beit.ts17", "bert.ts14-free", "birefnet.ts17", "clip.ts14-free", "conditional-detr.ts17",
    "convnext.ts17", "convnextv2.dynamo18", "deformable-detr.dynamo18", "deit-distilled.ts14",
    "depth-anything.ts17-free", "detr.ts17", "dinov2.ts17-free", "dinov3.ts18", "dpt.ts17", "edgenext.ts17",
    "efficientvit.ts17", "eva02.ts17", "gemma.ts17-free", "hiera.ts17", "inception-next.ts17", "lcnet.ts11",
    "levit.ts15", "lraspp.ts11", "maskformer.ts17", "mobilenetv4.ts17-free", "mobilevit.ts12-free",
    "modnet.ts17", "owlvit.ts17", "phi.ts17-free", "pvtv2.ts13", "qwen3.dynamo18-free", "rtdetrv2.ts17",
    "sam-decoder.ts17-free", "sam-encoder.ts17", "sam2-encoder.ts17", "segformer.ts17-free", "superpoint.ts17",
    "swin.ts17", "swin2sr.ts17", "swinv2.ts17", "timesformer.ts17", "ultralytics-rtdetr.ultralytics17-raw",
    "upernet.ts14", "videomae.ts17", "visformer.ts12", "vit.ts17", "vitmatte.ts17", "vitpose.ts17",
    "whisper-encoder.ts17-free", "yolo11.ultralytics20", "yolo12.ultralytics17", "yolo26.ultralytics17-end2end",
    "yolos.ts17", "yolov8.ultralytics17",
)  # fmt: skip
"""Models that the passes were developed on."""
UNSEEN = (
    "cait.ts16", "crnn.dynamo18", "deberta-v2.ts15-free", "faces.ts13-free", "glpn.ts13", "labels.ts17-free",
    "modernbert.dynamo18-free", "sam1-decoder.ts17-free", "sam1-encoder.ts17", "sam3-tracker-decoder.ts17-free",
    "sam3-tracker-encoder.ts17-free", "shufflenet.ts11", "siglip.ts17-free", "skresnet.ts11", "starnet.ts10",
    "swinir-denoise.ts17", "twins.ts17", "video-matting-zero.ts12-free", "wav2vec2.ts17-free", "xcit.ts17",
    "yolo11-pose.ultralytics17-nms", "yolo11-seg.ultralytics20-nms", "yolov8-pose.ultralytics17-nms-raw",
    "zero-dce.ts17-free",
)  # fmt: skip
"""Models that the passes were not developed on."""
DEPTHS = ("yolo-pose-640", "rt-detr-r50-depth", "mask2former-swin-tiny-depth", "grounding-dino-tiny-depth")
"""Models with as many layers as published, but fewer channels and smaller pictures."""

_SECONDS = 900.0
"""Time limit in seconds of a network with its published depth on a software adapter, including compilation."""

Preparation = Callable[[ZooModel, Path], Path | None]


class GraphCount(Struct, frozen=True):
    """The kernels of a run of one graph, 0 if it does not run, and its nodes on the CPU."""

    kernels: int
    on_cpu: int


class KernelCounts(Struct, frozen=True):
    """A model and the kernels of a run, as exported and with webbuild's graph, 0 if that does not run.

    `on_cpu` is the number of nodes on the CPU as exported, for which no kernel runs.
    """

    model: str
    seen: bool
    alone: int
    packed: int
    on_cpu: int

    @property
    def ratio(self) -> float | None:
        """Kernels of webbuild's graph divided by those of the export, None if either does not run."""
        return self.packed / self.alone if self.alone and self.packed else None


def count_kernels(zoo: Path, out: Path, names: Sequence[str], prepare: Preparation) -> Iterator[KernelCounts]:
    """Count the kernels of a run of each model, as exported and as prepared."""
    out.mkdir(parents=True, exist_ok=True)
    models = {name: ZooModel(zoo / f"{name}.onnx", load_npz(zoo / f"{name}.npz")) for name in names}
    with ThreadPoolExecutor(2) as pool:
        prepared = dict(zip(names, pool.map(lambda model: prepare(model, out), models.values()), strict=True))
    jobs: list[tiny_models.Job] = []
    for name, model in models.items():
        for which, file in (("alone", model.path), ("packed", prepared[name])):
            if file is not None and not _kept(out, f"{which} {name}").exists():
                given = job(model, file, tuple(cpu_node_names(ir.load(file))))
                jobs.append(msgspec.structs.replace(given, name=f"{which} {name}", counts=True))
    for each, answer in tiny_models.run_all(jobs, "webgpu", _SECONDS):
        found = GraphCount(sum(answer.kernels.values()), len(answer.cpu))
        _kept(out, each.name).write_bytes(msgspec.json.encode(found))
        print(
            f"  {each.name}: {found.kernels} kernels, {found.on_cpu} nodes on the CPU {answer.message[:150]}",
            flush=True,
        )
    for name in names:
        alone, packed = (
            msgspec.json.decode(file.read_bytes(), type=GraphCount) if file.exists() else GraphCount(0, 0)
            for file in (_kept(out, f"alone {name}"), _kept(out, f"packed {name}"))
        )
        yield KernelCounts(name, name in SEEN, alone.kernels, packed.kernels, alone.on_cpu)


def _kept(out: Path, name: str) -> Path:
    """Return the file of a graph's count: a second call continues where the first ended."""
    return out / f"{name.replace(' ', '-')}.count.json"


def patched(model: ZooModel, out: Path) -> Path | None:
    """Patch a model as users do, with the proof; None if there is no graph for the GPU."""
    made = cached_result(out / f"{model.name}.json", Patched, partial(patch, model, out))
    return None if made.error_with_sizes or made.on_wasm else Path(made.file)


def lowered(model: ZooModel, out: Path) -> Path:
    """Apply the passes without a proof: with random weights this deep, any rounding changes the outputs."""
    file, loaded = out / f"{model.name}.onnx", load_onnx(model.path).model
    dims = {key: int(size) for key, _, size in (each.rpartition("=") for each in model.dims())}
    options = PassOptions(dims=dims, table=load_table(TARGET), int32_inputs=True)
    ir.save(lower(loaded, options, ("webgpu",)).graphs["webgpu"], file)
    return file


def render_page(rows: Sequence[KernelCounts]) -> str:
    """Return the medians and the table in Markdown."""
    lines = []
    for title, seen in (("written from", True), ("not written from", False)):
        ratios = [row.ratio for row in rows if row.seen is seen and row.ratio is not None]
        if ratios:
            middle = 100 * (1 - statistics.median(ratios))
            lines.append(f"- {len(ratios)} models that the passes were {title}: the median has {middle:.0f} % fewer.")
    every = [row.ratio for row in rows if row.ratio is not None]
    lines.append(f"- All {len(every)}: the median has {100 * (1 - statistics.median(every)):.0f} % fewer.")
    lines += [
        "",
        "| model | onnxruntime-web alone | nodes on the CPU | webbuild | fewer | passes written from it |",
        "|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: (not row.seen, row.model)):
        lines.append(f"| {_cells(row)} | {'yes' if row.seen else 'no'} |")
    return "\n".join(lines) + "\n"


def render_depths(rows: Sequence[KernelCounts]) -> str:
    """Return the table of models with their published depth in Markdown."""
    head = ["| model | onnxruntime-web alone | nodes on the CPU | webbuild | fewer |", "|---|---|---|---|---|"]
    return "\n".join([*head, *(f"| {_cells(row)} |" for row in rows)]) + "\n"


def _cells(row: KernelCounts) -> str:
    fewer = "" if row.ratio is None else f"{100 * (1 - row.ratio):.0f} %"
    alone, packed = (str(number) if number else "does not run" for number in (row.alone, row.packed))
    return f"{row.model} | {alone} | {row.on_cpu if row.alone else ''} | {packed} | {fewer}"


def main() -> None:
    """Read the command line, count, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", nargs="?", type=Path, default=ZOO)
    parser.add_argument("--out", type=Path, default=ZOO.parent / "kernel-counts")
    parser.add_argument("--depths", action="store_true", help="count the models with their published depth")
    parser.add_argument("--write", action="store_true", help=f"write the table of {PAGE.name}")
    arguments = parser.parse_args()
    chosen = DEPTHS if arguments.depths else (*SEEN, *UNSEEN)
    names = [name for name in chosen if (arguments.zoo / f"{name}.onnx").exists()]
    rows = list(count_kernels(arguments.zoo, arguments.out, names, lowered if arguments.depths else patched))
    text = render_depths(rows) if arguments.depths else render_page(rows)
    print(text)
    if arguments.write:
        replace_marked(PAGE, text, "depths" if arguments.depths else "measured")


if __name__ == "__main__":
    main()
