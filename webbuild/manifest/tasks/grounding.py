"""Objects that a prompt names."""

from __future__ import annotations

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class GroundingTask(Task, tag="grounding", kw_only=True, frozen=True):
    """Objects that a prompt names, and their boxes.

    `output` [1, queries, width] holds a logit for each query and each token of the prompt, minus infinity where there
    is no token; `boxes` [1, queries, 4] the centre x y, width and height in parts of the input. A query's score is
    the sigmoid of its best logit, and it found something where that is above `confidence`. What it found is the text
    of the tokens whose sigmoid is above `text_threshold`, but for the first column and the last, without its full
    stops; it belongs to that phrase of the prompt which its best token is in.

    A prompt becomes at most `max_tokens` tokens by the tokenizer in the file `tokenizer`: in lower case, with a full
    stop after it. `special_tokens` are the numbers of [CLS], [SEP], the full stop and the question mark, which
    separate phrases, and of [PAD]. `prompts` are examples; the first is what the model is warmed up with.
    """

    output: OutputName
    boxes: OutputName
    queries: Count
    max_tokens: Count
    tokenizer: str
    special_tokens: dict[str, Count]
    confidence: float
    text_threshold: float
    prompts: list[str]
