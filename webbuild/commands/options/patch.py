"""Arguments and options of `webbuild patch`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from webbuild.commands.dataclass_command import argument, option
from webbuild.commands.options.shared import dims_option, export_option, json_option, set_option, size_option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PatchArguments:
    """Patch each MODEL and prove it, for a loader of your own: .onnx files and nothing else.

    A patched model keeps the inputs and outputs it had, by name, type and shape; only free dimensions get the sizes
    that --dim gives. Any other change is printed. Thresholds stay constants.

    With --nms cpu or gpu the thresholds become inputs, `confidence` and `iou`, and a detector without post-processing
    gets one. With gpu there may be an output `head_status`: two numbers, whether the head is exact and how many
    candidates it had. Where the first is not 1, or the second above the capacity in the model's metadata
    (`webbuild.manifest.detection_head_status`), repeat the run on the graph for WebAssembly, which is written too.

    A graph is written only if any loader gets it right. Where a kernel is known to answer wrongly and nothing replaces
    it, its nodes have to be left to the CPU by a session option: --allow-cpu-nodes writes such a graph and prints it.

    Several models are patched at once, each in its own process. One that fails does not stop the others; the exit
    code is that of the worst.

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
    samples: tuple[Path, ...] = option("--sample", default=(), metavar="FILE...", help="Images or .npz to prove with.")
    nms: Literal["keep", "cpu", "gpu"] = option(
        default="keep",
        help="NMS: keep it as exported; or rewrite or append it as pack does, which changes inputs and outputs.",
    )
    allow_cpu_nodes: bool = option(
        default=False, help="Also write graphs that are right only where the session leaves the nodes named to the CPU."
    )
    int32_inputs: bool = option(
        default=False, help="Let inputs become int32 that are int64 and cast at once, as those of a bundle do."
    )
    dry_run: bool = option(default=False, help="Print what would be done, and what not; write nothing.")
    force: bool = option(default=False, help="Replace existing files.")
    as_json: bool = json_option()
