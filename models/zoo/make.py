"""Export the zoo: python -m models.zoo.make build/zoo [NAMES...].

Each model is NAME.onnx, and NAME.npz with an array for every input, by the input's name. The name of a base selects
all its variants. Existing files are kept.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import os
import random
import tempfile
import time
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch

from models.zoo import offline  # noqa: F401  makes torchvision importable with PyTorch for CPUs
from models.zoo.conversions import CONVERSIONS
from models.zoo.recipe import Base, Recipe, bases, recipes

LARGEST = 3_000_000
Feeds = dict[str, np.ndarray[Any, Any]]


def export(base: Base, recipe: Recipe, file: Path) -> Feeds:
    """Write an export, and return its example."""
    from models.exporting import strip

    seed = zlib.crc32(recipe.base.encode())
    torch.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)
    example = base.build()
    inputs = {name: torch.as_tensor(value) for name, value in example.inputs.items()}
    if recipe.export == "tf2onnx":
        onnx.save(example.network, file)
    elif recipe.export.startswith("ultralytics"):
        example.network.write(file, recipe.export)
        strip(file)
    else:
        exporter, _, axes = recipe.export.partition("-")
        dynamo = exporter.startswith("dynamo")
        chosen: dict[str, Any] = {"external_data": False, "verbose": False} if dynamo else {}
        if axes == "free" and dynamo:
            chosen["dynamic_shapes"] = shapes(example.network, [example.free.get(name) for name in inputs])
        elif axes == "free":
            chosen["dynamic_axes"] = example.free
        with torch.no_grad():
            torch.onnx.export(
                example.network, tuple(inputs.values()), str(file), input_names=list(inputs), dynamo=dynamo,
                output_names=list(example.outputs), opset_version=int(exporter.lstrip("tsdynamo")), **chosen,
            )  # fmt: skip
        strip(file)
    return {name: value.numpy() for name, value in inputs.items()}


def shapes(network: torch.nn.Module, axes: Sequence[Any]) -> tuple[Any, ...]:
    """Return every argument's dynamic axes in the dynamo exporter's form: those of `*values` are one tuple."""
    kinds = [one.kind for one in inspect.signature(network.forward).parameters.values()]
    alone = sum(kind is not inspect.Parameter.VAR_POSITIONAL for kind in kinds)
    dynamic = [axis and dict.fromkeys(axis, torch.export.Dim.DYNAMIC) for axis in axes]
    return (*dynamic[:alone], tuple(dynamic[alone:])) if alone < len(kinds) else tuple(dynamic)


def fit(feeds: Feeds, file: Path) -> Feeds:
    """Return the example for a model's inputs, in their data types."""
    types = {
        value.name: onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        for value in onnx.load(file, load_external_data=False).graph.input
    }
    return {name: feeds[name].astype(kind) for name, kind in types.items()}


def check(file: Path, feeds: Feeds) -> None:
    """Run a model natively and check that its outputs are finite, vary, and change with the input."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    first = session.run(None, feeds)
    second = session.run(None, {name: np.roll(value, value.size // 3 + 1) for name, value in feeds.items()})
    for output, value in zip(session.get_outputs(), first, strict=True):
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            raise RuntimeError(f"output {output.name} is not finite")
    if not any(value.size > 1 and np.ptp(value.astype(np.float64)) > 0 for value in first):
        raise RuntimeError("every output is the same everywhere")
    if all(_same(*pair) for pair in zip(first, second, strict=True)):
        raise RuntimeError("the outputs do not change with the input")


def _same(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    if one.shape != other.shape or not one.size:
        return one.shape == other.shape
    difference = np.abs(one.astype(np.float64) - other.astype(np.float64)).max()
    return bool(difference <= 1e-3 * one.astype(np.float64).std())


def make(base: Base, recipe: Recipe, folder: Path) -> None:
    """Create one model; its two or three files appear together after the check."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        file = Path(name) / f"{recipe.name}.onnx"
        if recipe.conversion:
            source = folder / f"{recipe.base}.{recipe.export}"
            if not source.with_name(f"{source.name}.onnx").exists():
                raise RuntimeError("there is no export to start from")
            feeds = dict(np.load(f"{source}.npz"))
            latest = Path(f"{source}.onnx")
            for step, word in enumerate(recipe.conversion.split("+")):
                target = Path(name, str(step), file.name)
                target.parent.mkdir()
                CONVERSIONS[word](latest, target, feeds)
                latest = target
            for made in latest.parent.iterdir():
                made.rename(file.with_name(made.name))
        else:
            feeds = export(base, recipe, file)
        feeds = fit(feeds, file)
        check(file, feeds)
        np.savez(file.with_suffix(".npz"), **feeds)
        size = sum(one.stat().st_size for one in file.parent.glob(f"{recipe.name}.onnx*"))
        if size > LARGEST:
            raise RuntimeError(f"{size / 1e6:.1f} MB is too large")
        for made in sorted(file.parent.glob(f"{recipe.name}.*"), key=lambda one: one.suffix == ".onnx"):
            made.rename(folder / made.name)


def main() -> int:
    """Create the missing models; return 1 if a recipe failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="names of bases, models or sources")
    parser.add_argument("--list", action="store_true", help="only list the models")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    failed = made = 0
    for source, base_name, base in [(source, name, base) for name, (source, base) in bases().items()]:
        for recipe in recipes(source, base_name, base):
            if options.names and not {source, base_name, recipe.name}.intersection(options.names):
                continue
            if options.list:
                print(f"{source:20} {recipe.name}")
                continue
            if (folder / f"{recipe.name}.onnx").exists():
                continue
            start = time.perf_counter()
            try:
                with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):  # noqa: PTH123
                    make(base, recipe, folder)
            except Exception as error:  # exporters and tools raise anything: the others continue
                failed += 1
                print(f"FAILED {recipe.name}: {type(error).__name__}: {str(error).strip()[:300]}", flush=True)
                continue
            made += 1
            size = (folder / f"{recipe.name}.onnx").stat().st_size
            print(f"{recipe.name}: {size / 1e3:.0f} kB, {time.perf_counter() - start:.1f} s", flush=True)
    print(f"{made} made, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
