"""A bundle of several stages in a browser page: runs all stages together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from numpy.typing import NDArray

from webbuild.browser.driven_browser import DrivenPage
from webbuild.browser.server import Server
from webbuild.manifest.manifest import TensorInput
from webbuild.preprocess.point_prompt import PointPrompt
from webbuild.runners.chain import RunStage, run_chain, stage_feeds
from webbuild.runners.tensors import Tensors
from webbuild.verify.bundle import Bundle
from webbuild.verify.gpu_counters import serve_counting_worker
from webbuild.verify.page_messages import AskCost, RunResult, SceneAnswer
from webbuild.verify.page_runner import PageRunner


class AnsweredPrompt(Struct, frozen=True):
    """A prompt that was run: its cost, and the bytes of the arrays in the result.

    The first prompt of a `form` (number of points, number of boxes) opens the graph for these prompts.
    """

    cost: AskCost
    answer_bytes: int
    form: tuple[int, int]


class PipelinePageRunner(PageRunner):
    """Runs all stages: `look()` on the picture, then the last stage on the outputs kept in the worker.

    With tensors in place of a picture, the stages run one at a time.

    Args:
        page: an empty page.
        server: serves the bundle.
        name: the name of the backend.
        stages: the bundle of each stage.
        seconds: the time limit of each step.
    """

    def __init__(
        self, page: DrivenPage, server: Server, name: str, stages: Sequence[Bundle], *, seconds: float
    ) -> None:
        super().__init__(page, server, name, seconds=seconds)
        self._worker = serve_counting_worker(server)
        self._stages = stages
        self._looked_at: Sequence[Path] = ()
        self.looks: list[float] = []
        """Milliseconds of each `look()` for prompts."""
        self.asked: list[AnsweredPrompt] = []

    def run_pipeline(self, feeds: Tensors, pictures: Sequence[Path]) -> tuple[dict[str, NDArray[Any]], float]:
        """Run all stages on a chain's feeds; return the last stage's outputs, and the milliseconds."""
        if pictures:
            return self.look(pictures, _without_glued(self._stages[-1], stage_feeds(self._stages[-1].stage, feeds)))
        took = 0.0

        def runs(stage: Bundle) -> RunStage:
            def run(inputs: Tensors) -> Tensors:
                nonlocal took
                outputs, ms = self.run_timed(inputs, stage.stage)
                took += ms
                return outputs

            return run

        chain = [(each.stage, each.manifest.inputs, runs(each)) for each in self._stages]
        return dict(run_chain(chain, feeds)), took

    def ask(self, pictures: Sequence[Path], prompt: PointPrompt) -> RunResult:
        """Segment the object of a prompt. Consecutive prompts on one picture share one `look()`.

        The `mask` of a prompt stands for the logits of the first result for the picture.

        Raises:
            PageError: the runtime failed.
        """
        if pictures != self._looked_at:
            self.looks.append(self._calls.call("open", float, urls=self._calls.upload_images(pictures)))
            self._looked_at = pictures
        refines = prompt.mask is not None
        answer: SceneAnswer = self._calls.call("ask", SceneAnswer, prompt=prompt_options(prompt), refines=refines)
        result = self._result(answer)
        form = len(prompt.points), int(prompt.box is not None)
        self.asked.append(AnsweredPrompt(answer.cost, answer.arrays.bytes, form))
        return result


def prompt_options(prompt: PointPrompt) -> dict[str, Any]:
    """Return a prompt as the runtime's options, without its logits."""
    options: dict[str, Any] = {"multimask": prompt.multimask}
    if prompt.points:
        options |= {"points": [{"x": x, "y": y} for x, y in prompt.points], "labels": list(prompt.labels)}
    if prompt.box is not None:
        options["box"] = dict(zip(("x1", "y1", "x2", "y2"), prompt.box, strict=True))
    return options


def _without_glued(stage: Bundle, feeds: Tensors) -> Tensors:
    """Return the feeds of a stage without the inputs that its module computes in the page."""
    glued = {spec.name for spec in stage.manifest.inputs if isinstance(spec, TensorInput)} if stage.glue else set()
    return {name: array for name, array in feeds.items() if name not in glued}
