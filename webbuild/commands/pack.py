"""`webbuild pack`: load the models, compile each stage, prove it, write the bundle, verify it in Chromium."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from webbuild.bench.nms_forms import NmsChoice
from webbuild.browser.require_playwright import INSTALL_BROWSER, has_playwright
from webbuild.bundle.file_names import safe_file_name
from webbuild.bundle.staging import check_output_folder, staged_folder
from webbuild.commands.options.pack import PackArguments
from webbuild.commands.pack_bundle import stage_rewrites
from webbuild.commands.pack_job import PackJob
from webbuild.commands.pack_labels import with_text_labels
from webbuild.commands.pack_messages import rewrite_lines
from webbuild.commands.pack_plan import locate_models, parse_pack_options
from webbuild.commands.pack_text_encoder import with_embed_task, with_split_encoders
from webbuild.commands.verify import verify_and_show, write_html_report
from webbuild.compile.stages.model_stage import ModelStage
from webbuild.errors import CLEAN, WebbuildError
from webbuild.reporting.progress import ProgressReporter
from webbuild.reporting.write import print_json, shell_quote
from webbuild.runners.malloc_trim import freeze_modules
from webbuild.verify.report import VerifyReport, exit_code


def run(arguments: PackArguments) -> int:
    """Pack a model of one or several stages. Returns the exit code.

    Without Playwright the bundle is proven natively, but not in a browser.

    Raises:
        WebbuildError: whatever stops it; nothing is written then.
    """
    freeze_modules()
    with tempfile.TemporaryDirectory(prefix="webbuild-", ignore_cleanup_errors=True) as folder:
        return _pack(arguments, Path(folder))


def _pack(arguments: PackArguments, parts: Path) -> int:
    progress = ProgressReporter(quiet=arguments.as_json, durations=False)
    options = parse_pack_options(arguments)
    arguments, models = with_split_encoders(arguments, locate_models(arguments), parts, progress)
    out = arguments.out or Path("dist") / safe_file_name(models.name)
    if not arguments.dry_run:
        check_output_folder(out, force=arguments.force)
    options = with_text_labels(options, arguments, progress)
    job = PackJob.plan(models, with_embed_task(arguments), options, progress)
    form = _nms_form(job, progress)
    stages = job.compile_stages(form.nms, progress)
    if arguments.dry_run:
        _print_rewrites([*stages, *([] if job.text is None else [job.text])], as_json=arguments.as_json)
        return CLEAN
    with staged_folder(out) as folder:
        packed = job.write(stages, form.nms, folder, progress, form.reason)
        verified = _verify(folder) if has_playwright() and not arguments.no_verify else None
    progress.print(f"written: {out}, with a page and a report; open them with: webbuild serve {shell_quote(out)}")
    if not isinstance(verified, VerifyReport) and not arguments.no_verify:
        before = f"{INSTALL_BROWSER}, then" if verified is None else "fix the error below, then run"
        progress.print(
            f"proven natively, not compared in a browser; for that: {before} webbuild verify {shell_quote(out)}"
        )
    _report(verified, out)
    if arguments.as_json:
        print_json({"pack": packed, "verify": verified})
    return exit_code(verified) if isinstance(verified, VerifyReport) else CLEAN


def _nms_form(job: PackJob, progress: ProgressReporter) -> NmsChoice:
    """Return the form of NMS that the user named; with `--nms auto` the faster one, measured in Chromium."""
    named = job.arguments.nms
    if named != "auto":
        return NmsChoice(named, "")
    if job.arguments.dry_run:
        return NmsChoice("shader", "")
    from webbuild.commands.choose_nms import choose_nms

    with progress.step("measure both forms of suppression"):
        choice = choose_nms(job.write_trial)
    progress.print_lines([f"NMS: {choice.reason}"] if choice.reason else [])
    return choice


def _print_rewrites(stages: Sequence[ModelStage], *, as_json: bool) -> None:
    rewrites = stage_rewrites(stages)
    if as_json:
        print_json({"rewrites": rewrites})
    else:
        click.echo("\n".join(rewrite_lines(rewrites)))


def _verify(folder: Path) -> VerifyReport | WebbuildError:
    """Verify the bundle before it is moved to its place. Errors are returned, so that the bundle is not lost."""
    try:
        return verify_and_show(folder)
    except WebbuildError as error:
        return error


def _report(verified: VerifyReport | WebbuildError | None, out: Path) -> None:
    """Write the verification report next to the bundle, and replace a previous one.

    Raises:
        WebbuildError: the error of the verification; `unwritable-report`.
    """
    page = out.with_name(f"{out.name}.verify.html")
    page.unlink(missing_ok=True)
    if isinstance(verified, WebbuildError):
        raise verified
    if verified is not None:
        write_html_report(page, verified, out)
