"""Run ONNX's own tests of single operators in Chromium, unchanged and after the passes.

python -m benchmarks.node_tests DATA --write

DATA is the folder `onnx/backend/test/data/node` of an onnx package, or one that
`python -m onnx.backend.test.cmd_tools generate-data -o DATA/..` wrote.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import onnx
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray
from onnx import numpy_helper

from benchmarks import tiny_models
from benchmarks.node_test_journal import ResultJournal
from benchmarks.node_test_report import PAGE, Result, When, shorten_message, summary, write
from webbuild.errors import WebbuildError
from webbuild.inspection.cpu_fallback import apply_cpu_fallback
from webbuild.inspection.required_features import required_features
from webbuild.model.load import load_onnx
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names
from webbuild.runners.native import NativeRunner
from webbuild.targets.table import load_table
from webbuild.targets.target import Build, Target

RELATIVE = 1e-3
"""Tolerances that onnx allows its own backends."""


class OnnxTest(Struct, frozen=True):
    """A test of onnx: a model, its inputs and the expected outputs."""

    name: str
    path: Path
    feeds: dict[str, NDArray[Any]]
    wanted: dict[str, NDArray[Any]]


def tests(folder: Path, only: str) -> Iterator[OnnxTest | tuple[str, str]]:
    """Yield every test whose name matches, or its name and the data type that a page cannot pass or read."""
    for each in sorted(folder.iterdir()):
        if not (each / "model.onnx").is_file() or not re.search(only, each.name):
            continue
        graph = onnx.load(each / "model.onnx").graph
        strange = [kind for value in (*graph.input, *graph.output) if (kind := _unsupported_type(value)) is not None]
        if strange:
            yield each.name, strange[0]
            continue
        data = each / "test_data_set_0"
        feeds = {value.name: array for value, array in zip(graph.input, _arrays(data, "input"), strict=False)}
        wanted = {value.name: array for value, array in zip(graph.output, _arrays(data, "output"), strict=True)}
        yield OnnxTest(each.name, each / "model.onnx", feeds, wanted)


def _unsupported_type(value: onnx.ValueInfoProto) -> str | None:
    kind: str = value.type.WhichOneof("value") or "nothing"
    if kind != "tensor_type":
        return kind.removesuffix("_type")
    name: str = onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type).lower()
    known = {"float": "float32", "double": "float64"}.get(name, name)
    return None if known in tiny_models.FEEDABLE else name


def _arrays(folder: Path, kind: str) -> list[NDArray[Any]]:
    files = sorted(folder.glob(f"{kind}_*.pb"), key=lambda file: int(file.stem.rpartition("_")[2]))
    return [numpy_helper.to_array(onnx.TensorProto.FromString(file.read_bytes())) for file in files]


class PatchedTest(Struct, frozen=True):
    """A test after the passes. `reason` says why it runs on WASM, if the bundle has no graph for WebGPU."""

    job: tiny_models.Job
    build: Build = "webgpu"
    reason: str = ""


def patch_test(test: OnnxTest) -> PatchedTest:
    """Return the graph that a bundle runs on the measured adapter, which has no `shader-f16`.

    Raises:
        WebbuildError: `pack` would refuse the model.
    """
    source, target = load_onnx(test.path), Target(engine_version(), "webgpu")
    dims = {f"{name}:{axis}": size for name, array in test.feeds.items() for axis, size in enumerate(array.shape)}
    free = {
        f"{f.name}:{axis}" for f in source.signature.inputs for axis, d in enumerate(f.shape) if not isinstance(d, int)
    }
    options = PassOptions(
        dims={key: size for key, size in dims.items() if key in free}, table=load_table(target), nms="keep"
    )
    models = lower(source.model, options).graphs
    disabled, needed = (
        apply_cpu_fallback(models["webgpu"], load_table(target)).disabled,
        required_features(models["webgpu"]),
    )
    if disabled is None and not needed:
        return PatchedTest(_job(test, models["webgpu"]))
    reason = f"the adapter has no {needed[0]}" if disabled is None else f"{disabled.code}: {disabled.reason}"
    return PatchedTest(_job(test, models["wasm"]), "wasm", reason)


def _job(test: OnnxTest, model: ir.Model) -> tiny_models.Job:
    feeds = {name: _as_declared(array, model, name) for name, array in test.feeds.items()}
    return tiny_models.Job(test.name, ir.to_proto(model).SerializeToString(), feeds, tuple(cpu_node_names(model)))


def _as_declared(array: NDArray[Any], model: ir.Model, name: str) -> NDArray[Any]:
    """Return an input in the patched graph's data type: float64 may have become float32."""
    dtype = next((value.dtype for value in model.graph.inputs if value.name == name), None)
    kinds = (None, ir.DataType.STRING)
    return array if dtype in kinds or array.dtype.kind != "f" else array.astype(dtype.numpy())


def compare_answer(test: OnnxTest, answer: tiny_models.JobResult, made: PatchedTest) -> Result:
    """Compare the outputs with those that onnx expects."""
    if answer.ending == "no-session":
        return Result("no session", answer.message)
    place = "both" if answer.gpu and answer.cpu else "gpu" if answer.gpu else "cpu" if answer.cpu else ""
    place = made.build if made.build == "wasm" else place
    if answer.ending != "ran":
        return Result("throws", answer.message, place)
    reason = "; ".join(filter(None, (_differs(name, want, answer.outputs) for name, want in test.wanted.items())))
    return Result("wrong", reason, place) if reason else Result("pass", made.reason, place)


def _passes_natively(test: OnnxTest) -> bool:
    """Whether native ONNX Runtime's outputs are those that onnx expects."""
    try:
        outputs = NativeRunner(test.path).run(test.feeds)
    except WebbuildError:
        return False
    return not any(_differs(name, want, outputs) for name, want in test.wanted.items())


def _differs(name: str, want: NDArray[Any], outputs: dict[str, NDArray[Any]]) -> str:
    got = outputs.get(name)
    if got is None:
        return f"{name} is missing"
    if got.shape != want.shape:
        return f"{name} has shape {list(got.shape)}, wanted {list(want.shape)}"
    if want.dtype.kind in "OSU":
        return "" if [str(w) for w in want.ravel()] == [str(g) for g in got.ravel()] else f"{name} has other text"
    want64, got64 = want.astype(np.float64), got.astype(np.float64)
    finite = np.abs(want64[np.isfinite(want64)])
    floor = 1e-5 * float(finite.max()) if finite.size and want.dtype.kind == "f" else 0.0
    same = np.isclose(got64, want64, rtol=RELATIVE if want.dtype.kind == "f" else 0, atol=floor, equal_nan=True)
    if same.all():
        return ""
    at = int(np.argmin(same))
    return (
        f"{name} differs at {int((~same).sum())} of {want.size}, wanted {want64.flat[at]:.6g}, got {got64.flat[at]:.6g}"
    )


def measure(folder: Path, only: str, kept: ResultJournal) -> None:
    """Run every test without a known result, unchanged and after the passes; append each result at once."""
    made: dict[When, list[PatchedTest]] = {"before": [], "after": []}
    known: dict[str, OnnxTest] = {}
    for test in tests(folder, only):
        if isinstance(test, tuple):
            for when in made:
                kept.add(when, test[0], Result("not fed", test[1]))
            continue
        known[test.name] = test
        if not kept.has("before", test.name):
            made["before"].append(PatchedTest(tiny_models.Job(test.name, test.path.read_bytes(), test.feeds)))
        if not kept.has("after", test.name):
            try:
                made["after"].append(patch_test(test))
            except WebbuildError as error:
                reason = f"{error.code}: {error.message}"
                kept.add("after", test.name, Result("refused", reason, native=not _passes_natively(test)))
            except Exception as error:  # a bug in a pass is a result too
                kept.add("after", test.name, Result("refused", f"a bug: {type(error).__name__}: {error}"))
    for when, all_made in made.items():
        for build in ("webgpu", "wasm"):
            some = {each.job.name: each for each in all_made if each.build == build}
            for number, (job, answer) in enumerate(tiny_models.run_all([each.job for each in some.values()], build)):
                result = compare_answer(known[job.name], answer, some[job.name])
                native = result.verdict != "pass" and not _passes_natively(known[job.name])
                kept.add(when, job.name, msgspec.structs.replace(result, native=native))
                if number % 100 == 99:
                    print(f"  {when}, {build}: {number + 1} of {len(some)}", flush=True)


def main() -> None:
    """Measure, print the figures, and write them with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", default="", metavar="REGEX", help="tests whose names match")
    parser.add_argument("--onnx", default=onnx.__version__, help="the version of onnx that the tests are from")
    parser.add_argument(
        "--keep", type=Path, help="a file to which each result is appended: an interrupted run continues from it"
    )
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} and its results as JSON")
    arguments = parser.parse_args()
    if arguments.write and arguments.only:
        parser.error("--write needs all tests: remove --only")
    kept = ResultJournal(arguments.keep)
    measure(arguments.data, arguments.only, kept)
    before, after = kept.results("before"), kept.results("after")
    print("as they are:", summary(before))
    print("after the passes:", summary(after))
    for name, result in after.items():
        if result.verdict not in ("pass", "not fed"):
            too = "native too, " if result.native else ""
            print(f"{name}: {result.verdict} ({too}was {before[name].verdict}): {shorten_message(result.reason)}")
    if arguments.write:
        write(arguments.onnx, kept.state, before, after)


if __name__ == "__main__":
    main()
