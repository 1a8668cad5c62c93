"""Objects that match a text prompt (open-vocabulary detection)."""

from __future__ import annotations

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class GroundingTask(Task, tag="grounding", kw_only=True, frozen=True):
    """Objects that match a text prompt, and their boxes (open-vocabulary detection, Grounding DINO).

    `output` [1, queries, width] has a logit for each query and each token of the prompt, minus infinity where there is
    no token. `boxes` [1, queries, 4] are centre x y, width and height as fractions of the input. A query's score is the
    sigmoid of its best logit; it is a detection if the score is above `confidence`. Its text is that of the tokens
    whose sigmoid is above `text_threshold`, without the first and last column and without full stops. Its phrase is the
    phrase of the prompt with its best token.

    The tokenizer in the file `tokenizer` turns a prompt, in lower case and with a final full stop, into at most
    `max_tokens` tokens. `special_tokens` are the ids of [CLS], [SEP], the full stop and the question mark, which
    separate phrases, and of [PAD]. `prompts` are examples; the first is used for the warm-up.
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
