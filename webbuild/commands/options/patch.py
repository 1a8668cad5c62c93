"""Arguments and options of `webbuild patch`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from webbuild.commands.dataclass_command import argument, option
from webbuild.commands.options.shared import (
    LimitArguments,
    dims_option,
    export_option,
    json_option,
    set_option,
    size_option,
    state_option,
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PatchArguments(LimitArguments):
    """Patch each MODEL and prove it equal to the original: .onnx files only, for your own loader.

    A patched model keeps its inputs and outputs, by name, type and shape. Only free dimensions change, to the sizes of
    --dim. patch prints any other change. Thresholds stay constants.

    With --nms cpu or gpu the thresholds become inputs, `confidence` and `iou`, and a detector without post-processing
    gets it. With gpu the graph may have an output `head_status` of two numbers: whether the NMS converged, and the
    number of candidates. If the first is not 1, or the second exceeds the capacity in the model's metadata
    (`webbuild.manifest.detection_head_status`), repeat the run on the WebAssembly graph, which patch also writes.

    patch only writes graphs that are correct in any loader. If a GPU kernel gives wrong results and no pass replaces
    it, a session option must place its nodes on the CPU: --allow-cpu-nodes writes such a graph and prints the option.

    Several models are patched in parallel, each in its own process. A failure does not stop the others; the exit code
    is the worst of all.

    Example: webbuild patch a.onnx b.onnx -o patched --target 1.30.0-webgpu
    """

    models: tuple[Path, ...] = argument(metavar="MODEL...")
    out: Path = option("-o", "--out", default=Path("patched"), help="Folder to write to.")
    targets: tuple[str, ...] = option(
        "--target",
        default=(),
        metavar="VERSION-BUILD",
        help="Build of onnxruntime-web to patch for, such as 1.30.0-webgpu; repeatable. "
        "[default: the webgpu build that webbuild ships]",
    )
    dims: tuple[str, ...] = dims_option()
    size: str | None = size_option()
    export: tuple[str, ...] = export_option()
    values: tuple[str, ...] = set_option()
    states: tuple[str, ...] = state_option()
    samples: tuple[Path, ...] = option(
        "--sample", default=(), metavar="FILE...", help="Images, folders of images, or .npz to prove with."
    )
    nms: Literal["keep", "cpu", "gpu"] = option(
        default="keep",
        help="keep = NMS as exported; cpu and gpu rewrite or append it as pack does, which changes inputs and outputs.",
    )
    allow_cpu_nodes: bool = option(
        default=False, help="Also write graphs that need a session option to place nodes on the CPU."
    )
    int32_inputs: bool = option(
        default=False, help="Make int64 inputs int32 if the graph casts them immediately, as pack does."
    )
    dry_run: bool = option(default=False, help="Print the rewrites, and what was not rewritten; write nothing.")
    force: bool = option(default=False, help="Replace existing files.")
    as_json: bool = json_option()
