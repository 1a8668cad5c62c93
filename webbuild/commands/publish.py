"""`webbuild publish`: a model repository and a static Space for the Hugging Face Hub, as folders."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import click

from webbuild.bundle.hub_repository import published_names, write_hub_folders
from webbuild.bundle.model_card import BackendResult, HubNames, PublishedModel
from webbuild.bundle.site import check_files
from webbuild.bundle.staging import check_output_folder
from webbuild.commands.options.patch import PatchArguments
from webbuild.commands.options.publish import PublishArguments
from webbuild.commands.patch_model import patch_model
from webbuild.commands.publish_models import models_of_bundle, packed_dims
from webbuild.commands.verify import verify_and_show
from webbuild.compile.shipped_text_encoder import TOKENIZER_FILE
from webbuild.errors import CLEAN, USAGE, WebbuildError
from webbuild.model.choose_files import HUB_PREFIX
from webbuild.model.locate import hub_reference
from webbuild.reporting.progress import ProgressReporter
from webbuild.reporting.write import shell_quote
from webbuild.runners.chain import ALL_STAGES
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.formatting import runner_name, without_stage
from webbuild.verify.report import VerifyReport, exit_code

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def run(arguments: PublishArguments) -> int:
    """Patch the models, compare the bundle, write both folders, and print how to upload them.

    Raises:
        WebbuildError: `invalid-repository`, `another-model`, `not-proven`, `output-exists`; see `open_bundle`,
            `check_files`, `patch_model` and `verify_and_show`.
    """
    check_output_folder(arguments.hf, force=arguments.force, marks=("model/README.md",), option="--hf")
    names = _names(arguments)
    manifest = open_bundle(arguments.bundle).manifest
    check_files(arguments.bundle, manifest)
    progress = ProgressReporter()
    with tempfile.TemporaryDirectory() as folder:
        located = models_of_bundle(arguments.models, arguments.bundle, manifest, Path(folder) / "encoders")
        parts = [
            _patch_stage(file, Path(folder) / str(at), name, packed_dims(file, stage), progress)
            for at, (name, file, stage) in enumerate(
                zip(published_names(manifest), located, manifest.every_model, strict=True)
            )
        ]
        results = () if arguments.no_verify else _compare(arguments.bundle)
        tokenizer = arguments.bundle / TOKENIZER_FILE if manifest.text_encoder else None
        write_hub_folders(arguments.bundle, manifest, parts, names, results, arguments.hf, tokenizer)
    click.echo(f"written: {arguments.hf}/model and {arguments.hf}/space", err=True)
    repo = names.repository or f"your-name/{manifest.name}"
    click.echo(f"next: hf upload {repo} {shell_quote(arguments.hf / 'model')}", err=True)
    click.echo(f"next: hf upload {repo} {shell_quote(arguments.hf / 'space')} --repo-type space", err=True)
    return CLEAN


def _patch_stage(
    file: Path, folder: Path, name: str, dims: tuple[str, ...], progress: ProgressReporter
) -> PublishedModel:
    """Patch and prove the model of a stage, at the sizes of the bundle."""
    patched = patch_model(file, PatchArguments(models=(file,), out=folder, dims=dims), progress)
    (rewrites,) = patched.rewrites.values()
    return PublishedModel(name, file, patched.files[0], rewrites, patched.interface)


def _names(arguments: PublishArguments) -> HubNames:
    base = arguments.base_model or (hub_reference(arguments.models[0]) or "").removeprefix(HUB_PREFIX)
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
    """Return the result of each backend; for a pipeline the result of all stages together."""
    return [
        BackendResult(
            runner_name(without_stage(run.backend, report.stages)),
            run.adapter,
            report.environment.browser,
            len(run.comparisons),
            max((each.max_abs for each in run.comparisons if each.max_abs is not None), default=0.0),
            run.tolerance_used or 0.0,
        )
        for run in report.backends
        if not run.skip_reason and (not report.stages or ALL_STAGES in run.backend.split(" "))
    ]
