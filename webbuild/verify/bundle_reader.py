"""Opens a bundle on disk for verification."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild import __version__
from webbuild.errors import USAGE, WebbuildError, printable
from webbuild.manifest import manifest as manifests
from webbuild.manifest.manifest import Manifest, StateInput
from webbuild.manifest.stages import unfit_stages
from webbuild.manifest.states import state_inputs
from webbuild.verify.bundle import Bundle

FIX_REPACK = "pack the model again; never edit a bundle by hand"


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
        raise WebbuildError("invalid-manifest", f"{path}: {error}", FIX_REPACK) from error
    if (lack := next(_inconsistencies(manifest), None)) is not None:
        raise WebbuildError("invalid-manifest", f"{path}: {lack}", FIX_REPACK)
    return Bundle(directory, manifest)


def _why_no_bundle(directory: Path) -> str:
    if directory.is_dir():
        return "this folder is not a bundle: it has no manifest.json"
    return "this is a file, not the folder of a bundle" if directory.exists() else "there is no such folder"


def _inconsistencies(manifest: Manifest) -> Iterator[str]:
    """Yield the inconsistencies of a manifest, as text."""
    for each in manifest.every_model:
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


class _PlannedPeak(Struct, frozen=True):
    weights: int
    tensors: int


class _PackInspection(Struct, frozen=True, rename="camel"):
    peak_after: _PlannedPeak | None = None


class _PackReport(Struct, frozen=True, rename="camel"):
    fp16_backend: str = ""
    inspection: _PackInspection | None = None


def fp16_backend_used(bundle: Bundle) -> str:
    """Return the backend that computed half precision when the bundle was packed; empty without a report."""
    packed = _pack_report(bundle)
    return "" if packed is None else printable(packed.fp16_backend, 100)


def planned_gpu_bytes(bundle: Bundle) -> int | None:
    """Return the planned peak of GPU memory of the fp32 graph: weights and live tensors, in bytes.

    None without a report, and for several stages, because each stage has its own plan.
    """
    packed = _pack_report(bundle)
    plan = None if packed is None or packed.inspection is None else packed.inspection.peak_after
    return None if plan is None or len(bundle.manifest.every_model) > 1 else plan.weights + plan.tensors


def _pack_report(bundle: Bundle) -> _PackReport | None:
    try:
        return msgspec.json.decode((bundle.directory / "report.json").read_bytes(), type=_PackReport)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
