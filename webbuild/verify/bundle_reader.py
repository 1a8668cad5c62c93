"""A bundle on disk, opened to be verified: its manifest, its graphs, its files as they were hashed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild import __version__
from webbuild.errors import USAGE, WebbuildError, printable
from webbuild.manifest import manifest as manifests
from webbuild.manifest.manifest import Graph, Manifest, Output, StateInput
from webbuild.manifest.stages import crop_input, unfit_stages
from webbuild.manifest.states import state_inputs
from webbuild.manifest.uint8_tensors import from_uint8
from webbuild.manifest.variant_names import for_one_picture, picture_batch, variant_names
from webbuild.preprocess.state_feeds import state_feeds
from webbuild.verify.report import Problem

_FIX_REPACK = "pack the model again; never edit a bundle by hand"


class Bundle(Struct, frozen=True):
    """A folder and its manifest. `variant` is the name of the variant that the manifest is of, empty for the first.

    With a `batch` its graphs take so many pictures; the manifest is as for one of them. `stage` is the stage that the
    manifest is of, empty where there is one. `whole` are all stages of a bundle that stands for them together: its
    manifest is the last one's.
    """

    directory: Path
    manifest: Manifest
    variant: str = ""
    batch: int = 1
    stage: str = ""
    whole: tuple[Bundle, ...] = ()

    @property
    def variants(self) -> list[Bundle]:
        """The bundle for each variant of each stage alone, whose graphs have its name behind their own."""
        return [
            Bundle(
                self.directory,
                for_one_picture(manifest),
                " ".join(filter(None, (stage.stage_name or "", name))),
                picture_batch(manifest),
                stage.stage_name or "",
            )
            for stage in self.manifest.every_stage
            for manifest, name in zip(stage.every_variant, variant_names(stage), strict=True)
        ]

    @property
    def looks_at_crops(self) -> bool:
        """Whether it stands for all stages, of which the last looks at crops of what another finds."""
        return bool(self.whole) and crop_input(self.manifest) is not None

    @property
    def loader_file(self) -> str:
        """The generated loader, a path inside the bundle."""
        return f"{self.manifest.name}.js"

    def graph(self, name: str) -> Graph | None:
        """Return the graph of a name: a target's is the one as the model was exported, `webgpu fp16` another."""
        own = name.removesuffix(f" {self.variant}")
        return next((graph for graph in self.manifest.graphs if graph.name == own), None)

    def graph_names(self, backends: Sequence[str], precision: str = "auto") -> list[str]:
        """Return the names of the graphs of these backends, best first; a backend without any is named itself.

        Raises:
            WebbuildError: `no-graph` where there is none of this precision.
        """
        held = {name: [graph for graph in self.manifest.graphs if graph.target == name] for name in backends}
        if precision == "auto":
            names = [name for backend, own in held.items() for name in [each.name for each in own] or [backend]]
            return [self._with_variant(name) for name in names]
        found = [self._with_variant(each.name) for own in held.values() for each in own if each.precision == precision]
        if not found:
            others = dict.fromkeys(each.precision for own in held.values() for each in own)
            raise WebbuildError(
                "no-graph",
                f"{self.directory}: has no {precision} graph for {' or '.join(backends)}",
                f"name one of {', '.join(others)}" if others else "leave --precision out",
                exit_code=USAGE,
            )
        return found

    def _with_variant(self, name: str) -> str:
        return f"{name} {self.variant}" if self.variant else name

    def graph_path(self, graph: Graph) -> Path:
        """Return the file that a graph is stored in: its own, or the gzipped one that is its only part."""
        parts = next((file.parts for file in self.manifest.files if file.path == graph.file), [])
        return self.directory / (parts[0] if len(parts) == 1 else graph.file)

    def is_disabled(self, backend: str) -> bool:
        """Whether it says that it must not run on a backend: the runtime then takes WASM."""
        return any(each.target == backend for each in self.manifest.disabled_targets)


def open_bundle(directory: Path) -> Bundle:
    """Read a bundle's manifest.

    Raises:
        WebbuildError: `bundle-not-found`, `unsupported-schema`, `invalid-manifest`.
    """
    path = directory / "manifest.json"
    try:
        data = path.read_bytes()
        _check_schema(path, manifests.read_header(data))
        manifest = manifests.decode(data)
    except OSError as error:
        raise WebbuildError(
            "bundle-not-found",
            f"{directory}: {_why_no_bundle(directory)}",
            "give the folder that `webbuild pack` wrote",
            exit_code=USAGE,
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WebbuildError("invalid-manifest", f"{path}: {error}", _FIX_REPACK) from error
    if (lack := next(_inconsistencies(manifest), None)) is not None:
        raise WebbuildError("invalid-manifest", f"{path}: {lack}", _FIX_REPACK)
    return Bundle(directory, manifest)


def _why_no_bundle(directory: Path) -> str:
    if directory.is_dir():
        return "this folder is not a bundle: it has no manifest.json"
    return "this is a file, not the folder of a bundle" if directory.exists() else "there is no such folder"


class _PackReport(Struct, frozen=True, rename="camel"):
    fp16_backend: str = ""


def fp16_backend_used(bundle: Bundle) -> str:
    """Return what computed the graphs in half precision when the bundle was packed; nothing where no report says."""
    try:
        packed = msgspec.json.decode((bundle.directory / "report.json").read_bytes(), type=_PackReport)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    return printable(packed.fp16_backend, 100)


def _inconsistencies(manifest: Manifest) -> Iterator[str]:
    """Say what of a manifest does not fit the rest of it."""
    for each in manifest.every_stage:
        yield from _inconsistencies_of_stage(each)
    yield from unfit_stages(manifest)


def _inconsistencies_of_stage(manifest: Manifest) -> Iterator[str]:
    run, outputs = manifest.golden, {each.name for each in manifest.outputs}
    inputs = {each.name for each in manifest.inputs if not isinstance(each, StateInput)}
    if not all(each.graphs for each in manifest.every_variant):
        yield "it has no graph"
    if run is not None and (not inputs <= set(run.inputs) or not set(run.outputs) <= outputs):
        yield "its golden run lacks inputs of the model, or has outputs that the model lacks"
    states = {spec.output for spec in state_inputs(manifest.inputs)}
    if run is not None and run.sequence and not set(run.sequence.outputs) <= outputs | states:
        yield "its golden sequence has outputs that the model lacks"


def _check_schema(path: Path, origin: manifests.ManifestHeader) -> None:
    schema = origin.schema
    if not isinstance(schema, int) or schema in manifests.SCHEMAS:
        return
    again = "pack the model again with this webbuild"
    raise WebbuildError(
        "unsupported-schema",
        f"{path}: has schema {schema}, written by {origin.generator_name}; webbuild {__version__} reads "
        f"schema {' and '.join(map(str, manifests.SCHEMAS))}",
        f"update webbuild, or {again}" if schema > max(manifests.SCHEMAS) else again,
    )


def changed_files(bundle: Bundle) -> Iterator[Problem]:
    """Name the files that are not what the manifest says."""
    for file in bundle.manifest.files:
        stored = file.parts or [file.path]
        gone = [path for path in stored if not _is_file(bundle.directory / path)]
        if gone:
            for path in () if file.parts else gone:  # a part is listed on its own
                yield Problem(code="missing-file", where="bundle", message=f"{path} is not there", fix=_FIX_REPACK)
            continue
        digest = _sha256([bundle.directory / path for path in stored])
        if digest != file.sha256:
            message = f"{file.path} is not the file that was packed: sha256 {digest[:12]}…, not {file.sha256[:12]}…"
            yield Problem(code="changed-file", where="bundle", message=message, fix=_FIX_REPACK)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have
        return False


def _sha256(files: Sequence[Path]) -> str:
    """Return the hash of files, one after the other."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while piece := stream.read(1024 * 1024):
                digest.update(piece)
    return digest.hexdigest()


def read_golden(bundle: Bundle) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]] | None:
    """Return the inputs and outputs of the run with known answers, None if the bundle has none.

    Raises:
        WebbuildError: `invalid-golden` for a file that is missing or of the wrong size.
    """
    run = bundle.manifest.golden
    if run is None:
        return None
    known = bundle.manifest.inputs
    recorded = {spec.name: _golden_input(bundle, run, spec) for spec in known if not isinstance(spec, StateInput)}
    inputs = {**recorded, **state_feeds(known)}
    named = {spec.name: spec for spec in bundle.manifest.outputs}
    return inputs, {name: _read_tensor(bundle, path, named[name]) for name, path in run.outputs.items()}


def read_golden_sequence(bundle: Bundle) -> tuple[int, dict[str, NDArray[Any]]] | None:
    """Return how often the golden inputs are run, and outputs of the last run; None if the bundle has no sequence.

    Raises:
        WebbuildError: `invalid-golden` for a file that is missing or of the wrong size.
    """
    run, manifest = bundle.manifest.golden, bundle.manifest
    if run is None or not run.sequence:
        return None
    states = {spec.output: msgspec.structs.replace(spec, name=spec.output) for spec in state_inputs(manifest.inputs)}
    named: dict[str, Output | manifests.Input] = {**states, **{spec.name: spec for spec in manifest.outputs}}
    return run.sequence.steps, {
        name: _read_tensor(bundle, path, named[name]) for name, path in run.sequence.outputs.items()
    }


def _golden_input(bundle: Bundle, run: manifests.Golden, spec: manifests.Input) -> NDArray[Any]:
    path = run.inputs[spec.name]
    if spec.name in run.uint8_inputs and isinstance(spec, manifests.PictureInput | manifests.StackInput):
        return from_uint8(_read_tensor(bundle, path, spec, "uint8"), spec)
    return _read_tensor(bundle, path, spec)


def _read_tensor(bundle: Bundle, path: str, spec: Output | manifests.Input, dtype: str | None = None) -> NDArray[Any]:
    try:
        data = (bundle.directory / path).read_bytes()
        return np.frombuffer(data, np.dtype(dtype or spec.dtype).newbyteorder("<")).reshape(spec.shape)
    except (OSError, ValueError) as error:
        raise WebbuildError("invalid-golden", f"{path}: {error}", _FIX_REPACK) from error
