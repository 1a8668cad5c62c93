"""Writes all files of a bundle to a folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence, Set
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild import __version__
from webbuild.bundle import render
from webbuild.bundle.deployment import write_deployment
from webbuild.bundle.file_names import safe_file_name, title_from_stem
from webbuild.bundle.integrity import page_integrity
from webbuild.bundle.licenses import model_notice, third_party_notices
from webbuild.bundle.sbom import SBOM_FILE, bundle_sbom
from webbuild.bundle.stage_files import StageContents, stage_fields, write_glue
from webbuild.bundle.weight_parts import split_large_files
from webbuild.manifest import manifest as contract
from webbuild.manifest.file_entry import file_entry
from webbuild.manifest.manifest import (
    Engine,
    File,
    Generator,
    Manifest,
    Stage,
)
from webbuild.ortweb import packaged_assets
from webbuild.reporting.write import write_text
from webbuild.samples.sample import Sample
from webbuild.tasks.registry import kind_of

_MAX_SAMPLES = 12


class BundleContents(Struct, frozen=True):
    """The input of `write_bundle`: stages, text encoder, samples, sentences for readers, and other files.

    `files` are additional files, by name. `precompressed_files` are files that the folder also has uncompressed: the
    uncompressed ones are deleted. `text` is the text encoder.
    """

    name: str
    title: str
    stages: tuple[StageContents, ...]
    samples: tuple[Sample, ...]
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    files: Mapping[str, bytes] = {}
    precompressed_files: tuple[File, ...] = ()
    text: StageContents | None = None

    @property
    def models(self) -> tuple[StageContents, ...]:
        """The stages, and the text encoder."""
        return self.stages if self.text is None else (*self.stages, self.text)


def write_bundle(contents: BundleContents, folder: Path) -> Manifest:
    """Write the bundle's files around the graphs in `folder`. Equal contents give equal bytes.

    Weight files larger than a shard are split: after that, native ONNX Runtime cannot open the graphs.
    """
    for file in contents.precompressed_files:
        (folder / file.path).unlink()
    cut = split_large_files(folder)
    engines = _copy_engine(folder)
    prompted = contents.text is not None or any(kind_of(each.task).takes_prompt for each in contents.stages)
    _copy_code(folder, prompted=prompted)
    write_text(folder / "LICENSE.txt", model_notice([each.source.signature for each in contents.models]))
    write_text(folder / "THIRD_PARTY_NOTICES.txt", third_party_notices(prompted=prompted))
    for name, data in contents.files.items():
        (folder / name).write_bytes(data)
    samples = _copy_samples(contents.samples, folder)
    first, *later = contents.stages
    manifest = Manifest(
        name=contents.name,
        title=contents.title,
        generator=Generator(version=__version__),
        engine=Engine(version=packaged_assets.engine_version()),
        engines=engines,
        files=[*cut, *contents.precompressed_files],
        samples=samples,
        assumptions=list(contents.assumptions),
        warnings=list(contents.warnings),
        schema=2 if later else 1,
        stage_name=contents.stages[0].name if later else msgspec.UNSET,
        stages=[
            Stage(name=each.name, glue_module=write_glue(each, folder), **stage_fields(each, folder)) for each in later
        ]
        or msgspec.UNSET,
        text_encoder=_text_encoder(contents.text, folder),
        **stage_fields(first, folder),
    )
    write_text(folder / f"{contents.name}.js", render.render_loader())
    write_text(folder / f"{contents.name}.d.ts", render.render_types(manifest))
    write_text(folder / "index.html", render.render_page(manifest, page_integrity(contents.name, folder)))
    write_deployment(contents.name, contents.title, folder, loaded=contents.files)
    write_text(folder / "manifest.schema.json", _schema_text())
    write_text(folder / SBOM_FILE, bundle_sbom(manifest, folder))
    return manifest


@cache
def _schema_text() -> str:
    return json.dumps(contract.json_schema(), indent=2) + "\n"


def _text_encoder(text: StageContents | None, folder: Path) -> Stage | msgspec.UnsetType:
    return msgspec.UNSET if text is None else Stage(name=text.name, **stage_fields(text, folder))


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write `manifest.json` with the size and hash of every file in the folder, and of every split file."""
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
"""Files for the top folder: a service worker's scope is its folder."""


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
    """Write the pictures of a stack to a separate folder, named by their index."""
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
