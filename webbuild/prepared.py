"""What every command does to a model before it writes anything: load it, plan its patches, say what it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from webbuild.bundle.graphs import option_inputs
from webbuild.dims import Sizes, choose_sizes, takes_prompt
from webbuild.inspection.element_counts import require_counts
from webbuild.inspection.graph import read
from webbuild.inspection.kept_right import Kept, keep_right, require_wasm
from webbuild.model import Source, load
from webbuild.overrides import Overrides, override
from webbuild.passes._base import Options, Suppression
from webbuild.plan import Plan, plan
from webbuild.recognise import recognise, require_head, without_head
from webbuild.size_order import with_measured_order
from webbuild.targets.table import table_if_measured
from webbuild.targets.target import Target
from webbuild.trial import open_original
from webbuild.verify.native import NativeRunner

if TYPE_CHECKING:
    from webbuild.completed import Head
    from webbuild.manifest import OptionInput, Withheld
    from webbuild.talk import Talk
    from webbuild.tasks._base import Guess


class Opened(Struct, frozen=True):
    """A model that native ONNX Runtime takes, a size for each of its free dimensions, and what had to be repaired."""

    source: Source
    original: NativeRunner
    sizes: Sizes
    repairs: tuple[str, ...]


class Prepared(Struct, frozen=True):
    """The patched graphs for a build of the engine, and what the model is with them.

    `options` are the thresholds that became inputs. `raw` is the post-processing that the original lacks. `withheld` is
    why the build must not run its graph, and takes the one for WASM instead.
    """

    planned: Plan
    known: Guess
    options: tuple[OptionInput, ...]
    assumptions: tuple[str, ...]
    raw: Head | None
    withheld: Withheld | None


def open_model(path: Path, dims: Mapping[str, int], talk: Talk) -> Opened:
    """Load a model and choose its sizes.

    Raises:
        WebbuildError: what `load` and `choose_sizes` raise, `reshape-count`, or `native-refused`.
    """
    with talk.step(f"load {path.name}"):
        source = load(path)
        sizes = choose_sizes(source.facts, dims)
        require_counts(read(source.model, sizes.dims)[0])
        original, repairs = open_original(source)  # what does not run as it is need not be patched
        original.close()
    return Opened(source, original, sizes, repairs)


def prepare(
    opened: Opened, target: Target, *, task: str | None, nms: Suppression, wanted: Overrides, talk: Talk
) -> Prepared:
    """Plan the patches for a target, and recognise what the model is.

    Raises:
        WebbuildError: `wrong-task`, `unsupported-dtype`, `class-names`, `no-head`, `reshape-count`,
            `no-browser-build`, and what `override` raises.
    """
    source, dims = opened.source, opened.sizes.dims
    with talk.step("plan the patches"):
        headless = None if nms == "keep" else without_head(source, dims, task)
        headless = headless and with_measured_order(headless, opened.original)
        raw = None if headless is None else headless.raw
        table = table_if_measured(target)
        planned = plan(source.model, Options(dims=dims, raw=raw, table=table, nms=nms))
        kept = Kept() if table is None else keep_right(planned.models["webgpu"], table)
        planned = planned.with_edits("webgpu", kept.edits)
        wasm = table_if_measured(Target(target.version, "wasm"))
        if kept.withheld is not None and wasm is not None:
            require_wasm(planned.models["wasm"], wasm, kept.withheld)
    require_counts(planned.models["wasm"])  # with every shape folded that could be
    plain = nms == "keep" and takes_prompt(source.facts)  # whose tokenizer only a page needs
    known = headless or recognise(source, planned, "tensor" if plain else task)
    if nms == "keep" and known.raw is not None:
        known = recognise(source, planned, "tensor")
    require_head(known, planned)
    known = override(known, wanted)
    options = tuple(option_inputs(planned.models["webgpu"]))
    assumptions = (*opened.repairs, *opened.sizes.assumptions, *known.assumptions)
    return Prepared(planned, known, options, assumptions, raw, kept.withheld)
