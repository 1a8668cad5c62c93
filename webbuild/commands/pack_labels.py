"""The labels of `webbuild pack --text --labels`: embedded before MODEL is compiled. The text encoder does not ship."""

from __future__ import annotations

import msgspec

from webbuild.commands.options.pack import PackArguments
from webbuild.commands.pack_plan import PackOptions
from webbuild.compile.embed_labels import embed_labels
from webbuild.errors import USAGE, WebbuildError
from webbuild.reporting.progress import ProgressReporter
from webbuild.tasks.options.zero_shot import LogitScale


def with_text_labels(options: PackOptions, arguments: PackArguments, progress: ProgressReporter) -> PackOptions:
    """Return the options with the labels replaced by their embeddings, if there is a text encoder.

    Raises:
        WebbuildError: `conflicting-options`, and what `embed_labels` raises.
    """
    _check(arguments)
    if arguments.text is None or arguments.labels is None:
        return options
    logit_scale = LogitScale("as the options say", arguments.logit_scale, arguments.logit_bias)
    with progress.step(f"embed the labels with {arguments.text.name}"):
        labels = embed_labels(arguments.text, arguments.labels, arguments.templates, logit_scale, arguments.tokenizer)
    overrides = msgspec.structs.replace(options.overrides, labels=None, text_labels=labels)
    return msgspec.structs.replace(options, overrides=overrides)


def _kind(arguments: PackArguments) -> str:
    return "embed" if arguments.labels is None else "classify"


def _check(arguments: PackArguments) -> None:
    text_options = {
        "--template": bool(arguments.templates),
        "--tokenizer": arguments.tokenizer is not None,
        "--logit-scale": arguments.logit_scale is not None,
        "--logit-bias": arguments.logit_bias is not None,
    }
    unused_option = next((name for name, value in text_options.items() if value), None)
    what = fix = ""
    if arguments.text is None and unused_option is not None:
        what, fix = f"{unused_option} needs a text encoder", "give it with --text FILE"
    elif arguments.text is not None and arguments.labels is None and arguments.templates:
        what, fix = "--template needs labels", "give them with --labels FILE"
    elif arguments.text is not None and (len(arguments.models) != 1 or arguments.task not in (None, _kind(arguments))):
        what, fix = "--text needs exactly one image encoder", "give one MODEL, and leave --task out"
    if what:
        raise WebbuildError("conflicting-options", what, fix, exit_code=USAGE)
