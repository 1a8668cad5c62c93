"""Kernels of a run in Chromium: onnxruntime-web alone with the model as exported, and with our graph.

python -m benchmarks.kernel_counts build/zoo --write
python -m benchmarks.kernel_counts build/depths --depths --write

`make zoo` makes the models of the first, `python -m models.zoo.real_depths build/depths` those of the second.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator, Sequence
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
    "beit.ts17", "bert.ts14-free", "birefnet.ts17", "clip.ts14-free", "conditional-detr.ts17", "convnext.ts17",
    "convnextv2.dynamo18", "deformable-detr.dynamo18", "depth-anything.ts17-free", "detr.ts17", "dinov2.ts17-free",
    "dinov3.ts18", "dpt.ts17", "efficientvit.ts17", "maskformer.ts17", "mobilenetv4.ts17-free", "mobilevit.ts12-free",
    "owlvit.ts17", "pvtv2.ts13", "rtdetrv2.ts17", "sam-decoder.ts17-free", "sam-encoder.ts17", "segformer.ts17-free",
    "swin.ts17", "swin2sr.ts17", "swinv2.ts17", "upernet.ts14", "vit.ts17", "vitpose.ts17", "whisper-encoder.ts17-free",
    "yolo11.ultralytics20", "yolo12.ultralytics17", "yolo26.ultralytics17-end2end", "yolos.ts17",
    "yolov8.ultralytics17",
)  # fmt: skip
"""Models whose kernels the passes were written from."""
UNSEEN = (
    "ast.ts17", "cait.ts16", "deit-distilled.ts14", "edgenext.ts17", "eva02.ts17", "glpn.ts13", "hiera.ts17",
    "inception-next.ts17", "lcnet.ts11", "levit.ts15", "lraspp.ts11", "modnet.ts17", "siglip.ts17-free",
    "superpoint.ts17", "timesformer.ts17", "twins.ts17", "ultralytics-rtdetr.ultralytics17-raw", "videomae.ts17",
    "visformer.ts12", "vitmatte.ts17", "wav2vec2.ts17-free", "xcit.ts17",
)  # fmt: skip
"""Models that nobody looked at while the passes were written."""
DEPTHS = ("yolo-pose-640", "rt-detr-r50-depth", "mask2former-swin-tiny-depth", "grounding-dino-tiny-depth")
"""Models with the layers of their published form, narrow and for small pictures."""

Preparation = Callable[[ZooModel, Path], Path | None]


class KernelCounts(Struct, frozen=True):
    """A model and the kernels of a run: alone and with our graph, 0 where that does not run."""

    model: str
    seen: bool
    alone: int
    packed: int

    @property
    def ratio(self) -> float | None:
        """Ours by those of the engine alone, None where either does not run."""
        return self.packed / self.alone if self.alone and self.packed else None


def count_kernels(zoo: Path, out: Path, names: Sequence[str], prepare: Preparation) -> Iterator[KernelCounts]:
    """Count what a run of each model starts, as exported and as prepared."""
    out.mkdir(parents=True, exist_ok=True)
    jobs: list[tiny_models.Job] = []
    for name in names:
        model = ZooModel(zoo / f"{name}.onnx", load_npz(zoo / f"{name}.npz"))
        prepared = prepare(model, out)
        graphs = {"alone": model.path} | ({} if prepared is None else {"packed": prepared})
        for which, file in graphs.items():
            given = job(model, file, tuple(cpu_node_names(ir.load(file))))
            jobs.append(msgspec.structs.replace(given, name=f"{which} {name}", counts=True))
    counted = {each.name: sum(answer.kernels.values()) for each, answer in tiny_models.run_all(jobs, "webgpu")}
    for name in names:
        yield KernelCounts(name, name in SEEN, counted[f"alone {name}"], counted.get(f"packed {name}", 0))


def patched(model: ZooModel, out: Path) -> Path | None:
    """Patch a model as its users do, its proof included; None where it has no graph for the GPU."""
    made = cached_result(out / f"{model.name}.json", Patched, partial(patch, model, out))
    return None if made.refused or made.on_wasm else Path(made.file)


def lowered(model: ZooModel, out: Path) -> Path:
    """Put a model through the passes, without a proof: random weights this deep make other answers of any rounding."""
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
    lines += [
        "",
        "| model | onnxruntime-web alone | webbuild | fewer | passes written from it |",
        "|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: (not row.seen, row.model)):
        lines.append(f"| {_cells(row)} | {'yes' if row.seen else 'no'} |")
    return "\n".join(lines) + "\n"


def render_depths(rows: Sequence[KernelCounts]) -> str:
    """Return the table of models as deep as they are published in Markdown."""
    head = ["| model | onnxruntime-web alone | webbuild | fewer |", "|---|---|---|---|"]
    return "\n".join([*head, *(f"| {_cells(row)} |" for row in rows)]) + "\n"


def _cells(row: KernelCounts) -> str:
    fewer = "" if row.ratio is None else f"{100 * (1 - row.ratio):.0f} %"
    cells = (str(number) if number else "does not run" for number in (row.alone, row.packed))
    return f"{row.model} | {' | '.join(cells)} | {fewer}"


def main() -> None:
    """Read the command line, count, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", nargs="?", type=Path, default=ZOO)
    parser.add_argument("--out", type=Path, default=ZOO.parent / "kernel-counts")
    parser.add_argument("--depths", action="store_true", help="count the models as deep as they are published")
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
