"""Everything that a bundle holds, written to a folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild import __version__
from webbuild.bundle import render
from webbuild.bundle.deployment import write_deployment
from webbuild.bundle.file_names import safe_file_name, title_from_stem
from webbuild.bundle.golden import Arrays, GoldenRun
from webbuild.bundle.golden_sequence import STEPS
from webbuild.bundle.integrity import page_integrity
from webbuild.bundle.licenses import model_license, model_notice, third_party_notices
from webbuild.bundle.sbom import SBOM_FILE, bundle_sbom
from webbuild.bundle.weight_parts import split_large_files
from webbuild.errors import printable
from webbuild.manifest import manifest as contract
from webbuild.manifest.file_entry import file_entry
from webbuild.manifest.manifest import (
    DisabledTarget,
    Engine,
    File,
    Generator,
    Golden,
    GoldenSequence,
    Graph,
    Input,
    Manifest,
    Output,
    Task,
    Variant,
)
from webbuild.manifest.states import state_inputs
from webbuild.model.load import OnnxModel
from webbuild.ortweb import packaged_assets
from webbuild.reporting.write import write_text
from webbuild.samples.sample import Sample
from webbuild.tasks.registry import kind_of

_MAX_SAMPLES = 12


class BundleContents(Struct, frozen=True):
    """What a bundle is made of.

    The graphs already lie in the folder; `disabled_targets` say for what there is none. `golden` are a sample's known
    outputs; `evaluation_thresholds` are the thresholds at which the samples have something to compare. `files` are more
    files, by name; `precompressed_files` are those that the folder has in another form too, which is the one that
    stays. `variants` are the same model for other sizes.
    """

    name: str
    title: str
    source: OnnxModel
    task: Task
    inputs: tuple[Input, ...]
    graphs: tuple[Graph, ...]
    disabled_targets: tuple[DisabledTarget, ...]
    samples: tuple[Sample, ...]
    golden: GoldenRun | None
    evaluation_thresholds: Mapping[str, float]
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    files: Mapping[str, bytes] = {}
    precompressed_files: tuple[File, ...] = ()
    variants: tuple[Variant, ...] = ()


def write_bundle(contents: BundleContents, folder: Path) -> Manifest:
    """Write the bundle's files around the graphs in `folder`. The same contents give the same bytes.

    Weight files above the size of a shard are cut: from here on native ONNX Runtime cannot open the graphs.
    """
    for file in contents.precompressed_files:
        (folder / file.path).unlink()
    cut = split_large_files(folder)
    engines = _copy_engine(folder)
    prompted = kind_of(contents.task).takes_prompt
    _copy_code(folder, prompted=prompted)
    write_text(folder / "LICENSE.txt", model_notice(contents.source.signature))
    write_text(folder / "THIRD_PARTY_NOTICES.txt", third_party_notices(prompted=prompted))
    for name, data in contents.files.items():
        (folder / name).write_bytes(data)
    samples = _copy_samples(contents.samples, folder)
    outputs = public_outputs(contents.graphs, contents.inputs)
    is_kept = contents.golden is not None and all(is_golden_readable(each, contents.golden.outputs) for each in outputs)
    golden = (
        _write_golden(contents.golden, contents.inputs, folder) if contents.golden is not None and is_kept else None
    )
    manifest = Manifest(
        name=contents.name,
        title=contents.title,
        generator=Generator(version=__version__),
        engine=Engine(version=packaged_assets.engine_version()),
        source=contract.Source(
            file=contents.source.signature.file,
            sha256=contents.source.sha256,
            size=contents.source.size,
            producer=printable(contents.source.signature.producer, 200),
            license=model_license(contents.source.signature),
        ),
        task=contents.task,
        inputs=list(contents.inputs),
        outputs=outputs,
        graphs=list(contents.graphs),
        disabled_targets=list(contents.disabled_targets),
        engines=engines,
        files=[*cut, *contents.precompressed_files],
        golden=golden,
        evaluation_thresholds=dict(contents.evaluation_thresholds),
        samples=samples,
        assumptions=list(contents.assumptions),
        warnings=list(contents.warnings),
        variants=list(contents.variants) or msgspec.UNSET,
    )
    write_text(folder / f"{contents.name}.js", render.render_loader())
    write_text(folder / f"{contents.name}.d.ts", render.render_types(manifest))
    write_text(folder / "index.html", render.render_page(manifest, page_integrity(contents.name, folder)))
    write_deployment(contents.name, contents.title, folder, loaded=contents.files)
    write_text(folder / "manifest.schema.json", json.dumps(contract.json_schema(), indent=2) + "\n")
    write_text(folder / SBOM_FILE, bundle_sbom(manifest, folder))
    return manifest


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write `manifest.json` with the size and hash of every file that is in the folder by now, or was cut."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    listed = sorted([*manifest.files, *(file_entry(path, folder) for path in files)], key=lambda file: file.path)
    data = contract.encode(msgspec.structs.replace(manifest, files=listed))
    (folder / "manifest.json").write_bytes(data)


def _copy_engine(folder: Path) -> list[contract.EngineBuild]:
    target = folder / "runtime" / "ort"
    target.mkdir(parents=True)
    builds = []
    for build, files in packaged_assets.engine_build_files():
        for source in files:
            shutil.copyfile(source, target / source.name)
        builds.append(build)
    return builds


_TOP_LEVEL_FILES = {"service-worker.js"}
"""A service worker answers for the folder that it lies in."""


def _copy_code(folder: Path, *, prompted: bool) -> None:
    for subfolder, files in (("runtime", packaged_assets.runtime_files()), ("page", packaged_assets.demo_page_files())):
        for source in files:
            if source.name == packaged_assets.TOKENIZER and not prompted:
                continue
            inside = source.relative_to(packaged_assets.WEB_ROOT / subfolder)
            target = folder / inside if inside.as_posix() in _TOP_LEVEL_FILES else folder / subfolder / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def _copy_samples(samples: Sequence[Sample], folder: Path) -> list[contract.Sample]:
    copied: list[contract.Sample] = []
    for sample in samples:
        if not sample.has_image or len(copied) == _MAX_SAMPLES:
            continue
        if sample.image_file is None:
            copied.append(_copy_stack(sample, folder, taken={Path(other.file).parent.name for other in copied}))
            continue
        stem, suffix = safe_file_name(sample.image_file.stem, "sample"), sample.image_file.suffix.lower()
        name = f"samples/{stem}{suffix}"
        if any(other.file == name for other in copied):
            name = f"samples/{stem}-{len(copied)}{suffix}"
        (folder / "samples").mkdir(exist_ok=True)
        shutil.copyfile(sample.image_file, folder / name)
        width, height = sample.size
        prompt = "" if sample.prompt is None else sample.prompt.text
        title = title_from_stem(sample.image_file.stem)
        copied.append(contract.Sample(file=name, title=title, width=width, height=height, prompt=prompt))
    return copied


def _copy_stack(sample: Sample, folder: Path, taken: Set[str]) -> contract.Sample:
    """Write the pictures of a stack into a folder of their own, named by their place in it."""
    stem = safe_file_name(sample.name, "stack")
    name = stem if stem not in taken else f"{stem}-{len(taken)}"
    (folder / "samples" / name).mkdir(parents=True)
    files = []
    for index, frame in enumerate(sample.frames):
        files.append(f"samples/{name}/{index}{Path(frame.name).suffix.lower()}")
        (folder / files[-1]).write_bytes(frame.data)
    width, height = sample.size
    title = title_from_stem(sample.name)
    return contract.Sample(
        file=files[0], title=title, width=width, height=height, stack=files, focus_distances=list(sample.focus)
    )


def _write_golden(recorded: GoldenRun, inputs: Sequence[Input], folder: Path) -> Golden:
    """Write a run from the start of a sequence, without states: they are zeros, and what becomes of them no result.

    What was chosen of the sequence shows them.
    """
    states = {spec.name: spec.output for spec in state_inputs(inputs)}
    feeds = {name: array for name, array in recorded.sample.feeds.items() if name not in states}
    outputs = {name: array for name, array in recorded.outputs.items() if name not in states.values()}
    (folder / "golden").mkdir()
    kinds = {
        "input": {**feeds, **recorded.uint8_inputs},
        "output": outputs or recorded.outputs,
        "sequence": recorded.sequence,
    }
    written: dict[str, dict[str, str]] = {kind: {} for kind in kinds}
    for kind, arrays in kinds.items():
        for index, (name, array) in enumerate(arrays.items()):
            path = f"golden/{kind}-{index}.bin"
            (folder / path).write_bytes(array.astype(array.dtype.newbyteorder("<")).tobytes())
            written[kind][name] = path
    return Golden(
        sample=recorded.sample.name,
        inputs=written["input"],
        outputs=written["output"],
        uint8_inputs=list(recorded.uint8_inputs),
        sequence=GoldenSequence(steps=STEPS, outputs=written["sequence"]) if recorded.sequence else msgspec.UNSET,
    )


def public_outputs(graphs: Sequence[Graph], inputs: Sequence[Input]) -> list[Output]:
    """Return the outputs that mean something to the caller: no states, and not what a graph reports of its own head.

    Where all outputs are states they mean something too. A size that one graph knows is that of all.
    """
    reports = {graph.head_status.output for graph in graphs if graph.head_status is not None}
    outputs = [_with_known_sizes(output, graphs) for output in graphs[-1].outputs if output.name not in reports]
    states = {spec.output for spec in state_inputs(inputs)}
    return [output for output in outputs if output.name not in states] or outputs


def _with_known_sizes(output: Output, graphs: Sequence[Graph]) -> Output:
    shapes = [each.shape for graph in graphs for each in graph.outputs if each.name == output.name]
    rank = max(map(len, shapes))
    # -1 is a size that a graph does not know, and no size at all a rank that it does not know
    sizes = zip(*(shape for shape in shapes if len(shape) == rank), strict=True)
    return msgspec.structs.replace(output, shape=[max(each) for each in sizes])


def is_golden_readable(output: Output, recorded: Arrays) -> bool:
    """Whether the shape of a recorded output follows from its length: one size of it may be free."""
    array = recorded.get(output.name)
    return array is None or (array.ndim == len(output.shape) and output.shape.count(-1) < 2)
