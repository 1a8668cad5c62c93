"""Embed: a unit vector for the whole picture, for similarity search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import EmbedTask
from webbuild.model.signature import ModelSignature
from webbuild.postprocess.unit_vectors import pooled_vectors
from webbuild.preprocess.text_feeds import text_feeds
from webbuild.preprocess.text_tokenizer import TextTokenizer
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.crop_embeddings import infer_embedding
from webbuild.tasks.metrics.compare_crops import compare_embeddings
from webbuild.tasks.metrics.compare_neighbors import compare_neighbors
from webbuild.tasks.recognition.image_encoder_outputs import infer_picture_embedding
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import TypeNames

_SAME_VECTOR = 0.995
"""Cosine of the vectors of two different photographs above which the vectors count as independent of the picture."""


class EmbedKind(TaskKind):
    """See `EmbedTask` for the output."""

    spec = EmbedTask
    page_template = "embed"
    ranks_inputs = True
    checks_answers = True
    description = "Gives a vector for a picture, to find pictures that are alike"
    required_signature = "one picture, and one output that is a vector [1, size] or tokens [1, tokens, size]"

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize image encoders by names, family or configuration; other models if the user requests the task."""
        return infer_picture_embedding(signature, requested=requested)

    def for_crops(self, match: TaskMatch, signature: ModelSignature) -> TaskMatch | None:
        """Return an embedding of crops."""
        return infer_embedding(signature)

    def needed_outputs(self, task: EmbedTask) -> Sequence[str]:
        """Return the output."""
        return (task.output,)

    def vector_size(self, task: EmbedTask) -> int:
        """Return the size of the vector."""
        return task.size

    def decode(self, task: EmbedTask, outputs: Tensors, context: RunContext) -> Sequence[NDArray[np.float64]]:
        """Return the vector [size]."""
        return [_vectors(task, outputs[task.output])[0]]

    def read_result(self, result: Mapping[str, Any]) -> Sequence[NDArray[Any]]:
        """Return the vector [size]."""
        return [np.asarray(result["embedding"], np.float64)]

    def is_empty(self, prediction: Sequence[NDArray[Any]]) -> bool:
        """Whether the vector is all zeros."""
        return not any(each.any() for each in prediction)

    def answer_warnings(self, task: EmbedTask, answers: Sequence[Tensors]) -> Sequence[str]:
        """Warn if two different photographs have nearly the same vector."""
        first, second = (_vectors(task, each[task.output])[0] for each in answers[:2])
        cosine = float(first @ second)
        if not cosine > _SAME_VECTOR:
            return ()
        warning = (
            f"the vectors of two unlike photographs have a cosine of {cosine:.4f}: they hardly depend on "
            "the picture. The preprocessing may be wrong: see --scale, --mean and --std"
        )
        return (warning,)

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        return f"a cosine of at least {1 - tolerance.cosine:g}, and the other pictures in the same order of similarity"

    def summary(self, task: EmbedTask, pictures: int) -> str:
        """Return what the model does."""
        return f"Gives a vector of {task.size} numbers for a picture, to find pictures that are alike."

    def typescript(self, task: EmbedTask) -> TypeNames:
        """Return the name of the vector."""
        return TypeNames("embedding", functions=("loadIndex", "similar"))

    def prompt_files(self, task: EmbedTask) -> Sequence[str]:
        """Return the tokenizer of a text encoder."""
        return () if not task.text_input else (task.text_input.tokenizer,)

    def text_runs(self, match: TaskMatch) -> Mapping[str, Tensors]:
        """Return the feeds of the texts that a text encoder is compared on."""
        assert isinstance(match.task, EmbedTask)
        spec = match.task.text_input
        if not spec:
            return {}
        tokens = TextTokenizer(match.files[spec.tokenizer].decode(), spec.tokenizer).encode(spec.texts)
        return {text: text_feeds(match.inputs, spec, text, ids) for text, ids in zip(spec.texts, tokens, strict=True)}

    def compare_output(
        self,
        task: EmbedTask,
        subject: ComparedOutput,
        expected: NDArray[Any],
        actual: NDArray[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison] | None:
        """Compare the unit vectors of the outputs."""
        if subject.output != task.output:
            return None
        sides = _vectors(task, expected), _vectors(task, actual)
        return _compare(subject, *sides, context, tolerance)

    def compare(
        self,
        task: EmbedTask,
        subject: ComparedOutput,
        expected: Sequence[NDArray[Any]],
        actual: Sequence[NDArray[Any]],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare the vectors in the runtime's results, which must have the same size."""
        if [each.shape for each in expected] != [each.shape for each in actual]:
            about = subject.with_quantity("cosine distance")
            return [Comparison(subject=about, verdict="DIFFERS", tolerance=0, signal=1.0, reason="shape")]
        return _compare(subject, expected, actual, context, tolerance)


def _vectors(task: EmbedTask, values: NDArray[Any]) -> NDArray[np.float64]:
    return pooled_vectors(values, task.tokens, task.size, task.pooling)


def _compare(
    subject: ComparedOutput,
    want: Sequence[NDArray[Any]] | NDArray[Any],
    got: Sequence[NDArray[Any]] | NDArray[Any],
    context: RunContext,
    tolerance: Tolerance,
) -> Sequence[Comparison]:
    comparisons = [compare_embeddings(subject, list(zip(want, got, strict=True)), tolerance)]
    return comparisons + compare_neighbors(subject, want[0], got[0], context.others, tolerance)


TASK = EmbedKind()
