"""The commands: parse, call, print, exit."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webbuild import __version__
from webbuild.commands.bisect_options import bisect_options
from webbuild.commands.browser_options import browser_options
from webbuild.commands.override_options import override_options
from webbuild.commands.patch_options import patch_options
from webbuild.commands.smaller_options import smaller_options
from webbuild.commands.unforeseen import unforeseen
from webbuild.commands.variadic import Variadic
from webbuild.errors import INTERRUPTED, WebbuildError

if TYPE_CHECKING:
    from webbuild.manifest import Weights
    from webbuild.passes._base import Suppression
    from webbuild.precision.vary import Asked
    from webbuild.targets.target import Build

_FOLDER = click.Path(path_type=Path)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="webbuild")
def cli() -> None:
    """Take an ONNX model that runs somewhere and make it run, with the same answers, on WebGPU in a browser.

    Exit codes: 0 clean, 1 the model or the bundle failed, 2 usage or environment, 3 a bug in webbuild,
    130 interrupted.
    """


@cli.command(cls=Variadic)
@click.argument("model", type=_FOLDER)
@click.option("-o", "--out", type=_FOLDER, help="Folder to write. [default: dist/<name of the model>]")
@click.option(
    "--task",
    type=click.Choice(["detect", "pose", "segment", "obb", "classify", "depth", "panoptic", "phrases", "tensor"]),
    help="What the model is, where the guess is wrong.",
)
@click.option("--dim", "dims", multiple=True, metavar="NAME=N", help="Size of a free dimension, or INPUT:AXIS=N.")
@click.option(
    "--sample",
    "samples",
    multiple=True,
    type=_FOLDER,
    metavar="FILE...",
    help="Pictures, .npz, or folders of stacks to prove with.",
)
@click.option("--prompt", "prompts", multiple=True, metavar="TEXT", help="What to look for in the samples, in words.")
@click.option(
    "--nms",
    type=click.Choice(["gpu", "cpu", "keep"]),
    default="gpu",
    show_default=True,
    help="Where WebGPU suppresses boxes: in fixed shapes on the GPU, on the CPU, or exactly as exported.",
)
@smaller_options
@override_options
@click.option("--no-verify", is_flag=True, help="Do not run the bundle in Chromium.")
@click.option("--dry-run", is_flag=True, help="Say what would be done; write nothing.")
@click.option("--force", is_flag=True, help="Replace the bundle that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON on stdout.")
def pack(
    model: Path,
    out: Path | None,
    task: str | None,
    dims: tuple[str, ...],
    samples: tuple[Path, ...],
    prompts: tuple[str, ...],
    nms: Suppression,
    weights: Weights,
    precision: Asked,
    budget: tuple[str, ...],
    overrides: Mapping[str, Any],
    no_verify: bool,
    dry_run: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Patch MODEL, prove it, write a bundle with a page, and compare it in Chromium.

    Put --sample after MODEL: it takes every file up to the next option. Pictures in a folder `samples` beside
    MODEL are used when none are given.

    A model that takes a stack of pictures is given folders, one for each stack, or the pictures of one stack. Their
    focal distances are a list in `focus.json` in the folder. Folders in `samples` beside MODEL are used otherwise.

    A detector that is told in words what to look for needs its tokenizer.json or vocab.txt beside MODEL. It is proven
    on the prompts given, else on those in `samples/prompts.txt` beside it, a line each.

    With --precision auto a search finds how much of the model can be float16 without changing an answer on the samples,
    within a hundredth of a score, half a pixel, 1 % of other outputs. Browsers whose GPU has float16 load that graph.

    Example: webbuild pack yolo-pose.onnx
    """
    from webbuild.commands.pack import Request, run

    told = (model, out, task, dims, samples, prompts, nms, weights, precision, budget, overrides)
    sys.exit(run(Request(*told, verify=not no_verify, dry_run=dry_run, force=force, as_json=as_json)))


@cli.command(cls=Variadic)
@click.argument("models", type=_FOLDER, nargs=-1, required=True, metavar="MODEL...")
@patch_options
def patch(models: tuple[Path, ...], as_json: bool, **options: Any) -> None:
    """Patch each MODEL and prove it, for a loader of your own: .onnx files and nothing else.

    A patched model has the inputs and outputs that it had, by name, type and shape; only free dimensions get the
    sizes that --dim gives. What else has to change is said. Thresholds stay the constants they are.

    With --nms cpu or gpu the thresholds become inputs, `confidence` and `iou`, and a detector without
    post-processing gets one. With gpu there may be an output `head_status`: two numbers, whether the head is exact
    and how many candidates it had. Where the first is not 1, or the second above the capacity in the model's
    metadata (`webbuild.head`), repeat the run on the graph for WebAssembly, which is written too.

    Several models are patched at once, each in a process of its own. One that fails does not stop the others; the
    exit code is that of the worst.

    Example: webbuild patch a.onnx b.onnx -o patched --target 1.30.0-webgpu
    """
    from webbuild.commands.patch_many import requests, run

    sys.exit(run(requests(models, **options), as_json=as_json))


@cli.command(cls=Variadic)
@click.argument("directory", type=_FOLDER)
@browser_options
@click.option(
    "--build",
    type=click.Choice(["jsep"]),
    help='Engine to compare on: jsep is what `import "onnxruntime-web"` gives. [default: the bundle\'s own]',
)
def verify(directory: Path, build: str | None, backends: tuple[str, ...], **options: Any) -> None:
    """Run the bundle in DIRECTORY in Chromium and compare every backend with native ONNX Runtime.

    Example: webbuild verify dist/yolo-pose --html report.html
    """
    from webbuild.verify.command import run

    sys.exit(run(directory, list(backends) or ["wasm", "webgpu"], jsep=build == "jsep", **options))


@cli.command(cls=Variadic)
@click.argument("directory", type=_FOLDER)
@browser_options
@click.option("--runs", type=click.IntRange(1, 100_000), default=30, show_default=True, help="Runs behind p50 and p95.")
def bench(directory: Path, runs: int, backends: tuple[str, ...], **options: Any) -> None:
    """Measure in Chromium what the bundle in DIRECTORY costs: bytes, time to a result, a run, memory.

    Chromium computes WebGPU on the CPU unless WEBBUILD_GPU=real is set: its times say nothing about a GPU then.

    Example: webbuild bench dist/yolo-pose --html bench.html
    """
    from webbuild.bench.command import run

    sys.exit(run(directory, backends, runs=runs, **options))


@cli.command(cls=Variadic)
@click.argument("subject", type=_FOLDER, metavar="DIR|MODEL")
@bisect_options
def bisect(subject: Path, **options: Any) -> None:
    """Find the node that makes a backend's answers differ, throw, or have no session.

    Pieces of the graph run in Chromium, each fed with the reference's values, so that no node is blamed for what went
    wrong before it. What is found is written as the smallest graph that shows it with its real inputs, a page that runs
    it on your own GPU, and a text for the makers of the engine. Exit code 0: nothing differs.

    Example: webbuild bisect dist/yolo-pose
    """
    from webbuild.commands.bisect import request, run

    sys.exit(run(request(subject, **options)))


@cli.command()
@click.argument("model", type=_FOLDER)
@click.option("--target", default="1.30.0-webgpu", show_default=True, help="Build of the engine: VERSION-BUILD.")
@click.option("--dim", "dims", multiple=True, metavar="NAME=N", help="Size of a free dimension, or INPUT:AXIS=N.")
@click.option("--measure", is_flag=True, help="Run it in Chromium too, and hold the prediction against that.")
@click.option("--json", "as_json", is_flag=True, help="Print the inspection as JSON on stdout.")
@click.option("--html", type=_FOLDER, help="Draw the graph with its findings into this file.")
def inspect(model: Path, target: str, dims: tuple[str, ...], measure: bool, as_json: bool, html: Path | None) -> None:
    """Say where each node of MODEL will run in a browser, and how it will end. Nothing is changed.

    Exit code 1 means that it will fail: no session, a throw, a wrong answer. What is merely slow exits 0.

    Example: webbuild inspect yolo11n.onnx --html yolo11n.html
    """
    from webbuild.commands.inspect import Request, run

    sys.exit(run(Request(model, target, dims, measure, as_json, html)))


@cli.command()
@click.argument("directories", type=_FOLDER, nargs=-1, required=True)
@click.option("-o", "--out", type=_FOLDER, default=Path("dist/site"), show_default=True, help="Folder to write.")
@click.option("--title", default="Models in your browser", show_default=True, help="Of the gallery.")
@click.option("--force", is_flag=True, help="Replace the site that is there.")
def site(directories: tuple[Path, ...], out: Path, title: str, force: bool) -> None:
    """Make one static site of several bundles: a gallery, and what they have in common stored once.

    Example: webbuild site dist/yolo-pose dist/depth -o dist/site
    """
    from webbuild.commands.site import run

    sys.exit(run(directories, out, title, force=force))


@cli.command()
@click.argument("directory", type=_FOLDER)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port. [default: a free one]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; others than this take TLS.")
@click.option("--cert", type=_FOLDER, help="Certificate to speak TLS with, PEM.")
@click.option("--key", type=_FOLDER, help="Its key, PEM, without a password.")
@click.option("--open", "open_url", is_flag=True, help="Open the page in the default browser.")
def serve(directory: Path, port: int, host: str, cert: Path | None, key: Path | None, open_url: bool) -> None:
    """Serve the page in DIRECTORY on localhost until Ctrl-C; to other machines with --host, --cert and --key.

    Example: webbuild serve dist/yolo-pose
    """
    from webbuild.browser.serve import run

    sys.exit(run(directory, port, open_url, host=host, cert=cert, key=key))


@cli.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain a pass or a finding by its CODE in a page of text; without CODE, list them.

    Example: webbuild explain fixed-shape-head
    """
    from webbuild.commands.explain import run

    sys.exit(run(code))


@cli.command()
@click.option("--version", help="Version of onnxruntime-web. [default: the installed one; another comes through npm]")
@click.option(
    "--build",
    type=click.Choice(["webgpu", "jsep", "wasm"]),
    default="webgpu",
    help='webgpu: what `import "onnxruntime-web/webgpu"` gives; jsep: the default entry. [default: webgpu]',
)
@click.option("--only", metavar="FAMILY", multiple=True, help="Measure these families of cases and no kernels.")
@click.option("--resume", is_flag=True, help="Go on with a measurement that was interrupted.")
@click.option("--out", type=_FOLDER, help="The table's file. [default: VERSION-BUILD.json]")
def probe(version: str | None, build: Build, only: tuple[str, ...], resume: bool, out: Path | None) -> None:
    """Measure in Chromium what a build of onnxruntime-web can do, and write its table. Takes up to an hour.

    Example: webbuild probe --version 1.27.0 --build jsep
    """
    from webbuild.commands.probe import run

    sys.exit(run(version, build, only, resume, out))


@cli.command()
@click.argument("names", metavar="[A B]", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON on stdout.")
def targets(names: tuple[str, ...], as_json: bool) -> None:
    """List the builds of onnxruntime-web that were measured; of two, print what differs.

    Example: webbuild targets 1.30.0-jsep 1.30.0-webgpu
    """
    from webbuild.commands.targets import run

    sys.exit(run(names, as_json))


def main() -> None:
    """Run the program: the one place where errors become text and an exit code."""
    try:
        cli(standalone_mode=False)
    except WebbuildError as error:
        click.echo(str(error), err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except Exception as error:
        sys.exit(unforeseen(error))
