"""`webbuild patch`: one model, patched for each target and proven, as plain files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from webbuild.bundle.graphs import described
from webbuild.bundle.interface import changed_interface
from webbuild.bundle.loose import Written, all_or_none, content, is_external, refuse_existing, write_model
from webbuild.dims import parse_dims
from webbuild.errors import CLEAN, WebbuildError
from webbuild.manifest import TargetName, Withheld
from webbuild.overrides import parse_overrides
from webbuild.passes._base import Edit, Suppression
from webbuild.prepared import Opened, Prepared, open_model, prepare
from webbuild.samples import collect, edge_cases
from webbuild.targets.target import Build, Target, parse
from webbuild.trial import prove_where_it_finds

if TYPE_CHECKING:
    from webbuild.talk import Talk

_GRAPH: dict[Build, TargetName] = {"webgpu": "webgpu", "jsep": "webgpu", "wasm": "wasm"}


class Request(Struct, frozen=True):
    """What to do with one model. `targets` are names; paths are text, so that a request can go to another process."""

    model: str
    out: str
    targets: tuple[str, ...]
    dims: tuple[str, ...]
    samples: tuple[str, ...]
    nms: Suppression
    dry_run: bool
    force: bool


class Failure(Struct, frozen=True):
    """The error that stopped a model."""

    code: str
    message: str
    fix: str


class Outcome(Struct, frozen=True):
    """What became of a model.

    `interface` says how inputs and outputs differ from the original's. `withheld` are the targets that would fail at
    their graph: they get that for WASM. `compared` counts outputs of a graph on a sample, all of them the same;
    `repairs` say what they were compared with where that is not the original as it is, since nothing native runs it.
    """

    model: str
    exit_code: int
    edits: dict[str, tuple[Edit, ...]] = {}
    files: tuple[Written, ...] = ()
    interface: tuple[str, ...] = ()
    withheld: dict[str, Withheld] = {}
    compared: int = 0
    repairs: tuple[str, ...] = ()
    error: Failure | None = None


def patch(request: Request, talk: Talk) -> Outcome:
    """Patch a model, prove it, and write it.

    Raises:
        WebbuildError: whatever stops it; nothing is written then.
    """
    targets = [parse(name) for name in request.targets]
    dims, wanted = parse_dims(request.dims), parse_overrides({})
    path = Path(request.model)
    if not request.dry_run and not request.force:
        refuse_existing([_place(request, target) for target in targets])
    opened = open_model(path, dims, talk)
    ready = {
        target: prepare(opened, target, task=None, nms=request.nms, wanted=wanted, talk=talk) for target in targets
    }
    edits = {target.name: each.planned.edits[_kind(target, each)] for target, each in ready.items()}
    graphs = {target: each.planned.models[_kind(target, each)] for target, each in ready.items()}
    withheld = {target.name: each.withheld for target, each in ready.items() if each.withheld is not None}
    interface = tuple(
        dict.fromkeys(line for graph in graphs.values() for line in changed_interface(opened.source, graph))
    )
    if request.dry_run:
        return Outcome(request.model, CLEAN, edits, (), interface, withheld, repairs=opened.repairs)
    with all_or_none(Path(request.out), path.stem, force=request.force) as folder:
        with talk.step("write the graphs"):
            files = _write_all(opened, ready, folder, path.stem)
        distinct = {tuple(_files_of(files, target, each)): target for target, each in reversed(ready.items())}
        compared = sum(
            _prove(request, opened, target, ready[target], mine, folder, talk) for mine, target in distinct.items()
        )
    placed = tuple(_placed(file, request.out) for file in files)
    return Outcome(request.model, CLEAN, edits, placed, interface, withheld, compared, opened.repairs)


def _write_all(opened: Opened, ready: dict[Target, Prepared], folder: Path, stem: str) -> list[Written]:
    """Write the graphs of every target, equal ones once."""
    external = is_external(opened.source.model)
    files: dict[bytes, Written] = {}
    for target, each in ready.items():
        for name, kind in _needed(target, each):
            model = each.planned.models[kind]
            key = content(model)
            if (known := files.get(key)) is None:
                files[key] = write_model(model, folder, stem, name, external=external)
            elif name not in known.targets:
                files[key] = msgspec.structs.replace(known, targets=(*known.targets, name))
    return list(files.values())


def _files_of(files: list[Written], target: Target, ready: Prepared) -> list[Written]:
    """Return the files that a target needs, its own first."""
    return [next(file for file in files if name in file.targets) for name, _ in _needed(target, ready)]


def _needed(target: Target, ready: Prepared) -> list[tuple[str, TargetName]]:
    """Return the graphs of a target: its own, and the one that it may ask for where its head cannot be exact."""
    kind, wasm = _kind(target, ready), Target(target.version, "wasm").name
    own: list[tuple[str, TargetName]] = [(target.name if ready.withheld is None else wasm, kind)]
    status = described(ready.planned.models[kind], kind, "", []).status
    return own if status is None else [*own, (wasm, "wasm")]


def _kind(target: Target, ready: Prepared) -> TargetName:
    """Return which of the planned graphs a target gets."""
    return "wasm" if ready.withheld is not None else _GRAPH[target.build]


def _prove(
    request: Request,
    opened: Opened,
    target: Target,
    ready: Prepared,
    files: tuple[Written, ...],
    folder: Path,
    talk: Talk,
) -> int:
    """Compare the files of a target with the original. Returns how many outputs were compared."""
    graphs = [
        described(ready.planned.models[kind], kind, file.file, [file.data] if file.data else [])
        for file, (_, kind) in zip(files, _needed(target, ready), strict=True)
    ]
    inputs = ready.known.inputs
    samples = collect(Path(request.model), [Path(sample) for sample in request.samples], inputs)
    with talk.step(f"prove {target.name} on {len(samples)} samples"):
        witness = prove_where_it_finds(
            opened.original,
            opened.source,
            graphs,
            folder,
            ready.known.task,
            ready.options,
            samples,
            edge_cases(inputs),
            ready.raw,
            opened.sizes.dims,
        )
    return len(witness.proofs)


def _placed(file: Written, out: str) -> Written:
    data = str(Path(out) / file.data) if file.data else ""
    return msgspec.structs.replace(file, file=str(Path(out) / file.file), data=data)


def _place(request: Request, target: Target) -> Path:
    return Path(request.out) / f"{Path(request.model).stem}.{target.name}.onnx"


def failed(request: Request, error: WebbuildError) -> Outcome:
    """Return the outcome of a model that an error stopped."""
    return Outcome(request.model, error.exit_code, error=Failure(error.code, error.message, error.fix))
