from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.nms.append_nms import NMS_APPENDED_KEY
from webbuild.passes.rewrite import static_shape
from webbuild.postprocess.label_scores import LabelScoresPostprocess
from webbuild.postprocess.output_names import LABEL_SCORES

_SMALLEST = 1e-12
"""Lower bound of the norm, so that a zero embedding is not divided by 0."""


class AppendLabelScores(Pass):
    """`embedding [1, size]` -> `scale * (embedding / |embedding|) @ label embeddings.T + bias [1, labels]`.

        embedding [1, size]        ->  label_scores [1, labels] = scale * (embedding / |embedding|) @ labels.T + bias
        tokens [1, tokens, size]   ->  the same with the first token, or the mean of all tokens, as the embedding

    Why: if the labels are known when the model is packed, the text encoder need not be shipped, and the image's scores
    are computed on the GPU.

    How: the norm is a ReduceL2, the scaled label embeddings are the weights of a MatMul. A bias is an Add, and a model
    that scores each label independently gets a Sigmoid. Exact except for rounding.
    """

    code = "append-label-scores"
    after = ("fold-constants", "fix-dynamic-dims", "float16-io")
    scope = "main graph"
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        spec = options.missing_postprocess
        if not isinstance(spec, LabelScoresPostprocess) or NMS_APPENDED_KEY in model.metadata_props:
            return []
        where = f"output '{spec.output}'"
        output = next((value for value in model.graph.outputs if value.name == spec.output), None)
        if output is None:
            return [self.skipped(where, "no output has that name")]
        if (reason := _blocker(model, output, spec)) is not None:
            return [self.skipped(where, reason)]
        add = Builder(model.graph, None, LABEL_SCORES)
        scores = _scores(add, _pooled(add, output, spec), spec)
        shape = [1, len(spec.labels)]
        scores.name, scores.shape, scores.type = LABEL_SCORES, ir.Shape(shape), ir.TensorType(ir.DataType.FLOAT)
        model.graph.outputs[list(model.graph.outputs).index(output)] = scores
        model.metadata_props[NMS_APPENDED_KEY] = "label scores"
        infer_shapes(model)
        return [self.applied(where, f"'{LABEL_SCORES}' {shape} takes its place")]


def _pooled(add: Builder, output: ir.Value, spec: LabelScoresPostprocess) -> ir.Value:
    """Return the embedding [1, size]."""
    if spec.pooling == "mean":
        return add.reduce("ReduceMean", output, 1, keepdims=0)  # [1, tokens, size] -> [1, size]
    first = (
        add.slice(output, 1, 0, 1) if spec.pooling == "cls" else output
    )  # [1, 1, size], [1, size] or [1, size, 1, 1]
    return first if static_shape(first) == [1, spec.size] else add.reshape(first, [1, spec.size])


def _scores(add: Builder, vector: ir.Value, spec: LabelScoresPostprocess) -> ir.Value:
    length = add.op("Max", add.reduce("ReduceL2", vector, 1), add.const(_SMALLEST))  # [1, 1]
    scores = add.op("MatMul", add.op("Div", vector, length), add.const(spec.scale * spec.labels.T))  # [1, labels]
    scores = add.op("Add", scores, add.const(spec.bias)) if spec.bias else scores
    return add.op("Sigmoid", scores) if spec.sigmoid else scores


def _blocker(model: ir.Model, output: ir.Value, spec: LabelScoresPostprocess) -> str | None:
    tokens = [1, spec.tokens, spec.size]
    fitting = ([1, spec.size], [1, spec.size, 1, 1]) if spec.pooling == "none" else (tokens,)
    if static_shape(output) not in fitting:
        return f"its shape is {static_shape(output)}, and {fitting[0]} was expected"
    if output.dtype != ir.DataType.FLOAT:
        return "it is not float32"
    if output.is_graph_input() or output.is_initializer():
        return "no node computes it"
    if any(value.name == LABEL_SCORES for value in model.graph.outputs):
        return f"another output has the name '{LABEL_SCORES}'"
    return None
