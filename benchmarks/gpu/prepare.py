"""Write the archive that `python -m benchmarks.gpu` needs: engine, Dawn for Node, graphs, runs with known outputs.

python -m benchmarks.gpu.prepare build/gpu.tar.xz
python -m benchmarks.gpu.prepare build/gpu.tar.xz --bare --model yolo-pose --heavy build/pictures/swin2sr.onnx
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnxruntime

from benchmarks.gpu import archive
from benchmarks.gpu.jobs import RunCounts, frame_jobs, model_jobs, suppression_jobs
from benchmarks.gpu.model_cases import CaseWriter
from benchmarks.npm_packages import DAWN, fetch_package
from webbuild.manifest.file_entry import read_engine_wasm
from webbuild.ortweb import packaged_assets

ROOT = Path(__file__).parents[2]
NODE_SIDE = Path(__file__).with_name("node")
MODELS = {
    "yolo-pose": "yolo-pose.onnx",
    "rt-detr": "rt-detr/rt-detr.onnx",
    "grounding-dino": "grounding-dino/grounding-dino.onnx",
    "mask2former": "mask2former-swin/mask2former.onnx",
    "depth-from-focus": "depth-from-focus/depth-from-focus.onnx",
}
"""The models of `models/` that are measured."""
INT8 = ("yolo-pose", "rt-detr")
"""Models that are also measured with int8 weights: these are dequantized at load, so the kernels are the same."""
LOADER = "libvulkan.so.1"
NVIDIA_NEEDS = (
    "libGLdispatch.so.0",
    "libEGL.so.1",
    "libX11.so.6",
    "libXext.so.6",
    "libxcb.so.1",
    "libXau.so.6",
    "libXdmcp.so.6",
    "libbsd.so.0",
    "libmd.so.0",
)
"""Libraries without which NVIDIA's Vulkan driver in a container is not found. Debian's libegl1, libxext6."""
NMS = "yolo-pose"
"""The model whose NMS is measured in the graph, in the shader and on the CPU."""


def write_archive(
    out: Path,
    bundles: Path,
    models: Mapping[str, Path],
    heavy: list[Path],
    counts: RunCounts,
    *,
    bare: bool = False,
    precision: str = "auto",
) -> int:
    """Pack missing `bundles`, write the archive, and return its size. Raises ValueError above the limit."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        jobs = _jobs(CaseWriter(folder), bundles, models, heavy, counts, precision)
        write_engine(folder)
        if bare:
            _write_bare(folder)
        (folder / archive.PLAN).write_text(json.dumps({"prepared": versions(), "jobs": jobs}), "utf-8")
        return archive.pack(folder, out)


def versions() -> dict[str, str]:
    """Return the versions in the archive, and the source of its expected outputs."""
    return {
        "onnxruntime-web": packaged_assets.engine_version(),
        "dawn": f"{DAWN.name} {DAWN.version}",
        "reference": f"native ONNX Runtime {onnxruntime.__version__} on {platform.machine()}",
    }


def _jobs(
    writer: CaseWriter,
    bundles: Path,
    models: Mapping[str, Path],
    heavy: list[Path],
    counts: RunCounts,
    precision: str,
) -> list[dict[str, Any]]:
    jobs = suppression_jobs(counts)
    for name, model in models.items():
        for used, case in writer.cases(pack_model(model, bundles / name, "--precision", precision)):
            if used == "fp32":
                jobs += frame_jobs(name, case, counts)
            jobs += model_jobs(name, used, case, counts)
        if name in INT8:
            for used, case in writer.cases(pack_model(model, bundles / f"{name}-int8", "--weight-dtype", "int8")):
                jobs += model_jobs(name, used, case, counts, captures=(False,))
        if name == NMS:
            ((_, case),) = writer.cases(pack_model(model, bundles / f"{name}-nms-gpu", "--nms", "gpu"))
            jobs += model_jobs(name, "fp32", case, counts, suppression="graph")
    for model in heavy:
        packed = pack_model(
            model, bundles / f"{model.stem}-random-weights", "--precision", precision, "--task", "tensor"
        )
        for used, case in writer.cases(packed, random_weights=True):
            jobs += model_jobs(f"{model.stem}, random weights", used, case, counts)
    return jobs


def pack_model(model: Path, bundle: Path, *options: str) -> Path:
    """Return the bundle; pack the model if the bundle does not exist."""
    if not (bundle / "manifest.json").exists():
        call = [sys.executable, "-m", "webbuild", "pack", str(model), "--no-verify", "-o", str(bundle), *options]
        subprocess.run(call, check=True, cwd=ROOT, stdout=sys.stderr)
    return bundle


def write_engine(folder: Path) -> None:
    """Write Dawn, the engine and the measuring script, built from the runtime's own sources."""
    system = f"{platform.system().lower()}-{'arm64' if platform.machine() in ('aarch64', 'arm64') else 'x64'}"
    shutil.copyfile(fetch_package(DAWN) / "dist" / system / "dawn.node", folder / "dawn.node")
    files = next(files for spec, files in packaged_assets.engine_build_files() if spec.build == "asyncify")
    (folder / "engine").mkdir()
    for file in files:
        data = read_engine_wasm(file) if ".wasm" in file.name else file.read_bytes()
        (folder / "engine" / file.name.removesuffix(".zst")).write_bytes(data)
    shutil.copyfile(NODE_SIDE / "main.mjs", folder / "main.mjs")
    subprocess.run(["node", str(NODE_SIDE / "build.mjs"), str(folder)], check=True, cwd=ROOT)
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")


def _write_bare(folder: Path) -> None:
    """Write this machine's Node, Vulkan loader, and the libraries of NVIDIA's driver; Linux only."""
    node = shutil.which("node")
    found = {name: next(Path("/usr/lib").glob(f"*-linux-gnu/{name}"), None) for name in (LOADER, *NVIDIA_NEEDS)}
    if node is None or found[LOADER] is None:
        raise SystemExit(f"--bare: no node on the PATH, or no /usr/lib/*/{LOADER} (apt-get install libvulkan1)")
    shutil.copy2(node, folder / "node")
    (folder / "lib").mkdir()
    for name, library in found.items():
        if library is not None:
            shutil.copyfile(library, folder / "lib" / name)


def main() -> int:
    """Write the archive. Returns 1 if it would be too large."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, nargs="?", default=archive.DEFAULT, help="[default: %(default)s]")
    parser.add_argument("--model", action="append", choices=tuple(MODELS), help="only these; repeatable")
    parser.add_argument("--heavy", type=Path, nargs="*", default=[], help="more .onnx files, with random weights")
    parser.add_argument("--bare", action="store_true", help="include node and the Vulkan loader")
    parser.add_argument("--bundles", type=Path, default=ROOT / "build" / "gpu", help="keeps bundles for reuse")
    options = parser.parse_args()
    options.bundles.mkdir(parents=True, exist_ok=True)
    try:
        models = {name: ROOT / "models" / MODELS[name] for name in options.model or MODELS}
        size = write_archive(options.out, options.bundles, models, options.heavy, RunCounts(), bare=options.bare)
    except (ValueError, tarfile.TarError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{options.out}: {size / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
