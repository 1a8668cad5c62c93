"""Prompts (clicks and boxes) of a verification, and the native results for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from webbuild.compare.tolerances import REDUCED_PRECISION
from webbuild.manifest.manifest import Input
from webbuild.preprocess.point_prompt import PointPrompt
from webbuild.runners.chain import RunStage, chain_feeds, run_chain
from webbuild.runners.tensors import Tensors
from webbuild.tasks.registry import decode_task, kind_of
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.variant_reference import VariantReference

_CLOSE = 2 * REDUCED_PRECISION.score
"""Masks with closer scores may change ranks in half precision: the best mask is then not comparable."""

Chain = Sequence[tuple[str, Sequence[Input], RunStage]]


class PromptedStage:
    """The last stage of a bundle, with graphs by number of clicks: selects the graph of a prompt and runs it.

    Args:
        before: runs the stages before it.
        graphs: the reference of each of its graphs.
    """

    def __init__(self, before: Chain, graphs: Sequence[VariantReference]) -> None:
        self._before, self._graphs = before, graphs
        self._task = graphs[0].bundle.manifest.task
        self._kind = kind_of(self._task)
        self._matches = [TaskMatch(self._task, tuple(each.bundle.manifest.inputs), ()) for each in graphs]

    def prompts_for(self, verify_input: VerifyInput, index: int) -> Iterator[VerifyInput]:
        """Yield `verify_input` (with the feeds of the other stages) with each prompt for sample number `index`.

        The logits of the first result are refined by the same clicks. A prompt is left out if the best mask is hardly
        better than the next: another precision may choose the next one.
        """
        assert verify_input.placement is not None
        refines = True
        for name, prompt in self._kind.verification_prompts(self._matches, verify_input.placement).items():
            prompted_input = self._with_prompt(verify_input, index, name, prompt)
            context = RunContext(placement=verify_input.placement, points=prompt)
            outputs = self.run(prompted_input.feeds, prompt)
            if self._kind.choice_margin(self._task, outputs, context) < _CLOSE:
                continue
            yield prompted_input
            if refines:
                refines = False
                answer = decode_task(self._task, outputs, context)
                if (again := self._kind.refined_points(self._match(prompt), prompt, answer)) is not None:
                    yield self._with_prompt(verify_input, index, f"{name}, refined", again)

    def run(self, feeds: Tensors, prompt: PointPrompt) -> Tensors:
        """Run all stages on a chain's feeds; return the outputs of the last stage."""
        chosen = self._taking(prompt)
        last = (chosen.bundle.stage, chosen.bundle.manifest.inputs, chosen.runner.run)
        return run_chain([*self._before, last], feeds)

    def _match(self, prompt: PointPrompt) -> TaskMatch:
        return next(each for each in self._matches if self._kind.takes_points(each, prompt))

    def _taking(self, prompt: PointPrompt) -> VariantReference:
        return self._graphs[self._matches.index(self._match(prompt))]

    def _with_prompt(self, verify_input: VerifyInput, index: int, name: str, prompt: PointPrompt) -> VerifyInput:
        chosen = self._taking(prompt)
        stage, inputs = chosen.bundle.stage, chosen.bundle.manifest.inputs
        assert verify_input.placement is not None
        pointed = self._kind.point_feeds(self._match(prompt), prompt, verify_input.placement)
        stage_feeds = chain_feeds(stage, inputs, {**chosen.inputs[index].feeds, **pointed})
        title = f"{verify_input.title}, {name}"
        others = {name: array for name, array in verify_input.feeds.items() if not name.startswith(f"{stage}.")}
        return msgspec.structs.replace(verify_input, title=title, feeds={**others, **stage_feeds}, points=prompt)
