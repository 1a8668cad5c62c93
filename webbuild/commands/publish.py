"""`webbuild publish`: a model repository and a static Space for the Hugging Face Hub, as folders."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import click

from webbuild.bundle.hub_repository import write_hub_folders
from webbuild.bundle.model_card import BackendResult, HubNames
from webbuild.bundle.staging import check_output_folder
from webbuild.commands.options.patch import PatchArguments
from webbuild.commands.options.publish import PublishArguments
from webbuild.commands.patch_model import patch_model
from webbuild.commands.verify import verify_and_show
from webbuild.errors import CLEAN, USAGE, WebbuildError
from webbuild.manifest.file_entry import file_hash
from webbuild.manifest.manifest import Manifest
from webbuild.model.choose_files import HUB_PREFIX
from webbuild.model.locate import hub_reference, locate_model
from webbuild.reporting.progress import ProgressReporter
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.formatting import runner_name
from webbuild.verify.report import VerifyReport, exit_code

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def run(arguments: PublishArguments) -> int:
    """Patch the model, compare the bundle, write both folders, and print how to upload them.

    Raises:
        WebbuildError: `invalid-repository`, `several-stages`, `another-model`, `not-proven`, `output-exists`; see
            `open_bundle`, `patch_model` and `verify_and_show`.
    """
    check_output_folder(arguments.hf, force=arguments.force, marks=("model/README.md",))
    names = _names(arguments)
    manifest = open_bundle(arguments.bundle).manifest
    _require_one_stage(arguments.bundle, manifest, names)
    located = locate_model(arguments.model)
    _require_same_model(located.path, arguments.bundle, manifest)
    progress = ProgressReporter()
    with tempfile.TemporaryDirectory() as folder:
        patched = patch_model(located.path, PatchArguments(models=(located.path,), out=Path(folder)), progress)
        results = () if arguments.no_verify else _compare(arguments.bundle)
        (rewrites,) = patched.rewrites.values()
        write_hub_folders(
            arguments.bundle, manifest, located.path, patched.files[0], rewrites, names, results, arguments.hf
        )
    click.echo(f"written: {arguments.hf}/model and {arguments.hf}/space", err=True)
    repo = names.repository or f"your-name/{manifest.name}"
    click.echo(f"next: hf upload {repo} {arguments.hf}/model", err=True)
    click.echo(f"next: hf upload {repo} {arguments.hf}/space --repo-type space", err=True)
    return CLEAN


def _require_one_stage(bundle: Path, manifest: Manifest, names: HubNames) -> None:
    """Refuse a bundle of several models: the model repository has room for one, `onnx/model.onnx`."""
    stages = [stage.stage_name for stage in manifest.every_stage]
    if len(stages) > 1:
        repo = names.repository or f"your-name/{manifest.name}"
        raise WebbuildError(
            "several-stages",
            f"{bundle}: has the stages {', '.join(map(str, stages))}; publish writes a repository of one model",
            "publish the bundle alone, as a static Space: add a README.md whose front matter says `sdk: static` to a "
            f"copy of the folder, then hf upload {repo} COPY --repo-type space",
            exit_code=USAGE,
        )


def _require_same_model(model: Path, bundle: Path, manifest: Manifest) -> None:
    if model.is_file() and file_hash(model) != manifest.source.sha256:
        raise WebbuildError(
            "another-model",
            f"{bundle}: not packed from {model}",
            "give the export that the bundle was packed from, or pack it again",
            exit_code=USAGE,
        )


def _names(arguments: PublishArguments) -> HubNames:
    base = arguments.base_model or (hub_reference(arguments.model) or "").removeprefix(HUB_PREFIX)
    base = re.split(r"[@:]", base)[0]
    for option, name in (("--repo", arguments.repo), ("--base-model", base)):
        if name and not _REPOSITORY.fullmatch(name):
            raise WebbuildError(
                "invalid-repository",
                f"{option} {name}: not the name of a Hub repository",
                "write it as owner/name",
                exit_code=USAGE,
            )
    return HubNames(arguments.repo, base, arguments.license)


def _compare(bundle: Path) -> tuple[BackendResult, ...]:
    report = verify_and_show(bundle)
    if exit_code(report) != CLEAN:
        raise WebbuildError(
            "not-proven",
            f"{bundle}: the bundle gives other answers than the original in Chromium, so it is not published",
            f"webbuild verify {bundle} shows what differs",
        )
    return tuple(_results(report))


def _results(report: VerifyReport) -> list[BackendResult]:
    return [
        BackendResult(
            runner_name(run.backend),
            run.adapter,
            report.environment.browser,
            len(run.comparisons),
            max((each.max_abs for each in run.comparisons if each.max_abs is not None), default=0.0),
            max((each.tolerance_used for each in run.comparisons), default=0.0),
        )
        for run in report.backends
        if not run.skip_reason
    ]
