"""The libraries that a bundle is compared with: their pinned files, and the model in each one's format."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from benchmarks.npm_packages import (
    ENGINE,
    LITERT,
    LITERT_UTILS,
    TRANSFORMERS,
    ULTRALYTICS,
    ULTRALYTICS_ENGINE,
    Package,
    fetch_package,
)
from benchmarks.side_by_side.pages import LibraryPage

INSTALLED = Path(__file__).parents[2] / "node_modules" / "onnxruntime-web" / "dist"
ASYNCIFY = "ort-wasm-simd-threaded.asyncify"
PLAIN_FILES = ("ort.webgpu.min.mjs", f"{ASYNCIFY}.mjs", f"{ASYNCIFY}.wasm")


def plain_page(raw: Path) -> LibraryPage:
    """Return plain onnxruntime-web with the model without NMS."""
    files = {f"/ort/{name}": INSTALLED / name for name in PLAIN_FILES}
    return LibraryPage("plain.js", raw, files, {"entry": f"{{origin}}/ort/{PLAIN_FILES[0]}"})


def transformers_page(raw: Path, folder: Path) -> LibraryPage:
    """Return transformers.js with the same file, in the Hub's folder layout."""
    laid = folder / "pose"
    (laid / "onnx").mkdir(parents=True)
    shutil.copyfile(raw, laid / "onnx" / "model.onnx")
    (laid / "config.json").write_text(json.dumps({"model_type": "yolov8"}), "utf-8")
    files = {"/library/transformers.min.js": fetch_package(TRANSFORMERS) / "dist" / "transformers.min.js"}
    engine = fetch_package(ENGINE) / "dist"
    files |= {f"/ort/{ASYNCIFY}.{ending}": engine / f"{ASYNCIFY}.{ending}" for ending in ("mjs", "wasm")}
    given = {"entry": "{origin}/library/transformers.min.js", "engine": "{origin}/ort/"}
    return LibraryPage("transformers.js", laid, files, given)


def yolo_page(model: Path) -> LibraryPage:
    """Return @ultralytics/yolo, which uses onnxruntime-web for .onnx and LiteRT.js for .tflite."""
    engine = fetch_package(ULTRALYTICS_ENGINE) / "dist"
    names = [
        *(f"ort.{kind}.min.js" for kind in ("webgpu", "wasm")),
        *(
            f"ort-wasm-simd-threaded{kind}.{ending}"
            for kind in ("", ".jsep", ".asyncify")
            for ending in ("mjs", "wasm")
        ),
    ]
    files = {f"/ort/{name}": engine / name for name in names if (engine / name).is_file()}
    for path, package in (("yolo", ULTRALYTICS), ("litert", LITERT), ("litert-utils", LITERT_UTILS)):
        files |= _files(path, package)
    given = {
        "entry": "{origin}/yolo/dist/index.js",
        "engine": "{origin}/ort/",
        "litert": "{origin}/litert/wasm/",
        "imports": {
            "@litertjs/core": "{origin}/litert/dist/index.js",
            "@litertjs/wasm-utils": "{origin}/litert-utils/dist/index.js",
        },
    }
    return LibraryPage("yolo.js", model, files, given)


def _files(path: str, package: Package) -> dict[str, Path]:
    folder = fetch_package(package)
    kept = (".js", ".mjs", ".wasm", ".json")
    return {f"/{path}/{file.relative_to(folder).as_posix()}": file for file in folder.rglob("*") if file.suffix in kept}
