"""A bundle of several stages in a browser page: one of its stages, or all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from webbuild.browser.server import Server
from webbuild.manifest.manifest import TensorInput
from webbuild.runners.chain import RunStage, run_chain, stage_feeds
from webbuild.runners.runner import Tensors
from webbuild.verify.bundle import Bundle
from webbuild.verify.page_rpc import Page
from webbuild.verify.page_runner import PageRunner


class WholePageRunner(PageRunner):
    """Runs all stages: a look at the picture, and the last stage on what that left in the worker.

    Where tensors go in, in place of a picture, the stages run one after another.

    Args:
        page: an empty page.
        server: serves the bundle.
        name: of the backend.
        stages: the bundle of each stage.
        seconds: how long any one step may take.
    """

    def __init__(self, page: Page, server: Server, name: str, stages: Sequence[Bundle], *, seconds: float) -> None:
        super().__init__(page, server, name, seconds=seconds)
        self._stages = stages

    def run_whole(self, feeds: Tensors, pictures: Sequence[Path]) -> tuple[dict[str, NDArray[Any]], float]:
        """Run all stages on a chain's feeds; return the last one's outputs, and the milliseconds it took."""
        if pictures:
            return self.look(pictures, _without_glued(self._stages[-1], stage_feeds(self._stages[-1].stage, feeds)))
        took = 0.0

        def runs(stage: Bundle) -> RunStage:
            def run(own: Tensors) -> Tensors:
                nonlocal took
                outputs, ms = self.run_timed(own, stage.stage)
                took += ms
                return outputs

            return run

        chain = [(each.stage, each.manifest.inputs, runs(each)) for each in self._stages]
        return dict(run_chain(chain, feeds)), took


def _without_glued(stage: Bundle, feeds: Tensors) -> Tensors:
    """Return the feeds of a stage without what its module makes in the page."""
    made = {spec.name for spec in stage.manifest.inputs if isinstance(spec, TensorInput)} if stage.glue else set()
    return {name: array for name, array in feeds.items() if name not in made}
